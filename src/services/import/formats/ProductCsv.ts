/**
 * Reads a merchant's export of products as CSV, with both generations of its header and columns in any order.
 *
 * A product is a group of rows: the first has the title, the others repeat the handle with a further variant or a further image. Its
 * last rows may be in another file with the same columns. Rows that are apart give the product again, as far as it is remembered.
 */
import { inFormC } from "../../../domain/catalog/RecordFields.ts"
import * as Storefront from "../../../domain/catalog/Storefront.ts"
import type { Reject } from "../ImportSource.ts"
import { currenciesOf } from "./Currency.ts"
import { amount, flag, placesOf, text, Unread } from "./Foreign.ts"
import { Ids } from "./Ids.ts"
import { ProductMemory } from "./ProductMemory.ts"
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

type Cells = ReadonlyArray<string>

interface Group {
  readonly file: string
  readonly line: number
  readonly handle: string | null
  readonly title: string
  readonly first: Cells
  readonly rows: Array<Row>
  /** How many of the rows the product had when it was read before; 0 if it was not. */
  counted: number
  wasAccepted: boolean
}

interface Row {
  readonly file: string
  readonly line: number
  readonly cells: Cells
}

const charactersOf = (cells: Cells): number => cells.reduce((sum, { length }) => sum + length, 0)

/** Takes rows one by one. Each call returns the product that is complete before the row, if any. */
export interface ProductRows {
  /** Begins a file, which goes on with the product before. */
  readonly begin: (file: string) => void
  readonly push: (cells: Cells, line: number) => Reading
  /** A row cannot be read: the next one may belong to its product. */
  readonly lose: () => void
  /** Returns the products of which rows were apart. The last product of the file may have more rows in the next one. */
  readonly flush: () => Reading
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

export const make = (header: ReadonlyArray<string>, domain: string): ProductRows => {
  const columns = columnsOf(header)
  const memory = new ProductMemory<Group>()
  /** Products of which further rows were found, apart from the others. */
  const again = new Set<Group>()
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
    const { counted, handle, rows } = finished
    if (counted > 0) {
      again.add(finished)
      return nothing
    }
    // One that another file goes on with is known to be complete only there.
    if (handle !== null && rows.at(-1)?.file === file)
      memory.keep(
        handle,
        finished,
        rows.reduce((sum, { cells }) => sum + charactersOf(cells), 0)
      )
    return readingOf(finished)
  }

  const readingOf = (read: Group): Reading => {
    const reading = toReading(read, cell, header[columns.price ?? -1] ?? "price", domain)
    read.counted = read.rows.length
    read.wasAccepted ||= reading.rows.length > 0
    return inItsFile(reading, read.file)
  }

  const flush = (): Reading => {
    const readings = Array.from(again, readingOf)
    again.clear()
    return join(readings)
  }

  return {
    begin: (name) => {
      file = name
      // A product that another file has again is newer.
      memory.clear()
    },
    push: (cells, line) => {
      const found = ids.read(cell(cells, "handle"))
      const handle = typeof found === "string" ? inFormC(found) : found
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
      const known = handle === null ? undefined : memory.find(handle)
      if (known !== undefined && known !== null && memory.take(charactersOf(cells))) {
        group = known
        group.rows.push({ file, line, cells })
        return before
      }
      if (title === null || known !== undefined) {
        const reject = {
          line,
          field: header[columns.title ?? -1] ?? "Title",
          reason:
            known === undefined
              ? "is empty, and no row of the same product is before it in this file"
              : "is of a product whose other rows are too far above: sort the rows by handle, those with a title first"
        }
        return join([before, { ...nothing, rejects: [reject], ...keptProduct(domain, [handle]) }])
      }
      group = {
        file,
        line,
        handle,
        title,
        first: cells,
        rows: [{ file, line, cells }],
        counted: 0,
        wasAccepted: false
      }
      return before
    },
    lose: () => {
      isAfterLost = true
    },
    flush,
    end: (isCut) => {
      if (!isCut || group === undefined) {
        const last = finish()
        return join([last, flush()])
      }
      const { counted, file, handle, rows, title } = group
      again.delete(group)
      const line = rows[counted]?.line ?? group.line
      const reason = "is the last product of a file that was cut off: rows of it may be missing"
      const kept = keptProduct(domain, [handle ?? slug(title)])
      const rejects = [{ line, field: "", reason, sourceRows: rows.length - counted }]
      return join([inItsFile({ ...nothing, rejects, ...kept }, file), flush()])
    }
  }
}

const toReading = (
  { counted, first, handle, line, rows, title, wasAccepted }: Group,
  cell: (cells: Cells, column: Column) => string | null,
  priceName: string,
  domain: string
): Reading => {
  const wrong: Array<Reject> = []
  let currencies: ReadonlyArray<string> = []
  const isNew = distinctRows(rows, counted)
  const variants = rows.flatMap(({ cells, file, line }, at) => {
    if (!isNew(at)) return []
    const written = cell(cells, "price")
    if (written === null) return []
    const price = amount(written)
    if (price === null || price < 0) {
      if (at >= counted) wrong.push({ file, line, field: priceName, reason: "cannot be read as a price such as 24.90" })
      return []
    }
    if (currencies.length === 0 && /[^\d.,\s]/u.test(written)) currencies = currenciesOf(written)
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
  const published = cell(first, "published")
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
    published: flag(published),
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
    keys: [key],
    sourceRows: rows.length - counted,
    currencies
  })
  if (reading.leftOut !== undefined) return reading
  const unfit = published !== null && flag(published) === null ? ["published", ...(reading.unfit ?? [])] : reading.unfit
  const sourceRows = rows.length - counted - wrong.length
  const read = reading.rows.map((row) => ({ ...row, sourceRows, isAgain: wasAccepted }))
  // Wrong prices are reported by their own lines. If there is no other, the rows without a price are counted with the first.
  const [firstWrong, ...others] = wrong
  const rejects =
    firstWrong === undefined
      ? reading.rejects
      : read.length > 0
        ? wrong
        : [{ ...firstWrong, sourceRows: 1 + sourceRows }, ...others]
  return { ...reading, rows: read, rejects, ...(unfit === undefined ? {} : { unfit }) }
}

/** Of rows that were read again, those that are the same as an earlier one are no further variant. */
const distinctRows = (rows: ReadonlyArray<Row>, counted: number): ((at: number) => boolean) => {
  if (counted === 0) return () => true
  const seen = new Set<string>()
  const repeated = new Set<number>()
  for (const [at, { cells }] of rows.entries()) {
    const written = JSON.stringify(cells)
    if (at >= counted && seen.has(written)) repeated.add(at)
    seen.add(written)
  }
  return (at) => !repeated.has(at)
}
