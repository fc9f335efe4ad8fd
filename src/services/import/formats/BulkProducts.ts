/**
 * Reads the result of a bulk operation: one object per line, where variants and images have lines of their own, anywhere in the
 * file, and name their product in `__parentId`. Only queried fields exist.
 */
import { currencyCodes } from "../../../domain/catalog/Iso.ts"
import * as Storefront from "../../../domain/catalog/Storefront.ts"
import { firstText, foreign, list, text } from "./Foreign.ts"
import type { Foreign } from "./Foreign.ts"
import { nothing, ofProduct } from "./Reading.ts"
import type { Reading } from "./Reading.ts"

const isOf = (kind: string, id: unknown): boolean => text(id)?.startsWith(`gid://shopify/${kind}/`) === true

export const isBulk = (record: Foreign): boolean => {
  const id = text(record["id"])
  return "__parentId" in record || (id !== null && id.startsWith("gid://shopify/"))
}

/** `gid://shopify/Product/8101` is product 8101. */
const numberOf = (id: string): string => id.slice(id.lastIndexOf("/") + 1)

export interface Part {
  readonly line: number
  readonly record: Foreign
}

/** The id of the product that a line belongs to, or `null`. */
export const productOf = (record: Foreign): string | null => text(record["__parentId"]) ?? text(record["id"])

/** The platform writes it at the end, where it cannot be part of a string or of a nested object. */
const parentAtEnd = /"__parentId":"([^"\\\s]+)"\}$/u
/** Longer than the end of any line with an id of the platform. */
const endCharacters = 120
const idAtStart = /^\{"id":"([^"\\\s]+)"/u

/** {@link productOf} without parsing; `null` if the id is not where the platform writes it. */
export const productIn = (line: string): string | null => {
  if (!line.startsWith("{")) return null
  const id = parentAtEnd.exec(line.slice(-endCharacters))?.[1]
  if (id !== undefined) return id
  // A name may be written with escape sequences.
  return line.includes("__parentId") || line.includes("\\u") ? null : (idAtStart.exec(line)?.[1] ?? null)
}

const imageUrl = (part: Foreign): string | null => {
  const image = foreign(part["image"])
  const preview = foreign(foreign(part["preview"])["image"])
  return firstText(
    image["url"],
    image["originalSrc"],
    image["src"],
    part["url"],
    part["originalSrc"],
    part["src"],
    preview["url"]
  )
}

const optionAt = (variant: Foreign, at: number): string | null =>
  text(foreign(list(variant["selectedOptions"])[at])["value"])

/** The amount as it is written. A value that cannot be one becomes "?", which is reported because it is no number. */
const price = (written: unknown): string | number | null =>
  typeof written === "string" || typeof written === "number" ? written : (written ?? null) === null ? null : "?"

const lowestPrice = (product: Foreign): Foreign =>
  foreign(foreign(product["priceRangeV2"] ?? product["priceRange"])["minVariantPrice"])

/** The currency of the store, if it was queried; `null` if a line has none. */
export const currencyOf = (record: Foreign): string | null => {
  const code = text(lowestPrice(record)["currencyCode"])
  return code !== null && currencyCodes.has(code) ? code : null
}

/** Whether a line belongs to a part of a product, such as a metafield of a variant. Nothing of it is imported. */
const isOfPart = ({ record }: Part): boolean => {
  const { __parentId: parent, id } = record
  const isProductOrVariant = isOf("Product", id) || isOf("ProductVariant", id)
  return text(parent)?.startsWith("gid://shopify/") === true && !isOf("Product", parent) && !isProductOrVariant
}

/** Converts all lines of one product, in any order. */
export const toReading = (parts: ReadonlyArray<Part>, domain: string): Reading => {
  const own = parts.find(({ record }) => !("__parentId" in record))
  if (own === undefined) {
    const missing = parts.flatMap((part) =>
      isOfPart(part)
        ? []
        : [{ line: part.line, field: "__parentId", reason: "names an object that is not in the file" }]
    )
    return { ...nothing, rejects: missing, lacksRecords: missing.length > 0 }
  }
  const { line, record } = own
  const id = text(record["id"]) ?? ""
  if (!isOf("Product", id) && !("title" in record)) return { ...nothing, skipped: 1 }
  const variants: Array<Foreign> = []
  const others: Array<Foreign> = []
  for (const part of parts) {
    if (part === own) continue
    const isVariant = isOf("ProductVariant", part.record["id"]) || "price" in part.record
    if (isVariant) variants.push(part.record)
    else others.push(part.record)
  }
  const images = [foreign(record["featuredImage"]), foreign(record["featuredMedia"]), ...others]
  const product: Storefront.Product = {
    id: numberOf(id),
    title: text(record["title"]),
    handle: text(record["handle"]),
    body_html: firstText(record["descriptionHtml"], record["bodyHtml"]),
    created_at: text(record["createdAt"]),
    vendor: text(record["vendor"]),
    product_type: text(record["productType"]),
    tags: list(record["tags"]).filter((tag) => typeof tag === "string"),
    status: text(record["status"]),
    variants:
      variants.length === 0
        ? [{ price: price(lowestPrice(record)["amount"]) }]
        : variants.map((variant) => ({
            id: numberOf(text(variant["id"]) ?? "") || null,
            title: text(variant["title"]),
            sku: text(variant["sku"]),
            price: price(variant["price"]),
            compare_at_price: price(variant["compareAtPrice"]),
            available: typeof variant["availableForSale"] === "boolean" ? variant["availableForSale"] : null,
            option1: optionAt(variant, 0),
            option2: optionAt(variant, 1),
            option3: optionAt(variant, 2)
          })),
    images: Array.from(new Set(images.map(imageUrl).filter((src) => src !== null)), (src) => ({ src })),
    options: list(record["options"]).map((option) => ({
      name: text(foreign(option)["name"]),
      values: list(foreign(option)["values"]).filter((value) => typeof value === "string")
    }))
  }
  return ofProduct(line, Storefront.recordOf(product, domain), {
    category: text(record["productType"]),
    shop: domain,
    keys: [text(record["handle"]), numberOf(id)].filter((key) => key !== null)
  })
}
