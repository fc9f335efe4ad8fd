/**
 * The time that everything which is deleted by its age goes by: the database's, which all servers share. A process's own clock
 * may be wrong by any amount, and what is deleted does not come back. While the two differ by more than clocks that are kept right
 * ever do, one of them is wrong, and nothing is deleted at all.
 */
import { Clock, Context, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { rowOf } from "./Rows.ts"

/** Time that it takes to ask counts as a difference, so it is more than a statement may take. */
export const maxDifferenceMillis = 5 * 60_000

const decodeTime = rowOf(Schema.Struct({ now: Schema.Date }))

/** Asks the database what time it is, in milliseconds since 1970. A test that sets the time sets this one as well. */
export const DatabaseTime = Context.Reference<Effect.Effect<number, SqlError.SqlError, SqlClient.SqlClient>>(
  "discovery/database/DatabaseTime",
  {
    defaultValue: () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // Not now(), which stands still within a transaction.
        const { now } = yield* decodeTime(yield* sql`SELECT clock_timestamp() AS now`)
        return now.getTime()
      })
  }
)

/** The database's time in milliseconds since 1970, and how far this process is ahead of it. */
const compare = Effect.gen(function* () {
  const nowMillis = yield* yield* DatabaseTime
  return { nowMillis, aheadMillis: (yield* Clock.currentTimeMillis) - nowMillis }
})

const agree = (aheadMillis: number): boolean => Math.abs(aheadMillis) <= maxDifferenceMillis

/**
 * The time to delete by, in milliseconds since 1970; none while the clocks disagree: then nothing may be deleted by its age.
 * For requests that delete a few rows by the way; the background jobs of the same process tell why they no longer do.
 */
export const timeToDeleteBy: Effect.Effect<Option.Option<number>, SqlError.SqlError, SqlClient.SqlClient> = Effect.map(
  compare,
  ({ aheadMillis, nowMillis }) => (agree(aheadMillis) ? Option.some(nowMillis) : Option.none())
)

/** Runs what deletes by the database's time. While the clocks disagree, it warns, and nothing is run. */
export const deleting = Effect.fnUntraced(function* <A, E, R>(deletion: (nowMillis: number) => Effect.Effect<A, E, R>) {
  const { aheadMillis, nowMillis } = yield* compare
  if (agree(aheadMillis)) return Option.some(yield* deletion(nowMillis))
  yield* Effect.logWarning(
    "Nothing is deleted by its age: the clocks of this server and of its database differ by more than 5 minutes. Set the wrong one right.",
    { server_is_ahead_by_seconds: Math.round(aheadMillis / 1_000) }
  )
  return Option.none<A>()
})
