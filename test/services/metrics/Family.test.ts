/** What families of metrics guarantee: closed labels, series from the start, and values that are read when asked for. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Metric, Scope } from "effect"
import * as Family from "../../../src/services/metrics/Family.ts"

const queue = Family.gauge("test_queue_length", {
  meaning: "A queue",
  labels: { queue: ["a", "b"] },
  ofProcess: "sum"
})
const events = Family.counter("test_events_total", {
  meaning: "Events",
  labels: { kind: ["x", "y"], outcome: ["ok", "failed"] }
})
const rare = Family.counter("test_rare_total", { meaning: "Rare events", labels: { kind: ["x", "y"] }, lazy: true })
const seconds = Family.histogram("test_seconds", { meaning: "Times", boundaries: [1, 2] })

/** With a registry of its own. */
const isolated = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.scoped(effect).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

const seriesOf = (name: string) =>
  Effect.map(Metric.snapshot, (all) => all.filter(({ id }) => id === name).map(({ attributes }) => attributes))

describe("a family of metrics", () => {
  it.effect("has a series for each combination of its labels from the start, unless it is lazy", () =>
    isolated(
      Effect.gen(function* () {
        yield* Family.registered
        assert.deepStrictEqual(yield* seriesOf("test_events_total"), [
          { kind: "x", outcome: "ok" },
          { kind: "x", outcome: "failed" },
          { kind: "y", outcome: "ok" },
          { kind: "y", outcome: "failed" }
        ])
        assert.lengthOf(yield* seriesOf("test_seconds"), 1)
        assert.deepStrictEqual(yield* seriesOf("test_rare_total"), [])
        yield* rare.add({ kind: "y" })
        assert.deepStrictEqual(yield* seriesOf("test_rare_total"), [{ kind: "y" }])
      })
    )
  )

  it.effect("counts in the series that is named, and keeps it when series are registered again", () =>
    isolated(
      Effect.gen(function* () {
        yield* events.add({ kind: "x", outcome: "failed" }, 3)
        yield* events.add({ outcome: "failed", kind: "x" })
        yield* Family.registered
        assert.strictEqual(yield* events.value({ kind: "x", outcome: "failed" }), 4)
        assert.strictEqual(yield* events.value({ kind: "x", outcome: "ok" }), 0)
        yield* seconds.observe({}, 1.5)
      })
    )
  )

  it("refuses a value that is not in its list, from code without types as well", () => {
    const labels: { kind: "x"; outcome: "ok" } = JSON.parse('{"kind":"account 7","outcome":"ok"}')
    assert.throws(() => events.add(labels), "test_events_total has no series")
  })

  it.effect("reads a followed value whenever it is asked, and gives it up with the scope", () =>
    isolated(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        let length = 1
        yield* Scope.provide(
          queue.follow({ queue: "a" }, () => length),
          scope
        )
        assert.strictEqual(yield* queue.value({ queue: "a" }), 1)
        length = 5
        assert.strictEqual(yield* queue.value({ queue: "a" }), 5)
        assert.strictEqual(yield* queue.value({ queue: "b" }), 0)
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(yield* seriesOf("test_queue_length"), [{ queue: "b" }])
      })
    )
  )

  it.effect("counts what runs, and takes it back after success, failure and interruption", () =>
    isolated(
      Effect.gen(function* () {
        const counted = queue.during({ queue: "b" })
        const inside = yield* counted(queue.value({ queue: "b" }))
        assert.strictEqual(inside, 1)
        yield* Effect.exit(counted(Effect.fail("no")))
        const started = yield* Deferred.make<void>()
        const running = yield* Effect.forkChild(
          counted(Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
        )
        yield* Deferred.await(started)
        assert.strictEqual(yield* queue.value({ queue: "b" }), 1)
        yield* Fiber.interrupt(running)
        assert.strictEqual(yield* queue.value({ queue: "b" }), 0)
      })
    )
  )
})
