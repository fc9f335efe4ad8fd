/** `compare_ads` (D100). */
import { Effect } from "effect"
import { AdComparison, AdGroupArguments } from "../../domain/search/AdGroupQuery.ts"
import * as AdQuery from "../../domain/search/AdQuery.ts"
import * as Market from "../../domain/search/MarketQuery.ts"
import { MarketSearch } from "../search/MarketSearch.ts"
import * as SearchWarnings from "./SearchWarnings.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import * as VocabularyCheck from "./VocabularyCheck.ts"

export const make = Effect.gen(function* () {
  const market = yield* MarketSearch
  const warningsOf = yield* SearchWarnings.make(Market.withoutEffect)
  const storesAt = yield* SearchWarnings.storesAt

  return ToolDefinition.make({
    name: "compare_ads",
    title: "Compare groups of ads",
    description: "Counts ads and their stores by call to action, media type, status, country or niche.",
    details:
      "Running and stopped ads count unless filters has status; share_pct is of all matching ads. Most ads come first, no group (value null) last.",
    use: "for shares, such as a niche's mix of media types.",
    instead: "To list ads use search_ads, to count stores compare_markets.",
    parameters: AdGroupArguments,
    asText: ["filters"],
    success: AdComparison,
    withoutParts: ["total"],
    check: ToolDefinition.within("filters", yield* VocabularyCheck.make(AdQuery.conflicts)),
    handler: ({ filters, ...asked }) =>
      Effect.gen(function* () {
        const { comparison, findings } = yield* market.ofAds({ ...asked, ...filters })
        const told = { ...findings, storesAt: yield* storesAt(filters ?? {}, comparison.total.ads) }
        return { ...comparison, ...(yield* warningsOf({ ...filters, ...asked }, told)) }
      })
  })
})
