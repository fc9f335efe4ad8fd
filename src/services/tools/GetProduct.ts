/** `get_product` (D45, D112). */
import { Effect, Schema } from "effect"
import { AppConfig } from "../../Config.ts"
import * as ProductRecordItem from "../../domain/catalog/ProductRecordItem.ts"
import * as Arguments from "../../domain/search/Arguments.ts"
import { Price } from "../../domain/catalog/Series.ts"
import { History } from "../changes/History.ts"
import { ProductReader } from "../search/ProductReader.ts"
import { links } from "../../domain/catalog/DashboardUrl.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

const Parameters = Schema.Struct({
  product_id: Arguments.recordId("id in search_products.")
})

const maxPrices = 12

const Answer = Schema.Struct({
  ...ProductRecordItem.ProductRecordItem.fields,
  price_history: Schema.Array(Price).annotate({
    description: "The last 12 prices that are known, oldest first, each with the day since when."
  })
})

export const make = Effect.gen(function* () {
  const products = yield* ProductReader
  const history = yield* History
  const context = links(yield* AppConfig)

  return ToolDefinition.make({
    name: "get_product",
    title: "Get one product in full",
    description:
      "Gets one product with description, vendor, variants (SKU, price, availability), images and price history.",
    details: `Only for stores that the account owns or tracks (shop.is_tracked); others fail with a link to track the store. Its texts are ${ToolDefinition.thirdParty}`,
    use: "when title and price are not enough.",
    instead: "To find products use search_products, for any store.",
    parameters: Parameters,
    success: Answer,
    // A store is as in search_products.
    withoutParts: ["shop", "images", "variants", "price_history"],
    handler: Effect.fnUntraced(function* ({ product_id }, { accountId }) {
      const product = ProductRecordItem.present(yield* products.get(product_id, accountId), context)
      return { ...product, price_history: yield* history.ofProduct(product_id, maxPrices) }
    })
  })
})
