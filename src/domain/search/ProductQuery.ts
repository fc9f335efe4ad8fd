/** Arguments of `search_products` (S76 to S79). */
import { Schema } from "effect"
import * as Arguments from "./Arguments.ts"
import * as Page from "./Page.ts"
import * as StoreFilter from "./StoreFilter.ts"

export const productSorts = [
  "recommended",
  "revenue",
  "orders",
  "traffic",
  "traffic_growth",
  "active_ads",
  "price",
  "newest"
] as const
export type ProductSort = (typeof productSorts)[number]

export const ProductQuery = Schema.Struct({
  query: Arguments.optional(
    StoreFilter.Query,
    "Free text over product titles, store names and domains; 1 to 200 characters."
  ),
  ...StoreFilter.fields,
  price: Arguments.optional(Arguments.Range, "Product price in the store's currency."),
  sort_by: Arguments.optional(
    Arguments.oneOf(productSorts),
    "Default recommended, a relevance score. revenue, orders, traffic, traffic_growth and active_ads are figures of the store."
  ),
  sort_order: Arguments.optional(
    Arguments.SortOrder,
    "Default desc; keep desc with recommended to get the best products first."
  ),
  ...Page.fields(185)
})
export type ProductQuery = typeof ProductQuery.Type
