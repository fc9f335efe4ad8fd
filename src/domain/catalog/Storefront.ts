/**
 * The storefront files `products.json` and `meta.json`. Both have many more fields, which change without notice, so
 * unknown fields are ignored.
 */
import { Result, Schema } from "effect"
import * as ArgumentDecoder from "../ArgumentDecoder.ts"
import { issueAt } from "../ArgumentIssue.ts"
import type { ArgumentIssue } from "../ArgumentIssue.ts"
import * as LenientDecoder from "./LenientDecoder.ts"
import * as RecordDecoder from "./RecordDecoder.ts"
import { inFormOfProductsJson } from "./ProductForms.ts"
import { addressOf, WebUrl } from "./RecordFields.ts"
import { ProductRecord } from "./Records.ts"

const absent = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Text such as `24.90`, in some exports a number; `null` or "" if there is no price. */
const Price = Schema.Union([Schema.String, Schema.Finite])

const Variant = Schema.Struct({
  id: absent(Schema.Union([Schema.Finite, Schema.String])),
  title: absent(Schema.String),
  sku: absent(Schema.String),
  price: absent(Price),
  compare_at_price: absent(Price),
  available: absent(Schema.Boolean),
  option1: absent(Schema.String),
  option2: absent(Schema.String),
  option3: absent(Schema.String)
})

export type Variant = typeof Variant.Type

const Image = Schema.Struct({
  src: absent(Schema.String),
  width: absent(Schema.Finite),
  height: absent(Schema.Finite)
})

const Product = Schema.Struct({
  id: absent(Schema.Union([Schema.Finite, Schema.String])),
  title: absent(Schema.String),
  handle: absent(Schema.String),
  body_html: absent(Schema.String),
  created_at: absent(Schema.String),
  vendor: absent(Schema.String),
  product_type: absent(Schema.String),
  /** An array from the storefront, text with commas from the admin interface. */
  tags: absent(Schema.Union([Schema.Array(Schema.String), Schema.String])),
  /** Only from the admin interface. */
  status: absent(Schema.String),
  /** The address of its page, where it is not made of the handle; `null` if it is not known. */
  permalink: absent(Schema.String),
  /** `null` if the store does not show the product. */
  published_at: absent(Schema.String),
  published: absent(Schema.Boolean),
  variants: absent(Schema.Array(Variant)),
  images: absent(Schema.Array(Image)),
  options: absent(
    Schema.Array(Schema.Struct({ name: absent(Schema.String), values: absent(Schema.Array(Schema.String)) }))
  )
})
export type Product = typeof Product.Type

const decodeRecord = LenientDecoder.make(ProductRecord)
const decodeProduct = LenientDecoder.make(Product, { unknownNames: "ignore" })
const issuesOfProduct = ArgumentDecoder.decoder(Product, { unknownNames: "ignore" })
const isProduct = RecordDecoder.guardOf(Product)

/** The only public source of the currency and the country of a storefront. */
export const Meta = Schema.Struct({
  name: absent(Schema.String),
  country: absent(Schema.String),
  currency: absent(Schema.String),
  domain: absent(Schema.String),
  url: absent(Schema.String),
  published_products_count: absent(Schema.Finite)
})
export type Meta = typeof Meta.Type

/** Values of an unexpected type are unknown. */
export const decodeMeta = (input: unknown): Result.Result<Meta, ReadonlyArray<ArgumentIssue>> =>
  Result.map(correctMeta(input), ({ record }) => record)
const correctMeta = LenientDecoder.make(Meta, { unknownNames: "ignore" })

/** As the source writes it. */
export const domainOf = (meta: Meta): string | undefined =>
  meta.domain ?? URL.parse(meta.url ?? "")?.hostname ?? undefined

/** Why a product is none that customers can buy: a draft or archived, or not shown by the store. */
export type NotSold = "notOnSale" | "hidden"

