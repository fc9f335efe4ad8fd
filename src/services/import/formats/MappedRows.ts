/** Reads tables and documents by a map. Records are decoded by the schemas of the native format. */
import { Record, Result } from "effect"
import * as ArgumentDecoder from "../../../domain/ArgumentDecoder.ts"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import * as LenientDecoder from "../../../domain/catalog/LenientDecoder.ts"
import type { ProductRecord } from "../../../domain/catalog/Records.ts"
import * as Storefront from "../../../domain/catalog/Storefront.ts"
import { nearest } from "../../../domain/search/Nearest.ts"
import { rejects } from "../ImportSource.ts"
import type { ImportRow, Reject, Reading } from "../ImportSource.ts"
import { currenciesOf, isOther } from "./Currency.ts"
import { foreign, text, Unread } from "./Foreign.ts"
import type { Foreign } from "./Foreign.ts"
import type { Container } from "./Format.ts"
import * as InnerLists from "./InnerLists.ts"
import { fieldsOf } from "./MapFields.ts"
import type { RecordName } from "./MapFields.ts"
import * as Mapping from "./Mapping.ts"
import { ProductMemory } from "./ProductMemory.ts"
import * as ReadAs from "./ReadAs.ts"
import type { Field } from "./ReadAs.ts"
import { keptAd, keptOfRecord, nothing, ofItems } from "./Reading.ts"
import type * as Sample from "./Sample.ts"

const recordDecoders = Record.map(Mapping.recordSchemas, (schema) => LenientDecoder.make(schema))

type MappedRecord = (typeof Mapping.recordSchemas)[RecordName]["Type"]

const decodeRecord = (
  record: RecordName,
  input: object
): Result.Result<LenientDecoder.Corrected<MappedRecord>, ReadonlyArray<ArgumentIssue>> => recordDecoders[record](input)

interface Part<From> {
  readonly name: string
  readonly get: (from: From) => unknown
  readonly read: ReadAs.Read
  readonly way: ReadAs.ValueKind
}

/** Converts rows or JSON objects to readings. */
export interface Mapped {
  readonly row?: (cells: ReadonlyArray<string>, line: number) => Reading
  readonly item?: (item: unknown, line: number) => Reading
}

/** The products that were read by maps: further rows of one are variants of it. */
export type Products = ProductMemory<ImportRow & { readonly record: ProductRecord }>

export interface Store {
  /** The store of all products, if the map does not name it. */
  readonly domain?: string | undefined
  /** The country of stores whose row has none. */
  readonly country?: string | undefined
}

/** A failure names missing columns and invalid forms. */
export const make = (
  mapping: Mapping.Mapping,
  container: Container,
  sample: Sample.Sample,
  store: Store = {},
  products: Products = new ProductMemory()
): Result.Result<Mapped, string> => {
  if (container._tag === "Csv") {
    const getter = (column: string) => {
      const place = container.header.indexOf(column)
      return place < 0 ? undefined : (cells: ReadonlyArray<string>) => cells[place]
    }
    const first: ReadonlyArray<ReadonlyArray<string>> = sample.records.map((record) =>
      container.header.map((name) => text(record[name]) ?? "")
    )
    return Result.map(reader(mapping, getter, first, sample.columns, store, products), (row) => ({ row }))
  }
  const inner = InnerLists.make(mapping, Mapping.requiredFields[mapping.record], container, sample.records)
  if (Result.isFailure(inner)) return Result.fail(inner.failure)
  const { divide, get } = inner.success
  const first = sample.records.flatMap((record) => divide(record) ?? [])
  const getter = (column: string): ((record: Foreign) => unknown) | undefined => {
    const read = get(column)
    return first.some((record) => read(record) !== undefined) ? read : undefined
  }
  return Result.map(reader(mapping, getter, first, sample.columns, store, products), (read) => ({
    item: (item: unknown, line: number) => {
      const records = divide(foreign(item))
      if (records === undefined) return { ...nothing, leftOut: ["otherList"] }
      return records.length === 0 ? { ...nothing, leftOut: ["empty"] } : ofItems(records.map((one) => read(one, line)))
    }
  }))
}

