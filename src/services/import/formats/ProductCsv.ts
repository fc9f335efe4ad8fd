/**
 * Reads a merchant's export of products as CSV, with both generations of its header and columns in any order.
 *
 * A product is a group of consecutive rows: the first has the title, the others repeat the handle with a further variant or a
 * further image. They may be in several files with the same columns.
 */
import * as Storefront from "../../../domain/catalog/Storefront.ts"
import type { Reject } from "../ImportSource.ts"
import { amount, placesOf, text, Unread } from "./Foreign.ts"
import { Ids } from "./Ids.ts"
import { join, keptProduct, nothing, ofFile, ofProduct } from "./Reading.ts"
import type { Reading } from "./Reading.ts"

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

type Cells = ReadonlyArray<string>

interface Group {
  readonly file: string
  readonly line: number
  readonly handle: string | null
  readonly title: string
  readonly first: Cells
  readonly rows: Array<{ readonly file: string; readonly line: number; readonly cells: Cells }>
}

/** Takes rows one by one. Each call returns the product that is complete before the row, if any. */
export interface ProductRows {
  /** Begins a file, which goes on with the product before. */
  readonly begin: (file: string) => void
  readonly push: (cells: Cells, line: number) => Reading
  /** A row cannot be read: the next one may belong to its product. */
  readonly lose: () => void
  /** In a truncated file, the last product may lack rows: it is rejected, and must not be removed. */
  readonly end: (isCut: boolean) => Reading
}

/** Makes a handle from a title as the platform does. */
const slug = (title: string): string =>
  title
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/gu, "")

/** How many handles are remembered, for the reason why a row without a title is rejected. */
const maxHandles = 100_000

export const make = (header: ReadonlyArray<string>, domain: string): ProductRows => {
  const columns = columnsOf(header)
  const handles = new Set<string>()
  /** Why a row without a title, which does not follow a row of its product, is rejected. */
  const untitled = (handle: string | null): string =>
    handle === null || (handles.size < maxHandles && !handles.has(handle))
      ? "is empty, and no row of the same product is before it"
      : "is empty, and the row before it is of another product: sort the rows by handle, those with a title first"
  const cell = (cells: Cells, column: Column): string | null => {
    const at = columns[column]
    return at === undefined ? null : text(cells[at])
  }
  const ids = new Ids()
  let group: Group | undefined
  let isAfterLost = false
  let file = ""
  const variant = (cells: Cells): string | null =>
    cell(cells, "price") === null
      ? null
      : JSON.stringify([cell(cells, "option1"), cell(cells, "option2"), cell(cells, "option3"), cell(cells, "sku")])
  /** Whether a file begins with a variant of the product that another file has: it is a newer export. */
  const isAgain = ({ rows }: Group, cells: Cells): boolean => {
    if (rows.at(-1)?.file === file) return false
    const own = variant(cells)
    return own !== null && rows.some((row) => variant(row.cells) === own)
  }
  const inItsFile = (reading: Reading, began: string) => (began === file ? reading : ofFile(reading, began))

  const finish = (): Reading => {
    const finished = group
    group = undefined
    if (finished === undefined) return nothing
    return inItsFile(toReading(finished, cell, header[columns.price ?? -1] ?? "price", domain), finished.file)
  }

  return {
    begin: (name) => {
      file = name
    },
    push: (cells, line) => {
      const handle = ids.read(cell(cells, "handle"))
      if (handle instanceof Unread) {
        const rejects = [{ line, field: header[columns.handle ?? -1] ?? "Handle", reason: handle.reason }]
        return join([finish(), { ...nothing, rejects, lacksRecords: true }])
      }
      const title = cell(cells, "title")
      const isOfLost = isAfterLost && handle === null && title === null
      if (!isOfLost) isAfterLost = false
      const isSame =
        group !== undefined &&
        (handle === null
          ? title === null && !isOfLost
          : handle === group.handle && (title === null || !isAgain(group, cells)))
      if (isSame) {
        group?.rows.push({ file, line, cells })
        return nothing
      }
      const before = finish()
      if (title === null) {
        const reject = { line, field: "Title", reason: untitled(handle) }
        return join([before, { ...nothing, rejects: [reject], ...keptProduct(domain, [handle]) }])
      }
      group = { file, line, handle, title, first: cells, rows: [{ file, line, cells }] }
      if (handle !== null && handles.size < maxHandles) handles.add(handle)
      return before
    },
    lose: () => {
      isAfterLost = true
    },
    end: (isCut) => {
      if (!isCut || group === undefined) return finish()
      const { handle, line, title } = group
      const reason = "is the last product of a file that was cut off: rows of it may be missing"
      const kept = keptProduct(domain, [handle ?? slug(title)])
      return inItsFile({ ...nothing, rejects: [{ line, field: "", reason }], ...kept }, group.file)
    }
  }
}

const toReading = (
  { first, handle, line, rows, title }: Group,
  cell: (cells: Cells, column: Column) => string | null,
  priceName: string,
  domain: string
): Reading => {
  const wrong: Array<Reject> = []
  const variants = rows.flatMap(({ cells, file, line }) => {
    const written = cell(cells, "price")
    if (written === null) return []
    const price = amount(written)
    if (price === null || price < 0) {
      wrong.push({ file, line, field: priceName, reason: "cannot be read as a price such as 24.90" })
      return []
    }
    const options = [cell(cells, "option1"), cell(cells, "option2"), cell(cells, "option3")] as const
    return [
      {
        title: options.filter((option) => option !== null).join(" / ") || null,
        sku: cell(cells, "sku"),
        price,
        compare_at_price: amount(cell(cells, "compareAtPrice")) ?? cell(cells, "compareAtPrice"),
        option1: options[0],
        option2: options[1],
        option3: options[2]
      }
    ]
  })
  const optionNames = [cell(first, "option1Name"), cell(first, "option2Name"), cell(first, "option3Name")]
  const key = handle ?? slug(title)
  const product: Storefront.Product = {
    title,
    handle: key,
    body_html: cell(first, "body"),
    vendor: cell(first, "vendor"),
    product_type: cell(first, "type") ?? cell(first, "category")?.split(">").at(-1)?.trim() ?? null,
    tags: cell(first, "tags"),
    status: cell(first, "status"),
    variants,
    images: Array.from(new Set(rows.map(({ cells }) => cell(cells, "image"))), (src) => ({ src })),
    options: optionNames.map((name, at) => ({
      name,
      values: Array.from(
        new Set(rows.map(({ cells }) => cell(cells, (["option1", "option2", "option3"] as const)[at] ?? "option1")))
      ).filter((value) => value !== null)
    }))
  }
  const reading = ofProduct(line, Storefront.recordOf(product, domain), {
    category: cell(first, "category") ?? cell(first, "type"),
    shop: domain,
    keys: [key]
  })
  // Wrong prices are reported by their own lines, but not for a product that is not on sale.
  return wrong.length === 0 || reading.skipped > 0 ? reading : { ...reading, rejects: wrong }
}
