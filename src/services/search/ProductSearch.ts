/** The search behind `search_products` and the Products page. */
import { Context } from "effect"
import type { Effect } from "effect"
import type { AccountId } from "../../domain/access/Account.ts"
import type { FoundProduct } from "../../domain/catalog/ProductItem.ts"
import type { Pagination } from "../../domain/search/Page.ts"
import type { ProductQuery } from "../../domain/search/ProductQuery.ts"
import type { InvalidArguments, SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"

export interface ProductPage {
  readonly products: ReadonlyArray<FoundProduct>
  readonly pagination: Pagination
}

export class ProductSearch extends Context.Service<
  ProductSearch,
  {
    /** `accountId` decides `shop.is_tracked`, nothing else. */
    search(
      query: ProductQuery,
      accountId: AccountId
    ): Effect.Effect<ProductPage, InvalidArguments | SearchTimeout | ServiceUnavailable>
  }
>()("discovery/search/ProductSearch") {}
