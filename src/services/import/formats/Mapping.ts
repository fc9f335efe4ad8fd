/**
 * The maps by which tables of no known format are read: for each field of a record its column and how to read it (docs/import.md).
 * MappedRows reads by them.
 */
import { Effect, Record, Result, Schema } from "effect"
import * as BoundedJson from "../../../domain/BoundedJson.ts"
import * as ArgumentDecoder from "../../../domain/ArgumentDecoder.ts"
import * as RecordDecoder from "../../../domain/catalog/RecordDecoder.ts"
import { englishOf } from "../../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import { AdRecord, PartialShop, ProductRecord, TrafficMonthRecord } from "../../../domain/catalog/Records.ts"
import * as WholeFile from "../../WholeFile.ts"
import { UnreadableInput } from "../ImportError.ts"
import { fieldsOf, recordNames } from "./MapFields.ts"
import type { RecordName } from "./MapFields.ts"
import * as ReadAs from "./ReadAs.ts"

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

const mapDecoders = Record.map(fieldsOf, (fields, record) =>
  ArgumentDecoder.decoder(
    Schema.Struct({
      record: Schema.Literal(record),
      fields: Schema.Struct(Record.map(fields, () => Schema.optionalKey(Source)))
    })
  )
)

/** What the records of each kind are decoded by. */
export const recordSchemas = {
  shop: PartialShop,
  product: ProductRecord,
  ad: AdRecord,
  traffic_month: TrafficMonthRecord
} as const

const strictDecoders = Record.map(recordSchemas, (schema) => RecordDecoder.make(schema))

/** All that is wrong with a record, its optional values as well. */
const issuesOf = (record: RecordName, input: object): ReadonlyArray<ArgumentIssue> => {
  const decoded: Result.Result<unknown, ReadonlyArray<ArgumentIssue>> = strictDecoders[record](input)
  return Result.isFailure(decoded) ? decoded.failure : []
}

export const located = (path: string, reason: string) => `${path === "" ? "the map" : `\`${path}\``} ${reason}`

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
export const isStatus = (record: RecordName, name: string): boolean => record === "product" && name === "status"

export const constantsOf = ({ fields }: Mapping): ReadonlyArray<readonly [name: string, value: unknown]> =>
  Object.entries(fields).flatMap(([name, { constant }]) => (constant === undefined ? [] : [[name, constant] as const]))

const wrongConstants = (mapping: Mapping): ReadonlyArray<string> =>
  issuesOf(mapping.record, inputOf(mapping.record, constantsOf(mapping)))
    .filter(({ code }) => code !== "required")
    .map((issue) => located(`fields.${issue.path}`, englishOf(issue)))

/** Required fields that the map does not name. A product may lack its store, which the command can name. */
export const requiredOf = ({ fields, record }: Pick<Mapping, "record" | "fields">): ReadonlyArray<string> =>
  Array.from(requiredFields[record]).filter((name) => !(name in fields) && !(record === "product" && name === "shop"))

const inDetails = "details."

/** Builds the input of the decoder, with `details.vendor` as a nested field. */
export const inputOf = (
  record: RecordName,
  entries: ReadonlyArray<readonly [name: string, value: unknown]>
): object => {
  const input: Record<string, unknown> = { type: record === "shop" ? "partial_shop" : record }
  let details: Record<string, unknown> | undefined
  for (const [name, value] of entries) {
    if (!name.startsWith(inDetails)) input[name] = value
    else (details ??= {})[name.slice(inDetails.length)] = value
  }
  return details === undefined ? input : { ...input, details }
}

/** The fields without which a record is rejected. */
export const requiredFields: Readonly<Record<RecordName, ReadonlySet<string>>> = Record.map(
  fieldsOf,
  (_, record) =>
    new Set(issuesOf(record, inputOf(record, [])).flatMap(({ code, path }) => (code === "required" ? [path] : [])))
)

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
