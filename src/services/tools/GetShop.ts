/** `get_shop` (D43, D97, D112). */
import { Effect, Schema, Struct } from "effect"
import { AppConfig } from "../../Config.ts"
import { issueAt, problem } from "../../domain/ArgumentIssue.ts"
import * as Series from "../../domain/catalog/Series.ts"
import * as ShopItem from "../../domain/catalog/ShopItem.ts"
import * as Scalars from "../../domain/Scalars.ts"
import * as Arguments from "../../domain/search/Arguments.ts"
import { warnings } from "../../domain/search/Page.ts"
import * as Warnings from "../../domain/search/Warnings.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"
import { History } from "../changes/History.ts"
import { ShopReader } from "../search/ShopReader.ts"
import { dashboardUrl, shopIdOf } from "../../domain/catalog/DashboardUrl.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

const maxShops = 10

const maxDays = 12

const Parameters = Schema.Struct({
  shop_id: Arguments.optional(Scalars.Id, "id in search_shops, shop.id in other results."),
  shop_ids: Arguments.optional(
    Schema.Array(Scalars.Id).check(Schema.isMinLength(1), Schema.isMaxLength(maxShops)),
    "Several such ids."
  ),
  domain: Arguments.optional(
    Schema.String.check(
      Schema.makeFilter((text: string) => text !== "", { problem: problem("empty_name") }),
      Schema.isMaxCodePoints(2_000)
    ),
    "Its domain, or any URL of it."
  )
})

/** The record of one store; of several, their records in `results` (D97), without histories, each of which is a statement. */
const Answer = Schema.Struct({
  ...Struct.map(ShopItem.ShopRecordItem.fields, Schema.optionalKey),
  history: Schema.optionalKey(Schema.Array(Series.Row)).annotate({
    description:
      "Not with shop_ids. The values at the end of up to 12 days, evenly apart, oldest first, without those that are as on the day before; null is unknown. Visits are in traffic."
  }),
  results: Schema.optionalKey(Schema.Array(ShopItem.ShopRecordItem)).annotate({
    description: "With shop_ids: the stores."
  }),
  warnings
})
type Answer = typeof Answer.Type

const isOne: ToolDefinition.Check = ({ domain = null, shop_id = null, shop_ids = null }) =>
  Effect.succeed({
    issues:
      [domain, shop_id, shop_ids].filter((given) => given !== null).length === 1
        ? []
        : [issueAt("shop_id", "shop_id_or_domain")]
  })

const distinct = (ids: ReadonlyArray<number>): ReadonlyArray<number> => Array.from(new Set(ids))

export const make = Effect.gen(function* () {
  const shops = yield* ShopReader
  const history = yield* History
  const config = yield* AppConfig
  const context = { dashboardUrl: dashboardUrl(config) }
  const ofDashboard = shopIdOf(config)

  const one = Effect.fnUntraced(function* (
    { domain = "", shop_id }: typeof Parameters.Type,
    { accountId }: ToolDefinition.Asker
  ) {
    const id = shop_id ?? ofDashboard(domain) ?? (yield* shops.idOf(domain))
    const shop = ShopItem.presentDetails(yield* shops.get(id, accountId), context)
    const past = yield* history.ofStore(id)
    return past === undefined ? shop : { ...shop, history: Series.rowsOf(past.known, maxDays) }
  })

  const several = Effect.fnUntraced(function* (ids: ReadonlyArray<number>, { accountId }: ToolDefinition.Asker) {
    const found = yield* shops.all(ids, accountId)
    const [first = 0] = ids
    if (found.length === 0) return yield* ToolErrorMessages.noStore(first)
    const unknown = ids.filter((id) => found.every((shop) => shop.id !== id))
    const names = unknown.map((id) => ({ name: String(id), nearest: [] }))
    return {
      results: found.map((shop) => ShopItem.presentDetails(shop, context)),
      ...(unknown.length === 0
        ? {}
        : { warnings: [Warnings.english({ _tag: "UnknownNames", list: "shop_ids", names, more: 0 })] })
    }
  })

  return ToolDefinition.make({
    name: "get_shop",
    title: "Get one store in full",
    description:
      "Gets all figures of one store, with visits by month, history, niches, theme, apps, pixels and social networks; with shop_ids of up to 10, in results.",
    details: `Revenue, orders and visits are estimates. name is ${ToolDefinition.thirdParty}`,
    use: "when you know a store's id, domain or URL; give exactly one argument.",
    instead: "To find stores use search_shops, for their ads or products the other searches with shop_ids.",
    parameters: Parameters,
    success: Answer,
    // A niche is as `niche`; the names of a day are those of the store.
    withoutParts: ["results", "niche", "niches", "traffic", "history"],
    check: isOne,
    credits: ({ shop_ids: ids }) => (ids === undefined ? "one" : { perResult: distinct(ids).length }),
    handler: (args, caller): Effect.Effect<Answer, Effect.Error<ReturnType<typeof one>>> =>
      args.shop_ids === undefined ? one(args, caller) : several(distinct(args.shop_ids), caller)
  })
})
