/**
 * Makes products of the rows of a table: a product is a group of rows with one handle, of which the first has the title and others
 * have further variants or images. Its last rows may be in another file with the same columns. Rows that are apart give the product
 * again, as far as it is remembered.
 */
import { inFormC } from "../../../domain/catalog/RecordFields.ts"
import * as Storefront from "../../../domain/catalog/Storefront.ts"
import type { Reject, Reading } from "../ImportSource.ts"
import { currenciesOf } from "./Currency.ts"
import { amount, Unread } from "./Foreign.ts"
import { ProductMemory } from "./ProductMemory.ts"
import type { Cells, ProductTable } from "./ProductTable.ts"
import { join, keptProduct, nothing, ofFile, ofProduct } from "./Reading.ts"

interface Group {
  readonly file: string
  readonly line: number
  readonly handle: string | null
  readonly title: string
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

const charactersOf = (cells: Cells): number => {
  let sum = 0
  for (const cell of cells) sum += cell.length
  return sum
}

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

export const make = (table: ProductTable, domain: string): ProductRows => {
  const memory = new ProductMemory<Group>()
  /** Products to be read at the end: further rows of them were found, apart from the others, or no variant yet. */
  const again = new Set<Group>()
  let group: Group | undefined
  let isAfterLost = false
  let file = ""
  const variant = (cells: Cells): string | null => {
    const found = table.variant(cells)
    return found === null ? null : JSON.stringify([...table.options(cells), found.sku])
  }
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
    if (counted > 0 || again.has(finished)) {
      again.add(finished)
      return nothing
    }
    // One that another file goes on with is known to be complete only there.
    const isKept =
      handle !== null &&
      rows.at(-1)?.file === file &&
      memory.keep(
        handle,
        finished,
        rows.reduce((sum, { cells }) => sum + charactersOf(cells), 0)
      )
    // Its variants may be apart from it.
    if (isKept && rows.every(({ cells }) => table.variant(cells) === null)) {
      again.add(finished)
      return nothing
    }
    return readingOf(finished)
  }

  const readingOf = (read: Group): Reading => {
    const reading = toReading(read, table, domain)
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
    push: (all, line) => {
      const cells = table.places.map((place) => all[place] ?? "")
      const found = table.handle(cells)
      const handle = typeof found === "string" ? inFormC(found) : found
      if (handle instanceof Unread) {
        const rejects = [{ line, field: table.handleName, reason: handle.reason }]
        return join([finish(), { ...nothing, rejects, lacksRecords: true }])
      }
      const title = table.title(cells)
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
        const orphan = table.orphan(cells)
        const reason =
          "is of a product whose other rows are too far above: sort the rows by handle, those with a title first"
        const reject = { line, ...orphan, ...(known === undefined ? {} : { reason }) }
        return join([before, { ...nothing, rejects: [reject], ...keptProduct(domain, [handle]) }])
      }
      group = {
        file,
        line,
        handle,
        title,
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
  { counted, handle, line, rows, title, wasAccepted }: Group,
  table: ProductTable,
  domain: string
): Reading => {
  const wrong: Array<Reject> = []
  let currencies: ReadonlyArray<string> = []
  const isNew = distinctRows(rows, counted)
  const variants: Array<Storefront.Variant> = []
  const images = new Set<string>()
  const values = [new Set<string>(), new Set<string>(), new Set<string>()] as const
  for (const [at, { cells, file, line }] of rows.entries()) {
    const options = table.options(cells)
    for (const [place, option] of options.entries()) if (option !== null) values[place]?.add(option)
    for (const image of table.images(cells)) images.add(image)
    const variant = isNew(at) ? table.variant(cells) : null
    if (variant === null) continue
    const { compareAtPrice, isAvailable, price: written, sku } = variant
    const price = amount(written)
    if (price === null || price < 0) {
      if (at >= counted)
        wrong.push({ file, line, field: table.priceName, reason: "cannot be read as a price such as 24.90" })
      continue
    }
    if (currencies.length === 0 && /[^\d.,\s]/u.test(written)) currencies = currenciesOf(written)
    variants.push({
      title: options.filter((option) => option !== null).join(" / ") || null,
      sku,
      price,
      compare_at_price: amount(compareAtPrice) ?? compareAtPrice,
      available: isAvailable,
      option1: options[0],
      option2: options[1],
      option3: options[2]
    })
  }
  const described = table.describe(rows[0]?.cells ?? [], title, handle ?? slug(title))
  const product: Storefront.Product = {
    ...described.product,
    title,
    variants,
    images: Array.from(images, (src) => ({ src })),
    options: described.optionNames.map((name, at) => ({ name, values: Array.from(values[at] ?? []) }))
  }
  const reading = ofProduct(line, Storefront.recordOf(product, domain), {
    category: described.category,
    shop: domain,
    keys: [product.handle, product.id].flatMap((key) => (key === undefined || key === null ? [] : [String(key)])),
    sourceRows: rows.length - counted,
    currencies
  })
  if (reading.leftOut !== undefined) return reading
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
  return {
    ...reading,
    rows: read,
    rejects,
    invalidFields: [...described.invalidFields, ...(reading.invalidFields ?? [])]
  }
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
