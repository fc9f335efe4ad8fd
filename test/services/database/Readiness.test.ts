import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { SqlError } from "effect/sql"
import { Readiness } from "../../../src/services/database/Readiness.ts"

/** A database that answers once `gate` opens, and cannot be interrupted before. */
const frozen = () => {
  const gate = Deferred.makeUnsafe<void, SqlError.SqlError>()
  const asked = { count: 0 }
  const ask = Effect.suspend(() => {
    asked.count++
    return Effect.uninterruptible(Deferred.await(gate))
  })
  return { gate, asked, layer: Readiness.layerOf(ask) }
}

const forked = Effect.forkChild({ startImmediately: true })

it.effect("does not wait for a query that hangs to be canceled, nor sends another one meanwhile", () => {
  const { asked, gate, layer } = frozen()
  return Effect.gen(function* () {
    const { check } = yield* Readiness
    const waiting = yield* forked(Effect.flip(check))
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual((yield* Fiber.join(waiting))._tag, "ServiceUnavailable")
    assert.strictEqual((yield* Effect.flip(check))._tag, "ServiceUnavailable")
    assert.strictEqual(asked.count, 1)
    yield* Deferred.succeed(gate, undefined)
    yield* Effect.eventually(check)
    assert.strictEqual(asked.count, 2)
  }).pipe(Effect.provide(layer))
})

it.effect("asks once for all who want to know at the same time, also when the first of them hangs up", () => {
  const { asked, gate, layer } = frozen()
  return Effect.gen(function* () {
    const { check } = yield* Readiness
    const first = yield* forked(check)
    const others = yield* forked(
      Effect.all(
        Array.from({ length: 5 }, () => check),
        { concurrency: "unbounded" }
      )
    )
    yield* Fiber.interrupt(first)
    yield* Deferred.succeed(gate, undefined)
    assert.lengthOf(yield* Fiber.join(others), 5)
    assert.strictEqual(asked.count, 1)
    yield* check
    assert.strictEqual(asked.count, 2)
  }).pipe(Effect.provide(layer))
})