const reader = <From>(
  mapping: Mapping.Mapping,
  getter: (column: string) => ((from: From) => unknown) | undefined,
  first: ReadonlyArray<From>,
  columns: ReadonlyArray<string>,
  store: Store,
  products: Products
): Result.Result<(from: From, line: number) => Reading, string> => {
  const { record } = mapping
  const constants = Mapping.constantsOf(mapping)
  const fixed = store.domain === undefined ? constants : [...constants, ["shop", store.domain] as const]
  const country: ReadonlyArray<readonly [string, unknown]> =
    record === "shop" && store.country !== undefined ? [["country", store.country]] : []
  const wrong: Array<string> = []
  const parts = Object.entries(mapping.fields).flatMap(([name, source]): ReadonlyArray<Part<From>> => {
    const field = fieldsOf[record][name]
    if (source.column === undefined || field === undefined) return []
    const get = getter(source.column)
    const { as: way } = optionsOf(field, source)
    const read = ReadAs.make(field, optionsOf(field, source), get === undefined ? [] : first.map(get))
    if (Result.isFailure(read)) wrong.push(Mapping.located(`fields.${name}.form`, read.failure))
    if (get === undefined && source.optional !== true)
      wrong.push(`there is no column ${suggested(source.column, columns)}`)
    return get === undefined || Result.isFailure(read) ? [] : [{ name, get, read: read.success, way }]
  })
  if (wrong.length > 0) return Result.fail(wrong.join("; "))
  const currencyPart = parts.find(({ name }) => name === "currency")
  const fixedCurrency = constants.find(([name]) => name === "currency")?.[1]

  return Result.succeed((from, line) => {
    const unread: Array<Reject> = []
    const invalidFields: Array<string> = []
    let otherCurrencies = 0
    let notSold: Storefront.NotSold | undefined
    let currencies: ReadonlyArray<string> | undefined
    const currency = currencyPart === undefined ? fixedCurrency : currencyPart.read(currencyPart.get(from))
    const values = parts.flatMap(({ get, name, read, way }): ReadonlyArray<readonly [string, unknown]> => {
      const value = get(from)
      if (way === "money" && typeof value === "string") {
        if (record === "product") currencies = currenciesOf(value.trim())
        else if (isOther(typeof currency === "string" ? currency : undefined, value)) {
          otherCurrencies++
          return []
        }
      }
      const found = value instanceof InnerLists.Several ? value.read(name, way, read) : read(value)
      if (found === undefined) return []
      if (Mapping.isStatus(record, name)) {
        const status = typeof found === "string" ? found : ""
        notSold ??= Storefront.notSoldOf(status)
        if (!Storefront.statuses.includes(status)) invalidFields.push(name)
        return []
      }
      if (!(found instanceof Unread)) return [[name, found]]
      if (Mapping.requiredFields[record].has(name)) unread.push({ line, field: name, reason: found.reason })
      else invalidFields.push(name)
      return []
    })
    if (notSold !== undefined) return { ...nothing, leftOut: [notSold] }
    // What comes later counts.
    const input = Mapping.inputOf(record, [...country, ...fixed, ...values])
    const decoded = decodeRecord(record, input)
    if (Result.isSuccess(decoded) && unread.length === 0) {
      invalidFields.push(...decoded.success.invalidFields)
      const row = { ...rowOf(decoded.success.record, line), currencies }
      return variantOf(row, products) ?? { rows: [row], rejects: [], otherCurrencies, invalidFields }
    }
    const others = Result.isSuccess(decoded) ? [] : rejects(line, decoded.failure)
    const isReported = (reject: Reject) => unread.some(({ field }) => field === reject.field)
    const reasons = [...unread, ...others.filter((reject) => !isReported(reject))]
    return { ...nothing, rejects: reasons, ...keptOf(record, foreign(input)) }
  })
}

/** The product of an earlier row, if this one is a further variant of it: with the lowest price. */
const variantOf = (row: ImportRow, products: Products): Reading | undefined => {
  const { line, record } = row
  if (record.type !== "product") return undefined
  const id = `${record.shop} ${record.key}`
  const known = products.find(id)
  if (known === undefined) {
    products.keep(id, { ...row, record }, 200 + record.title.length + (record.details?.description_html?.length ?? 0))
    return undefined
  }
  if (known === null) {
    const reason = "is of a product whose other rows are too far above: sort the rows by key"
    return { ...nothing, rejects: [{ line, field: "key", reason }], ...keptOfRecord({ ...record }) }
  }
  const cheapest = { ...known, record: { ...known.record, price: Math.min(known.record.price, record.price) } }
  products.keep(id, cheapest, 0)
  return { ...nothing, rows: [{ ...cheapest, currencies: row.currencies, sourceRows: 1, isAgain: true }] }
}

const keptOf = (record: RecordName, input: Foreign): Pick<Reading, "kept" | "lacksRecords"> => {
  if (record === "product") return keptOfRecord(input)
  return record === "ad" ? keptAd(input["key"]) : {}
}

const suggested = (column: string, columns: ReadonlyArray<string>): string => {
  const name = `\`${ArgumentDecoder.echo(column)}\``
  const suggestion = nearest(column, columns, Math.max(2, Math.ceil(column.length / 3)))
  return suggestion === undefined ? name : `${name}; did you mean \`${ArgumentDecoder.echo(suggestion)}\`?`
}

const optionsOf = (field: Field, { as, divide_by, form, separator, values }: Mapping.Source): ReadAs.ReadOptions => ({
  as: as ?? field.as,
  form,
  separator,
  values,
  divideBy: divide_by
})

/** An ad is seen on the date of the table, and belongs to the store that it links to if the row names none. */
const rowOf = (record: MappedRecord, line: number): ImportRow => {
  switch (record.type) {
    case "product":
      return { line, record, category: record.details?.product_type ?? null }
    case "ad":
      return { line, record: { type: "library_ad", ad: record, page_id: null, caption: null } }
    default:
      return { line, record }
  }
}
