/** What a scrape says of a process with several threads. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as Family from "../../../src/services/metrics/Family.ts"
import * as ThreadMetrics from "../../../src/services/metrics/ThreadMetrics.ts"
import { parse, total } from "../../support/Scrape.ts"

const labels = { kind: ["x", "y"] } as const
const events = Family.counter("thread_events_total", { meaning: "Events", labels })
const waiting = Family.gauge("thread_waiting", { meaning: "Waiting", ofProcess: "sum" })
const lag = Family.gauge("thread_lag", { meaning: "Lag", ofProcess: "largest" })
const version = Family.gauge("thread_version", { meaning: "Version", ofProcess: "smallest" })
const seconds = Family.histogram("thread_seconds", { meaning: "Times", boundaries: [1, 2] })

/** What a thread with these values tells. */
const thread = (value: number) =>
  Effect.gen(function* () {
    yield* events.add({ kind: "x" }, value)
    yield* waiting.set({}, value)
    yield* lag.set({}, value)
    yield* version.set({}, value)
    yield* seconds.observe({}, value)
    return yield* Metric.snapshot
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

describe("the metrics of a process", () => {
  it.effect("are those of its threads together: sums, and of gauges what each says of the process", () =>
    Effect.gen(function* () {
      const others = [yield* thread(3), ThreadMetrics.afterEnd(yield* thread(8))]
      const text = yield* Effect.gen(function* () {
        yield* events.add({ kind: "x" }, 1)
        yield* events.add({ kind: "y" }, 5)
        yield* waiting.set({}, 1)
        yield* lag.set({}, 1)
        yield* version.set({}, 4)
        yield* seconds.observe({}, 1)
        return yield* ThreadMetrics.ofProcess(PrometheusMetrics.format())
      }).pipe(
        Effect.provideService(Metric.MetricRegistry, new Map()),
        Effect.provideService(ThreadMetrics.OtherThreads, { snapshots: Effect.succeed(others) })
      )
      const samples = parse(text)
      const values = (name: string, of: Readonly<Record<string, string>> = {}) => total(samples, name, of)
      assert.strictEqual(values("thread_events_total", { kind: "x" }), 1 + 3 + 8)
      assert.strictEqual(values("thread_events_total", { kind: "y" }), 5)
      assert.strictEqual(values("thread_waiting"), 1 + 3)
      assert.strictEqual(values("thread_lag"), 3)
      assert.strictEqual(values("thread_version"), 3)
      assert.strictEqual(values("thread_seconds_count"), 3)
      assert.strictEqual(values("thread_seconds_sum"), 1 + 3 + 8)
      assert.strictEqual(values("thread_seconds_bucket", { le: "1" }), 1)
      assert.strictEqual(values("thread_seconds_bucket", { le: "+Inf" }), 3)
    })
  )
})
