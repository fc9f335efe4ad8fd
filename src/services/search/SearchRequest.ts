/** What the arguments of both tools come down to: which items, of which stores, in which order, which window. Pure data. */
import { Result } from "effect"
import { ctas, mediaTypes } from "../../domain/catalog/Enumerations.ts"
import type { AdQuery, AdSort } from "../../domain/search/AdQuery.ts"
import type { Range, SortOrder } from "../../domain/search/Arguments.ts"
import * as Page from "../../domain/search/Page.ts"
import type { ProductQuery, ProductSort } from "../../domain/search/ProductQuery.ts"
import { wantedWords } from "../../domain/search/SearchText.ts"
import type { ArgumentIssue } from "../../domain/ToolError.ts"
import * as AdKey from "./AdKey.ts"
import type { Names } from "./Names.ts"
import * as StorePredicate from "./StorePredicate.ts"

/** What is asked of an item itself, beside its words. */
export type ItemPredicate =
  | { readonly _tag: "Products"; readonly min?: number; readonly max?: number }
  | { readonly _tag: "Ads"; readonly criteria: AdKey.AdCriteria }

/**
 * Every order ends in a unique key, so that pages neither repeat nor skip an item. Unknown figures come last in both
 * directions. Ties:
 *
 * - `ByStore`, a figure of the store: lower store id first, ads without a store as store 0; within a store, products by
 *   relevance score, highest first, then lower id, ads by pick (active first, newest start, highest id). The direction
 *   turns the figure only.
 * - `ByItem`, a figure of the item: by id, in the direction of the order; for `score` against it, so that `desc` means
 *   highest score, then lower id.
 * - `Grouped`, one ad per store: stores with most active ads first, then lower store id; of each store the first matching
 *   ad by pick. Ads without a store are left out.
 */
export type Order =
  | { readonly _tag: "ByStore"; readonly figure: StoreFigure; readonly direction: SortOrder }
  | { readonly _tag: "ByItem"; readonly column: ItemColumn; readonly direction: SortOrder }
  | { readonly _tag: "Grouped" }
export type StoreFigure = "revenue" | "orders" | "visits" | "growth" | "n_active"
export type ItemColumn = "score" | "price" | "created" | "started"

export interface SearchRequest {
  readonly store: StorePredicate.StorePredicate
  readonly items: ItemPredicate
  /** All must be there, each at the start of a word; none asks nothing. */
  readonly words: ReadonlyArray<string>
  readonly order: Order
  readonly window: Page.Window
}

type Issues = ReadonlyArray<ArgumentIssue>

const request = (
  query: AdQuery | ProductQuery,
  names: Names,
  items: ItemPredicate,
  order: Order
): Result.Result<SearchRequest, Issues> =>
  Result.map(StorePredicate.make(query, names), (store) => ({
    store,
    items,
    words: wantedWords(query.query),
    order,
    window: Page.window(query)
  }))

const productOrder = (sort: ProductSort, direction: SortOrder): Order => {
  switch (sort) {
    case "recommended":
      return { _tag: "ByItem", column: "score", direction }
    case "price":
      return { _tag: "ByItem", column: "price", direction }
    case "newest":
      return { _tag: "ByItem", column: "created", direction }
    case "revenue":
    case "orders":
      return { _tag: "ByStore", figure: sort, direction }
    case "traffic":
      return { _tag: "ByStore", figure: "visits", direction }
    case "traffic_growth":
      return { _tag: "ByStore", figure: "growth", direction }
    case "active_ads":
      return { _tag: "ByStore", figure: "n_active", direction }
  }
}

const adOrder = (sort: AdSort, direction: SortOrder): Order => {
  switch (sort) {
    case "recommended":
      return { _tag: "Grouped" }
    case "newest":
      return { _tag: "ByItem", column: "started", direction: "desc" }
    case "oldest":
      return { _tag: "ByItem", column: "started", direction: "asc" }
    case "reach":
    case "traffic":
      return { _tag: "ByStore", figure: "visits", direction }
    case "revenue":
      return { _tag: "ByStore", figure: "revenue", direction }
    case "traffic_growth":
      return { _tag: "ByStore", figure: "growth", direction }
  }
}

const priceRange = (range: Range | undefined): ItemPredicate => ({ _tag: "Products", ...range })

export const fromProductQuery = (query: ProductQuery, names: Names): Result.Result<SearchRequest, Issues> =>
  request(
    query,
    names,
    priceRange(query.price),
    productOrder(query.sort_by ?? "recommended", query.sort_order ?? "desc")
  )

/** Each once, in the vocabulary's own order. */
const chosen = <A>(vocabulary: ReadonlyArray<A>, values: ReadonlyArray<A> = []): ReadonlyArray<A> =>
  vocabulary.filter((value) => values.includes(value))

/**
 * `today` is the UTC date, `YYYY-MM-DD`. An ad has run for the days from its start to today, none if it starts later; so
 * a bound on `active_days` is one on the start, and needs no upkeep as days pass.
 */
const criteria = (query: AdQuery, today: string): AdKey.AdCriteria => {
  const { max, min } = query.active_days ?? {}
  const asksActiveDays = min !== undefined || max !== undefined
  const first = [AdKey.anyAd.firstDay]
  const last = [AdKey.anyAd.lastDay]
  if (max !== undefined) first.push(AdKey.day(today) - Math.floor(max))
  if (min !== undefined && min > 0) last.push(AdKey.day(today) - Math.ceil(min))
  if (query.ad_started_between?.from !== undefined) first.push(AdKey.day(query.ad_started_between.from))
  if (query.ad_started_between?.to !== undefined) last.push(AdKey.day(query.ad_started_between.to))
  return {
    status: asksActiveDays ? "active" : (query.status ?? "all"),
    media: chosen(mediaTypes, query.media_types),
    ctas: chosen(ctas, query.ctas),
    partnershipOnly: query.partnership_only ?? false,
    firstDay: Math.max(...first),
    lastDay: Math.min(...last)
  }
}

export const fromAdQuery = (query: AdQuery, names: Names, today: string): Result.Result<SearchRequest, Issues> =>
  request(
    query,
    names,
    { _tag: "Ads", criteria: criteria(query, today) },
    adOrder(query.sort_by ?? "recommended", query.sort_order ?? "desc")
  )

/** Whether it is known without looking that nothing matches. */
export const isEmpty = ({ items, store }: SearchRequest): boolean =>
  store.some((condition) => condition._tag === "Nothing") ||
  (items._tag === "Ads" && items.criteria.firstDay > items.criteria.lastDay)

/** Whether it asks nothing of the items themselves. */
export const asksStoresOnly = ({ items, words }: Pick<SearchRequest, "items" | "words">): boolean =>
  words.length === 0 &&
  (items._tag === "Products" ? items.min === undefined && items.max === undefined : AdKey.asksNothing(items.criteria))

/** The same stores with all their items: how many items a search by words could have to read. */
export const ofWholeStores = (request: SearchRequest): SearchRequest => ({
  ...request,
  items: request.items._tag === "Products" ? { _tag: "Products" } : { _tag: "Ads", criteria: AdKey.anyAd },
  words: []
})

/**
 * Equal for searches with equal counts: order and window do not matter, except that only a grouped search counts stores.
 * The day of asking is in the criteria already.
 */
export const countKey = ({ items, order, store, words }: SearchRequest): string =>
  JSON.stringify([order._tag === "Grouped", items, store, words])
