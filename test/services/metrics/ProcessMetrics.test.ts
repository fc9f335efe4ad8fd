/** What a server measures without a request. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import * as ToolErrorMessages from "../../../src/domain/ToolErrorMessages.ts"
import { Readiness } from "../../../src/services/database/Readiness.ts"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import * as ProcessMetrics from "../../../src/services/metrics/ProcessMetrics.ts"

describe("the probe of the database", () => {
  it.effect("tells within five seconds that the database is away, and that it is back", () =>
    Effect.gen(function* () {
      let isUp = true
      const check = Effect.suspend(() => (isUp ? Effect.void : Effect.fail(ToolErrorMessages.unavailable("database"))))
      yield* Layer.build(ProcessMetrics.layer.pipe(Layer.provide(Layer.succeed(Readiness, { check }))))
      assert.strictEqual(yield* Metrics.databaseUp.value({}), 1)
      isUp = false
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Metrics.databaseUp.value({}), 0)
      isUp = true
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Metrics.databaseUp.value({}), 1)
    }).pipe(Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})

describe("the process", () => {
  it.effect("is measured when it is asked for, and no longer than its server lives", () =>
    Effect.gen(function* () {
      const ready = Layer.succeed(Readiness, { check: Effect.void })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(ProcessMetrics.layer.pipe(Layer.provide(ready)))
          const first = yield* Metrics.cpu.value({})
          // Some work.
          assert.isAbove(Array.from({ length: 1_000_000 }, (_, index) => Math.sqrt(index)).length, 0)
          assert.isAbove(yield* Metrics.cpu.value({}), first)
          assert.isAbove(yield* Metrics.residentMemory.value({}), 1e7)
        })
      )
      assert.strictEqual(yield* Metrics.cpu.value({}), 0)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
