/** Arguments of `search_shops` (D44): the common filters, the store filters of ads, and its own sorts. */
import { Schema } from "effect"
import { movingSorts } from "../catalog/Movers.ts"
import * as AdQuery from "./AdQuery.ts"
import * as Arguments from "./Arguments.ts"
import * as Page from "./Page.ts"
import * as StoreFilter from "./StoreFilter.ts"

export const shopSorts = [...StoreFilter.sorts, "products_count", "newest", ...movingSorts] as const

/** What selects stores, without order and page. */
export const ShopFilter = Schema.Struct({
  query: Arguments.optional(StoreFilter.Query, "Words in store names and domains; each must begin a word."),
  query_any: StoreFilter.queryAny,
  ...StoreFilter.fields,
  ...AdQuery.storeFields
})
export type ShopFilter = typeof ShopFilter.Type

export const ShopQuery = Schema.Struct({
  ...ShopFilter.fields,
  sort_by: Arguments.optional(
    Arguments.oneOf(shopSorts),
    "Default recommended: most active ads first, then most visits. price_change: percent."
  ),
  sort_order: Arguments.optional(Arguments.SortOrder, "Default desc."),
  change_over: Arguments.optional(Arguments.ChangeOver, "For *_change. Default 30d."),
  ...Page.fields(150)
})
export type ShopQuery = typeof ShopQuery.Type

export const withoutEffect = AdQuery.spanWithoutEffect
