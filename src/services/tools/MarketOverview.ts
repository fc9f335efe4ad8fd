/** `market_overview` (D66). */
import { Effect, Result } from "effect"
import { argumentDecoder } from "../../domain/ArgumentDecoder.ts"
import { issueAt } from "../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"
import * as Market from "../../domain/search/MarketOverview.ts"
import * as SearchAddress from "../../domain/search/SearchAddress.ts"
import { ShopFilter } from "../../domain/search/ShopQuery.ts"
import { InvalidArguments } from "../../domain/ToolError.ts"
import { MarketOverview } from "../search/MarketOverview.ts"
import { Vocabulary } from "../search/Vocabulary.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import * as VocabularyCheck from "./VocabularyCheck.ts"

const address = SearchAddress.make(ShopFilter)
const decodeFilters = argumentDecoder(ShopFilter)

const parse = (filters: string) => decodeFilters(address.toArguments(SearchAddress.parse(filters)))

const within = (issues: ReadonlyArray<ArgumentIssue>): ReadonlyArray<ArgumentIssue> =>
  issues.map(({ code, params, path }) => issueAt(`filters.${path}`, code, params))

export const make = Effect.gen(function* () {
  const market = yield* MarketOverview
  const names = VocabularyCheck.make(yield* Vocabulary)

  const check: ToolDefinition.Check = ({ filters }) => {
    // A longer text is refused for its length: nothing in it is decoded.
    if (typeof filters !== "string" || filters.length > 2 * Market.maxFilters) return Effect.succeed({ issues: [] })
    const { args, result } = parse(filters)
    const own = Result.isFailure(result) ? result.failure : []
    return Effect.map(names(args), (found) => ({ ...found, issues: within([...own, ...found.issues]) }))
  }

  return ToolDefinition.make({
    name: "market_overview",
    title: "Market overview",
    description: `Sums and medians of all stores by group. value is ${ToolDefinition.thirdParty}`,
    use: "to compare markets.",
    instead: "for stores, search_shops.",
    parameters: Market.MarketArguments,
    success: Market.MarketOverview,
    check,
    handler: ({ filters = "", ...asked }) =>
      Result.match(parse(filters).result, {
        onSuccess: (found) => market.of({ ...asked, ...found }),
        onFailure: (issues) => Effect.fail(InvalidArguments.fromIssues(within(issues)))
      })
  })
})
