/**
 * Reads tables of no known format by a map, which names for each field of a record its column and how to read it
 * (docs/import.md). Records are decoded by the schemas of the native format.
 */
import { Effect, Result, Schema } from "effect"
import * as BoundedJson from "../../../domain/BoundedJson.ts"
import * as ArgumentDecoder from "../../../domain/ArgumentDecoder.ts"
import * as LenientDecoder from "../../../domain/catalog/LenientDecoder.ts"
import * as RecordDecoder from "../../../domain/catalog/RecordDecoder.ts"
import { englishOf } from "../../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import * as Storefront from "../../../domain/catalog/Storefront.ts"
import { AdRecord, PartialShop, ProductRecord, TrafficMonthRecord } from "../../../domain/catalog/Records.ts"
import { nearest } from "../../../domain/search/Nearest.ts"
import * as WholeFile from "../../WholeFile.ts"
import { UnreadableInput } from "../ImportError.ts"
import { rejects } from "../ImportSource.ts"
import type { ImportRow, Reject, Reading } from "../ImportSource.ts"
import type { Container } from "./Format.ts"
import { currenciesOf, isOther } from "./Currency.ts"
import { ProductMemory } from "./ProductMemory.ts"
import { keptAd, keptOfRecord, nothing, ofItems } from "./Reading.ts"
import { foreign, text, Unread } from "./Foreign.ts"
import type { Foreign } from "./Foreign.ts"
import * as InnerLists from "./InnerLists.ts"
import { fieldsOf, recordNames } from "./MapFields.ts"
import type { RecordName } from "./MapFields.ts"
import * as ReadAs from "./ReadAs.ts"
import type { Field } from "./ReadAs.ts"
import type * as Sample from "./Sample.ts"

const Source = Schema.Struct({
  column: Schema.optionalKey(Schema.String),
  constant: Schema.optionalKey(
    Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Array(Schema.String)])
  ),
  as: Schema.optionalKey(Schema.Literals(ReadAs.valueKinds)),
  separator: Schema.optionalKey(Schema.NonEmptyString),
  form: Schema.optionalKey(Schema.String),
  values: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  divide_by: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0))),
  optional: Schema.optionalKey(Schema.Boolean)
})
export type Source = typeof Source.Type

export interface Mapping {
  readonly record: RecordName
  readonly fields: Readonly<Record<string, Source>>
}

/** The columns that the map names. */
export const columnsOf = ({ fields }: Mapping): ReadonlyArray<string> =>
  Object.values(fields).flatMap(({ column }) => column ?? [])

const decodeTag = ArgumentDecoder.decoder(Schema.Struct({ record: Schema.Literals(recordNames) }), {
  unknownNames: "ignore"
})

const mapDecoder = (record: RecordName) =>
  ArgumentDecoder.decoder(
    Schema.Struct({
      record: Schema.Literal(record),
      fields: Schema.Struct(
        Object.fromEntries(Object.keys(fieldsOf[record]).map((name) => [name, Schema.optionalKey(Source)]))
      )
    })
  )

const mapDecoders = {
  shop: mapDecoder("shop"),
  product: mapDecoder("product"),
  ad: mapDecoder("ad"),
  traffic_month: mapDecoder("traffic_month")
} as const

const strictDecoders = {
  shop: RecordDecoder.make(PartialShop),
  product: RecordDecoder.make(ProductRecord),
  ad: RecordDecoder.make(AdRecord),
  traffic_month: RecordDecoder.make(TrafficMonthRecord)
} as const

/** All that is wrong with a record, its optional values as well. */
const issuesOf = (record: RecordName, input: object): ReadonlyArray<ArgumentIssue> => {
  const decoded: Result.Result<MappedRecord, ReadonlyArray<ArgumentIssue>> = strictDecoders[record](input)
  return Result.isFailure(decoded) ? decoded.failure : []
}

const recordDecoders = {
  shop: LenientDecoder.make(PartialShop),
  product: LenientDecoder.make(ProductRecord),
  ad: LenientDecoder.make(AdRecord),
  traffic_month: LenientDecoder.make(TrafficMonthRecord)
} as const

type MappedRecord = PartialShop | ProductRecord | AdRecord | TrafficMonthRecord

const decodeRecord = (
  record: RecordName,
  input: object
): Result.Result<LenientDecoder.Corrected<MappedRecord>, ReadonlyArray<ArgumentIssue>> => recordDecoders[record](input)

const located = (path: string, reason: string) => `${path === "" ? "the map" : `\`${path}\``} ${reason}`

/** Decodes a map from JSON, or returns all that is wrong with it. */
export const decode = (document: unknown): Result.Result<Mapping, string> => {
  const tag = decodeTag(document)
  const decoded = Result.isSuccess(tag) ? mapDecoders[tag.success.record](document) : tag
  if (Result.isFailure(decoded)) {
    return Result.fail(decoded.failure.map((issue) => located(issue.path, englishOf(issue))).join("; "))
  }
  const { record } = decoded.success
  const sources = Object.entries(decoded.success.fields).flatMap(([name, source]) =>
    source === undefined ? [] : [[name, source] as const]
  )
  const mapping: Mapping = { record, fields: Object.fromEntries(sources) }
  const wrong = [
    ...sources.flatMap(([name, source]) => {
      const problem = wrongIn(record, name, source)
      return problem === undefined ? [] : [located(`fields.${name}`, problem)]
    }),
    ...wrongConstants(mapping),
    ...requiredOf(mapping).map((name) => located(`fields.${name}`, "is required"))
  ]
  return wrong.length === 0 ? Result.succeed(mapping) : Result.fail(wrong.join("; "))
}

/** Settings that only some ways of reading have. */
const kindsOf: Readonly<Record<"separator" | "form" | "divide_by", ReadonlyArray<ReadAs.ValueKind>>> = {
  separator: ["list"],
  form: ["number", "money", "date"],
  divide_by: ["number", "money"]
}

const wrongIn = (record: RecordName, name: string, source: Source): string | undefined => {
  const { column, constant, ...how } = source
  const as = source.as ?? fieldsOf[record][name]?.as
  if ((column === undefined) === (constant === undefined)) return "must have either `column` or `constant`"
  if (column === "") return "has no column yet: name the one that holds it, or a constant"
  if (constant !== undefined && isStatus(record, name)) return "needs a column: only products on sale are imported"
  if (constant !== undefined) return Object.keys(how).length > 0 ? "has a constant, which is taken as it is" : undefined
  for (const [setting, ways] of Object.entries(kindsOf)) {
    if (setting in how && as !== undefined && !ways.includes(as)) {
      return `has \`${setting}\`, which has no effect on values that are read as \`${as}\``
    }
  }
  return undefined
}

