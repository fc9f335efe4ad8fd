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
import * as Queries from "./Queries.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import { SearchRunner } from "./SearchRunner.ts"

export interface ProductPage {
  readonly products: ReadonlyArray<FoundProduct>
  readonly pagination: Pagination
}

export class ProductSearch extends Context.Service<
  ProductSearch,
  {
    /** `accountId` affects only `shop.is_tracked`. */
    search(query: ProductQuery, accountId: AccountId): Effect.Effect<ProductPage, InvalidArguments | SearchFailure>
  }
>()("discovery/search/ProductSearch") {
  static readonly layer = Layer.effect(
    ProductSearch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runner = yield* SearchRunner

      const search = Effect.fn("ProductSearch.search")(function* (query: ProductQuery, accountId: AccountId) {
        const found = yield* runner.run({
          names: query,
          query: (names) => Queries.fromProductQuery(query, names),
          hint: () => Narrowing.hint(query),
          read: ProductSql.read(sql, accountId)
        })
        return {
          products: found.rows.map(ProductSql.toFound(found.list)),
          pagination: Page.pagination(query, found.total)
        }
      })

      return ProductSearch.of({ search })
    })
  )
}
