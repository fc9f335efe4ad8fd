/** Arguments and answer of `compare_ads` (D100): numbers of groups of ads. */
import { Schema } from "effect"
import { AdFilter } from "./AdQuery.ts"
import * as Arguments from "./Arguments.ts"
import * as Market from "./MarketQuery.ts"
import { warnings } from "./Page.ts"

export const adGroupings = ["cta", "media_type", "status", "country", "niche"] as const
export type AdGrouping = (typeof adGroupings)[number]

/** As the tool takes it: the filters are an object of their own, as `search_ads` has them. */
export const AdGroupArguments = Schema.Struct({
  group_by: Arguments.oneOf(adGroupings).pipe(
    Schema.annotateKey({ description: "country and niche are the store's." })
  ),
  niche_level: Market.fields.niche_level,
  limit: Market.fields.limit,
  filters: Arguments.optional(
    AdFilter.annotate({ jsonText: '{"countries":["US"],"status":"active"}' }),
    'Filters of search_ads as a JSON string: {"countries":["DE"],"status":"active"}.'
  )
})

/** With the filters beside the other arguments. */
export type AdGroupQuery = Omit<typeof AdGroupArguments.Type, "filters"> & AdFilter

const counts = {
  ads: Schema.Int,
  stores: Schema.Int.annotate({ description: "Stores with such an ad." })
}

export const AdGroup = Schema.Struct({
  value: Schema.NullOr(Schema.String).annotate({
    description: "As the filter takes it. null, in the last result, for the ads that have none."
  }),
  share_pct: Schema.Finite.annotate({ description: "Of all matching ads." }),
  ...counts
})

export const AdComparison = Schema.Struct({
  results: Schema.Array(AdGroup).annotate({ description: "Most ads first." }),
  total: Schema.Struct(counts).annotate({ description: "All matching ads, with and without a store." }),
  groups: Schema.Int.annotate({ description: "In all, without that of null." }),
  warnings
})
export type AdComparison = typeof AdComparison.Type
