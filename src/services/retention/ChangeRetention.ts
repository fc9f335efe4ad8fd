/**
 * Retention of the log of changes (Config, `HISTORY_DAYS`): drops partitions of months that have ended so many days ago. A change is
 * kept for up to a month longer.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import { dayMillis } from "../../domain/Days.ts"
import * as BackgroundJob from "../BackgroundJob.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { countOf } from "../database/Rows.ts"

const removeEvery = "1 hour"

/** Dropping waits for those who read the log, and others wait behind it; the next round tries again. */
const lockTimeout = "2s"

const removeUntil = Effect.fnUntraced(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  const { historyDays } = yield* AppConfig
  const until = new Date(now - historyDays * dayMillis)
  return yield* sql.withTransaction(
    Effect.andThen(
      sql`SELECT set_config('lock_timeout', ${lockTimeout}, true)`,
      sql`SELECT drop_change_partitions(${until}) AS count`.pipe(countOf)
    )
  )
})

/** Returns the number of dropped months; 0 while the clocks disagree (DatabaseClock). */
export const remove = DatabaseClock.deleting(removeUntil, 0).pipe(Effect.withSpan("ChangeRetention.remove"))

export const layer = Layer.effectDiscard(
  remove.pipe(BackgroundJob.repeat(removeEvery, "Old months of the log of changes could not be dropped"))
)
