/**
 * Reads the result of a bulk operation: one object per line, where variants and images have lines of their own, anywhere in the
 * file, and name their product in `__parentId`. Only queried fields exist.
 */
import { Result } from "effect"
import { distinct } from "../../../domain/catalog/Distinct.ts"
import { currencyCodes } from "../../../domain/catalog/Iso.ts"
import * as Storefront from "../../../domain/catalog/Storefront.ts"
import type { Reject, Reading } from "../ImportSource.ts"
import { firstText, foreign, isForeign, list, parseAny, text } from "./Foreign.ts"
import type { Foreign } from "./Foreign.ts"
import { nothing, ofProduct } from "./Reading.ts"

const productGid = "gid://shopify/Product/"
const isProduct = (id: unknown): boolean => text(id)?.startsWith(productGid) === true
const isVariant = (id: unknown): boolean => text(id)?.startsWith("gid://shopify/ProductVariant/") === true

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

/** `product` is the id of the product that a line belongs to; `null` if it belongs to a part of one, of which nothing is imported. */
export interface Line {
  readonly product: string | null
  readonly record: Foreign
}

export type Problem = Omit<Reject, "line">

export const parse = (written: string): Result.Result<Line, Problem> => {
  const record = parseAny(written)
  if (record === undefined) return Result.fail({ field: "", reason: "is not JSON" })
  if (!isForeign(record)) return Result.fail({ field: "", reason: "must be a JSON object" })
  const { __parentId, id } = record
  const parent = text(__parentId)
  const product = parent ?? text(id)
  if (product === null) return Result.fail({ field: "id", reason: "is required" })
  return Result.succeed({ product: isOfPart(parent, id) ? null : product, record })
}

/** Such as a metafield of a variant. */
const isOfPart = (parent: string | null, id: unknown): boolean =>
  parent !== null &&
  !parent.startsWith(productGid) &&
  parent.startsWith("gid://shopify/") &&
  !isProduct(id) &&
  !isVariant(id)

