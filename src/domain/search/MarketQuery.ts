/** Arguments and answer of `compare_markets` (D66): figures of groups of stores. */
import { Schema } from "effect"
import { issueAt } from "../ArgumentIssue.ts"
import type { ArgumentIssue } from "../ArgumentIssue.ts"
import * as Arguments from "./Arguments.ts"
import { warnings } from "./Page.ts"
import { ShopFilter } from "./ShopQuery.ts"
import type { Query, WithoutEffect } from "./Warnings.ts"

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
export const figureSorts = ["stores", "active_ads", "products", "visits", "median_visits", "median_growth"] as const

/** The tool orders by the share of `share_of` as well (D99). */
export const marketSorts = [...figureSorts, "matching_pct"] as const
export type MarketSort = (typeof marketSorts)[number]

const maxGroups = 50

/** What the absence of an argument means. */
export const defaults = { niche_level: 1, sort_by: "stores", limit: 20 } as const

const count = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

/** The arguments besides the filters. */
export const fields = {
  group_by: Arguments.oneOf(groupings).pipe(
    Schema.annotateKey({ description: "A store counts in each of its groups." })
  ),
  niche_level: Arguments.optional(count(10), "For niche: 1 (default) is the top."),
  sort_by: Arguments.optional(Arguments.oneOf(figureSorts), "Ranks groups, highest first. Default stores."),
  limit: Arguments.optional(count(maxGroups), "Groups besides null. Default 20.")
} as const

/** Of an object that a client may send as text. */
const asJson = (example: string) => ({ jsonText: example })

/** Arguments of the tool alone, which the overview in the dashboard has no place for (D99). */
const toolFields = {
  sort_by: Arguments.optional(
    Arguments.oneOf(marketSorts),
    "Highest first. Default stores; matching_pct needs share_of."
  ),
  prices: Arguments.optional(Schema.Boolean, "Adds median average prices, by currency."),
  share_of: Arguments.optional(
    ShopFilter.annotate(asJson('{"pixels":["TikTok"]}')),
    'As filters: {"pixels":["TikTok"]} adds how many stores of each group also match.'
  )
} as const

export const MarketQuery = Schema.Struct({ ...fields, ...ShopFilter.fields })

type PageQuery = typeof MarketQuery.Type

/** What the tool or the overview in the dashboard asks. */
export type MarketQuery = Omit<PageQuery, "sort_by"> & {
  readonly sort_by?: MarketSort
  readonly share_of?: ShopFilter
  readonly prices?: boolean
}

/** D99: the share has an order only if one is asked for. */
export const conflicts = (args: Readonly<Record<string, unknown>>): ReadonlyArray<ArgumentIssue> =>
  args["sort_by"] === "matching_pct" && (args["share_of"] ?? null) === null
    ? [issueAt("sort_by", "needs_share_of")]
    : []

/** The default says nothing that does not hold anyway. */
export const withoutEffect = ({
  group_by: value,
  niche_level: level
}: Query & {
  readonly group_by: string
  readonly niche_level?: number
}): ReadonlyArray<WithoutEffect> =>
  value === "niche" || level === undefined || level === defaults.niche_level
    ? []
    : [{ argument: "niche_level", other: "group_by", value, takes: ["niche"] }]

/** As the tool takes it: the filters are an object of their own, as `search_shops` has them. */
export const MarketArguments = Schema.Struct({
  ...fields,
  ...toolFields,
  filters: Arguments.optional(
    ShopFilter.annotate(asJson('{"countries":["US"],"active_ads":{"min":5}}')),
    'Filters of search_shops as a JSON string: {"countries":["US"]}.'
  )
})

const sums = {
  stores: Schema.Int,
  active_ads: Schema.Int,
  products: Schema.Int,
  visits: Schema.Finite.annotate({ description: "Monthly." }),
  matching: Schema.optionalKey(Schema.Int).annotate({ description: "With share_of: stores that match it too." }),
  matching_pct: Schema.optionalKey(Schema.Finite).annotate({ description: "Of the stores." })
}

const byCurrency = Schema.Array(Schema.Struct({ currency: Schema.String, stores: Schema.Int, median: Schema.Finite }))

export const MarketGroup = Schema.Struct({
  value: Schema.NullOr(Schema.String).annotate({
    description: "As the filter takes it. null, in the last result, for the stores that have none."
  }),
  share_pct: Schema.Finite.annotate({ description: "Of all matching stores." }),
  ...sums,
  median_visits: Schema.NullOr(Schema.Finite),
  median_growth: Schema.NullOr(Schema.Finite).annotate({ description: "Percent." }),
  revenue: byCurrency.annotate({
    description: "Monthly, by currency, of stores that have both; most stores first, up to 5."
  }),
  avg_price: Schema.optionalKey(byCurrency).annotate({ description: "With prices: as revenue." })
})
export type MarketGroup = typeof MarketGroup.Type

export const MarketOverview = Schema.Struct({
  results: Schema.Array(MarketGroup),
  total: Schema.Struct(sums).annotate({ description: "All matching stores, each once." }),
  groups: Schema.Int.annotate({ description: "In all, without that of null." }),
  warnings
})
export type MarketOverview = typeof MarketOverview.Type
