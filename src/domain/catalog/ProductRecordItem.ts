/** A product as `get_product` returns it: everything on record, within bounds (D45). */
import { Schema } from "effect"
import { fit } from "../Truncation.ts"
import { fromHtml } from "./PlainText.ts"
import type { ProductDetails } from "./ProductDetails.ts"
import { facts } from "./ProductItem.ts"
import type { Context, FoundProduct } from "./ProductItem.ts"
import { cut } from "./ThirdPartyText.ts"

const Text = Schema.NullOr(Schema.String)
const Size = Schema.NullOr(Schema.Int)

const maxDescriptionCharacters = 5_000
const variantLimits = { maxItems: 100, maxBytes: 20 * 1024 }
const imageLimits = { maxItems: 20, maxBytes: 8 * 1024 }

export const ProductRecordItem = Schema.Struct({
  ...facts,
  description: Text.annotate({ description: "Plain text, up to 5,000 characters (third-party content)." }),
  vendor: Text.annotate({ description: "Third-party content." }),
  product_type: Text.annotate({ description: "Third-party content." }),
  variants_count: Schema.Int,
  variants: Schema.Array(
    Schema.Struct({
      title: Text,
      sku: Text,
      price: Schema.Finite,
      compare_at_price: Schema.NullOr(Schema.Finite).annotate({ description: "Price before a reduction." }),
      is_available: Schema.NullOr(Schema.Boolean),
      options: Schema.Array(Schema.String)
    })
  ).annotate({ description: "The first of them: up to 100 and 20 KiB (third-party content)." }),
  images_count: Schema.Int,
  images: Schema.Array(Schema.Struct({ url: Schema.String, width: Size, height: Size })).annotate({
    description: "The first of them: up to 20 and 8 KiB."
  }),
  shop: Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    domain: Schema.String,
    country: Schema.String,
    is_tracked: Schema.Boolean,
    is_own: Schema.Boolean
  }),
  dashboard_url: Schema.String
})
export type ProductRecordItem = typeof ProductRecordItem.Type

/** A product on record; `details` are not known of every product. */
export interface ProductOnRecord extends Omit<FoundProduct, "shop"> {
  readonly details: ProductDetails | null
  readonly shop: ProductRecordItem["shop"]
}

const describe = (html: string | null | undefined): string | null => {
  const text = html === null || html === undefined ? "" : cut(fromHtml(html), maxDescriptionCharacters).trim()
  return text === "" ? null : text
}

export const present = ({ details, shop, ...product }: ProductOnRecord, context: Context): ProductRecordItem => {
  const variants = details?.variants ?? []
  const images = (details?.images ?? []).map((image) => ({ ...image, url: context.imageUrl(image.url) }))
  return {
    ...product,
    image_url: product.image_url === null ? null : context.imageUrl(product.image_url),
    description: describe(details?.description_html),
    vendor: details?.vendor ?? null,
    product_type: details?.product_type ?? null,
    variants_count: variants.length,
    variants: fit(
      variants.map(({ compare_at_price, is_available, options, price, sku, title }) => ({
        title,
        sku,
        price,
        compare_at_price,
        is_available,
        options
      })),
      variantLimits
    ),
    images_count: images.length,
    images: fit(images, imageLimits),
    shop,
    dashboard_url: context.dashboardUrl(shop.id)
  }
}
