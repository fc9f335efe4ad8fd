import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import * as JsonLog from "../../src/services/JsonLog.ts"

/** The lines that an effect logs, parsed. */
const linesOf = <A, E>(effect: Effect.Effect<A, E>) => {
  const lines: Array<unknown> = []
  const logger = Logger.map(JsonLog.format, (line) => void lines.push(JSON.parse(line)))
  return effect.pipe(Effect.provide(Logger.layer([logger])), Effect.exit, Effect.as(lines))
}

describe("JsonLog", () => {
  it.effect("puts what is logged and its annotations into one flat object", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        Effect.annotateLogs(Effect.logInfo({ message: "tools/call", tool: "get_usage", cost: 0 }), { request_id: "r1" })
      )
      assert.deepStrictEqual(lines, [
        {
          timestamp: "1970-01-01T00:00:00.000Z",
          level: "INFO",
          message: "tools/call",
          tool: "get_usage",
          cost: 0,
          request_id: "r1"
        }
      ])
    })
  )

  it.effect("keeps each entry on one line for any content", () =>
    Effect.gen(function* () {
      const cycle: { self?: unknown } = {}
      cycle.self = cycle
      const lines = yield* linesOf(
        Effect.gen(function* () {
          yield* Effect.logInfo("two\nlines", 'and a "quote"')
          yield* Effect.logInfo({ cycle, big: 10n })
        })
      )
      assert.lengthOf(lines, 2)
      assert.include(lines[0], { message: 'two\nlines and a "quote"' })
    })
  )

  it.effect("logs the cause", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        Effect.die(new Error("the reason")).pipe(Effect.tapCause((cause) => Effect.logError("failed", cause)))
      )
      assert.include(JSON.stringify(lines), "the reason")
      assert.include(lines[0], { level: "ERROR", message: "failed" })
    }).pipe(Effect.provideService(References.MinimumLogLevel, "Info"))
  )
})
