/**
 * The feed of a product catalog as Google and Facebook read it, as a table: one row a variant, with `item_group_id` for those of one
 * product. The key is the handle in the address of the product's page, by which other formats know it, else the id.
 */
import { percentDecoded } from "../../../domain/Utf8.ts"
import { day, placesOf } from "./Foreign.ts"
import { Ids } from "./Ids.ts"
import { Columns, priceOn } from "./ProductTable.ts"
import type { Cells, ProductTable } from "./ProductTable.ts"

/** The names of each column, with underscores for blanks. */
export const names = {
  id: ["id"],
  group: ["item_group_id"],
  title: ["title"],
  body: ["description", "rich_text_description"],
  link: ["link"],
  image: ["image_link"],
  moreImages: ["additional_image_link"],
  price: ["price"],
  salePrice: ["sale_price"],
  saleDates: ["sale_price_effective_date"],
  availability: ["availability"],
  status: ["status"],
  visibility: ["visibility"],
  vendor: ["brand"],
  category: ["google_product_category", "fb_product_category"],
  type: ["product_type"],
  color: ["color"],
  size: ["size"],
  material: ["material"],
  sku: ["mpn"]
} as const
export type Column = keyof typeof names

/** Some feeds write the names with blanks, or with the prefix of the same feed in XML. */
const plain = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/^g:/u, "")
    .replaceAll(/[\s-]+/gu, "_")

export const columnsOf = (header: ReadonlyArray<string>) => placesOf<Column>(header.map(plain), names)

export const isHeader = (header: ReadonlyArray<string>): boolean => {
  const { availability, id, image, link, price, title } = columnsOf(header)
  const others = [availability, image, link].filter((place) => place !== undefined)
  return id !== undefined && title !== undefined && price !== undefined && image !== undefined && others.length > 1
}

/** The handle in an address such as `https://oakline.com/products/lamp?variant=1`; `null` if it is of another form. */
export const handleIn = (link: string | null): string | null => {
  const path = link === null ? undefined : URL.parse(link)?.pathname
  const found = /\/products?\/([^/]+)\/?$/u.exec(path ?? "")?.[1]
  return found === undefined ? null : percentDecoded(found)
}

/** What the words of `availability` say; others are unknown. */
const available: ReadonlyMap<string, boolean> = new Map([
  ["in_stock", true],
  ["available_for_order", true],
  ["preorder", true],
  ["backorder", true],
  ["out_of_stock", false]
])

/** Words of Facebook for products that are not shown, and of both for those that are no longer sold. */
const statuses: ReadonlyMap<string, string> = new Map([
  ["archived", "archived"],
  ["discontinued", "archived"],
  ["hidden", "unlisted"],
  ["staging", "draft"]
])

/** `asOf`: the date of the data, on which a sale may be over. */
export const make =
  (asOf: string) =>
  (header: ReadonlyArray<string>): ProductTable => {
    const places = columnsOf(header)
    const columns = new Columns(places)
    const { cell } = columns
    // Feeds may have the column several times.
    const repeated = header.flatMap((name, at) =>
      names.moreImages.some((known) => known === plain(name)) && at !== places.moreImages ? [at] : []
    )
    const nameOf = (column: Column) => header[places[column] ?? -1] ?? column
    const [ids, groups] = [new Ids(), new Ids()]
    const word = (cells: Cells, column: Column) => {
      const found = cell(cells, column)
      return found === null ? null : plain(found)
    }
    return {
      places: [...columns.places, ...repeated],
      handleName: nameOf(places.group === undefined ? "id" : "group"),
      priceName: nameOf("price"),
      orphan: () => ({ field: nameOf("title"), reason: "is required" }),
      handle: (cells) =>
        groups.read(cell(cells, "group")) ?? handleIn(cell(cells, "link")) ?? ids.read(cell(cells, "id")),
      title: (cells) => cell(cells, "title"),
      variant: (cells) => {
        const [starts = null, ends = null] = (cell(cells, "saleDates")?.split("/", 2) ?? []).map(day)
        const prices = priceOn(asOf, cell(cells, "price"), { price: cell(cells, "salePrice"), starts, ends })
        const isAvailable = available.get(word(cells, "availability") ?? "") ?? null
        return prices && { ...prices, sku: cell(cells, "sku"), isAvailable }
      },
      options: (cells) => [cell(cells, "color"), cell(cells, "size"), cell(cells, "material")],
      images: (cells) =>
        [
          cell(cells, "image"),
          ...(cell(cells, "moreImages")?.split(",") ?? []),
          ...cells.slice(columns.places.length)
        ].flatMap((image) => image?.trim() || []),
      describe: (first, title, handle) => {
        const [type, link] = [cell(first, "type"), cell(first, "link")]
        // A number is one of Google's taxonomy.
        const category = /^\d+$/u.test(cell(first, "category") ?? "") ? null : cell(first, "category")
        const ofPage = handleIn(link)
        const words = (["status", "visibility", "availability"] as const).map((column) => word(first, column))
        const last = type?.split(">").at(-1)?.trim() ?? null
        return {
          product: {
            title,
            handle: ofPage,
            id: handle === ofPage ? cell(first, "id") : handle,
            // Without the variant that the page shows.
            permalink: ofPage === null ? link : (link?.replace(/[?#].*/su, "") ?? null),
            body_html: cell(first, "body"),
            vendor: cell(first, "vendor"),
            product_type: last ?? category?.split(">").at(-1)?.trim() ?? null,
            status: words.flatMap((found) => statuses.get(found ?? "") ?? [])[0] ?? "active"
          },
          optionNames: [
            cell(first, "color") === null ? null : "Color",
            cell(first, "size") === null ? null : "Size",
            cell(first, "material") === null ? null : "Material"
          ],
          category: category ?? type,
          invalidFields: []
        }
      }
    }
  }
