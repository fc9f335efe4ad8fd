/** The search behind `search_products` and the Products page. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { FoundProduct } from "../../domain/catalog/ProductItem.ts"
import * as Narrowing from "../../domain/search/Narrowing.ts"
import * as Page from "../../domain/search/Page.ts"
import type { Pagination } from "../../domain/search/Page.ts"
import type { ProductQuery } from "../../domain/search/ProductQuery.ts"
import type { InvalidArguments } from "../../domain/ToolError.ts"
import * as ProductSql from "./ProductSql.ts"
import { SearchPermits } from "./SearchPermits.ts"
import type { SearchFailure } from "./SearchPermits.ts"
import * as SearchRequest from "./SearchRequest.ts"
import { SearchRunner } from "./SearchRunner.ts"

export interface ProductPage {
  readonly products: ReadonlyArray<FoundProduct>
  readonly pagination: Pagination
}

export class ProductSearch extends Context.Service<
  ProductSearch,
  {
    /** `accountId` decides `shop.is_tracked`, nothing else. */
    search(query: ProductQuery, accountId: AccountId): Effect.Effect<ProductPage, InvalidArguments | SearchFailure>
  }
>()("discovery/search/ProductSearch") {
  static readonly layer: Layer.Layer<ProductSearch, never, SqlClient.SqlClient | SearchRunner> = Layer.effect(
    ProductSearch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runner = yield* SearchRunner
      const permits = yield* SearchPermits

      const search = Effect.fn("ProductSearch.search")(
        function* (query: ProductQuery, accountId: AccountId) {
          const found = yield* runner.run({
            resolve: (names) => SearchRequest.fromProductQuery(query, names),
            hydrate: ProductSql.hydrate(sql, accountId)
          })
          return {
            products: found.rows.map(ProductSql.toFound),
            pagination: {
              page: found.window.page,
              per_page: found.window.perPage,
              total: found.total,
              has_more: Page.hasMore(found.window, found.total)
            }
          }
        },
        (effect, query) => permits.query(effect, () => Narrowing.hint(query))
      )

      return ProductSearch.of({ search })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}
