/**
 * The ways to answer a search. Page and count are two questions, and every plan that is valid for a request gives the same
 * answer: {@link Planner} chooses by cost alone, and the oracle's test runs them all.
 */
import type { WordAccess } from "./FilterSql.ts"
import * as CounterSql from "./CounterSql.ts"
import * as SearchRequest from "./SearchRequest.ts"

/** How many items match, and of how many stores. */
export type CountPlan =
  /** No filter at all: the catalogue's own counters. */
  | { readonly _tag: "Totals" }
  /** One pass over the stores, adding up what their rows know of their items. */
  | { readonly _tag: "AddUpStores" }
  /** Looks at the items. */
  | { readonly _tag: "CountItems"; readonly access: WordAccess }

/**
 * Which items are on the page. Products by relevance, with filters on stores alone, are found by way of stores too: of as
 * many stores as there are products to show, by their best product. Every other store's best stands behind those.
 */
export type PagePlan =
  /** Stores in order, until enough of them match for their items to fill the page. */
  | { readonly _tag: "WalkStores" }
  /** All matching stores, sorted; then the same. */
  | { readonly _tag: "SortStores" }
  /** For products by relevance: all matching stores looked up, then stores in order until enough are among them. */
  | { readonly _tag: "ProbeStores" }
  /** Items in order, until enough of them match. */
  | { readonly _tag: "WalkItems"; readonly order: Extract<SearchRequest.Order, { readonly _tag: "ByItem" }> }
  /** All matching items, sorted. */
  | { readonly _tag: "GatherItems"; readonly access: WordAccess }

/** Those that can find the number of matches together with the page. */
export type AtOncePlan = Extract<PagePlan, { readonly _tag: "GatherItems" | "SortStores" | "ProbeStores" }>

const accesses = ({ words }: SearchRequest.SearchRequest): ReadonlyArray<WordAccess> =>
  words.length === 0 ? ["scan"] : ["index", "scan"]

export const validCounts = (request: SearchRequest.SearchRequest): ReadonlyArray<CountPlan> => [
  ...(request.store.length === 0 && SearchRequest.asksStoresOnly(request) ? [{ _tag: "Totals" } as const] : []),
  ...(CounterSql.isCountable(request) ? [{ _tag: "AddUpStores" } as const] : []),
  ...accesses(request).map((access) => ({ _tag: "CountItems", access }) as const)
]

/** Whether stores lead to the page. */
export const isByStores = (request: SearchRequest.SearchRequest): boolean =>
  request.order._tag === "ByItem"
    ? request.items._tag === "Products" &&
      request.order.column === "score" &&
      request.order.direction === "desc" &&
      SearchRequest.asksStoresOnly(request)
    : CounterSql.isCountable(request)

export const validPages = (request: SearchRequest.SearchRequest): ReadonlyArray<PagePlan> => [
  ...(request.order._tag === "ByItem" ? [{ _tag: "WalkItems", order: request.order } as const] : []),
  ...(isByStores(request) ? [{ _tag: "WalkStores" } as const, { _tag: "SortStores" } as const] : []),
  ...(isByStores(request) && request.order._tag === "ByItem" ? [{ _tag: "ProbeStores" } as const] : []),
  ...accesses(request).map((access) => ({ _tag: "GatherItems", access }) as const)
]