/** A product of another status is on sale. */
const notSoldByStatus: Readonly<Record<string, NotSold>> = {
  draft: "notOnSale",
  archived: "notOnSale",
  unlisted: "hidden"
}

/** The statuses of products; the first is that of products on sale. */
export const statuses: readonly ["active", ...Array<string>] = ["active", ...Object.keys(notSoldByStatus)]

/** Why a product with such a status, in lower case, is not sold. */
export const notSoldOf = (status: string): NotSold | undefined =>
  Object.hasOwn(notSoldByStatus, status) ? notSoldByStatus[status] : undefined

type Read = Result.Result<LenientDecoder.Corrected<ProductRecord> | NotSold, ReadonlyArray<ArgumentIssue>>

/** The record of a product, or why it is not sold. */
export const toRecord = (input: unknown, domain: string): Read => decodeRecordOf(inFormOfProductsJson(input), domain)

const decodeRecordOf = (input: unknown, domain: string): Read => {
  // Nothing is cleaned here, so that what fits needs no copy.
  if (isProduct(input)) return recordOf(input, domain)
  return Result.flatMap(decodeProduct(input), ({ record, invalidFields }): Read => {
    const deciding = invalidFields.filter(
      (path) => decides.has(path) || (path === "id" && notBlank(record.handle) === null)
    )
    if (deciding.length > 0) {
      const isOf = ({ path }: ArgumentIssue) => deciding.includes(path.replaceAll(/\.\d+/gu, ""))
      const issues = Result.match(issuesOfProduct(input), { onSuccess: () => [], onFailure: (all) => all.filter(isOf) })
      // Only so many issues are listed, which may all be of other values.
      return Result.fail(issues.length > 0 ? issues : deciding.map((path) => issueAt(path, "invalid")))
    }
    return Result.map(recordOf(record, domain), (read) =>
      typeof read === "string"
        ? read
        : { ...read, invalidFields: [...invalidFields.map(fieldOf), ...read.invalidFields] }
    )
  })
}

/** They say which product it is, whether it is on sale, and for how much. */
const decides: ReadonlySet<string> = new Set(["handle", "title", "status", "variants", "variants.price"])

const fields: Readonly<Record<string, string>> = {
  id: "alias",
  created_at: "created_at",
  body_html: "details.description_html",
  "variants.available": "details.variants.is_available",
  "variants.option1": "details.variants.options",
  "variants.option2": "details.variants.options",
  "variants.option3": "details.variants.options",
  "images.src": "details.images.url"
}

/** The field of the record that a name of the product becomes. */
const fieldOf = (path: string): string => fields[path] ?? `details.${path}`

/** As {@link toRecord}, of a product whose types are known. */
export const recordOf = (product: Product, domain: string): Read => {
  const status = product.status?.trim().toLowerCase() ?? ""
  const notSold = notSoldOf(status)
  if (notSold !== undefined) return Result.succeed(notSold)
  if (product.published === false || product.published_at === null) return Result.succeed("hidden")
  if (isInexact(product.id) && notBlank(product.handle) === null) return Result.fail([issueAt("id", "inexact_id")])
  return Result.flatMap(variantsOf(product), (variants): Read => {
    const invalidFields: Array<string> = []
    if (isInexact(product.id)) invalidFields.push("alias")
    if (status !== "" && status !== "active") invalidFields.push("status")
    for (const { id, price } of product.variants ?? []) {
      if (isInexact(id)) invalidFields.push("details.variants.id")
      if (isUnpriced(price)) invalidFields.push("details.variants")
    }
    const decoded = decodeRecord(translate(product, domain, variants, invalidFields))
    return Result.map(decoded, (read) =>
      invalidFields.length === 0 ? read : { ...read, invalidFields: [...invalidFields, ...read.invalidFields] }
    )
  })
}

interface Variants {
  readonly variants: ReadonlyArray<object>
  readonly lowestPrice: number
}

