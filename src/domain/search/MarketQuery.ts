/** Arguments and answer of `compare_markets` (D66): figures of groups of stores. */
import { Schema } from "effect"
import * as Arguments from "./Arguments.ts"
import { warnings } from "./Page.ts"
import { ShopFilter } from "./ShopQuery.ts"
import type { WithoutEffect } from "./Warnings.ts"

export const groupings = [
  "niche",
  "country",
  "currency",
  "language",
  "theme",
  "app",
  "pixel",
  "social_network",
  "domain"
] as const
export type GroupBy = (typeof groupings)[number]

/** The argument that takes the values of a grouping. */
export const filterOf = {
  niche: "niches",
  country: "countries",
  currency: "currencies",
  language: "languages",
  theme: "themes",
  app: "apps",
  pixel: "pixels",
  social_network: "social_networks",
  domain: "domains"
} as const satisfies Readonly<Record<GroupBy, keyof ShopFilter>>

/** Fields of a group. */
export const marketSorts = ["stores", "active_ads", "products", "visits", "median_visits", "median_growth"] as const
export type MarketSort = (typeof marketSorts)[number]

const maxGroups = 50

/** What the absence of an argument means. */
export const defaults = { niche_level: 1, sort_by: "stores", limit: 20 } as const

const count = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

/** The arguments besides the filters. */
const fields = {
  group_by: Arguments.oneOf(groupings).pipe(
    Schema.annotateKey({ description: "A store counts in each of its groups." })
  ),
  niche_level: Arguments.optional(
    count(10),
    "Only with group_by niche: 1 (default) for the top niches, 2 for those below."
  ),
  sort_by: Arguments.optional(Arguments.oneOf(marketSorts), "Figure to rank by, highest first. Default stores."),
  limit: Arguments.optional(count(maxGroups), "How many groups. Default 20.")
} as const

export const MarketQuery = Schema.Struct({ ...fields, ...ShopFilter.fields })
export type MarketQuery = typeof MarketQuery.Type

/** The default says nothing that does not hold anyway. */
export const withoutEffect = ({ group_by: value, niche_level: level }: MarketQuery): ReadonlyArray<WithoutEffect> =>
  value === "niche" || level === undefined || level === defaults.niche_level
    ? []
    : [{ argument: "niche_level", other: "group_by", value, takes: ["niche"] }]

/** As the tool takes it: the filters are an object of their own, as `search_shops` has them. */
export const MarketArguments = Schema.Struct({
  ...fields,
  filters: Arguments.optional(
    ShopFilter.annotate({ jsonText: '{"countries":["US"],"active_ads":{"min":5}}' }),
    "Only stores that match count. Names, values and meaning are those of the arguments of search_shops."
  )
})

const sums = {
  stores: Schema.Int,
  active_ads: Schema.Int,
  products: Schema.Int,
  visits: Schema.Finite.annotate({ description: "Monthly." })
}

export const MarketGroup = Schema.Struct({
  value: Schema.String.annotate({ description: "As the filter takes it." }),
  share_pct: Schema.Finite.annotate({ description: "Of all matching stores." }),
  ...sums,
  median_visits: Schema.NullOr(Schema.Finite),
  median_growth: Schema.NullOr(Schema.Finite).annotate({ description: "Percent." }),
  revenue: Schema.Array(Schema.Struct({ currency: Schema.String, stores: Schema.Int, median: Schema.Finite })).annotate(
    { description: "Monthly, by currency, of stores that have both; most stores first, up to 5." }
  )
})
export type MarketGroup = typeof MarketGroup.Type

export const MarketOverview = Schema.Struct({
  results: Schema.Array(MarketGroup),
  total: Schema.Struct(sums).annotate({ description: "All matching stores, each once." }),
  groups: Schema.Int.annotate({ description: "In all, results included." }),
  ungrouped: Schema.Int.annotate({ description: "Stores in no group: they have no value, or it is unknown." }),
  warnings
})
export type MarketOverview = typeof MarketOverview.Type
