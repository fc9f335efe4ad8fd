/** The envelope of a search's answer (S31 to S33). */
import { Schema } from "effect"
import { AdItem } from "../catalog/AdItem.ts"
import { ProductItem } from "../catalog/ProductItem.ts"
import { ShopItem } from "../catalog/ShopItem.ts"
import * as Page from "./Page.ts"

const truncated = Schema.optionalKey(
  Schema.Literal(true).annotate({
    description: "Present when the page would exceed 64 KiB and its last items were dropped."
  })
)

export const AdEnvelope = Schema.Struct({
  results: Schema.Array(AdItem),
  pagination: Page.AdPagination,
  truncated,
  notice: Schema.optionalKey(Schema.String.annotate({ description: "Why the result may be empty, and what to do." }))
})
export type AdEnvelope = typeof AdEnvelope.Type

export const ProductEnvelope = Schema.Struct({
  results: Schema.Array(ProductItem),
  pagination: Page.Pagination,
  truncated
})
export type ProductEnvelope = typeof ProductEnvelope.Type

export const ShopEnvelope = Schema.Struct({
  results: Schema.Array(ShopItem),
  pagination: Page.Pagination,
  truncated
})
export type ShopEnvelope = typeof ShopEnvelope.Type
