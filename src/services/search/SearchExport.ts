/**
 * Exports a search: the items that its tool returns on its largest pages, in the same order and of one version of the
 * catalog (D68). Third-party text is truncated as in the tool's answer, which bounds the size of the file.
 */
import { Context, DateTime, Effect, Layer } from "effect"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import * as AdItem from "../../domain/catalog/AdItem.ts"
import * as ProductItem from "../../domain/catalog/ProductItem.ts"
import * as ShopItem from "../../domain/catalog/ShopItem.ts"
import type { AdQuery } from "../../domain/search/AdQuery.ts"
import * as Page from "../../domain/search/Page.ts"
import type { ProductQuery } from "../../domain/search/ProductQuery.ts"
import type { ShopQuery } from "../../domain/search/ShopQuery.ts"
import type { InvalidArguments } from "../../domain/ToolError.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import { links } from "../tools/DashboardUrl.ts"
import { AdSearch, ProductSearch, ShopSearch } from "./Searches.ts"

type Exported<Item> = Effect.Effect<ReadonlyArray<Item>, InvalidArguments | SearchFailure>

/** Replaces the page of the search. */
const whole = { page: 1, per_page: Page.lastPage * Page.maxPerPage }

export class SearchExport extends Context.Service<
  SearchExport,
  {
    ads(query: AdQuery): Exported<AdItem.AdItem>
    products(query: ProductQuery, accountId: AccountId): Exported<ProductItem.ProductItem>
    stores(query: ShopQuery, accountId: AccountId): Exported<ShopItem.ShopItem>
  }
>()("discovery/search/SearchExport") {
  static readonly layer = Layer.effect(
    SearchExport,
    Effect.gen(function* () {
      const adSearch = yield* AdSearch
      const productSearch = yield* ProductSearch
      const shopSearch = yield* ShopSearch
      const context = links(yield* AppConfig)

      return SearchExport.of({
        ads: Effect.fn("SearchExport.ads")(function* (query) {
          const { ads } = yield* adSearch.search({ ...query, ...whole })
          const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
          return ads.map((ad) => AdItem.present(ad, { ...context, today }))
        }),
        products: Effect.fn("SearchExport.products")(function* (query, accountId) {
          const { products } = yield* productSearch.search({ ...query, ...whole }, accountId)
          return products.map((product) => ProductItem.present(product, context))
        }),
        stores: Effect.fn("SearchExport.stores")(function* (query, accountId) {
          const { shops } = yield* shopSearch.search({ ...query, ...whole }, accountId)
          return shops.map((shop) => ShopItem.present(shop, context))
        })
      })
    })
  )
}
