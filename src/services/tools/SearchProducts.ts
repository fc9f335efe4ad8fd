/** `search_products` (S76 to S81, S25). */
import { Effect } from "effect"
import { AppConfig } from "../../Config.ts"
import * as ProductItem from "../../domain/catalog/ProductItem.ts"
import * as Arguments from "../../domain/search/Arguments.ts"
import { ProductPage } from "../../domain/search/Page.ts"
import { ProductQuery } from "../../domain/search/ProductQuery.ts"
import { ProductSearch } from "../search/Searches.ts"
import { links } from "../../domain/catalog/DashboardUrl.ts"
import * as SearchWarnings from "./SearchWarnings.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import * as VocabularyCheck from "./VocabularyCheck.ts"

export const make = Effect.gen(function* () {
  const products = yield* ProductSearch
  const context = links(yield* AppConfig)
  const warningsOf = yield* SearchWarnings.make()

  return ToolDefinition.make({
    name: "search_products",
    title: "Search products of online stores",
    description:
      "Finds top products of online stores (a selection, not whole catalogs), with price, URL and the store's figures.",
    details:
      "Sales of single products are unknown: revenue, orders, visits, growth and active ads are the store's. Unknown figures match no range and sort last. Money is in the store's currency, not converted. " +
      `title is ${ToolDefinition.thirdParty}`,
    rules: Arguments.rules,
    use: "to find products by keyword, niche, price or their store's success.",
    instead: "For stores use search_shops, for one product's variants get_product (tracked stores only).",
    parameters: ProductQuery,
    success: ProductPage,
    // As in search_ads and search_shops.
    withoutParts: ["pagination", "shop"],
    check: yield* VocabularyCheck.make(),
    handler: (query, { accountId }) =>
      Effect.gen(function* () {
        const { findings, pagination, products: found } = yield* products.search(query, accountId)
        return {
          results: found.map((product) => ProductItem.present(product, context)),
          pagination,
          ...(yield* warningsOf(query, findings))
        }
      })
  })
})
