/**
 * The searches behind `search_ads`, `search_products` and `search_shops`, and behind the pages with the same results
 * (D42).
 *
 * This folder goes from the arguments of a tool to the records of an answer. It guarantees that a request uses one list of the index
 * from its beginning to its end, and that no record is newer than the list (SearchRunner). It does not charge, and does not
 * write.
 *
 * Read next: Queries, which makes a query of the index out of arguments; CatalogSearch, which answers it; AdSql, ProductSql and
 * ShopSql, which read the records of a page. How the index works: docs/search-index.md.
 */
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { FoundAd } from "../../domain/catalog/AdItem.ts"
import type { FoundProduct } from "../../domain/catalog/ProductItem.ts"
import { moverIn } from "../../domain/catalog/Movers.ts"
import type { FoundShop } from "../../domain/catalog/ShopItem.ts"
import * as AdQuery from "../../domain/search/AdQuery.ts"
import * as Page from "../../domain/search/Page.ts"
import type { ProductQuery } from "../../domain/search/ProductQuery.ts"
import type { ShopQuery } from "../../domain/search/ShopQuery.ts"
import type { Findings } from "../../domain/search/Warnings.ts"
import type { InvalidArguments } from "../../domain/ToolError.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import * as AdSql from "./AdSql.ts"
import * as ProductSql from "./ProductSql.ts"
import * as Queries from "./Queries.ts"
import { SearchRunner } from "./SearchRunner.ts"
import * as ShopSql from "./ShopSql.ts"

type Found<A> = Effect.Effect<A, InvalidArguments | SearchFailure>

interface FoundAds {
  readonly ads: ReadonlyArray<FoundAd>
  readonly pagination: Page.AdPagination
  readonly findings: Findings
}

export class AdSearch extends Context.Service<AdSearch, { search(query: AdQuery.AdQuery): Found<FoundAds> }>()(
  "discovery/search/AdSearch"
) {
  static readonly layer = Layer.effect(
    AdSearch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runner = yield* SearchRunner
      const records = runner.reader(AdSql.read(sql))

      const search = Effect.fn("AdSearch.search")(function* (query: AdQuery.AdQuery) {
        const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
        const found = yield* runner.run({
          args: query,
          query: (names) => Queries.fromAdQuery(query, names, today),
          read: (ids, hint) => records(ids, { hint })
        })
        const mode = AdQuery.mode(query)
        const stores = mode === "grouped_by_shop" ? found.stores : undefined
        return {
          ads: found.rows.map(AdSql.toFound(found.figuresOf, moverIn(query))),
          pagination: {
            ...Page.pagination(query, found.total, stores ?? found.total),
            mode,
            ...(stores === undefined ? {} : { matching_shops: stores })
          },
          findings: found.findings
        }
      })

      return AdSearch.of({ search })
    })
  )
}

interface FoundProducts {
  readonly products: ReadonlyArray<FoundProduct>
  readonly pagination: Page.Pagination
  readonly findings: Findings
}

export class ProductSearch extends Context.Service<
  ProductSearch,
  {
    /** `accountId` affects only `shop.is_tracked`. */
    search(query: ProductQuery, accountId: AccountId): Found<FoundProducts>
  }
>()("discovery/search/ProductSearch") {
  static readonly layer = Layer.effect(
    ProductSearch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runner = yield* SearchRunner
      const records = runner.reader(ProductSql.read(sql))

      const search = Effect.fn("ProductSearch.search")(function* (query: ProductQuery, accountId: AccountId) {
        const found = yield* runner.run({
          args: query,
          query: (names) => Queries.fromProductQuery(query, names),
          read: (ids, hint) => records(ids, { accountId, hint })
        })
        return {
          products: found.rows.map(ProductSql.toFound(found.figuresOf)),
          pagination: Page.pagination(query, found.total),
          findings: found.findings
        }
      })

      return ProductSearch.of({ search })
    })
  )
}

interface FoundShops {
  readonly shops: ReadonlyArray<FoundShop>
  readonly pagination: Page.Pagination
  readonly findings: Findings
}

export class ShopSearch extends Context.Service<
  ShopSearch,
  {
    /** `accountId` affects only `is_tracked`. */
    search(query: ShopQuery, accountId: AccountId): Found<FoundShops>
  }
>()("discovery/search/ShopSearch") {
  static readonly layer = Layer.effect(
    ShopSearch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runner = yield* SearchRunner
      const records = runner.reader(ShopSql.read(sql))

      const search = Effect.fn("ShopSearch.search")(function* (query: ShopQuery, accountId: AccountId) {
        const found = yield* runner.run({
          args: query,
          query: (names) => Queries.fromShopQuery(query, names),
          read: (ids, hint) => records(ids, { accountId, hint })
        })
        return {
          shops: found.rows.map(ShopSql.toFound(found.figuresOf, moverIn(query))),
          pagination: Page.pagination(query, found.total),
          findings: found.findings
        }
      })

      return ShopSearch.of({ search })
    })
  )
}
