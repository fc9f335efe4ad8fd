/**
 * A fast path for decoding millions of records. A schema decodes each value through a chain of effects, but most records
 * are valid: one pass cleans and checks them, and copies only what it changes. A record that fails here is decoded by the
 * schema, which reports all issues.
 */
import { Predicate, Result, SchemaAST } from "effect"
import type { Schema } from "effect"
import * as ArgumentDecoder from "../ArgumentDecoder.ts"
import type { ArgumentIssue } from "../ArgumentIssue.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      /** Cleans a field's raw value as its schema does when decoding. A list is cleaned after its items. */
      readonly tidy?: ((value: unknown) => unknown) | undefined
      /** The value of an absent field. */
      readonly absent?: { readonly value: unknown } | undefined
      /** What a check finds out, as a plain function: to run a check makes an outcome for each value. */
      passes?(this: void, value: unknown): boolean
      /** How many characters of a text, or entries of a list, are kept of an optional value that is longer. */
      readonly cutTo?: number | undefined
    }
  }
}

/** A value that no schema accepts. */
const invalidFields = Symbol("invalidFields")

/** Cleans text; other values are unchanged. */
export const ofText =
  (tidy: (text: string) => unknown) =>
  (value: unknown): unknown =>
    typeof value === "string" ? tidy(value) : value

/** Returns the decoded value, or {@link invalidFields}: the schema must be asked. A value that needs no cleaning is not copied. */
type Fit = (value: unknown) => unknown

/** As {@link ArgumentDecoder.decoder}, with the same results. */
export const make = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S
): ((input: unknown) => Result.Result<S["Type"], ReadonlyArray<ArgumentIssue>>) => {
  const fit = fitterOf(schema)
  const decode = ArgumentDecoder.decoder(schema)
  const isDecoded = (fitted: unknown): fitted is S["Type"] => fitted !== invalidFields
  return (input) => {
    const fitted = fit(input)
    return isDecoded(fitted) ? Result.succeed(fitted) : decode(input)
  }
}

/** Decodes what the schema accepts. */
export const fitterOf = ({ ast }: Schema.ConstraintDecoder<unknown>): Fit => fitOf(ast, true)

/**
 * As `Schema.is` of the decoded type, which builds an exit for each value and a copy of each object. `false` also where the type has
 * a part that is not known here.
 */
export const guardOf = <S extends Schema.Constraint>(schema: S): ((value: unknown) => value is S["Type"]) => {
  const fit = fitOf(SchemaAST.toType(schema.ast), false)
  return (value): value is S["Type"] => fit(value) !== invalidFields
}

const never: Fit = () => invalidFields

const parseOptions: SchemaAST.ParseOptions = {}

/** `cleans`: whether values are decoded; otherwise they are only checked. */
const fitOf = (ast: SchemaAST.AST, cleans: boolean): Fit => {
  const { absent, tidy } = (cleans ? SchemaAST.resolve(ast) : undefined) ?? {}
  // Its decoding is not known here.
  if (ast.encoding !== undefined && tidy === undefined && absent === undefined) return never
  const shape = shapeOf(ast, cleans)
  const fit: Fit =
    tidy === undefined ? shape : ast._tag === "Arrays" ? (value) => tidy(shape(value)) : (value) => shape(tidy(value))
  const type = SchemaAST.toType(ast)
  const [passes, ...others] = (type.checks ?? []).flatMap((check) => checksOf(check, type))
  if (passes === undefined) return fit
  return (value) => {
    const fitted = fit(value)
    if (fitted === invalidFields || !passes(fitted)) return invalidFields
    for (const passes of others) if (!passes(fitted)) return invalidFields
    return fitted
  }
}

const checksOf = (check: SchemaAST.Check<unknown>, type: SchemaAST.AST): ReadonlyArray<(value: unknown) => boolean> =>
  check._tag === "Filter"
    ? [check.annotations?.passes ?? ((value) => check.run(value, type, parseOptions) === undefined)]
    : check.checks.flatMap((inner) => checksOf(inner, type))