/** The platform writes it at the end, where it cannot be part of a string or of a nested object. */
const parentAtEnd = /"__parentId":"(gid:\/\/shopify\/Product\/[!#-[\]-~]+)"\}$/u
/** Longer than the end of any line with an id of the platform. */
const endCharacters = 120
const idAtStart = /^\{"id":"(gid:\/\/shopify\/Product\/[!#-[\]-~]+)"/u

/** The product of a line, which is parsed only if the place of the id is unusual or it is of another kind. */
export const productIn = (line: string): Result.Result<string | null, Problem> => {
  const found = usualProductIn(line)
  return found === null ? Result.map(parse(line), ({ product }) => product) : Result.succeed(found)
}

/** `null` if the line must be parsed. In any encoding that has ASCII, as both ids are ASCII. */
export const usualProductIn = (line: string): string | null => {
  if (!line.startsWith("{")) return null
  const id = parentAtEnd.exec(line.slice(-endCharacters))?.[1]
  if (id !== undefined) return id
  // A name may be written with escape sequences.
  return line.includes("__parentId") || line.includes("\\u") ? null : (idAtStart.exec(line)?.[1] ?? null)
}

/** How the lines of the parts of a product end, if the platform wrote them. */
export const endOfParts = (product: string): string => `"__parentId":"${product}"}`

const imageUrl = (part: Foreign): string | null => {
  const urlOf = ({ originalSrc, src, url }: Foreign) => firstText(url, originalSrc, src)
  return urlOf(foreign(part["image"])) ?? urlOf(part) ?? text(foreign(foreign(part["preview"])["image"])["url"])
}

const variantOf = (variant: Foreign): Storefront.Variant => {
  const options = list(variant["selectedOptions"])
  const available = variant["availableForSale"]
  return {
    id: numberOf(text(variant["id"]) ?? "") || null,
    title: text(variant["title"]),
    sku: text(variant["sku"]),
    price: price(variant["price"]),
    compare_at_price: price(variant["compareAtPrice"]),
    available: typeof available === "boolean" ? available : null,
    option1: text(foreign(options[0])["value"]),
    option2: text(foreign(options[1])["value"]),
    option3: text(foreign(options[2])["value"])
  }
}

/** The amount as it is written. A value that cannot be one becomes "?", which is reported because it is no number. */
const price = (written: unknown): string | number | null =>
  typeof written === "string" || typeof written === "number" ? written : (written ?? null) === null ? null : "?"

const lowestPrice = (product: Foreign): Foreign =>
  foreign(foreign(product["priceRangeV2"] ?? product["priceRange"])["minVariantPrice"])

/** The currency of the prices, if it was queried; `null` if a line has none. */
const currencyOf = (record: Foreign): string | null => {
  const code = text(lowestPrice(record)["currencyCode"])
  return code !== null && currencyCodes.has(code) ? code : null
}

/** Whether a value is a product of an answer in GraphQL, with its variants and images within. */
export const isAnswer = (value: unknown): value is Foreign =>
  isForeign(value) && isProduct(value["id"]) && !("__parentId" in value)

/** The objects of a connection, with or without edges, or of a list. */
const nodesOf = (value: unknown): ReadonlyArray<Foreign> => {
  const { edges, nodes } = foreign(value)
  const found = list(Array.isArray(value) ? value : (nodes ?? edges))
  return found.map((item) => foreign(foreign(item)["node"] ?? item))
}

const amountOf = (price: unknown): unknown => (isForeign(price) ? price["amount"] : price)

/** Converts a product of an answer in GraphQL. */
export const ofAnswer = (record: Foreign, line: number, domain: string): Reading => {
  const { id: __parentId } = record
  const variants = nodesOf(record["variants"])
  const price = variants.map((variant) => variant["price"]).find(isForeign)
  const product = price === undefined ? record : { priceRange: { minVariantPrice: price }, ...record }
  const parts = [
    product,
    ...variants.map((variant) => ({
      ...variant,
      __parentId,
      price: amountOf(variant["price"]),
      compareAtPrice: amountOf(variant["compareAtPrice"])
    })),
    ...[...nodesOf(record["images"]), ...nodesOf(record["media"])].map((image) => ({ ...image, __parentId }))
  ]
  return toReading(
    parts.map((part) => ({ line, record: part })),
    domain,
    1
  )
}

/** Converts all lines of one product, in any order. `sourceRows`: how many rows of the file they are. */
export const toReading = (parts: ReadonlyArray<Part>, domain: string, sourceRows = parts.length): Reading => {
  const main = parts.find(({ record }) => !("__parentId" in record))
  if (main === undefined) {
    const reason = "names an object that is not in the file"
    const rejects = parts.map((part) => ({ line: part.line, field: "__parentId", reason }))
    return { ...nothing, rejects, lacksRecords: true }
  }
  const { line, record } = main
  const id = text(record["id"]) ?? ""
  if (!isProduct(id) && !("title" in record))
    return { ...nothing, leftOut: Array.from({ length: sourceRows }, () => "otherObject" as const) }
  const variants: Array<Storefront.Variant> = []
  const images: Array<string> = []
  const addImage = (part: Foreign) => {
    const url = imageUrl(part)
    if (url !== null) images.push(url)
  }
  addImage(foreign(record["featuredImage"]))
  addImage(foreign(record["featuredMedia"]))
  for (const part of parts) {
    if (part === main) continue
    if ("price" in part.record || isVariant(part.record["id"])) variants.push(variantOf(part.record))
    else addImage(part.record)
  }
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
    // Of a product that the online store does not have.
    ...(record["publishedAt"] === null || record["onlineStoreUrl"] === null ? { published: false } : {}),
    variants: variants.length === 0 ? [{ price: price(lowestPrice(record)["amount"]) }] : variants,
    images: distinct(images).map((src) => ({ src })),
    options: list(record["options"]).map((option) => ({
      name: text(foreign(option)["name"]),
      values: list(foreign(option)["values"]).filter((value) => typeof value === "string")
    }))
  }
  return ofProduct(line, Storefront.recordOf(product, domain), {
    category: text(record["productType"]),
    shop: domain,
    keys: [text(record["handle"]), numberOf(id)].filter((key) => key !== null),
    sourceRows,
    currencies: parts.flatMap(({ record }) => currencyOf(record) ?? []).slice(0, 1)
  })
}
