/** The tracked and own stores of an account with their figures, for `/dashboard/shops`. */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { ShopFacts } from "../../domain/catalog/ShopItem.ts"
import { countOf, rowsOf } from "../database/Rows.ts"
import { CatalogSearch } from "./CatalogSearch.ts"
import { SearchPermits } from "../limits/SearchPermits.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import { SearchRunner } from "./SearchRunner.ts"
import { figuresIn } from "./ShopFigures.ts"
import * as ShopSql from "./ShopSql.ts"

/** Of at most 1,000. */
export const shopsPerPage = 50

export interface FollowedShop extends ShopFacts {
  readonly is_own: boolean
}

export interface TrackedPage {
  readonly shops: ReadonlyArray<FollowedShop>
  readonly total: number
}

const decodeRows = rowsOf(Schema.Struct({ ...ShopSql.ShopRow.fields, is_own: Schema.Boolean }))

/** The page is selected before the stores are joined. */
const read = (sql: SqlClient.SqlClient, accountId: AccountId, page: number) =>
  sql`
  SELECT ${ShopSql.columns(sql, sql`${accountId}::int`)}, f.kind = 'own' AS is_own
  FROM (
    SELECT t.shop_id, t.kind, row_number() OVER (ORDER BY t.kind = 'own' DESC, t.since DESC, t.shop_id DESC) AS position
    FROM tracked_shop t WHERE t.account_id = ${accountId}::int
    ORDER BY position LIMIT ${shopsPerPage}::int OFFSET ${(page - 1) * shopsPerPage}::int
  ) f
  JOIN shop s ON s.id = f.shop_id
  ORDER BY f.position`.pipe(decodeRows)

const count = (sql: SqlClient.SqlClient, accountId: AccountId) =>
  countOf(sql`SELECT count(*)::int AS count FROM tracked_shop t WHERE t.account_id = ${accountId}::int`)

export class TrackedShopReader extends Context.Service<
  TrackedShopReader,
  {
    /** Own stores first, then the latest added first. `page` counts from 1; a page after the last is empty. */
    page(accountId: AccountId, page: number): Effect.Effect<TrackedPage, SearchFailure>
  }
>()("discovery/search/TrackedShopReader") {
  static readonly layer = Layer.effect(
    TrackedShopReader,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const index = yield* CatalogSearch
      const runner = yield* SearchRunner
      const permits = yield* SearchPermits

      const attempt = Effect.fnUntraced(function* (accountId: AccountId, page: number) {
        const { rows, total } = yield* permits.query(
          Effect.all({ rows: read(sql, accountId, page), total: count(sql, accountId) })
        )
        const { catalog, figures } = yield* index.figures(rows.map(({ id }) => id))
        const toFacts = ShopSql.toFacts(figuresIn(figures))
        return {
          answer: { shops: rows.map((row) => ({ ...toFacts(row), is_own: row.is_own })), total },
          isCurrent: rows.every((row) => row.version <= catalog.version && figures.has(row.id))
        }
      })

      return TrackedShopReader.of({
        page: Effect.fn("TrackedShopReader.page")((accountId, page) => runner.fresh(attempt(accountId, page)))
      })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}
