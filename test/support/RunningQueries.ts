/** Queries that are running on the server, recognized by a mark in their text. */
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"

/** Retries until the effect succeeds. */
export const eventually = Effect.retry({ schedule: Schedule.spaced("10 millis") })

/** In this database, without the query itself. */
export const running = (mark = "") =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ count: number }>`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
        AND query LIKE ${`%${mark}%`}`
    return rows[0]?.count
  })

/** Waits until `count` of them run. */
export const runs = (mark: string, count: number) =>
  running(mark).pipe(
    Effect.filterOrFail((found) => found === count),
    eventually
  )
