/**
 * The other forms in which storefronts give a product: with prices in hundredths, and as the Store API of WooCommerce does. Each is
 * made that of `products.json`.
 */
import { Predicate } from "effect"
import { currencyCodes } from "./Iso.ts"

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => Predicate.isObject(value) && !Array.isArray(value)

/** Whether the prices of a product are in hundredths: `/products/<handle>.js`, and templates that write a product as JSON. */
const isInCents = (input: Fields): boolean => "price_varies" in input || "price_min" in input

/** Whether it is a product of the Store API of WooCommerce, whose prices are in the unit that they name. */
export const isOfStoreApi = (input: Fields): boolean =>
  isFields(input["prices"]) && "currency_minor_unit" in input["prices"]

/** The currency that a product names; `undefined` if it names none. */
export const currencyOf = (input: Fields): string | undefined => {
  const code = isFields(input["prices"]) ? input["prices"]["currency_code"] : undefined
  return typeof code === "string" && currencyCodes.has(code) ? code : undefined
}

const itemsOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A whole number of cents. Text, and a number with decimals, is in the currency already. */
const centsOf = (value: unknown): unknown =>
  typeof value === "number" && Number.isInteger(value) ? value / 100 : value

/** The product in the form of `products.json`, if it is in another one. */
export const inFormOfProductsJson = (input: unknown): unknown => {
  if (!isFields(input)) return input
  if (isOfStoreApi(input)) return ofStoreApi(input)
  if (!isInCents(input)) return input
  const variants = itemsOf(input["variants"]).map((variant) =>
    isFields(variant)
      ? { ...variant, price: centsOf(variant["price"]), compare_at_price: centsOf(variant["compare_at_price"] ?? null) }
      : variant
  )
  return {
    ...input,
    body_html: input["body_html"] ?? input["description"] ?? null,
    product_type: input["product_type"] ?? input["type"] ?? null,
    images: itemsOf(input["images"]).map((image) => (typeof image === "string" ? { src: image } : image)),
    options: itemsOf(input["options"]).map((option) => (typeof option === "string" ? { name: option } : option)),
    variants: variants.length > 0 ? variants : [{ price: centsOf(input["price_min"] ?? input["price"]) }]
  }
}

const namesOf = (value: unknown): ReadonlyArray<unknown> =>
  itemsOf(value).flatMap((item) => (isFields(item) && typeof item["name"] === "string" ? [item["name"]] : []))

const ofStoreApi = (input: Fields): unknown => {
  const prices = isFields(input["prices"]) ? input["prices"] : {}
  const unit = prices["currency_minor_unit"]
  const digits = typeof unit === "number" && Number.isInteger(unit) && unit >= 0 && unit <= 4 ? unit : 2
  const range = prices["price_range"]
  const amountOf = (value: unknown) =>
    Number.isInteger(value) || (typeof value === "string" && /^\d{1,15}$/u.test(value))
      ? Number(value) / 10 ** digits
      : value
  const price = amountOf(isFields(range) ? range["min_amount"] : prices["price"])
  const regular = amountOf(prices["regular_price"])
  return {
    id: input["id"],
    handle: input["slug"],
    title: input["name"],
    permalink: input["permalink"] ?? null,
    body_html: input["description"] ?? null,
    product_type: namesOf(input["categories"]).at(-1) ?? null,
    tags: namesOf(input["tags"]),
    images: itemsOf(input["images"]).filter(isFields),
    variants: [
      {
        sku: input["sku"] === "" ? null : (input["sku"] ?? null),
        price,
        compare_at_price: regular === price || isFields(range) ? null : regular,
        available: typeof input["is_in_stock"] === "boolean" ? input["is_in_stock"] : null
      }
    ]
  }
}
