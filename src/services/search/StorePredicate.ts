/** Filters on the store, decided: names looked up, empty filters left out, all in one canonical order. Pure data. */
import { Result } from "effect"
import { languages, pixels, socialNetworks } from "../../domain/catalog/Enumerations.ts"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import type { AdQuery } from "../../domain/search/AdQuery.ts"
import type { DateRange, Range } from "../../domain/search/Arguments.ts"
import type { StoreFilter } from "../../domain/search/StoreFilter.ts"
import type { ArgumentIssue } from "../../domain/ToolError.ts"
import type { Names } from "./Names.ts"

/** Figures of `shop_search`; unknown is -1, for growth '-infinity'. */
export type Figure =
  | "revenue"
  | "visits"
  | "growth"
  | "n_active"
  | "products_count"
  | "orders"
  | "avg_price"
  | "rating"
  | "reviews"

export type Condition =
  | {
      readonly _tag: "OneOf"
      readonly column: "niche_id" | "country" | "currency" | "domain_id" | "theme_id"
      readonly values: ReadonlyArray<number>
    }
  | { readonly _tag: "AnyBit"; readonly column: "languages" | "pixels" | "networks"; readonly mask: number }
  | { readonly _tag: "AnyApp"; readonly ids: ReadonlyArray<number> }
  | { readonly _tag: "Between"; readonly column: Figure; readonly min?: number; readonly max?: number }
  | { readonly _tag: "Created"; readonly from?: string; readonly to?: string }
  /** A name that no store can have. */
  | { readonly _tag: "Nothing" }

/** All must hold; none means every store, and ads without a store as well. */
export type StorePredicate = ReadonlyArray<Condition>

/** The filters of every tool, and those on the store that only `search_ads` has. */
export type StoreArguments = StoreFilter & Pick<AdQuery, "avg_price" | "trustpilot_rating" | "trustpilot_reviews">

/** Letters as digits of base 26; `US` is 538. Codes of two and three letters are never in one column. */
export const letters = (code: string): number =>
  Array.from(code).reduce((value, letter) => value * 26 + letter.charCodeAt(0) - 65, 0)

const sorted = (values: Iterable<number>): ReadonlyArray<number> => Array.from(new Set(values)).sort((a, b) => a - b)

const oneOf = (
  column: Extract<Condition, { readonly _tag: "OneOf" }>["column"],
  values: ReadonlyArray<number> | undefined
): StorePredicate =>
  values === undefined || values.length === 0 ? [] : [{ _tag: "OneOf", column, values: sorted(values) }]

const anyBit = <A extends string>(
  column: Extract<Condition, { readonly _tag: "AnyBit" }>["column"],
  vocabulary: ReadonlyArray<A>,
  values: ReadonlyArray<A> | undefined
): StorePredicate =>
  values === undefined || values.length === 0
    ? []
    : [{ _tag: "AnyBit", column, mask: values.reduce((mask, value) => mask | (1 << vocabulary.indexOf(value)), 0) }]

const between = (column: Figure, range: Range | undefined): StorePredicate =>
  range === undefined || (range.min === undefined && range.max === undefined)
    ? []
    : [{ _tag: "Between", column, ...range }]

const created = (range: DateRange | undefined): StorePredicate =>
  range === undefined || (range.from === undefined && range.to === undefined) ? [] : [{ _tag: "Created", ...range }]

/** Ids of those names that are known; when none is, nothing matches. */
const known = (
  names: ReadonlyArray<string> | undefined,
  lookup: (name: string) => number | undefined,
  condition: (ids: ReadonlyArray<number>) => Condition
): StorePredicate => {
  if (names === undefined || names.length === 0) return []
  const ids = sorted(names.map(lookup).filter((id) => id !== undefined))
  return [ids.length === 0 ? { _tag: "Nothing" } : condition(ids)]
}

/** Looking for the nearest known name is the dearest part: the first few issues teach how to mend the others. */
const maxSuggestions = 5

interface SentNames {
  readonly niches?: ReadonlyArray<string | number | undefined>
  readonly themes?: ReadonlyArray<string | undefined>
}

/** A niche or a theme that is not known, and how to find the nearest one that is. */
interface Unknown {
  readonly path: string
  readonly what: string
  readonly name: string | number
  readonly nearest: () => string | undefined
}

const unknown = ({ niches = [], themes = [] }: SentNames, names: Names): ReadonlyArray<Unknown> => [
  ...niches.flatMap((name, index) =>
    name !== undefined && names.niche(name) === undefined
      ? [
          {
            path: `niches.${index}`,
            what: "niche",
            name,
            nearest: () => (typeof name === "string" ? names.nearestNiche(name) : undefined)
          }
        ]
      : []
  ),
  ...themes.flatMap((name, index) =>
    name !== undefined && names.spelling("theme", name) === undefined
      ? [{ path: `themes.${index}`, what: "theme", name, nearest: () => names.nearestTheme(name) }]
      : []
  )
]

export const areKnown = (sent: SentNames, names: Names): boolean => unknown(sent, names).length === 0

/** Unknown niches and themes, the first few with the nearest known name. What is `undefined` only keeps the others' positions. */
export const unknownNames = (sent: SentNames, names: Names): ReadonlyArray<ArgumentIssue> =>
  unknown(sent, names).map(({ name, nearest, path, what }, index) => {
    const meant = index < maxSuggestions ? nearest() : undefined
    return {
      path,
      message: `\`${name}\` is not a known ${what}${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`
    }
  })

/** How to mend unknown names; issues of other arguments need no hint. */
export const hint = (issues: ReadonlyArray<ArgumentIssue>): string | undefined =>
  issues.some(({ path }) => /^(?:niches|themes)\b/u.test(path))
    ? "Call list_filter_options with kind `niches` or `themes` for the names and ids that are known."
    : undefined

/** Fails with all unknown niches and themes. An unknown app, domain or currency matches nothing. */
export const make = (
  filter: StoreArguments,
  names: Names
): Result.Result<StorePredicate, ReadonlyArray<ArgumentIssue>> => {
  const issues = unknownNames(filter, names)
  if (issues.length > 0) return Result.fail(issues)
  return Result.succeed([
    ...oneOf(
      "niche_id",
      filter.niches?.flatMap((reference) => names.niche(reference) ?? [])
    ),
    ...oneOf("country", filter.countries?.map(letters)),
    ...oneOf("currency", filter.currencies?.map(letters)),
    ...anyBit("languages", languages, filter.languages),
    ...known(
      filter.domains,
      (name) => names.spelling("domain_extension", StoreDomain.normalise(name)),
      (values) => ({ _tag: "OneOf", column: "domain_id", values })
    ),
    ...anyBit("pixels", pixels, filter.pixels),
    ...known(
      filter.themes,
      (name) => names.spelling("theme", name),
      (values) => ({ _tag: "OneOf", column: "theme_id", values })
    ),
    ...known(
      filter.apps,
      (name) => names.spelling("app", name),
      (ids) => ({ _tag: "AnyApp", ids })
    ),
    ...anyBit("networks", socialNetworks, filter.social_networks),
    ...between("revenue", filter.monthly_revenue),
    ...between("visits", filter.monthly_visits),
    ...between("growth", filter.traffic_growth_pct),
    ...between("n_active", filter.active_ads),
    ...between("products_count", filter.products_count),
    ...between("orders", filter.monthly_orders),
    ...created(filter.shop_created_between),
    ...between("avg_price", filter.avg_price),
    ...between("rating", filter.trustpilot_rating),
    ...between("reviews", filter.trustpilot_reviews)
  ])
}