/** Those with a price, without which a variant is not on sale; at least one has it. */
const variantsOf = ({ variants }: Product): Result.Result<Variants, ReadonlyArray<ArgumentIssue>> => {
  if (variants === undefined || variants === null || variants.length === 0) {
    return Result.fail([issueAt("variants", "no_variants")])
  }
  const priced: Array<object> = []
  let lowestPrice = Infinity
  for (const [at, variant] of variants.entries()) {
    const { available, compare_at_price, id, option1, option2, option3, sku, title } = variant
    const price = amount(variant.price)
    if (price === null) {
      if (!isUnpriced(variant.price)) return Result.fail([issueAt(`variants.${at}.price`, "not_price")])
      continue
    }
    lowestPrice = Math.min(lowestPrice, price)
    priced.push({
      id: idOf(id),
      title: title ?? null,
      sku: sku ?? null,
      price,
      // What is no amount is left out and counted.
      compare_at_price: amount(compare_at_price) ?? (isUnpriced(compare_at_price) ? null : compare_at_price),
      is_available: available ?? null,
      options: [option1, option2, option3].filter((option) => notBlank(option) !== null)
    })
  }
  return priced.length === 0
    ? Result.fail([issueAt("variants", "no_price")])
    : Result.succeed({ variants: priced, lowestPrice })
}

/** A larger number has lost digits when it was parsed, and may be that of another product. */
const isInexact = (id: unknown): boolean => typeof id === "number" && !Number.isSafeInteger(id)

const idOf = (id: number | string | null | undefined): string | null =>
  id === undefined || id === null || isInexact(id) ? null : String(id)

const isUnpriced = (price: string | number | null | undefined): boolean =>
  price === undefined || price === null || (typeof price === "string" && price.trim() === "")

const decimal = /^\s*\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?\s*$/iu

const amount = (price: string | number | null | undefined): number | null => {
  if (typeof price === "number") return price
  return typeof price === "string" && decimal.test(price) ? Number(price) : null
}

/** Adds the fields whose values are left out to `invalidFields`. */
const translate = (
  product: Product,
  domain: string,
  { lowestPrice, variants }: Variants,
  invalidFields: Array<string>
): object => {
  const images: Array<{ url: string; width: number | null; height: number | null }> = []
  for (const { height, src, width } of product.images ?? []) {
    const url = webUrl(src)
    if (url !== null) images.push({ url, width: width ?? null, height: height ?? null })
    else if (notBlank(src) !== null) invalidFields.push("details.images")
  }
  const tags = typeof product.tags === "string" ? product.tags.split(",") : (product.tags ?? [])
  const handle = notBlank(product.handle)
  return {
    type: "product",
    shop: domain,
    key: handle ?? idOf(product.id) ?? "",
    alias: handle === null ? null : idOf(product.id),
    title: product.title ?? "",
    url:
      product.permalink !== undefined
        ? webUrl(product.permalink)
        : handle === null
          ? null
          : addressOf(`https://${domain}/products/`, handle),
    image_url: images[0]?.url ?? null,
    price: lowestPrice,
    created_at: product.created_at ?? null,
    details: {
      description_html: product.body_html ?? null,
      vendor: product.vendor ?? null,
      product_type: product.product_type ?? null,
      tags: tags.filter((tag) => notBlank(tag) !== null),
      options: (product.options ?? []).flatMap(({ name, values }) =>
        notBlank(name) === null ? [] : [{ name, values: (values ?? []).filter((value) => notBlank(value) !== null) }]
      ),
      variants,
      images
    }
  }
}

const notBlank = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text.trim() === "" ? null : text.trim()

/** Adds the scheme `https` where it is missing. An invalid URL is left out; the product is kept. */
const webUrl = (src: string | null | undefined): string | null => {
  const text = notBlank(src)
  const url = text?.startsWith("//") === true ? `https:${text}` : text
  return url !== null && isWebUrl(url) ? url : null
}

const isWebUrl = RecordDecoder.guardOf(WebUrl)
