/**
 * What is read from the database for the metrics, once a minute: the last import, because the process of an import has ended
 * before anyone could ask it, the mails that wait, which all servers share, and the difference of the clocks. Nothing of it is
 * read when the metrics are asked for, so that a database that hangs delays no scrape. Only for servers whose metrics are
 * collected (Live.ts).
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as BackgroundJob from "../BackgroundJob.ts"
import { availableToRead } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { rowOf } from "../database/Rows.ts"
import { sqlIsRunning } from "../import/Importer.ts"
import * as Outbox from "../mail/Outbox.ts"
import * as Metrics from "./Metrics.ts"

const decodeLast = rowOf(
  Schema.Struct({
    running: Schema.Boolean,
    started: Schema.Finite,
    finished: Schema.Finite,
    seconds: Schema.Finite,
    accepted: Schema.Finite,
    rejected: Schema.Finite,
    skipped: Schema.Finite
  })
)

/** An import that was stopped has begun, and neither ended nor runs. */
const lastImport = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { accepted, finished, rejected, running, seconds, skipped, started } = yield* sql`
      WITH ended AS (SELECT started_at, finished_at, counts FROM import WHERE finished_at IS NOT NULL ORDER BY id DESC LIMIT 1)
      SELECT
        ${sql.literal(sqlIsRunning)} AS running,
        coalesce((SELECT extract(epoch FROM started_at) FROM import ORDER BY id DESC LIMIT 1), 0)::double precision AS started,
        coalesce(extract(epoch FROM e.finished_at), 0)::double precision AS finished,
        coalesce(extract(epoch FROM e.finished_at - e.started_at), 0)::double precision AS seconds,
        coalesce((e.counts->>'accepted')::double precision, 0) AS accepted,
        coalesce((e.counts->>'rejected')::double precision, 0) AS rejected,
        coalesce((e.counts->>'skipped')::double precision, 0) AS skipped
      FROM (VALUES (1)) AS one (n) LEFT JOIN ended e ON true`.pipe(decodeLast)
  yield* Metrics.importRunning.set({}, running ? 1 : 0)
  yield* Metrics.importStarted.set({}, started)
  yield* Metrics.importFinished.set({}, finished)
  yield* Metrics.importDuration.set({}, seconds)
  yield* Metrics.importRecords.set({ outcome: "accepted" }, accepted)
  yield* Metrics.importRecords.set({ outcome: "rejected" }, rejected)
  yield* Metrics.importRecords.set({ outcome: "skipped" }, skipped)
})

const clocks = Effect.flatMap(DatabaseClock.compare, ({ aheadMillis }) =>
  Metrics.clockAhead.set({}, aheadMillis / 1000)
)

const mails = Effect.flatMap(Outbox.count, (count) => Metrics.queueLength.set({ queue: "mails" }, count))

/** While the database cannot be read the values stay as they are: other metrics show that it cannot. */
export const read = availableToRead(Effect.all([lastImport, clocks, mails], { discard: true }))

export const layer = Layer.effectDiscard(
  Effect.andThen(
    Effect.ignore(read),
    BackgroundJob.repeat("1 minute", "Metrics could not be read from the database")(read)
  )
)