const shapeOf = (ast: SchemaAST.AST, cleans: boolean): Fit => {
  switch (ast._tag) {
    case "Null":
      return (value) => (value === null ? value : invalidFields)
    case "String":
      return (value) => (typeof value === "string" ? value : invalidFields)
    case "Number":
      return (value) => (typeof value === "number" ? value : invalidFields)
    case "Boolean":
      return (value) => (typeof value === "boolean" ? value : invalidFields)
    case "Literal":
      return (value) => (value === ast.literal ? value : invalidFields)
    case "Union":
      return unionFit(ast, cleans)
    case "Arrays": {
      const [item, ...others] = ast.rest
      return item === undefined || others.length > 0 || ast.elements.length > 0 ? never : listFit(fitOf(item, cleans))
    }
    case "Objects":
      return ast.indexSignatures.length > 0 ? never : objectFit(ast, cleans)
    default:
      return never
  }
}

/** The first member that accepts a value decodes it. That is known here if at most one member is more than a plain type. */
const unionFit = ({ types }: SchemaAST.Union, cleans: boolean): Fit => {
  if (cleans && types.filter((type) => !isPlain(type)).length > 1) return never
  const members = types.map((type) => fitOf(type, cleans))
  const [member, other] = types
  if (types.length === 2 && member !== undefined && other?._tag === "Null" && isPlain(other)) {
    const fit = fitOf(member, cleans)
    return (value) => (value === null ? null : fit(value))
  }
  return (value) => {
    for (const fit of members) {
      const fitted = fit(value)
      if (fitted !== invalidFields) return fitted
    }
    return invalidFields
  }
}

const plainTypes: ReadonlySet<SchemaAST.AST["_tag"]> = new Set(["Null", "String", "Number", "Boolean", "Literal"])

const isPlain = (ast: SchemaAST.AST): boolean =>
  plainTypes.has(ast._tag) && ast.encoding === undefined && SchemaAST.resolve(ast)?.tidy === undefined

const listFit =
  (fit: Fit): Fit =>
  (value) => {
    if (!Array.isArray(value)) return invalidFields
    const items: ReadonlyArray<unknown> = value
    let copy: Array<unknown> | undefined
    for (let at = 0; at < items.length; at++) {
      const item = items[at]
      const fitted = fit(item)
      if (fitted === invalidFields) return invalidFields
      if (fitted !== item) (copy ??= items.slice())[at] = fitted
    }
    return copy ?? items
  }

/** Decoding refuses unknown fields; checking ignores them. */
const objectFit = (ast: SchemaAST.Objects, cleans: boolean): Fit => {
  const signatures = ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    fit: fitOf(type, cleans),
    absent: cleans ? SchemaAST.resolve(type)?.absent : undefined,
    isOptional: SchemaAST.isOptional(SchemaAST.toType(type))
  }))
  const fields = new Map(signatures.map((signature) => [signature.name, signature]))
  const required = signatures.filter(({ absent, isOptional }) => absent === undefined && !isOptional)
  const defaults = signatures.filter(({ absent }) => absent !== undefined)
  return (value) => {
    if (!Predicate.isObject(value)) return invalidFields
    let copy: Record<string, unknown> | undefined
    let known = 0
    // `Object.keys` would make a list. Nothing that was parsed inherits a field.
    for (const name in value) {
      // Most fields are in the order of the schema.
      const next = signatures[known]
      const signature = next !== undefined && next.name === name ? next : fields.get(name)
      if (signature === undefined) {
        if (cleans) return invalidFields
        continue
      }
      known++
      const field = value[name]
      const fitted = signature.fit(field)
      if (fitted === invalidFields) return invalidFields
      if (fitted !== field) (copy ??= { ...value })[name] = fitted
    }
    if (known === fields.size) return copy ?? value
    for (const { name } of required) if (!Object.hasOwn(value, name)) return invalidFields
    for (const { absent, name } of defaults) {
      if (!Object.hasOwn(value, name)) (copy ??= { ...value })[name] = absent?.value
    }
    return copy ?? value
  }
}

