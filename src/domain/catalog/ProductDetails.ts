/** What `get_product` adds to a search result: description, variants and images. */
import { Schema } from "effect"
import { withDefault } from "../FieldRules.ts"
import * as Fields from "./RecordFields.ts"

const maxDescriptionCharacters = 200_000
/** The storefront platform allows 2,048 variants and 250 images a product. */
const maxVariants = 2_048
export const maxImages = 250
const maxOptions = 20
const maxOptionValues = 2_048
export const maxTags = 500

export const maxPrice = 1_000_000_000

/** Absent means empty. */
const list = <S extends Schema.Codec<unknown, unknown>>(item: S, maxEntries: number) =>
  withDefault(Schema.Array(item).check(Schema.isMaxLength(maxEntries)), []).annotate({ cutTo: maxEntries })

const Variant = Schema.Struct({
  id: Fields.nullable(Fields.identifier(100)),
  title: Fields.nullableLine(1_000),
  sku: Fields.nullableLine(500),
  price: Fields.amount(maxPrice),
  /** The price before a reduction. */
  compare_at_price: Fields.nullable(Fields.amount(maxPrice)),
  is_available: Fields.nullable(Schema.Boolean),
  /** One value for each option of the product, in their order. */
  options: list(Fields.line(500), maxOptions)
})

const Image = Schema.Struct({
  url: Fields.WebUrl,
  width: Fields.nullable(Fields.Count),
  height: Fields.nullable(Fields.Count)
})

const Option = Schema.Struct({
  name: Fields.line(500),
  values: list(Fields.line(500), maxOptionValues)
})

/**
 * Amounts are in the currency of the store. `description_html` is third-party markup: never show it unescaped or
 * unsanitized.
 */
export const ProductDetails = Schema.Struct({
  description_html: Fields.nullableText(maxDescriptionCharacters),
  vendor: Fields.nullableLine(500),
  product_type: Fields.nullableLine(500),
  tags: Fields.emptyByDefault(Fields.distinct(Fields.line(255), maxTags)),
  options: list(Option, maxOptions),
  variants: list(Variant, maxVariants),
  images: list(Image, maxImages)
})
export type ProductDetails = typeof ProductDetails.Type
