/**
 * The known formats, and how the format of a file is detected.
 *
 * Each format of this folder converts its records to native records (domain/catalog/Records). It guarantees that every record becomes
 * rows, a reject with a reason, or a count of what is left out on purpose, and that a wrong optional value costs the value
 * alone. It does not write anything, and does not know which records are in the catalog.
 *
 * Read next: Reading, what a format returns; Foreign, how it reads values; ProductCsv as an example; Mapping for tables that no
 * format knows; ColumnsUsed, which tells what is read of a file.
 */
import { Result } from "effect"
import { recordTypes } from "../../../domain/catalog/Records.ts"
import { layoutOf } from "../CsvRows.ts"
import type { Layout } from "../CsvRows.ts"
import { firstItem, firstPath, listsIn } from "../JsonItems.ts"
import { isOfStoreApi } from "../../../domain/catalog/ProductForms.ts"
import * as AdRecords from "./AdRecords.ts"
import * as BulkProducts from "./BulkProducts.ts"
import * as CatalogFeed from "./CatalogFeed.ts"
import { foreign, isForeign, parse, parseAny, recordsIn } from "./Foreign.ts"
import type { Foreign } from "./Foreign.ts"
import * as OtherKinds from "./OtherKinds.ts"
import * as ProductCsv from "./ProductCsv.ts"
import * as ShopCsv from "./ShopCsv.ts"
import * as Taxonomy from "./Taxonomy.ts"
import * as Traffic from "./Traffic.ts"
import * as WooCommerce from "./WooCommerce.ts"

/** Descriptions of the formats for messages. */
export const formats = {
  native: "records of this catalog, one a line",
  storefront: "products of a storefront (products.json)",
  meta: "the description of a storefront (meta.json)",
  products: "a merchant's export of products (CSV)",
  woocommerce: "an export of products of WooCommerce (CSV)",
  catalog: "a product feed for Google or Facebook (CSV)",
  bulk: "the result of a bulk operation over products (JSONL)",
  ads: "ads of the Meta Ad Library",
  shops: "a list of stores (CSV)",
  traffic: "visits by month (CSV)",
  taxonomy: "the Shopify product taxonomy",
  map: "a table that is read by a map",
  empty: "an empty list"
} as const
export type FormatName = keyof typeof formats
/** The formats that `--format` accepts; a map is given by `--map`. */
export const formatNames = (Object.keys(formats) as ReadonlyArray<FormatName>).filter(
  (name) => name !== "map" && name !== "empty"
)

/** How a file contains its records. */
export type Container =
  | { readonly _tag: "Lines" }
  | { readonly _tag: "Json"; readonly path: string }
  | ({ readonly _tag: "Csv" } & Layout)

export interface Detected {
  readonly format: FormatName
  readonly container: Container
}

type JsonFormat = "native" | "ads" | "bulk" | "storefront" | "meta"

/** Whether a record is of a format; the first format that it is of counts. */
const isOf: Readonly<Record<JsonFormat, (record: Foreign) => boolean>> = {
  native: (record) => recordTypes.some((type) => type === record["type"]),
  ads: (record) => AdRecords.isAd(record) || "snapshot" in record,
  bulk: BulkProducts.isBulk,
  storefront: (record) => isOfStoreApi(record) || ("variants" in record && ("title" in record || "handle" in record)),
  meta: (record) => "myshopify_domain" in record || "published_products_count" in record
}
const jsonFormats = Object.keys(isOf) as ReadonlyArray<JsonFormat>
const isJsonFormat = (format: FormatName): format is JsonFormat => format in isOf

const formatOf = (record: Foreign): JsonFormat | undefined => jsonFormats.find((format) => isOf[format](record))

/** The paths of values in the list of a format that is named by `--format`, whatever its items are. */
const listOf: Readonly<Partial<Record<JsonFormat, RegExp>>> = {
  storefront: /^\$\.products\.\*/u,
  ads: new RegExp(`^\\$(?:\\.(?:${AdRecords.wrappers.join("|")}))+\\.\\*`, "u")
}
/** Names of which a document has one if it is the record of a format that is named by `--format`. */
const namesOf: Readonly<Partial<Record<JsonFormat, ReadonlyArray<string>>>> = {
  native: ["type"],
  bulk: ["id"],
  meta: ["domain", "url"]
}