/** A record, and the paths of the optional values that did not fit: each is unknown now, or cut. */
export interface Corrected<A> {
  readonly record: A
  /** Without the places in lists, such as `details.variants.sku`; one for each value. */
  readonly invalidFields: ReadonlyArray<string>
}

export interface LenientOptions extends ArgumentDecoder.DecoderOptions {
  /** The values that must fit. */
  readonly decides?: "required" | "all"
}

const nothingUnfit: ReadonlyArray<string> = []

/**
 * As {@link make}, of a record whose optional values need not fit. A number becomes the text that is expected and the reverse, a text or a
 * list that is too long is cut, and any other value becomes unknown, an item of a list left out. Required values and the names of
 * fields decide about the record.
 */
export const lenient = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  { decides = "required", ...options }: LenientOptions = {}
): ((input: unknown) => Result.Result<Corrected<S["Type"]>, ReadonlyArray<ArgumentIssue>>) => {
  const fit = fitterOf(schema)
  const decode = ArgumentDecoder.decoder(schema, options)
  const place = placeOf(schema.ast)
  const isDecoded = (fitted: unknown): fitted is S["Type"] => fitted !== invalidFields
  return (input) => {
    const fitted = fit(input)
    if (isDecoded(fitted)) return Result.succeed({ record: fitted, invalidFields: nothingUnfit })
    const paths: Array<string> = []
    const corrected = decides === "all" ? invalidFields : correct(place, input, "", paths)
    return Result.map(decode(corrected === invalidFields ? input : corrected), (record) => ({
      record,
      invalidFields: paths
    }))
  }
}

/** What is known of a value: how it is decoded, and what is within it. */
interface Place {
  readonly fit: Fit
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
    fit: fitOf(ast, true),
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

/** The value, changed so that it fits, or {@link invalidFields}. Unknown names are kept: decoding reports them. */
const correct = (place: Place, value: unknown, path: string, paths: Array<string>): unknown => {
  if (place.fit(value) !== invalidFields) return value
  if (place.item !== undefined && Array.isArray(value)) return correctList(place, place.item, value, path, paths)
  if (place.fields !== undefined && Predicate.isObject(value)) return correctObject(place.fields, value, path, paths)
  const converted = convert(place.type, value)
  if (converted !== invalidFields && place.fit(converted) !== invalidFields) return converted
  if (typeof converted !== "string" || place.cutTo === undefined) return invalidFields
  const cut = Array.from(converted).slice(0, place.cutTo).join("").toWellFormed()
  if (place.fit(cut) === invalidFields) return invalidFields
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
    if (one !== invalidFields) return [one]
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
  const own: Array<string> = []
  // A field of a file may be called `__proto__`.
  const corrected = new Map<string, unknown>()
  for (const [name, inner] of Object.entries(value)) {
    const field = fields.get(name)
    const at = path === "" ? name : `${path}.${name}`
    const decides = field === undefined || (field.unknown === undefined && path === "")
    const one = decides ? inner : correct(field, inner, at, own)
    if (one !== invalidFields) corrected.set(name, one)
    else if (field?.unknown === undefined) {
      // It leaves out the whole of which it is a part.
      return invalidFields
    } else {
      own.push(at)
      if (field.unknown !== "left out") corrected.set(name, field.unknown.value)
    }
  }
  for (const [name, { unknown }] of fields)
    if (path !== "" && unknown === undefined && !corrected.has(name)) return invalidFields
  paths.push(...own)
  return Object.fromEntries(corrected)
}

const numeric = /^\s*\d{1,15}(?:\.\d{1,15})?\s*$/u

const convert = (type: Place["type"], value: unknown): unknown => {
  if (type === "text" && typeof value === "number") {
    return Number.isSafeInteger(value) || !Number.isInteger(value) ? String(value) : invalidFields
  }
  if (type === "number" && typeof value === "string") return numeric.test(value) ? Number(value) : invalidFields
  if (type === "flag" && typeof value === "string") {
    const word = value.trim().toLowerCase()
    return word === "true" ? true : word === "false" ? false : invalidFields
  }
  return value
}
