/**
 * The export of products of WooCommerce as CSV. A variation is a row of its own, which names its parent by `id:` and the id, or by the
 * SKU. Without a slug, the key of a product is its id, by which it is also known from the storefront.
 */
import { day, flag, placesOf, Unread } from "./Foreign.ts"
import { Ids } from "./Ids.ts"
import { Columns, priceOn } from "./ProductTable.ts"
import type { Cells, ProductTable } from "./ProductTable.ts"

/** The names of each column, in lower case. */
export const names = {
  id: ["id"],
  type: ["type"],
  sku: ["sku"],
  title: ["name"],
  published: ["published"],
  visibility: ["visibility in catalog"],
  body: ["description"],
  shortBody: ["short description"],
  saleStarts: ["date sale price starts"],
  saleEnds: ["date sale price ends"],
  stock: ["in stock?"],
  salePrice: ["sale price"],
  price: ["regular price"],
  categories: ["categories"],
  tags: ["tags"],
  images: ["images"],
  parent: ["parent"],
  brands: ["brands"],
  option1Name: ["attribute 1 name"],
  option1: ["attribute 1 value(s)"],
  option2Name: ["attribute 2 name"],
  option2: ["attribute 2 value(s)"],
  option3Name: ["attribute 3 name"],
  option3: ["attribute 3 value(s)"]
} as const
export type Column = keyof typeof names

export const columnsOf = (header: ReadonlyArray<string>) => placesOf<Column>(header, names)

export const isHeader = (header: ReadonlyArray<string>): boolean => {
  const { id, price, published, sku, title, type } = columnsOf(header)
  return (
    title !== undefined &&
    price !== undefined &&
    (id !== undefined || sku !== undefined) &&
    (type !== undefined || published !== undefined)
  )
}

/** Of more, the parents of variations that name them by their SKU are not known. */
const maxSkus = 1_000_000

/** Splits a list at its commas; `\,` is a comma of a name. */
const listOf = (cell: string | null): ReadonlyArray<string> =>
  (cell ?? "")
    .split(/(?<!\\),/u)
    .map((item) => item.replaceAll(String.raw`\,`, ",").trim())
    .filter((item) => item !== "")

/** The deepest of paths such as `Home > Lamps`. */
const deepest = (paths: ReadonlyArray<string>): string | null =>
  paths.reduce<string | null>(
    (best, path) => (best === null || path.split(">").length > best.split(">").length ? path : best),
    null
  )

/** The status of a product by its column `Published`: 1, 0 for a private one, -1 for a draft. */
const statusOf = (published: string | null): string | null =>
  published === "-1"
    ? "draft"
    : published === null || flag(published) === null
      ? null
      : flag(published)
        ? "active"
        : "unlisted"

/** `asOf`: the date of the data, on which a sale may be over. */
export const make =
  (asOf: string) =>
  (header: ReadonlyArray<string>): ProductTable => {
    const columns = new Columns(columnsOf(header))
    const { cell } = columns
    const ids = new Ids()
    const ownBySku = new Map<string, string>()
    const isOf = (cells: Cells, type: string) => listOf(cell(cells, "type")).some((one) => one.toLowerCase() === type)
    const isVariation = (cells: Cells) => isOf(cells, "variation")
    return {
      places: columns.places,
      handleName: "ID",
      priceName: "Regular price",
      orphan: (cells) =>
        isVariation(cells)
          ? { field: "Parent", reason: "names a product that no row before it in this file has" }
          : { field: "Name", reason: "is required" },
      handle: (cells) => {
        if (!isVariation(cells)) {
          const sku = cell(cells, "sku")
          const found = ids.read(cell(cells, "id")) ?? sku
          if (sku !== null && typeof found === "string" && ownBySku.size < maxSkus) ownBySku.set(sku, found)
          return found
        }
        const parent = cell(cells, "parent")
        if (parent === null) return new Unread("is of a variation whose Parent is missing")
        return /^id:\s*(\d+)$/iu.exec(parent)?.[1] ?? ownBySku.get(parent) ?? parent
      },
      title: (cells) => (isVariation(cells) ? null : cell(cells, "title")),
      variant: (cells) => {
        // A variation that is not published cannot be bought.
        if (isVariation(cells) && flag(cell(cells, "published")) === false) return null
        const [starts, ends] = [day(cell(cells, "saleStarts")), day(cell(cells, "saleEnds"))]
        const prices = priceOn(asOf, cell(cells, "price"), { price: cell(cells, "salePrice"), starts, ends })
        const stock = cell(cells, "stock")
        const isAvailable = stock?.toLowerCase() === "backorder" ? true : flag(stock)
        return prices && { ...prices, sku: cell(cells, "sku"), isAvailable }
      },
      // The parent lists the values of all of its variations.
      options: (cells) =>
        isVariation(cells)
          ? [cell(cells, "option1"), cell(cells, "option2"), cell(cells, "option3")]
          : [null, null, null],
      images: (cells) => listOf(cell(cells, "images")),
      describe: (first, title, handle) => {
        const [published, visibility] = [cell(first, "published"), cell(first, "visibility")]
        const category = deepest(listOf(cell(first, "categories")))
        const hasId = cell(first, "id") !== null
        const status = statusOf(published)
        return {
          product: {
            title,
            handle: hasId ? null : handle,
            id: hasId ? handle : null,
            permalink: null,
            body_html: cell(first, "body") ?? cell(first, "shortBody"),
            vendor: listOf(cell(first, "brands"))[0] ?? null,
            product_type: category?.split(">").at(-1)?.trim() ?? null,
            tags: listOf(cell(first, "tags")),
            status: status ?? "active",
            published: visibility?.toLowerCase() !== "hidden"
          },
          // Attributes of other products are not chosen between.
          optionNames: isOf(first, "variable")
            ? [cell(first, "option1Name"), cell(first, "option2Name"), cell(first, "option3Name")]
            : [null, null, null],
          category,
          invalidFields: published !== null && status === null ? ["published"] : []
        }
      }
    }
  }
