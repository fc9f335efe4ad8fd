/**
 * Retention uses the database's clock, which all servers share: the clock of a process may be wrong, and deleted data
 * cannot be recovered. While the two clocks differ by more than synchronized clocks do, nothing is deleted.
 */
import { Clock, Context, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as BackgroundJob from "../BackgroundJob.ts"
import { rowOf } from "./Rows.ts"

/** Includes the time of the query, so it must be longer than a statement may take. */
export const maxDifferenceMillis = 5 * 60_000

const decodeTime = rowOf(Schema.Struct({ now: Schema.Date }))

/** Null, or the time that a test has set as the database's. */
export const GivenTime = Context.Reference<Effect.Effect<Date | null>>("discovery/database/GivenTime", {
  defaultValue: () => Effect.succeed(null)
})

/** The database's time in milliseconds since 1970. */
export const currentTimeMillis = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const given = yield* Effect.flatten(GivenTime)
  // Not now(), which is constant within a transaction.
  const { now } = yield* decodeTime(sql`SELECT coalesce(${given}::timestamptz, clock_timestamp()) AS now`)
  return now.getTime()
})

/** The database's time as an expression of a statement. Stable, so that an index can be used. */
export const timeIn = (sql: SqlClient.SqlClient) =>
  Effect.map(Effect.flatten(GivenTime), (given) => sql`coalesce(${given}::timestamptz, statement_timestamp())`)

/** The database's time in milliseconds since 1970, and how far this process is ahead of it. */
export const compare = Effect.gen(function* () {
  const nowMillis = yield* currentTimeMillis
  return { nowMillis, aheadMillis: (yield* Clock.currentTimeMillis) - nowMillis }
})

const agree = (aheadMillis: number): boolean => Math.abs(aheadMillis) <= maxDifferenceMillis

/**
 * The time for retention, in milliseconds since 1970; none while the clocks disagree, when nothing may be deleted by age. For
 * requests that also delete a few rows; background jobs log the warning.
 */
export const timeToDeleteBy: Effect.Effect<Option.Option<number>, SqlError.SqlError, SqlClient.SqlClient> = Effect.map(
  compare,
  ({ aheadMillis, nowMillis }) => (agree(aheadMillis) ? Option.some(nowMillis) : Option.none())
)

/** Runs a deletion with the database's time. While the clocks disagree, it logs a warning instead and returns `nothing`. */
export const deleting = Effect.fnUntraced(function* <A, E, R>(
  deletion: (nowMillis: number) => Effect.Effect<A, E, R>,
  nothing: A
) {
  const { aheadMillis, nowMillis } = yield* compare
  if (agree(aheadMillis)) return yield* deletion(nowMillis)
  yield* Effect.logWarning(
    "Nothing is deleted by its age: the clocks of this server and of its database differ by more than 5 minutes. Set the wrong one right.",
    { server_is_ahead_by_seconds: Math.round(aheadMillis / 1_000) }
  )
  return nothing
})

/**
 * A server whose clock is wrong says so when it starts, and every ten minutes. What it decides by its own clock is wrong meanwhile,
 * such as how long a session lasts.
 */
export const watch = Effect.gen(function* () {
  const warn = Effect.flatMap(compare, ({ aheadMillis }) =>
    agree(aheadMillis)
      ? Effect.void
      : Effect.logWarning(
          "The clocks of this server and of its database differ by more than 5 minutes. Set the wrong one right.",
          { server_is_ahead_by_seconds: Math.round(aheadMillis / 1_000) }
        )
  )
  yield* Effect.ignore(warn)
  yield* BackgroundJob.repeat("10 minutes", "The clock of the database could not be read")(warn)
})
