/** Arguments of `search_ads` (S44 to S75, S30). */
import { Predicate, Schema } from "effect"
import { ctas, mediaTypes } from "../catalog/Enumerations.ts"
import { isMoving, movingSorts } from "../catalog/Movers.ts"
import type { Span } from "../catalog/Movers.ts"
import { mediaTypeOf, statusOf } from "../catalog/OtherNames.ts"
import { issueAt, refused } from "../ArgumentIssue.ts"
import type { ArgumentIssue } from "../ArgumentIssue.ts"
import * as Arguments from "./Arguments.ts"
import * as Narrowing from "./Narrowing.ts"
import * as Page from "./Page.ts"
import * as StoreFilter from "./StoreFilter.ts"
import type { WithoutEffect } from "./Warnings.ts"

export const adSorts = [
  "recommended",
  "newest",
  "oldest",
  "reach",
  "revenue",
  "traffic",
  "traffic_growth",
  ...movingSorts
] as const
export type AdSort = (typeof adSorts)[number]

/** Store filters that `search_products` does not have. */
export const storeFields = {
  avg_price: Arguments.optional(Arguments.Range, "Of its products."),
  trustpilot_rating: Arguments.optional(ratingRange(), "0 to 5."),
  trustpilot_reviews: Arguments.optional(Arguments.Range, "Reviews.")
} as const

const { avg_price, ...ratings } = storeFields

/** What selects ads, without order and page. */
export const AdFilter = Schema.Struct({
  query: Arguments.optional(
    StoreFilter.Query,
    "Words in ad texts, page names and store names; each must begin a word."
  ),
  query_any: StoreFilter.queryAny,
  ...StoreFilter.fields,
  avg_price,
  media_types: Arguments.optional(
    Arguments.someOf(mediaTypes, mediaTypeOf),
    "dco: dynamic creative; dpa: dynamic product ads."
  ),
  status: Arguments.optional(Arguments.oneOf(["all", "active", "inactive"], statusOf), "Default all."),
  ctas: Arguments.optional(Arguments.someOf(ctas), "Call-to-action labels."),
  active_days: Arguments.optional(Arguments.Range, "Days run so far, of running ads only."),
  ad_started_between: Arguments.optional(Arguments.DateRange, "YYYY-MM-DD."),
  partnership_only: Arguments.optional(Schema.Boolean, "Branded content."),
  without_shop: Arguments.optional(Schema.Boolean, "Only ads whose store is unknown."),
  ...ratings
})
export type AdFilter = typeof AdFilter.Type

export const AdQuery = Schema.Struct({
  ...AdFilter.fields,
  sort_by: Arguments.optional(
    Arguments.oneOf(adSorts),
    "Default recommended: most active ads first. reach and traffic: the store's visits. price_change: percent."
  ),
  sort_order: Arguments.optional(Arguments.SortOrder, "Default desc."),
  change_over: Arguments.optional(Arguments.ChangeOver, "For *_change. Default 30d."),
  ...Page.fields(270)
})
export type AdQuery = typeof AdQuery.Type

function ratingRange() {
  const issue = refused("not_between", { minimum: 0, maximum: 5 })
  return Arguments.Range.check(
    Schema.makeFilter(({ max, min }) => [
      ...(min !== undefined && min > 5 ? [{ path: ["min"], issue }] : []),
      ...(max !== undefined && max > 5 ? [{ path: ["max"], issue }] : [])
    ])
  )
}

/**
 * S74, D102. Not a check of the schema, which would run only if all fields are valid: these issues are reported together
 * with all others.
 */
export const conflicts = (args: Readonly<Record<string, unknown>>): ReadonlyArray<ArgumentIssue> => [
  ...(args["status"] === "inactive" && Predicate.isObject(args["active_days"]) && Arguments.isBound(args["active_days"])
    ? [issueAt("active_days", "only_running_ads")]
    : []),
  ...(args["without_shop"] === true
    ? Object.keys({ ...StoreFilter.fields, ...storeFields })
        .filter((name) => Narrowing.isFilter(args[name]))
        .map((name) => issueAt(name, "not_without_shop"))
    : [])
]

/** The orders by a figure, which alone have two directions (S71). */
const directed: ReadonlyArray<AdSort> = ["reach", "revenue", "traffic", "traffic_growth", ...movingSorts]

/** `change_over` concerns the orders by a change (D120). */
export const spanWithoutEffect = (query: {
  readonly sort_by?: string
  readonly change_over?: Span
}): ReadonlyArray<WithoutEffect> => {
  const { change_over: span, sort_by: value } = { ...Arguments.defaults, ...query }
  return span === Arguments.defaults.change_over || isMoving(value)
    ? []
    : [{ argument: "change_over", other: "sort_by", value, takes: movingSorts }]
}

/** The default says nothing that does not hold anyway. */
export const withoutEffect = (
  query: Pick<AdQuery, "sort_by" | "sort_order" | "change_over">
): ReadonlyArray<WithoutEffect> => {
  const { sort_by: value, sort_order: order } = { ...Arguments.defaults, ...query }
  return [
    ...(order === Arguments.defaults.sort_order || directed.includes(value)
      ? []
      : [{ argument: "sort_order", other: "sort_by", value, takes: directed } as const]),
    ...spanWithoutEffect(query)
  ]
}

/** `recommended` pages over stores, every other sort over ads (S72); so does `recommended` of ads without a store (D102). */
export const mode = (query: Pick<AdQuery, "sort_by" | "without_shop">): "grouped_by_shop" | "flat" =>
  (query.sort_by ?? Arguments.defaults.sort_by) === "recommended" && query.without_shop !== true
    ? "grouped_by_shop"
    : "flat"