/** Whether the field says which products are on sale, and is none of the record. */
const isStatus = (record: RecordName, name: string): boolean => record === "product" && name === "status"

const constantsOf = ({ fields }: Mapping): ReadonlyArray<readonly [name: string, value: unknown]> =>
  Object.entries(fields).flatMap(([name, { constant }]) => (constant === undefined ? [] : [[name, constant] as const]))

const wrongConstants = (mapping: Mapping): ReadonlyArray<string> =>
  issuesOf(mapping.record, inputOf(mapping.record, constantsOf(mapping)))
    .filter(({ code }) => code !== "required")
    .map((issue) => located(`fields.${issue.path}`, englishOf(issue)))

/** Required fields that the map does not name. A product may lack its store, which the command can name. */
export const requiredOf = ({ fields, record }: Pick<Mapping, "record" | "fields">): ReadonlyArray<string> =>
  Array.from(requiredFields[record]).filter((name) => !(name in fields) && !(record === "product" && name === "shop"))

const inDetails = "details."

const requiredIn = (record: RecordName): ReadonlySet<string> =>
  new Set(
    issuesOf(record, { type: record === "shop" ? "partial_shop" : record }).flatMap(({ code, path }) =>
      code === "required" ? [path] : []
    )
  )

const requiredFields = {
  shop: requiredIn("shop"),
  product: requiredIn("product"),
  ad: requiredIn("ad"),
  traffic_month: requiredIn("traffic_month")
} as const

/** Builds the input of the decoder, with `details.vendor` as a nested field. */
const inputOf = (record: RecordName, entries: ReadonlyArray<readonly [name: string, value: unknown]>): object => {
  const input: Record<string, unknown> = { type: record === "shop" ? "partial_shop" : record }
  let details: Record<string, unknown> | undefined
  for (const [name, value] of entries) {
    if (!name.startsWith(inDetails)) input[name] = value
    else (details ??= {})[name.slice(inDetails.length)] = value
  }
  return details === undefined ? input : { ...input, details }
}

const maxMapBytes = 1_048_576

export const load = Effect.fn("Mapping.load")(function* (path: string): Effect.fn.Return<Mapping, UnreadableInput> {
  const unusable = (reason: string, cause?: unknown) =>
    new UnreadableInput({
      message: `The map ${path} cannot be used: ${reason}.`,
      ...(cause === undefined ? {} : { cause })
    })
  const content = yield* Effect.mapError(WholeFile.text(path, maxMapBytes), (cause) => unusable(cause.message, cause))
  const document = BoundedJson.parse(content.replace(/^\uFEFF/u, ""), BoundedJson.ofFile)
  if (Result.isFailure(document)) return yield* unusable("it is not JSON")
  const mapping = decode(document.success)
  return Result.isSuccess(mapping) ? mapping.success : yield* unusable(mapping.failure)
})

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
  mapping: Mapping,
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
  const inner = InnerLists.make(mapping, requiredFields[mapping.record], container, sample.records)
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
  mapping: Mapping,
  getter: (column: string) => ((from: From) => unknown) | undefined,
  first: ReadonlyArray<From>,
  columns: ReadonlyArray<string>,
  store: Store,
  products: Products
): Result.Result<(from: From, line: number) => Reading, string> => {
  const { record } = mapping
  const constants = constantsOf(mapping)
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
    if (Result.isFailure(read)) wrong.push(located(`fields.${name}.form`, read.failure))
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
      if (isStatus(record, name)) {
        const status = typeof found === "string" ? found : ""
        notSold ??= Storefront.notSoldOf(status)
        if (!Storefront.statuses.includes(status)) invalidFields.push(name)
        return []
      }
      if (!(found instanceof Unread)) return [[name, found]]
      if (requiredFields[record].has(name)) unread.push({ line, field: name, reason: found.reason })
      else invalidFields.push(name)
      return []
    })
    if (notSold !== undefined) return { ...nothing, leftOut: [notSold] }
    // What comes later counts.
    const input = inputOf(record, [...country, ...fixed, ...values])
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

const keptOf = (record: Mapping["record"], input: Foreign): Pick<Reading, "kept" | "lacksRecords"> => {
  if (record === "product") return keptOfRecord(input)
  return record === "ad" ? keptAd(input["key"]) : {}
}

const suggested = (column: string, columns: ReadonlyArray<string>): string => {
  const name = `\`${ArgumentDecoder.echo(column)}\``
  const suggestion = nearest(column, columns, Math.max(2, Math.ceil(column.length / 3)))
  return suggestion === undefined ? name : `${name}; did you mean \`${ArgumentDecoder.echo(suggestion)}\`?`
}

const optionsOf = (field: Field, { as, divide_by, form, separator, values }: Source): ReadAs.ReadOptions => ({
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
