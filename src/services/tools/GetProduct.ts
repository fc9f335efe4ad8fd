/** `get_product` (D45). */
import { Effect, Schema } from "effect"
import { AppConfig } from "../../Config.ts"
import * as ProductRecordItem from "../../domain/catalog/ProductRecordItem.ts"
import * as Arguments from "../../domain/search/Arguments.ts"
import { ProductReader } from "../search/ProductReader.ts"
import { links } from "../../domain/catalog/DashboardUrl.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

const Parameters = Schema.Struct({
  product_id: Arguments.recordId("One of the ids of search_products.")
})

export const make = Effect.gen(function* () {
  const products = yield* ProductReader
  const context = links(yield* AppConfig)

  return ToolDefinition.make({
    name: "get_product",
    title: "Get one product in full",
    description: "Gets one product with description, variants and images.",
    details: `Fails with shop_not_tracked, and the link to track the store, unless the account tracks (shop.is_tracked) or owns it. Its texts are ${ToolDefinition.thirdParty}`,
    use: "for a product's variants and availability.",
    instead: "use search_products for the price and store of any product.",
    parameters: Parameters,
    success: ProductRecordItem.ProductRecordItem,
    handler: ({ product_id }, { accountId }) =>
      Effect.map(products.get(product_id, accountId), (product) => ProductRecordItem.present(product, context))
  })
})
