/** The stores that an account tracks or owns, with their figures: what `/dashboard/shops` lists. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { ShopFacts } from "../../domain/catalog/ShopItem.ts"
import * as ShopSql from "./ShopSql.ts"
import { SearchPermits } from "./SearchPermits.ts"
import type { SearchFailure } from "./SearchPermits.ts"

/** Of the 1,000 that an account may have. */
export const shopsPerPage = 50

export interface FollowedShop extends ShopFacts {
  readonly is_own: boolean
}

export interface TrackedPage {
  readonly shops: ReadonlyArray<FollowedShop>
  readonly total: number
}

interface Row {
  readonly total: number
  /** `null` when the page is empty. */
  readonly shops: ReadonlyArray<FollowedShop> | null
}

/** The page is cut before anything is read of its stores. */
const read = (sql: SqlClient.SqlClient, accountId: AccountId, page: number) => sql<Row>`
  WITH followed AS MATERIALIZED (
    SELECT t.shop_id, t.kind, row_number() OVER (ORDER BY t.kind = 'own' DESC, t.since DESC, t.shop_id DESC) AS position
    FROM tracked_shop t WHERE t.account_id = ${accountId}::int
  )
  SELECT (SELECT count(*)::int FROM followed) AS total, (
    SELECT json_agg(to_json(f) ORDER BY p.position)
    FROM (SELECT * FROM followed ORDER BY position LIMIT ${shopsPerPage}::int OFFSET ${(page - 1) * shopsPerPage}::int) p
    CROSS JOIN LATERAL (
      SELECT ${ShopSql.facts(sql, accountId)}, p.kind = 'own' AS is_own
      FROM shop s JOIN shop_search x ON x.id = s.id WHERE s.id = p.shop_id
    ) f
  ) AS shops`

export class TrackedShopReader extends Context.Service<
  TrackedShopReader,
  {
    /** Own ones first, then the one that was added last. `page` counts from 1; one behind the last is empty. */
    page(accountId: AccountId, page: number): Effect.Effect<TrackedPage, SearchFailure>
  }
>()("discovery/search/TrackedShopReader") {
  static readonly layer: Layer.Layer<TrackedShopReader, never, SqlClient.SqlClient> = Layer.effect(
    TrackedShopReader,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const permits = yield* SearchPermits

      const page = Effect.fn("TrackedShopReader.page")(
        function* (accountId: AccountId, page: number) {
          const [row] = yield* read(sql, accountId, page)
          return { shops: row?.shops ?? [], total: row?.total ?? 0 }
        },
        (effect) => permits.query(effect)
      )

      return TrackedShopReader.of({ page })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}
