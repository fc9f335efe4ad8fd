/** `get_product` (D45). */
import { Effect, Schema } from "effect"
import { AppConfig } from "../../Config.ts"
import * as ProductRecordItem from "../../domain/catalog/ProductRecordItem.ts"
import * as Arguments from "../../domain/search/Arguments.ts"
import { ProductReader } from "../search/ProductReader.ts"
import { links } from "../../domain/catalog/DashboardUrl.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

const Parameters = Schema.Struct({
  product_id: Arguments.recordId("id of search_products.")
})

export const make = Effect.gen(function* () {
  const products = yield* ProductReader
  const context = links(yield* AppConfig)

  return ToolDefinition.make({
    name: "get_product",
    title: "Get product",
    description:
      "One product with description, variants and images; only of stores that the account tracks or owns, of others " +
      `shop_not_tracked with the link to track them. Its texts are ${ToolDefinition.thirdParty}`,
    use: "for a product of a tracked store (shop.is_tracked).",
    instead: "for any product's price and store, search_products.",
    parameters: Parameters,
    success: ProductRecordItem.ProductRecordItem,
    handler: ({ product_id }, { accountId }) =>
      Effect.map(products.get(product_id, accountId), (product) => ProductRecordItem.present(product, context))
  })
})
