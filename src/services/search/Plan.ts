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
  /** Items in order, each with its store, until enough of them match. */
  | { readonly _tag: "WalkItems"; readonly order: ItemOrder }
  /** All matching stores, to look up in; then items in order, until enough of them are of those stores and match. */
  | { readonly _tag: "ProbeItems"; readonly order: ItemOrder }
  /** All matching items, sorted. */
  | { readonly _tag: "GatherItems"; readonly access: WordAccess }
  /** All matching items, counted by store; then the documents of the first stores again, until their matches fill the page. */
  | { readonly _tag: "GatherStores"; readonly access: WordAccess; readonly order: FigureOrder }

type ItemOrder = Extract<SearchRequest.Order, { readonly _tag: "ByItem" }>
type FigureOrder = Extract<SearchRequest.Order, { readonly _tag: "ByStore" }>

/** Those that can find the number of matches together with the page. */
export type AtOncePlan = Extract<PagePlan, { readonly _tag: "GatherItems" | "GatherStores" | "SortStores" }>

const accesses = ({ words }: SearchRequest.SearchRequest): ReadonlyArray<WordAccess> =>
  words.length === 0 ? ["scan"] : ["index", "whole", "scan"]

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

export const validPages = (request: SearchRequest.SearchRequest): ReadonlyArray<PagePlan> => {
  const { order, store } = request
  return [
    ...(order._tag === "ByItem" ? [{ _tag: "WalkItems", order } as const] : []),
    ...(order._tag === "ByItem" && store.length > 0 ? [{ _tag: "ProbeItems", order } as const] : []),
    ...(isByStores(request) ? [{ _tag: "WalkStores" } as const, { _tag: "SortStores" } as const] : []),
    ...accesses(request).map((access) => ({ _tag: "GatherItems", access }) as const),
    ...(order._tag === "ByStore" && request.words.length > 0
      ? accesses(request).map((access) => ({ _tag: "GatherStores", access, order }) as const)
      : [])
  ]
}
