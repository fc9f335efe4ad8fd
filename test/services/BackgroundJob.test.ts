import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as BackgroundJob from "../../src/services/BackgroundJob.ts"

describe("BackgroundJob", () => {
  it.effect.each([
    ["fails", Effect.fail("a failure")],
    ["dies", Effect.die("a defect")]
  ] as const)("repeats a job that %s, with a warning", ([, broken]) =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      let runs = 0
      const job = Effect.suspend(() => (++runs === 1 ? broken : Effect.void))
      yield* Effect.gen(function* () {
        yield* BackgroundJob.repeat("1 minute", "It could not be done")(job)
        yield* TestClock.adjust("5 minutes")
      }).pipe(
        Effect.scoped,
        Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))]))
      )
      assert.isAtLeast(runs, 4)
      assert.lengthOf(lines, 1)
      assert.match(lines.join(), /It could not be done.*a (?:failure|defect)/)
    })
  )

  it.effect("ends a job that is interrupted, without a warning", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      let runs = 0
      const job = Effect.suspend(() => {
        runs++
        return Effect.interrupt
      })
      yield* Effect.gen(function* () {
        const fiber = yield* BackgroundJob.repeat("1 minute", "It could not be done")(job)
        yield* TestClock.adjust("5 minutes")
        yield* Fiber.await(fiber)
      }).pipe(
        Effect.scoped,
        Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))]))
      )
      assert.strictEqual(runs, 1)
      assert.deepStrictEqual(lines, [])
    })
  )
})
