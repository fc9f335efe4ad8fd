/** Paging: the arguments, the window that they select, and a page of results (S28 to S33, S60). */
import { Schema } from "effect"
import { AdItem } from "../catalog/AdItem.ts"
import { ProductItem } from "../catalog/ProductItem.ts"
import { ShopItem } from "../catalog/ShopItem.ts"
import * as Arguments from "./Arguments.ts"

export const lastPage = 20
export const maxPerPage = 25

/** `tokensPerResult`: tokens of o200k of one result, in one of the two copies of an answer, measured on the demo data. */
export const fields = (tokensPerResult: number) => ({
  page: Arguments.optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: lastPage })), "Default 1."),
  per_page: Arguments.optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxPerPage })),
    `Default 10, about ${tokensPerResult} tokens each.`
  )
})

/** Page number and size with defaults. */
export interface Window {
  readonly page: number
  readonly perPage: number
}

export const window = (args: { readonly page?: number; readonly per_page?: number }): Window => ({
  page: args.page ?? 1,
  perPage: args.per_page ?? 10
})

/** Number of items before the window. */
export const offset = ({ page, perPage }: Window): number => (page - 1) * perPage

const base = {
  page: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int.annotate({ description: "Total matching items." }),
  has_more: Schema.Boolean.annotate({ description: "True when a further page can be requested; false on page 20." })
}

export const Pagination = Schema.Struct(base)
export type Pagination = typeof Pagination.Type

/** The pagination of an answer. `results` is the number of rows that pages are made of, if they are not the items. */
export const pagination = (args: Parameters<typeof window>[0], total: number, results = total): Pagination => {
  const { page, perPage } = window(args)
  return { page, per_page: perPage, total, has_more: page < lastPage && page * perPage < results }
}

export const AdPagination = Schema.Struct({
  ...base,
  mode: Schema.Literals(["grouped_by_shop", "flat"]),
  matching_shops: Schema.optionalKey(
    Schema.Int.annotate({ description: "Number of matching stores; only in grouped_by_shop mode." })
  )
})
export type AdPagination = typeof AdPagination.Type

const truncated = Schema.optionalKey(
  Schema.Literal(true).annotate({
    description: "Present when the page would exceed 64 KiB and its last items were dropped."
  })
)

/** {@link import("./Warnings.ts").english} */
export const warnings = Schema.optionalKey(
  Schema.Array(Schema.String).annotate({
    description: "What these results leave out, or what was not understood or used."
  })
)

export const AdPage = Schema.Struct({
  results: Schema.Array(AdItem),
  pagination: AdPagination,
  truncated,
  warnings,
  notice: Schema.optionalKey(Schema.String.annotate({ description: "Why the result may be empty, and what to do." }))
})
export type AdPage = typeof AdPage.Type

export const ProductPage = Schema.Struct({
  results: Schema.Array(ProductItem),
  pagination: Pagination,
  truncated,
  warnings
})
export type ProductPage = typeof ProductPage.Type

export const ShopPage = Schema.Struct({
  results: Schema.Array(ShopItem),
  pagination: Pagination,
  truncated,
  warnings
})
export type ShopPage = typeof ShopPage.Type
