/** Requests to ClickHouse that end early: by their time, by an interruption, or by the size of their answer. */
import { assert, describe, layer } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { PassThrough } from "node:stream"
import * as Answer from "../../../../src/services/search/clickhouse/Answer.ts"
import { ClickHouse } from "../../../../src/services/search/clickhouse/ClickHouse.ts"
import * as ClickHousePackage from "../../../support/ClickHousePackage.ts"
import * as ClickHouseServer from "../../../support/ClickHouseServer.ts"
import { ClickHouseServer as Server } from "../../../support/ClickHouseServer.ts"

/** Takes as many tenths of a second as rows, of which the engine makes one a block. */
const slow = (rows: number) => ({
  name: "slow",
  sql: "SELECT sum(sleepEachRow(0.1)) AS n FROM numbers({rows:UInt64}) SETTINGS max_block_size = 1",
  params: { rows }
})

const query = (...args: Parameters<ClickHouse["Service"]["query"]>) =>
  Effect.flatMap(ClickHouse, ($) => $.query(...args))
const ping = Effect.flatMap(ClickHouse, ($) => $.ping)

/** ClickHouse's code of a query that was killed. */
const killedCode = 394

describe.skipIf(!ClickHousePackage.isAvailable)("a request to ClickHouse", () => {
  layer(ClickHouseServer.both)((it) => {
    for (const after of ["statement", "half"] as const) {
      it.effect(`ends with its time, and in the engine as well, when the engine is silent after the ${after}`, () =>
        Effect.gen(function* () {
          const server = yield* Server
          const held = yield* server.nextHeld
          const fiber = yield* Effect.forkChild(
            server.during({ kind: "hold", after })(query({ ...slow(1), time: Duration.seconds(3) }, Schema.Unknown))
          )
          const ended = yield* server.nextEnded(yield* held)
          yield* TestClock.adjust("2999 millis")
          assert.isUndefined(fiber.pollUnsafe())
          yield* TestClock.adjust("1 millis")
          assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "EngineTimeout")
          assert.strictEqual((yield* ended).code, killedCode)
        })
      )
    }

    it.effect("ends with its time in the engine, which tells it", () =>
      Effect.gen(function* () {
        // The clock of the test stands still: only the engine's limit ends it.
        const error = yield* Effect.flip(query({ ...slow(100), time: Duration.millis(300) }, Schema.Unknown))
        assert(error._tag === "EngineTimeout")
        assert.strictEqual(error.code, 159)
      })
    )

    it.effect("answers late, but within its time", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const held = yield* server.nextHeld
        const fiber = yield* Effect.forkChild(server.during({ kind: "hold", after: "half" })(ping))
        yield* held
        yield* TestClock.adjust("4 seconds")
        yield* server.release
        assert.isTrue(Exit.isSuccess(yield* Fiber.await(fiber)))
      })
    )

    it.effect("is ended in the engine when it is interrupted", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const begun = yield* server.nextBegun("sleepEachRow")
        const fiber = yield* Effect.forkChild(query({ ...slow(300), time: Duration.minutes(1) }, Schema.Unknown))
        const ended = yield* server.nextEnded((yield* begun).queryId)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual((yield* ended).code, killedCode)
        yield* ping
      })
    )

    it.effect("closes the connection of an answer that has begun", () =>
      Effect.promise(async () => {
        for (const isEarly of [true, false]) {
          const controller = new AbortController()
          const body = new PassThrough()
          body.write("[")
          if (isEarly) controller.abort()
          const reading = Answer.read(body, 1_000, controller.signal)
          controller.abort()
          assert.strictEqual((await reading).fault, "cut")
          assert.isTrue(body.destroyed)
        }
      })
    )

    it.effect("is ended in the engine when its answer is too large", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const sql = "SELECT repeat('x', 10000) AS text FROM numbers(1000)"
        const limited = Effect.provide(
          Effect.gen(function* () {
            const killed = yield* server.nextBegun("KILL QUERY")
            const error = yield* Effect.flip(query({ name: "large", sql }, Schema.Unknown))
            assert.strictEqual(error._tag, "EngineBrokenAnswer")
            assert.include(error.message, "above the limit of bytes")
            yield* killed
          }),
          ClickHouseServer.client({ answerBytes: 1_000_000 })
        )
        yield* limited
        assert.lengthOf(yield* query({ name: "large", sql }, Schema.Unknown), 1000)
      })
    )

    it.effect("does not wait for a kill that nobody answers", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const begun = yield* server.nextBegun("sleepEachRow")
        const killed = yield* server.nextBegun("KILL QUERY")
        const fiber = yield* Effect.forkChild(query({ ...slow(300), time: Duration.minutes(1) }, Schema.Unknown))
        yield* begun
        yield* server.whileStopped(
          Effect.gen(function* () {
            yield* TestClock.adjust("1 minute")
            assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "EngineTimeout")
          })
        )
        yield* killed
      })
    )
  })
})
