/** What the arguments of `search_shops` come down to: which stores, in which order, which window. Pure data. */
import { Result } from "effect"
import type { SortOrder } from "../../domain/search/Arguments.ts"
import * as Page from "../../domain/search/Page.ts"
import { wantedWords } from "../../domain/search/SearchText.ts"
import type { ShopQuery, ShopSort } from "../../domain/search/ShopQuery.ts"
import type { ArgumentIssue } from "../../domain/ToolError.ts"
import type { Names } from "./Names.ts"
import * as StorePredicate from "./StorePredicate.ts"

/** Columns of `shop_search` whose unknown is below all that is known. */
export type SortColumn = "revenue" | "orders" | "visits" | "growth" | "n_active" | "products_count" | "created"

/**
 * The direction turns every column; unknown figures come last in both directions; stores that are equal in all columns
 * come by id, lower first.
 */
export interface Order {
  readonly columns: readonly [SortColumn, ...ReadonlyArray<SortColumn>]
  readonly direction: SortOrder
}

export interface ShopRequest {
  readonly store: StorePredicate.StorePredicate
  /** All must be in the store's name or domain, each at the start of a word. */
  readonly words: ReadonlyArray<string>
  readonly order: Order
  readonly window: Page.Window
}

const columns: Record<ShopSort, Order["columns"]> = {
  recommended: ["n_active", "visits"],
  revenue: ["revenue"],
  orders: ["orders"],
  traffic: ["visits"],
  traffic_growth: ["growth"],
  active_ads: ["n_active"],
  products_count: ["products_count"],
  newest: ["created"]
}

export const fromShopQuery = (
  query: ShopQuery,
  names: Names
): Result.Result<ShopRequest, ReadonlyArray<ArgumentIssue>> =>
  Result.map(StorePredicate.make(query, names), (store) => ({
    store,
    words: wantedWords(query.query),
    order: { columns: columns[query.sort_by ?? "recommended"], direction: query.sort_order ?? "desc" },
    window: Page.window(query)
  }))

/** Whether it is known without looking that nothing matches. */
export const isEmpty = ({ store }: ShopRequest): boolean => store.some(({ _tag }) => _tag === "Nothing")

/** Equal for searches with equal totals: order and window do not matter. */
export const countKey = ({ store, words }: ShopRequest): string => JSON.stringify([store, words])

/** Whether every store matches. */
export const asksNothing = ({ store, words }: ShopRequest): boolean => store.length === 0 && words.length === 0
