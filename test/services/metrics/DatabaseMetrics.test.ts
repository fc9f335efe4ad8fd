/** What the metrics tell of imports, whose processes have ended before anyone could ask them, and of the clocks. */
import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Metric, Result, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { decode } from "../../../src/domain/catalog/Records.ts"
import { GivenTime } from "../../../src/services/database/DatabaseClock.ts"
import { Importer } from "../../../src/services/import/Importer.ts"
import type { ImportChunk } from "../../../src/services/import/ImportSource.ts"
import * as DatabaseMetrics from "../../../src/services/metrics/DatabaseMetrics.ts"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const chunk: ImportChunk = {
  rows: [{ line: 1, record: Result.getOrThrow(decode({ type: "niche", id: 1, name: "Garden", parent_id: null })) }],
  rejects: [{ line: 2, field: "", reason: "no" }],
  leftOut: ["notOnSale", "notOnSale", "hidden"],
  position: 2
}

const run = (source: Stream.Stream<ImportChunk>) =>
  Effect.flatMap(Importer, (importer) =>
    importer.run(source, {
      provenance: { source: "test", license: null, asOf: "2026-02-01" },
      maxRejects: 10,
      onRejects: () => Effect.void,
      onProgress: () => Effect.void
    })
  )

const read = Effect.gen(function* () {
  yield* DatabaseMetrics.read
  const running = yield* Metrics.importRunning.value({})
  const started = yield* Metrics.importStarted.value({})
  const finished = yield* Metrics.importFinished.value({})
  return { isRunning: running === 1, started, finished }
})

layer(Layer.provideMerge(Importer.layer, TestDatabase.layer), { excludeTestServices: true })(
  "the last import",
  (it) => {
    it.effect("is running, has ended with its records, or was stopped", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* read, { isRunning: false, started: 0, finished: 0 })

        const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<ImportChunk>()]
        const source = Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end)))
        const first = yield* Effect.forkChild(run(source))
        yield* Deferred.await(begun)
        const during = yield* read
        assert.isTrue(during.isRunning)
        assert.isAbove(during.started, 1.7e9)
        assert.strictEqual(during.finished, 0)

        yield* Deferred.succeed(end, chunk)
        yield* Fiber.join(first)
        const after = yield* read
        assert.isFalse(after.isRunning)
        assert.isAbove(after.finished, after.started)
        assert.approximately(yield* Metrics.importDuration.value({}), after.finished - after.started, 1e-3)
        for (const [outcome, count] of [
          ["accepted", 1],
          ["rejected", 1],
          ["skipped", 3]
        ] as const) {
          assert.strictEqual(yield* Metrics.importRecords.value({ outcome }), count, outcome)
        }

        const again = yield* Deferred.make<void>()
        const stopped = yield* Effect.forkChild(
          run(Stream.fromEffect(Effect.andThen(Deferred.succeed(again, undefined), Effect.never)))
        )
        yield* Deferred.await(again)
        yield* Fiber.interrupt(stopped)
        assert.deepStrictEqual(yield* read, after, "an import that loaded nothing leaves no trace")

        // One that was killed.
        yield* (yield* SqlClient.SqlClient)`
          INSERT INTO import (source_id, license, as_of, started_at)
          SELECT source_id, license, as_of, finished_at + interval '1 hour' FROM import`
        const later = yield* read
        assert.isFalse(later.isRunning)
        assert.isAbove(later.started, later.finished)
        assert.strictEqual(later.finished, after.finished)
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
    )

    it.effect("stays as it was while the database cannot be read", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Metrics.importStarted.set({}, 5)
        yield* sql`ALTER TABLE import RENAME TO import_away`
        yield* Effect.flip(DatabaseMetrics.read)
        yield* sql`ALTER TABLE import_away RENAME TO import`
        assert.strictEqual(yield* Metrics.importStarted.value({}), 5)
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
    )

    it.effect("comes with the difference of the clocks: above 0 where that of the server is ahead", () =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        for (const ahead of [90, -90]) {
          const ofDatabase = Effect.succeed(new Date(now - ahead * 1_000))
          yield* Effect.provideService(DatabaseMetrics.read, GivenTime, ofDatabase)
          assert.approximately(yield* Metrics.clockAhead.value({}), ahead, 30)
        }
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
    )
  }
)
