/** Arguments of `search_products` (S76 to S79). */
import { Schema } from "effect"
import * as Arguments from "./Arguments.ts"
import * as Page from "./Page.ts"
import * as StoreFilter from "./StoreFilter.ts"

export const productSorts = [...StoreFilter.sorts, "price", "newest"] as const
export type ProductSort = (typeof productSorts)[number]

export const ProductQuery = Schema.Struct({
  query: Arguments.optional(
    StoreFilter.Query,
    "Words in product titles, store names and domains; each must begin a word."
  ),
  query_any: StoreFilter.queryAny,
  ...StoreFilter.fields,
  price: Arguments.optional(Arguments.Range, "Lowest variant price."),
  product_created_between: Arguments.optional(Arguments.DateRange, "YYYY-MM-DD."),
  sort_by: Arguments.optional(
    Arguments.oneOf(productSorts),
    "Default recommended, by relevance; price and newest rank products, others their stores."
  ),
  sort_order: Arguments.optional(Arguments.SortOrder, "Default desc."),
  ...Page.fields(185)
})
export type ProductQuery = typeof ProductQuery.Type
