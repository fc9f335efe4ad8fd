/** `compare_markets` (D66). */
import { Effect } from "effect"
import * as Market from "../../domain/search/MarketQuery.ts"
import { MarketSearch } from "../search/MarketSearch.ts"
import * as SearchWarnings from "./SearchWarnings.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import * as VocabularyCheck from "./VocabularyCheck.ts"

export const make = Effect.gen(function* () {
  const market = yield* MarketSearch
  const names = yield* VocabularyCheck.make()
  const warningsOf = yield* SearchWarnings.make(Market.withoutEffect)

  const check: ToolDefinition.Check = (raw) =>
    Effect.map(
      Effect.forEach(["filters", "share_of"], (name) => ToolDefinition.within(name, names)(raw)),
      (found) => ToolDefinition.joined([{ issues: Market.conflicts(raw) }, ...found])
    )

  return ToolDefinition.make({
    name: "compare_markets",
    title: "Compare markets by groups of stores",
    description:
      "Compares groups of stores by niche, country, app or another trait: count, share, sums (active ads, products, visits) and medians (visits, growth, revenue by currency).",
    details: `Stores in no group are the last row (value null); total counts every store once. value is ${ToolDefinition.thirdParty}`,
    asText: ["filters", "share_of"],
    use: "to size or rank markets.",
    instead: "To list stores use search_shops, to count ads compare_ads.",
    parameters: Market.MarketArguments,
    success: Market.MarketOverview,
    withoutParts: ["revenue", "avg_price", "total"],
    check,
    handler: ({ filters, ...asked }) =>
      Effect.gen(function* () {
        const { findings, overview } = yield* market.of({ ...asked, ...filters })
        const { query, query_any: phrases = [] } = asked.share_of ?? {}
        const words = [...(filters?.query_any ?? []), ...phrases, ...(query === undefined ? [] : [query])]
        return { ...overview, ...(yield* warningsOf({ ...filters, ...asked, query_any: words }, findings)) }
      })
  })
})
