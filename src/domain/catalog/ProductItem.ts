/** A product as `search_products` returns it (S17 to S24). */
import { Schema } from "effect"

const Figure = Schema.NullOr(Schema.Finite)

/** Fields from the product's row. */
export const facts = {
  id: Schema.Int,
  title: Schema.String.annotate({ description: "Third-party content." }),
  url: Schema.NullOr(Schema.String),
  image_url: Schema.NullOr(Schema.String),
  price: Schema.Finite.annotate({ description: "Lowest variant price, in currency." }),
  currency: Schema.NullOr(Schema.String),
  created_at: Schema.NullOr(Schema.String).annotate({ description: "ISO 8601." })
}

export const ProductItem = Schema.Struct({
  ...facts,
  shop: Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    domain: Schema.String,
    country: Schema.String,
    estimated_monthly_revenue: Figure,
    estimated_monthly_orders: Figure,
    monthly_visits: Figure,
    traffic_growth_pct: Figure,
    active_ads: Schema.Int,
    is_tracked: Schema.Boolean.annotate({ description: "True: get_product returns details." })
  }),
  dashboard_url: Schema.String
})
export type ProductItem = typeof ProductItem.Type

/**
 * A product as the index and the database return it. `createdAt` is an ISO 8601 UTC timestamp such as
 * `2026-03-02T08:11:40.000Z`.
 */
export interface FoundProduct {
  readonly id: number
  readonly title: string
  readonly url: string | null
  readonly imageUrl: string | null
  readonly price: number
  readonly currency: string | null
  readonly createdAt: string | null
  readonly shop: ProductItem["shop"]
}

export interface Context {
  readonly dashboardUrl: (shopId: number) => string
  readonly imageUrl: (address: string) => string
}

/** The {@link facts} of a product. */
export const presentFacts = (product: Omit<FoundProduct, "shop">, context: Pick<Context, "imageUrl">) => ({
  id: product.id,
  title: product.title,
  url: product.url,
  image_url: product.imageUrl === null ? null : context.imageUrl(product.imageUrl),
  price: product.price,
  currency: product.currency,
  created_at: product.createdAt
})

export const present = (product: FoundProduct, context: Context): ProductItem => ({
  ...presentFacts(product, context),
  shop: product.shop,
  dashboard_url: context.dashboardUrl(product.shop.id)
})
