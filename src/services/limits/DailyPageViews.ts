/**
 * Pages of the catalog that an account may view in a day (Config, `PAGE_VIEWS_PER_DAY`), counted in the database and thus by
 * all servers together. Pages cost no credits: without this limit they would give away more of the catalog than a plan's
 * credits buy. PageRateLimit runs first, so that a script does not cause a write for every request.
 */
import { Clock, Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import { secondsUntil } from "../../domain/access/CreditPeriod.ts"
import { dayMillis, dayOf } from "../../domain/Days.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce } from "../database/Availability.ts"
import * as Metrics from "../metrics/Metrics.ts"

/** All pages of the day are used up; the next day begins at `renewsAt`. */
export class PageViewsUsedUp extends Schema.TaggedError<PageViewsUsedUp>()("PageViewsUsedUp", {
  limit: Schema.Int,
  renewsAt: Schema.DateTimeUtc,
  retryAfterSeconds: Schema.Int
}) {}

export class DailyPageViews extends Context.Service<
  DailyPageViews,
  {
    /** Counts one page view, or as many as an export stands for; what is refused is not counted. */
    take(account: AccountId, views?: number): Effect.Effect<void, PageViewsUsedUp | ServiceUnavailable>
  }
>()("discovery/limits/DailyPageViews") {
  static readonly layer = Layer.effect(
    DailyPageViews,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { pageViewsPerDay: limit } = yield* AppConfig

      const take = Effect.fn("DailyPageViews.take")(function* (account: AccountId, views = 1) {
        const nowMillis = yield* Clock.currentTimeMillis
        const counted = yield* sql`
          INSERT INTO page_view AS v (account_id, day, views)
          SELECT ${account}::int, ${dayOf(nowMillis)}::date, ${views}::int WHERE ${views}::int <= ${limit}::int
          ON CONFLICT (day, account_id) DO UPDATE SET views = v.views + excluded.views
            WHERE v.views + excluded.views <= ${limit}::int
          RETURNING 1`.pipe(availableOnce)
        if (counted.length > 0) return
        yield* Metrics.refused.add({ limit: "page_views_of_day" })
        const tomorrow = dayOf(nowMillis + dayMillis)
        return yield* new PageViewsUsedUp({
          limit,
          renewsAt: DateTime.makeUnsafe(tomorrow),
          retryAfterSeconds: secondsUntil(tomorrow, nowMillis)
        })
      })

      return DailyPageViews.of({ take: limit === 0 ? () => Effect.void : take })
    })
  )
}
