/** `get_product` (D45). */
import { Effect, Schema } from "effect"
import { AppConfig } from "../../Config.ts"
import * as ProductRecordItem from "../../domain/catalog/ProductRecordItem.ts"
import * as Arguments from "../../domain/search/Arguments.ts"
import { ProductReader } from "../search/ProductReader.ts"
import { links } from "../../domain/catalog/DashboardUrl.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

const Parameters = Schema.Struct({
  product_id: Arguments.recordId("id in search_products.")
})

export const make = Effect.gen(function* () {
  const products = yield* ProductReader
  const context = links(yield* AppConfig)

  return ToolDefinition.make({
    name: "get_product",
    title: "Get one product in full",
    description: "Gets one product with description, vendor, variants (SKU, price, availability) and images.",
    details: `Only for stores that the account owns or tracks (shop.is_tracked); others fail with shop_not_tracked and a link to track the store. Its texts are ${ToolDefinition.thirdParty}`,
    use: "when title and price are not enough.",
    instead: "To find products use search_products, for any store.",
    parameters: Parameters,
    success: ProductRecordItem.ProductRecordItem,
    // A store is as in search_products.
    withoutParts: ["shop", "images"],
    handler: ({ product_id }, { accountId }) =>
      Effect.map(products.get(product_id, accountId), (product) => ProductRecordItem.present(product, context))
  })
})
