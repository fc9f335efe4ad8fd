/**
 * Pages of the catalog that an account may view in a day (Config, `PAGE_LOOKS_PER_DAY`), counted in the database and thus by
 * all servers together. Pages cost no credits: without this limit they would give away more of the catalog than a plan's
 * credits buy. PageRateLimit runs first, so that a script does not cause a write for every request.
 */
import { Clock, Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import { dayOf, secondsUntil } from "../../domain/access/CreditPeriod.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce } from "../database/Availability.ts"
import * as Metrics from "../metrics/Metrics.ts"

const dayMillis = 86_400_000

/** All pages of the day are used up; the next day begins at `renewsAt`. */
export class LooksUsedUp extends Schema.TaggedError<LooksUsedUp>()("LooksUsedUp", {
  limit: Schema.Int,
  renewsAt: Schema.DateTimeUtc,
  retryAfterSeconds: Schema.Int
}) {}

export class DailyLooks extends Context.Service<
  DailyLooks,
  {
    /** Counts one page view, or as many as an export stands for; what is refused is not counted. */
    take(account: AccountId, looks?: number): Effect.Effect<void, LooksUsedUp | ServiceUnavailable>
  }
>()("discovery/limits/DailyLooks") {
  static readonly layer = Layer.effect(
    DailyLooks,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { pageLooksPerDay: limit } = yield* AppConfig

      const take = Effect.fn("DailyLooks.take")(function* (account: AccountId, looks = 1) {
        const nowMillis = yield* Clock.currentTimeMillis
        const counted = yield* sql`
          INSERT INTO page_look AS l (account_id, day, looks)
          SELECT ${account}::int, ${dayOf(nowMillis)}::date, ${looks}::int WHERE ${looks}::int <= ${limit}::int
          ON CONFLICT (day, account_id) DO UPDATE SET looks = l.looks + excluded.looks
            WHERE l.looks + excluded.looks <= ${limit}::int
          RETURNING 1`.pipe(availableOnce)
        if (counted.length > 0) return
        yield* Metrics.refused.add({ limit: "page_views_of_day" })
        const tomorrow = dayOf(nowMillis + dayMillis)
        return yield* new LooksUsedUp({
          limit,
          renewsAt: DateTime.makeUnsafe(tomorrow),
          retryAfterSeconds: secondsUntil(tomorrow, nowMillis)
        })
      })

      return DailyLooks.of({ take: limit === 0 ? () => Effect.void : take })
    })
  )
}