/** A document that is an empty list, or has one where a format has its records: the page after the last one. */
const emptyOf = (document: unknown): Detected | undefined => {
  const json = (format: FormatName, path: string): Detected => ({ format, container: { _tag: "Json", path } })
  if (Array.isArray(document) && document.length === 0) return json("empty", "$.*")
  const products = isForeign(document) ? document["products"] : undefined
  if (Array.isArray(products) && products.length === 0) return json("storefront", "$.products.*")
  return AdRecords.isEmptyPage(document) ? json("ads", "$") : undefined
}

/** Detects the format by the beginning of a file. A failure says why it is unknown, and what to do. */
export const detect = (
  head: string,
  isWhole: boolean,
  forced: FormatName | undefined
): Result.Result<Detected, string> => {
  const text = head.replace(/^\uFEFF/u, "").trimStart()
  if (text === "") return Result.fail("begins with nothing but blanks")
  const detected = detectText(head, text, isWhole, forced)
  const mayBeOther = Result.isFailure(detected) || likeOthers.has(detected.success.format)
  const other = mayBeOther && forced === undefined ? otherKind(head) : undefined
  if (other !== undefined) return Result.fail(other)
  return Result.mapError(detected, (reason) => (isJson(text) ? OtherKinds.almostJson(head) : undefined) ?? reason)
}

/** Formats that files of other objects of stores look like. */
const likeOthers: ReadonlySet<FormatName> = new Set(["bulk", "shops"])

