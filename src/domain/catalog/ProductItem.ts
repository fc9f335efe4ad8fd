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

/** A product as the index and the database return it. */
export type FoundProduct = Omit<ProductItem, "dashboard_url">

export interface Context {
  readonly dashboardUrl: (shopId: number) => string
  readonly imageUrl: (address: string) => string
}

export const present = (product: FoundProduct, context: Context): ProductItem => ({
  ...product,
  image_url: product.image_url === null ? null : context.imageUrl(product.image_url),
  dashboard_url: context.dashboardUrl(product.shop.id)
})
