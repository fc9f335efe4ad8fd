/** A merchant's export of products as CSV, with both generations of its header and columns in any order. */
import { flag, placesOf } from "./Foreign.ts"
import { Ids } from "./Ids.ts"
import { Columns } from "./ProductTable.ts"
import type { ProductTable } from "./ProductTable.ts"

/** The names of each column in both generations, in lower case. */
export const names = {
  handle: ["handle", "url handle"],
  title: ["title"],
  body: ["body (html)", "description"],
  vendor: ["vendor"],
  category: ["product category"],
  type: ["type"],
  tags: ["tags"],
  status: ["status"],
  published: ["published", "published on online store"],
  option1Name: ["option1 name"],
  option1: ["option1 value"],
  option2Name: ["option2 name"],
  option2: ["option2 value"],
  option3Name: ["option3 name"],
  option3: ["option3 value"],
  sku: ["variant sku", "sku"],
  price: ["variant price", "price"],
  compareAtPrice: ["variant compare at price", "compare-at price"],
  image: ["image src", "product image url"]
} as const
export type Column = keyof typeof names

export const columnsOf = (header: ReadonlyArray<string>) => placesOf<Column>(header, names)

/** Lists of prices or stock, without titles, are not exports of products. */
export const isHeader = (header: ReadonlyArray<string>): boolean => {
  const { handle, image, price, title } = columnsOf(header)
  return title !== undefined && (handle !== undefined || (price !== undefined && image !== undefined))
}

export const hasPrices = (header: ReadonlyArray<string>): boolean => columnsOf(header).price !== undefined

export const make = (header: ReadonlyArray<string>): ProductTable => {
  const places = columnsOf(header)
  const columns = new Columns(places)
  const { cell } = columns
  const nameOf = (column: Column) => header[places[column] ?? -1] ?? column
  const ids = new Ids()
  return {
    places: columns.places,
    handleName: nameOf("handle"),
    priceName: nameOf("price"),
    orphan: () => ({
      field: nameOf("title"),
      reason: "is empty, and no row of the same product is before it in this file"
    }),
    handle: (cells) => ids.read(cell(cells, "handle")),
    title: (cells) => cell(cells, "title"),
    variant: (cells) => {
      const price = cell(cells, "price")
      if (price === null) return null
      return { price, compareAtPrice: cell(cells, "compareAtPrice"), sku: cell(cells, "sku"), isAvailable: null }
    },
    options: (cells) => [cell(cells, "option1"), cell(cells, "option2"), cell(cells, "option3")],
    images: (cells) => {
      const image = cell(cells, "image")
      return image === null ? [] : [image]
    },
    describe: (first, title, handle) => {
      const published = cell(first, "published")
      const [category, type] = [cell(first, "category"), cell(first, "type")]
      return {
        product: {
          title,
          handle,
          body_html: cell(first, "body"),
          vendor: cell(first, "vendor"),
          product_type: type ?? category?.split(">").at(-1)?.trim() ?? null,
          tags: cell(first, "tags"),
          status: cell(first, "status"),
          published: flag(published)
        },
        optionNames: [cell(first, "option1Name"), cell(first, "option2Name"), cell(first, "option3Name")],
        category: category ?? type,
        invalidFields: published !== null && flag(published) === null ? ["published"] : []
      }
    }
  }
}
