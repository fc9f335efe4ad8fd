/**
 * A fast path for decoding millions of records. A schema decodes each value through a chain of effects, but most records
 * are valid: one pass cleans and checks them, and copies only what it changes. A record that fails here is decoded by the
 * schema, which reports all issues.
 */
import { Predicate, Result, SchemaAST } from "effect"
import type { Schema } from "effect"
import * as ArgumentDecoder from "../ArgumentDecoder.ts"
import type { ArgumentIssue } from "../ArgumentIssue.ts"

/** A value that no schema accepts. */
export const invalid = Symbol("invalid")

/** Returns the decoded value, or {@link invalid}: the schema must be asked. A value that needs no cleaning is not copied. */
export type Decode = (value: unknown) => unknown

/** As {@link ArgumentDecoder.decoder}, with the same results. */
export const make = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S
): ((input: unknown) => Result.Result<S["Type"], ReadonlyArray<ArgumentIssue>>) => {
  const decode = fastDecoderOf(schema)
  const decodeBySchema = ArgumentDecoder.decoder(schema)
  const isValid = (decoded: unknown): decoded is S["Type"] => decoded !== invalid
  return (input) => {
    const decoded = decode(input)
    return isValid(decoded) ? Result.succeed(decoded) : decodeBySchema(input)
  }
}

/** Decodes what the schema accepts. */
export const fastDecoderOf = ({ ast }: Schema.ConstraintDecoder<unknown>): Decode => decodeOf(ast, true)

/**
 * As `Schema.is` of the decoded type, which builds an exit for each value and a copy of each object. `false` also where the type has
 * a part that is not known here.
 */
export const guardOf = <S extends Schema.Constraint>(schema: S): ((value: unknown) => value is S["Type"]) => {
  const decode = decodeOf(SchemaAST.toType(schema.ast), false)
  return (value): value is S["Type"] => decode(value) !== invalid
}

const never: Decode = () => invalid

const parseOptions: SchemaAST.ParseOptions = {}

/** `isDecoding`: whether values are decoded; otherwise they are only checked. */
export const decodeOf = (ast: SchemaAST.AST, isDecoding: boolean): Decode => {
  const { absent, clean } = (isDecoding ? SchemaAST.resolve(ast) : undefined) ?? {}
  // Its decoding is not known here.
  if (ast.encoding !== undefined && clean === undefined && absent === undefined) return never
  const shape = shapeOf(ast, isDecoding)
  const decode: Decode =
    clean === undefined
      ? shape
      : ast._tag === "Arrays"
        ? (value) => clean(shape(value))
        : (value) => shape(clean(value))
  const type = SchemaAST.toType(ast)
  const [passes, ...others] = (type.checks ?? []).flatMap((check) => checksOf(check, type))
  if (passes === undefined) return decode
  return (value) => {
    const decoded = decode(value)
    if (decoded === invalid || !passes(decoded)) return invalid
    for (const passes of others) if (!passes(decoded)) return invalid
    return decoded
  }
}

const checksOf = (check: SchemaAST.Check<unknown>, type: SchemaAST.AST): ReadonlyArray<(value: unknown) => boolean> =>
  check._tag === "Filter"
    ? [check.annotations?.passes ?? ((value) => check.run(value, type, parseOptions) === undefined)]
    : check.checks.flatMap((inner) => checksOf(inner, type))

const shapeOf = (ast: SchemaAST.AST, isDecoding: boolean): Decode => {
  switch (ast._tag) {
    case "Null":
      return (value) => (value === null ? value : invalid)
    case "String":
      return (value) => (typeof value === "string" ? value : invalid)
    case "Number":
      return (value) => (typeof value === "number" ? value : invalid)
    case "Boolean":
      return (value) => (typeof value === "boolean" ? value : invalid)
    case "Literal":
      return (value) => (value === ast.literal ? value : invalid)
    case "Union":
      return unionOf(ast, isDecoding)
    case "Arrays": {
      const [item, ...others] = ast.rest
      return item === undefined || others.length > 0 || ast.elements.length > 0
        ? never
        : listOf(decodeOf(item, isDecoding))
    }
    case "Objects":
      return ast.indexSignatures.length > 0 ? never : objectOf(ast, isDecoding)
    default:
      return never
  }
}

/** The first member that accepts a value decodes it. That is known here if at most one member is more than a plain type. */
const unionOf = ({ types }: SchemaAST.Union, isDecoding: boolean): Decode => {
  if (isDecoding && types.filter((type) => !isPlain(type)).length > 1) return never
  const members = types.map((type) => decodeOf(type, isDecoding))
  const [member, other] = types
  if (types.length === 2 && member !== undefined && other?._tag === "Null" && isPlain(other)) {
    const decode = decodeOf(member, isDecoding)
    return (value) => (value === null ? null : decode(value))
  }
  return (value) => {
    for (const decode of members) {
      const decoded = decode(value)
      if (decoded !== invalid) return decoded
    }
    return invalid
  }
}

const plainTypes: ReadonlySet<SchemaAST.AST["_tag"]> = new Set(["Null", "String", "Number", "Boolean", "Literal"])

const isPlain = (ast: SchemaAST.AST): boolean =>
  plainTypes.has(ast._tag) && ast.encoding === undefined && SchemaAST.resolve(ast)?.clean === undefined

const listOf =
  (decode: Decode): Decode =>
  (value) => {
    if (!Array.isArray(value)) return invalid
    const items: ReadonlyArray<unknown> = value
    let copy: Array<unknown> | undefined
    for (let at = 0; at < items.length; at++) {
      const item = items[at]
      const decoded = decode(item)
      if (decoded === invalid) return invalid
      if (decoded !== item) (copy ??= items.slice())[at] = decoded
    }
    return copy ?? items
  }

/** Decoding refuses unknown fields; checking ignores them. */
const objectOf = (ast: SchemaAST.Objects, isDecoding: boolean): Decode => {
  const signatures = ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    decode: decodeOf(type, isDecoding),
    absent: isDecoding ? SchemaAST.resolve(type)?.absent : undefined,
    isOptional: SchemaAST.isOptional(SchemaAST.toType(type))
  }))
  const fields = new Map(signatures.map((signature) => [signature.name, signature]))
  const required = signatures.filter(({ absent, isOptional }) => absent === undefined && !isOptional)
  const defaults = signatures.filter(({ absent }) => absent !== undefined)
  return (value) => {
    if (!Predicate.isObject(value)) return invalid
    let copy: Record<string, unknown> | undefined
    let known = 0
    // `Object.keys` would make a list. Nothing that was parsed inherits a field.
    for (const name in value) {
      // Most fields are in the order of the schema.
      const next = signatures[known]
      const signature = next !== undefined && next.name === name ? next : fields.get(name)
      if (signature === undefined) {
        if (isDecoding) return invalid
        continue
      }
      known++
      const field = value[name]
      const decoded = signature.decode(field)
      if (decoded === invalid) return invalid
      if (decoded !== field) (copy ??= { ...value })[name] = decoded
    }
    if (known === fields.size) return copy ?? value
    for (const { name } of required) if (!Object.hasOwn(value, name)) return invalid
    for (const { absent, name } of defaults) {
      if (!Object.hasOwn(value, name)) (copy ??= { ...value })[name] = absent?.value
    }
    return copy ?? value
  }
}
