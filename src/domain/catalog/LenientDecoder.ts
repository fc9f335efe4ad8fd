/** Decodes records of foreign formats: what is wrong with an optional value costs the value, not the record. */
import { Predicate, Result, SchemaAST } from "effect"
import type { Schema } from "effect"
import * as ArgumentDecoder from "../ArgumentDecoder.ts"
import type { ArgumentIssue } from "../ArgumentIssue.ts"
import { decodeOf, fastDecoderOf, invalid } from "./RecordDecoder.ts"
import type { Decode } from "./RecordDecoder.ts"

/** A record, and the paths of the optional values that are not valid: each is unknown now, or cut. */
export interface Corrected<A> {
  readonly record: A
  /** Without the places in lists, such as `details.variants.sku`; one for each value. */
  readonly invalidFields: ReadonlyArray<string>
}

export interface LenientOptions extends ArgumentDecoder.DecoderOptions {
  /** The values that must be valid. */
  readonly decides?: "required" | "all"
}

const noFields: ReadonlyArray<string> = []

/**
 * As RecordDecoder.make, of a record whose optional values need not be valid. A number becomes the text that is expected and the reverse, a text or a
 * list that is too long is cut, and any other value becomes unknown, an item of a list left out. Required values and the names of
 * fields decide about the record.
 */
export const make = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  { decides = "required", ...options }: LenientOptions = {}
): ((input: unknown) => Result.Result<Corrected<S["Type"]>, ReadonlyArray<ArgumentIssue>>) => {
  const decode = fastDecoderOf(schema)
  const decodeBySchema = ArgumentDecoder.decoder(schema, options)
  const place = placeOf(schema.ast)
  const isValid = (decoded: unknown): decoded is S["Type"] => decoded !== invalid
  return (input) => {
    const decoded = decode(input)
    if (isValid(decoded)) return Result.succeed({ record: decoded, invalidFields: noFields })
    const paths: Array<string> = []
    const corrected = decides === "all" ? invalid : correct(place, input, "", paths)
    return Result.map(decodeBySchema(corrected === invalid ? input : corrected), (record) => ({
      record,
      invalidFields: paths
    }))
  }
}

/** What is known of a value: how it is decoded, and what is within it. */
interface Place {
  readonly decode: Decode
  readonly type: "text" | "number" | "flag" | "other"
  readonly cutTo: number | undefined
  readonly item: Place | undefined
  readonly fields: ReadonlyMap<string, Field> | undefined
}

interface Field extends Place {
  /** Absent in a required field. */
  readonly unknown: { readonly value: unknown } | "left out" | undefined
}

const typesOf = { String: "text", Number: "number", Boolean: "flag" } as const

/** Without `null`. */
const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" ? ast.types.flatMap(membersOf) : ast._tag === "Null" ? [] : [ast]

const placeOf = (ast: SchemaAST.AST): Place => {
  const members = membersOf(ast)
  const list = members.find(SchemaAST.isArrays)
  const object = members.find(SchemaAST.isObjects)
  const [first] = members
  const item = list?.rest[0]
  return {
    decode: decodeOf(ast, true),
    type:
      first?._tag === "String" || first?._tag === "Number" || first?._tag === "Boolean" ? typesOf[first._tag] : "other",
    cutTo: [ast, ...members].map((one) => SchemaAST.resolve(one)?.cutTo).find((cutTo) => cutTo !== undefined),
    item: item === undefined ? undefined : placeOf(item),
    fields:
      object === undefined
        ? undefined
        : new Map(object.propertySignatures.map(({ name, type }) => [String(name), fieldOf(type)]))
  }
}

const fieldOf = (type: SchemaAST.AST): Field => {
  const absent = SchemaAST.resolve(type)?.absent
  const isOptional = SchemaAST.isOptional(SchemaAST.toType(type))
  return { ...placeOf(type), unknown: absent ?? (isOptional ? "left out" : undefined) }
}

/** The value, changed so that it fits, or {@link invalid}. Unknown names are kept: decoding reports them. */
const correct = (place: Place, value: unknown, path: string, paths: Array<string>): unknown => {
  if (place.decode(value) !== invalid) return value
  if (place.item !== undefined && Array.isArray(value)) return correctList(place, place.item, value, path, paths)
  if (place.fields !== undefined && Predicate.isObject(value)) return correctObject(place.fields, value, path, paths)
  const converted = convert(place.type, value)
  if (converted !== invalid && place.decode(converted) !== invalid) return converted
  if (typeof converted !== "string" || place.cutTo === undefined) return invalid
  const cut = Array.from(converted).slice(0, place.cutTo).join("").toWellFormed()
  if (place.decode(cut) === invalid) return invalid
  paths.push(path)
  return cut
}

const correctList = (
  { cutTo }: Place,
  item: Place,
  values: ReadonlyArray<unknown>,
  path: string,
  paths: Array<string>
): unknown => {
  const corrected = values.flatMap((value) => {
    const one = correct(item, value, path, paths)
    if (one !== invalid) return [one]
    paths.push(path)
    return []
  })
  const different = corrected.some((value) => typeof value === "object") ? corrected : Array.from(new Set(corrected))
  if (cutTo === undefined || different.length <= cutTo) return corrected
  paths.push(path)
  return different.slice(0, cutTo)
}

const correctObject = (
  fields: ReadonlyMap<string, Field>,
  value: object,
  path: string,
  paths: Array<string>
): unknown => {
  const inside: Array<string> = []
  // A field of a file may be called `__proto__`.
  const corrected = new Map<string, unknown>()
  for (const [name, inner] of Object.entries(value)) {
    const field = fields.get(name)
    const at = path === "" ? name : `${path}.${name}`
    const decides = field === undefined || (field.unknown === undefined && path === "")
    const one = decides ? inner : correct(field, inner, at, inside)
    if (one !== invalid) corrected.set(name, one)
    else if (field?.unknown === undefined) {
      // It leaves out the whole of which it is a part.
      return invalid
    } else {
      inside.push(at)
      if (field.unknown !== "left out") corrected.set(name, field.unknown.value)
    }
  }
  for (const [name, { unknown }] of fields)
    if (path !== "" && unknown === undefined && !corrected.has(name)) return invalid
  paths.push(...inside)
  return Object.fromEntries(corrected)
}

const numeric = /^\s*\d{1,15}(?:\.\d{1,15})?\s*$/u

const convert = (type: Place["type"], value: unknown): unknown => {
  if (type === "text" && typeof value === "number") {
    return Number.isSafeInteger(value) || !Number.isInteger(value) ? String(value) : invalid
  }
  if (type === "number" && typeof value === "string") return numeric.test(value) ? Number(value) : invalid
  if (type === "flag" && typeof value === "string") {
    const word = value.trim().toLowerCase()
    return word === "true" ? true : word === "false" ? false : invalid
  }
  return value
}
