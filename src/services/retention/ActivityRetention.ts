/**
 * Retention of the activity log (Config, `ACTIVITY_DAYS`), of DailyPageViews and of what was sent (mail/Notices). Deletes in the background in small steps, on
 * any number of servers at once. Pages hide expired entries even before they are deleted.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import { dayMillis, dayOf } from "../../domain/Days.ts"
import * as BackgroundJob from "../BackgroundJob.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { countOf, inBatches } from "../database/Rows.ts"

const removeEvery = "10 minutes"
/**
 * Rows of one statement, which takes about 5 ms, so that others do not wait for it. With `maxBatches` every 10 minutes a server
 * can delete 144 million calls a day. An account at the default rate makes at most 1.7 million.
 */
const batch = 1_000
const maxBatches = 1_000

/** The log displays and keeps calls that began after this time, in milliseconds since 1970. */
export const horizonOf = (activityDays: number, nowMillis: number): number => nowMillis - activityDays * dayMillis

/** Daily counts are kept for all days that the usage page displays, even if the log is shorter. */
const leastDaysCounted = 32

const removeUntil = Effect.fnUntraced(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  const { activityDays } = yield* AppConfig
  const horizon = new Date(horizonOf(activityDays, now))
  const firstDay = dayOf(Math.min(horizon.getTime(), now - leastDaysCounted * dayMillis))
  const removed = yield* sql`
    SELECT remove_old_activity(${horizon}, ${firstDay}::date, ${new Date(now)}, ${batch}) AS count`.pipe(
    countOf,
    inBatches(batch, maxBatches)
  )
  // One row for each day and account. Yesterday's rows stay, because a server whose clock is behind still counts in them.
  yield* sql`DELETE FROM page_view WHERE day < ${dayOf(now - dayMillis)}::date`
  yield* sql`DELETE FROM notice_day WHERE day < ${dayOf(now - leastDaysCounted * dayMillis)}::date`
  return removed
})

/** Returns the number of deleted calls; 0 while the clocks disagree (DatabaseClock). */
export const remove = DatabaseClock.deleting(removeUntil, 0).pipe(Effect.withSpan("ActivityRetention.remove"))

export const layer = Layer.effectDiscard(
  remove.pipe(BackgroundJob.repeat(removeEvery, "Old entries of the activity log could not be deleted"))
)
