/**
 * Reads what is kept on a board with the records of the catalog, for its page (D117). The records are those that searches would show:
 * none is of a newer version than the index. Items whose records are gone are there without one.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { FoundAd } from "../../domain/catalog/AdItem.ts"
import { KeptKind } from "../../domain/catalog/Board.ts"
import type { FoundProduct } from "../../domain/catalog/ProductItem.ts"
import type { ShopFacts } from "../../domain/catalog/ShopItem.ts"
import { countOf, rowsOf } from "../database/Rows.ts"
import { SearchPermits } from "../limits/SearchPermits.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import * as AdSql from "./AdSql.ts"
import { CatalogSearch } from "./CatalogSearch.ts"
import * as ProductSql from "./ProductSql.ts"
import { SearchRunner } from "./SearchRunner.ts"
import { figuresIn } from "./ShopFigures.ts"
import * as ShopSql from "./ShopSql.ts"

/** Of at most 500. */
export const keptPerPage = 12

const Kept = Schema.Struct({
  id: Schema.Int,
  kind: KeptKind,
  itemId: Schema.Int,
  note: Schema.String,
  keptAt: Schema.DateTimeUtcFromDate
})
type Kept = typeof Kept.Type

/** `record` is undefined if the catalog has none any more. */
export type BoardItem =
  | (Kept & { readonly kind: "ad"; readonly record: FoundAd | undefined })
  | (Kept & { readonly kind: "product"; readonly record: FoundProduct | undefined })
  | (Kept & { readonly kind: "store"; readonly record: ShopFacts | undefined })

export interface BoardPage {
  readonly items: ReadonlyArray<BoardItem>
  readonly total: number
  /** How many items of the whole board are no longer in the catalog. */
  readonly gone: number
}

const decodeRows = rowsOf(Kept)

/** `id` is that of a board of the account, or of none. */
const read = (sql: SqlClient.SqlClient, accountId: AccountId, id: number, page: number) =>
  sql`
  SELECT k.id, k.kind, k.item_id AS "itemId", k.note, k.kept_at AS "keptAt"
  FROM kept_item k JOIN board b ON b.id = k.board_id
  WHERE b.account_id = ${accountId}::int AND b.id = ${id}::int
  ORDER BY k.id DESC LIMIT ${keptPerPage}::int OFFSET ${(page - 1) * keptPerPage}::int`.pipe(decodeRows)

const count = (sql: SqlClient.SqlClient, accountId: AccountId, id: number) =>
  countOf(sql`
  SELECT count(*)::int AS count FROM kept_item k JOIN board b ON b.id = k.board_id
  WHERE b.account_id = ${accountId}::int AND b.id = ${id}::int`)

const countGone = (sql: SqlClient.SqlClient, accountId: AccountId, id: number) =>
  countOf(sql`
  SELECT count(*)::int AS count FROM kept_item k JOIN board b ON b.id = k.board_id
  WHERE b.account_id = ${accountId}::int AND b.id = ${id}::int AND CASE k.kind
    WHEN 'ad' THEN NOT EXISTS (SELECT FROM ad r WHERE r.id = k.item_id)
    WHEN 'product' THEN NOT EXISTS (SELECT FROM product r WHERE r.id = k.item_id)
    ELSE NOT EXISTS (SELECT FROM shop r WHERE r.id = k.item_id)
  END`)

export class BoardReader extends Context.Service<
  BoardReader,
  {
    /** Latest kept first. `page` counts from 1; a page after the last is empty, and so is a board of another account. */
    page(accountId: AccountId, boardId: number, page: number): Effect.Effect<BoardPage, SearchFailure>
  }
>()("discovery/search/BoardReader") {
  static readonly layer = Layer.effect(
    BoardReader,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const index = yield* CatalogSearch
      const runner = yield* SearchRunner
      const permits = yield* SearchPermits
      const shopsOf = runner.reader(ShopSql.read(sql))
      const productsOf = runner.reader(ProductSql.read(sql))
      const adsOf = runner.reader(AdSql.read(sql))

      const attempt = Effect.fnUntraced(function* (accountId: AccountId, boardId: number, page: number) {
        const { gone, kept, total } = yield* permits.query(
          Effect.all({
            kept: read(sql, accountId, boardId, page),
            total: count(sql, accountId, boardId),
            gone: countGone(sql, accountId, boardId)
          })
        )
        const idsOf = (kind: KeptKind) => kept.flatMap((each) => (each.kind === kind ? [each.itemId] : []))
        const { ads, products, shops } = yield* Effect.all(
          {
            ads: adsOf(idsOf("ad")),
            products: productsOf(idsOf("product"), { accountId }),
            shops: shopsOf(idsOf("store"), { accountId })
          },
          { concurrency: "unbounded" }
        )
        const shopIds = new Set([
          ...ads.flatMap(({ shop_id: id }) => id ?? []),
          ...products.map(({ shop_id: id }) => id),
          ...shops.map(({ id }) => id)
        ])
        const { catalog, figures } = yield* index.figures(Array.from(shopIds))
        const figuresOf = figuresIn(figures)
        const [toAd, toProduct, toShop] = [
          AdSql.toFound(figuresOf),
          ProductSql.toFound(figuresOf),
          ShopSql.toFacts(figuresOf)
        ]
        const byId = <Row extends { readonly id: number }>(rows: ReadonlyArray<Row>) =>
          new Map(rows.map((row) => [row.id, row]))
        const [adById, productById, shopById] = [byId(ads), byId(products), byId(shops)]
        const withRecord = (item: Kept): BoardItem => {
          switch (item.kind) {
            case "ad": {
              const row = adById.get(item.itemId)
              return { ...item, kind: "ad", record: row && toAd(row) }
            }
            case "product": {
              const row = productById.get(item.itemId)
              return { ...item, kind: "product", record: row && toProduct(row) }
            }
            case "store": {
              const row = shopById.get(item.itemId)
              return { ...item, kind: "store", record: row && toShop(row) }
            }
          }
        }
        return {
          answer: { items: kept.map(withRecord), total, gone },
          isCurrent:
            [...ads, ...products, ...shops].every((row) => row.version <= catalog.version) &&
            Array.from(shopIds).every((id) => figures.has(id))
        }
      })

      return BoardReader.of({
        page: Effect.fn("BoardReader.page")((accountId, boardId, page) =>
          runner.fresh(attempt(accountId, boardId, page))
        )
      })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}
