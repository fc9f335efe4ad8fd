/** `compare_markets` (D66). */
import { Effect, Predicate } from "effect"
import { issueAt } from "../../domain/ArgumentIssue.ts"
import * as Market from "../../domain/search/MarketQuery.ts"
import { MarketSearch } from "../search/MarketSearch.ts"
import { Vocabulary } from "../search/Vocabulary.ts"
import * as SearchWarnings from "./SearchWarnings.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import * as VocabularyCheck from "./VocabularyCheck.ts"

export const make = Effect.gen(function* () {
  const market = yield* MarketSearch
  const vocabulary = yield* Vocabulary
  const names = VocabularyCheck.make(vocabulary)
  const warningsOf = SearchWarnings.make(vocabulary, Market.withoutEffect)

  const check: ToolDefinition.Check = ({ filters }) =>
    Predicate.isObject(filters)
      ? Effect.map(names(filters), (found) => ({
          ...found,
          issues: found.issues.map(({ code, params, path }) => issueAt(`filters.${path}`, code, params))
        }))
      : Effect.succeed({ issues: [] })

  return ToolDefinition.make({
    name: "compare_markets",
    title: "Compare markets by groups of stores",
    description: `Compares groups of stores, such as niches, countries or apps: their number, sums of active ads, products and visits, medians of visits, growth and revenue. value is ${ToolDefinition.thirdParty}`,
    asElsewhere: "filters",
    use: "to size or rank markets before looking at single stores.",
    instead: "use search_shops for the stores themselves.",
    parameters: Market.MarketArguments,
    success: Market.MarketOverview,
    check,
    handler: ({ filters, ...asked }) =>
      Effect.gen(function* () {
        const { findings, overview } = yield* market.of({ ...asked, ...filters })
        return { ...overview, ...(yield* warningsOf({ ...filters, ...asked }, findings)) }
      })
  })
})
