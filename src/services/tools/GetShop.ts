/** `get_shop` (D43). */
import { Effect, Schema } from "effect"
import { AppConfig } from "../../Config.ts"
import { issueAt, problem } from "../../domain/ArgumentIssue.ts"
import * as ShopItem from "../../domain/catalog/ShopItem.ts"
import * as Scalars from "../../domain/Scalars.ts"
import * as Arguments from "../../domain/search/Arguments.ts"
import { ShopReader } from "../search/ShopReader.ts"
import { dashboardUrl, shopIdOf } from "../../domain/catalog/DashboardUrl.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

const Parameters = Schema.Struct({
  shop_id: Arguments.optional(Scalars.Id, "The id from search_shops, or shop.id of another search."),
  domain: Arguments.optional(
    Schema.String.check(Schema.isNonEmpty({ problem: problem("empty_name") }), Schema.isMaxCodePoints(2_000)),
    "Or its domain, or any address of it."
  )
})

const isOne: ToolDefinition.Check = ({ domain = null, shop_id = null }) =>
  Effect.succeed({ issues: (domain === null) === (shop_id === null) ? [issueAt("shop_id", "shop_id_or_domain")] : [] })

export const make = Effect.gen(function* () {
  const shops = yield* ShopReader
  const config = yield* AppConfig
  const context = { dashboardUrl: dashboardUrl(config) }
  const ofDashboard = shopIdOf(config)

  return ToolDefinition.make({
    name: "get_shop",
    title: "Get one store in full",
    description:
      "Gets the record of one store: all its figures, visits by month, niches, theme, apps, pixels and social networks. Its ads and products: the searches, by shop_ids. " +
      `name is ${ToolDefinition.thirdParty}`,
    use: "when you know the id, the domain or an address of a store.",
    instead: "use search_shops to find stores.",
    parameters: Parameters,
    success: ShopItem.ShopRecordItem,
    check: isOne,
    handler: ({ domain = "", shop_id }, { accountId }) =>
      Effect.gen(function* () {
        const id = shop_id ?? ofDashboard(domain) ?? (yield* shops.idOf(domain))
        return ShopItem.presentDetails(yield* shops.get(id, accountId), context)
      })
  })
})
