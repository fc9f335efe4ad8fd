/** `search_shops` (D44). */
import { Effect } from "effect"
import { AppConfig } from "../../Config.ts"
import * as ShopItem from "../../domain/catalog/ShopItem.ts"
import * as Arguments from "../../domain/search/Arguments.ts"
import { ShopPage } from "../../domain/search/Page.ts"
import { ShopQuery, withoutEffect } from "../../domain/search/ShopQuery.ts"
import { ShopSearch } from "../search/Searches.ts"
import { dashboardUrl } from "../../domain/catalog/DashboardUrl.ts"
import * as SearchWarnings from "./SearchWarnings.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import * as VocabularyCheck from "./VocabularyCheck.ts"

export const make = Effect.gen(function* () {
  const shops = yield* ShopSearch
  const context = { dashboardUrl: dashboardUrl(yield* AppConfig) }
  const warningsOf = yield* SearchWarnings.make(withoutEffect)

  return ToolDefinition.make({
    name: "search_shops",
    title: "Search online stores",
    description: "Finds online stores by niche, country, traffic, revenue, ads, apps and more.",
    details: `Unknown figures are null, match no range and sort last. Money is in each store's currency, not converted. name is ${ToolDefinition.thirdParty}`,
    rules: Arguments.rules,
    use: "to list or rank stores.",
    instead: "For a known store use get_shop, for counts and medians compare_markets.",
    parameters: ShopQuery,
    success: ShopPage,
    // As in search_ads; a niche as in get_shop.
    withoutParts: ["pagination", "niche"],
    check: yield* VocabularyCheck.make(),
    handler: (query, { accountId }) =>
      Effect.gen(function* () {
        const { findings, pagination, shops: found } = yield* shops.search(query, accountId)
        return {
          results: found.map((shop) => ShopItem.present(shop, context)),
          pagination,
          ...(yield* warningsOf(query, findings))
        }
      })
  })
})
