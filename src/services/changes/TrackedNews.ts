/**
 * What has happened at the stores that an account tracks or owns, and how two of their figures went (D121): of a few stores, those with
 * the newest changes first, in four statements whatever the account tracks.
 */
import { Clock, Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import { changeKinds } from "../../domain/catalog/Changes.ts"
import type { ChangeKind } from "../../domain/catalog/Changes.ts"
import type { Point } from "../../domain/catalog/Series.ts"
import { dayMillis } from "../../domain/Days.ts"
import { defaultDays } from "../../domain/search/ChangeQuery.ts"
import { rowsOf } from "../database/Rows.ts"
import { SearchPermits } from "../limits/SearchPermits.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import * as ChangeSql from "./ChangeSql.ts"
import { History } from "./History.ts"
import type { LightName } from "./History.ts"

export const maxStores = 6

/** Changes of a store that are counted. */
export const maxCounted = 1_000

/** Two months of days, or a year of weeks. */
const maxPoints = 60

const Count = Schema.Struct({ kind: Schema.Literals(changeKinds), count: Schema.Int })

const decodeStores = rowsOf(
  Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    domain: Schema.String,
    currency: Schema.NullOr(Schema.String),
    isOwn: Schema.Boolean,
    counts: Schema.Array(Count)
  })
)

export interface TrackedStore {
  readonly id: number
  readonly name: string
  readonly domain: string
  readonly currency: string | null
  readonly isOwn: boolean
  /** Of the last {@link defaultDays} days, the most frequent kinds first; of {@link maxCounted} changes at most. */
  readonly counts: ReadonlyArray<{ readonly kind: ChangeKind; readonly count: number }>
  /** Oldest first. */
  readonly points: Readonly<Record<LightName, ReadonlyArray<Point>>>
}

const noPoints: TrackedStore["points"] = { active_ads: [], estimated_monthly_revenue: [] }

export class TrackedNews extends Context.Service<
  TrackedNews,
  {
    /** At most {@link maxStores}: those with the newest changes first, then those added last. */
    of(accountId: AccountId): Effect.Effect<ReadonlyArray<TrackedStore>, SearchFailure>
  }
>()("discovery/changes/TrackedNews") {
  static readonly layer = Layer.effect(
    TrackedNews,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const permits = yield* SearchPermits
      const history = yield* History

      const of = Effect.fn("TrackedNews.of")(function* (accountId: AccountId) {
        const now = yield* Clock.currentTimeMillis
        const day = DateTime.formatIsoDateUtc(DateTime.makeUnsafe(now - defaultDays * dayMillis))
        const stores = yield* permits.query(
          Effect.gen(function* () {
            const window = yield* ChangeSql.window(sql, { day })
            const from = (yield* ChangeSql.beginning(sql, window))?.at ?? new Date(now)
            const isRecent = sql`c.id > ${window.above}::bigint AND c.at >= ${from}::timestamptz AND NOT c.with_store`
            return yield* sql`
              SELECT s.id, s.name, s.domain, s.currency, t.kind = 'own' AS "isOwn", (
                SELECT coalesce(json_agg(json_build_object('kind', kind, 'count', count) ORDER BY count DESC, kind), '[]') FROM (
                  SELECT kind, count(*)::int AS count FROM (
                    SELECT c.kind FROM change c WHERE c.shop_id = s.id AND ${isRecent} ORDER BY c.id DESC LIMIT ${maxCounted}::int
                  ) recent GROUP BY kind
                ) counted
              ) AS counts
              FROM (
                SELECT t.shop_id, t.kind, row_number() OVER (ORDER BY newest.id DESC NULLS LAST, t.since DESC, t.shop_id DESC) AS position
                FROM tracked_shop t LEFT JOIN LATERAL (
                  SELECT c.id FROM change c WHERE c.shop_id = t.shop_id AND ${isRecent} ORDER BY c.id DESC LIMIT 1
                ) newest ON true
                WHERE t.account_id = ${accountId}::int ORDER BY position LIMIT ${maxStores}::int
              ) t JOIN shop s ON s.id = t.shop_id
              ORDER BY t.position`.pipe(decodeStores)
          })
        )
        if (stores.length === 0) return []
        const points = yield* history.ofStores(
          stores.map(({ id }) => id),
          maxPoints
        )
        return stores.map((store): TrackedStore => ({ ...store, points: points.get(store.id) ?? noPoints }))
      })

      return TrackedNews.of({ of })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}