const isJson = (text: string): boolean => /^[{[]/u.test(text)

const detectText = (
  head: string,
  text: string,
  isWhole: boolean,
  forced: FormatName | undefined
): Result.Result<Detected, string> => {
  if (isJson(text)) return detectJson(text, isWhole, forced)
  const line = text.split(/\r?\n/u).find((line) => line.trim() !== "" && !line.startsWith("#")) ?? ""
  if (forced === "taxonomy" || (forced === undefined && Taxonomy.isTaxonomy(line))) {
    return Result.succeed({ format: "taxonomy", container: { _tag: "Lines" } })
  }
  return detectCsv(head, forced)
}

/** More lines would not show more. */
const shownLines = 1_000

/** What a file is that has objects of a kind that is not imported, such as orders. */
export const otherKind = (head: string): string | undefined => {
  const text = head.replace(/^\uFEFF/u, "").trimStart()
  if (!isJson(text)) return OtherKinds.ofColumns(layoutOf(head).header)
  const lines = recordsIn(text, shownLines)
  if (lines.some(BulkProducts.isBulk)) return OtherKinds.ofBulk(lines)
  const found = firstItem(text, (value) => isForeign(value) && BulkProducts.isBulk(value))
  if (found !== undefined && isForeign(found.item)) return OtherKinds.ofAnswer(found.item)
  return OtherKinds.ofColumns(lines.length > 1 ? lines.flatMap((line) => Object.keys(line)) : namesIn(text))
}

/** The names of the objects of the list that is nested least. */
const namesIn = (text: string): ReadonlyArray<string> => {
  const items = listsIn(text)[0]?.items.map(foreign) ?? []
  return Array.from(new Set(items.flatMap((item) => Object.keys(item))))
}

const detectJson = (
  text: string,
  isWhole: boolean,
  forced: FormatName | undefined
): Result.Result<Detected, string> => {
  if (forced !== undefined && !isJsonFormat(forced)) {
    return Result.fail(`is JSON, and no file of the format ${forced} is${hintAt(text, isWhole)}`)
  }
  const [first = "", ...others] = text.split("\n", 3)
  const record = parse(first)
  const hasOthers = others.some((line) => line.trim() !== "")
  if (record !== undefined && (hasOthers || formatOf(record) === "native" || formatOf(record) === "bulk")) {
    const format = forced ?? formatOf(record) ?? formatOf(firstInside(first) ?? {}) ?? emptyOf(record)?.format
    return format === undefined
      ? unknown(Object.keys(record))
      : Result.succeed({ format, container: { _tag: "Lines" } })
  }
  const document = isWhole ? parseAny(text) : undefined
  if (forced !== undefined) {
    const path = pathOf(forced, text, document)
    return path === undefined
      ? Result.fail(`has no list and no record of the format ${forced}${hintAt(text, isWhole)}`)
      : Result.succeed({ format: forced, container: { _tag: "Json", path } })
  }
  const answer = firstItem(text, BulkProducts.isAnswer)
  if (answer !== undefined) {
    return Result.succeed({ format: "storefront", container: { _tag: "Json", path: answer.path } })
  }
  const found = firstItem(text, (value) => isForeign(value) && formatOf(value) !== undefined)
  const format = found !== undefined && isForeign(found.item) ? formatOf(found.item) : undefined
  if (found !== undefined && format !== undefined) {
    return Result.succeed({ format, container: { _tag: "Json", path: found.path } })
  }
  const empty = emptyOf(document)
  if (empty !== undefined) return Result.succeed(empty)
  return unknown(isForeign(document) ? Object.keys(document) : namesIn(text))
}

/** The path of the records of a format in a document that may be cut off. `document` is the whole of it. */
const pathOf = (format: JsonFormat, text: string, document: unknown): string | undefined => {
  const found = firstItem(text, (value) => isForeign(value) && isOf[format](value))
  if (found !== undefined) return found.path
  if (text.startsWith("[")) return "$.*"
  const list = listOf[format]
  const path = list === undefined ? undefined : firstPath(text, list)
  if (path !== undefined) return path
  const empty = emptyOf(document)
  if (empty?.format === format && empty.container._tag === "Json") return empty.container.path
  return isForeign(document) && namesOf[format]?.some((name) => name in document) === true ? "$" : undefined
}

/** What a document looks like if its format is not the one that `--format` names, and what to do. */
const hintAt = (text: string, isWhole: boolean): string => {
  const detected = detectJson(text, isWhole, undefined)
  if (Result.isFailure(detected)) {
    const document = isWhole ? parseAny(text) : undefined
    return `${shown(isForeign(document) ? Object.keys(document) : [])}. Get the file again, or name another format`
  }
  return `: it looks like ${formats[detected.success.format]}. Leave out --format`
}

const firstInside = (text: string): Foreign | undefined => {
  const found = firstItem(text, (value) => isForeign(value) && formatOf(value) !== undefined)
  return found !== undefined && isForeign(found.item) ? found.item : undefined
}

const detectCsv = (head: string, forced: FormatName | undefined): Result.Result<Detected, string> => {
  const container = { _tag: "Csv", ...layoutOf(head) } as const
  const { header } = container
  if (forced === "ads" && AdRecords.isHeader(header)) return Result.succeed({ format: "ads", container })
  const productColumn = ShopCsv.productColumn(header)
  if (productColumn !== undefined && (forced === "shops" || (forced === undefined && !isOtherTable(header)))) {
    if (forced === "shops" || ShopCsv.isHeader(header)) {
      return Result.fail(
        `has a column \`${productColumn.slice(0, 40)}\`, so that it looks like a table of products and not like a list of stores. Read it by a map: import --explain writes one to start with`
      )
    }
  }
  if (forced !== undefined) {
    return ["products", "woocommerce", "catalog", "shops", "traffic"].includes(forced)
      ? Result.succeed({ format: forced, container })
      : Result.fail(`is a table, and no file of the format ${forced} is one. Leave out --format`)
  }
  if (ProductCsv.isHeader(header)) {
    return ProductCsv.hasPrices(header)
      ? Result.succeed({ format: "products", container })
      : Result.fail("looks like an export of stock: it has products without prices. Export the products themselves")
  }
  if (WooCommerce.isHeader(header)) return Result.succeed({ format: "woocommerce", container })
  if (CatalogFeed.isHeader(header)) return Result.succeed({ format: "catalog", container })
  if (AdRecords.isHeader(header)) return Result.succeed({ format: "ads", container })
  if (Traffic.isHeader(header)) return Result.succeed({ format: "traffic", container })
  if (ShopCsv.isHeader(header)) return Result.succeed({ format: "shops", container })
  return unknown(header.length > 1 ? header : [])
}

const isOtherTable = (header: ReadonlyArray<string>): boolean =>
  ProductCsv.isHeader(header) ||
  WooCommerce.isHeader(header) ||
  CatalogFeed.isHeader(header) ||
  AdRecords.isHeader(header) ||
  Traffic.isHeader(header)

const shownNames = 8

const shown = (names: ReadonlyArray<string>): string => {
  const first = names.slice(0, shownNames).map((name) => `\`${name.slice(0, 40)}\``)
  return names.length === 0 ? "" : `: it has ${first.join(", ")}${names.length > shownNames ? " and others" : ""}`
}

/** A map is only written for what has names. */
const unknown = (names: ReadonlyArray<string>): Result.Result<never, string> =>
  Result.fail(
    `is of no format that is known${shown(names)}. Name its format with --format` +
      (names.length === 0
        ? ", or get its data as a table with a header or as JSON"
        : ", or what its fields hold with --map; import --explain writes a map to start with")
  )
