/**
 * The ways to answer a search. Page and count are two questions, and every plan that is valid for a request gives the same
 * answer: {@link Planner} chooses by cost alone, and the oracle's test runs them all.
 */
import type { WordAccess } from "./FilterSql.ts"
import * as FilterSql from "./FilterSql.ts"
import * as SearchRequest from "./SearchRequest.ts"

/** How many items match, and of how many stores. */
export type CountPlan =
  /** No filter at all: the catalogue's own counters. */
  | { readonly _tag: "Totals" }
  /** One pass over the stores, adding up what their rows know of their items. */
  | { readonly _tag: "AddUpStores" }
  /** Looks at the items. */
  | { readonly _tag: "CountItems"; readonly access: WordAccess }

/** Which items are on the page. */
export type PagePlan =
  /** Stores in order, until the items of those taken fill the page. */
  | { readonly _tag: "WalkStores"; readonly order: Exclude<SearchRequest.Order, { readonly _tag: "ByItem" }> }
  /** Items in order, until enough of them match. */
  | { readonly _tag: "WalkItems"; readonly order: Extract<SearchRequest.Order, { readonly _tag: "ByItem" }> }
  /** All matching items, sorted. */
  | { readonly _tag: "GatherItems"; readonly access: WordAccess }

const accesses = ({ words }: SearchRequest.SearchRequest): ReadonlyArray<WordAccess> =>
  words.length === 0 ? ["scan"] : ["index", "scan"]

export const validCounts = (request: SearchRequest.SearchRequest): ReadonlyArray<CountPlan> => [
  ...(request.store.length === 0 && SearchRequest.asksStoresOnly(request) ? [{ _tag: "Totals" } as const] : []),
  ...(FilterSql.isCountable(request) ? [{ _tag: "AddUpStores" } as const] : []),
  ...accesses(request).map((access) => ({ _tag: "CountItems", access }) as const)
]

export const walk = ({ order }: SearchRequest.SearchRequest): PagePlan =>
  order._tag === "ByItem" ? { _tag: "WalkItems", order } : { _tag: "WalkStores", order }

export const validPages = (request: SearchRequest.SearchRequest): ReadonlyArray<PagePlan> => [
  walk(request),
  ...accesses(request).map((access) => ({ _tag: "GatherItems", access }) as const)
]
