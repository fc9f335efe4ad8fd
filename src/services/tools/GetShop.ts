/** `get_shop` (D43). */
import { Effect, Schema } from "effect"
import { AppConfig } from "../../Config.ts"
import * as ShopItem from "../../domain/catalog/ShopItem.ts"
import * as Arguments from "../../domain/search/Arguments.ts"
import { ShopReader } from "../search/ShopReader.ts"
import { dashboardUrl } from "./DashboardUrl.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

const Parameters = Schema.Struct({
  shop_id: Arguments.recordId("Id of the store: id of search_shops, shop.id of search_ads and search_products.")
})

export const make = Effect.gen(function* () {
  const shops = yield* ShopReader
  const context = { dashboardUrl: dashboardUrl(yield* AppConfig) }

  return ToolDefinition.make({
    name: "get_shop",
    title: "Get shop",
    description:
      "One online store with all its figures, monthly traffic, niches, theme, apps, pixels and social networks. " +
      `name is ${ToolDefinition.thirdParty}`,
    use: "for a store that is known.",
    instead: "to find stores, search_shops.",
    parameters: Parameters,
    success: ShopItem.ShopRecordItem,
    handler: ({ shop_id }, { accountId }) =>
      Effect.map(shops.get(shop_id, accountId), (shop) => ShopItem.presentDetails(shop, context))
  })
})
