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
    }
  }
}

/** A value that no schema accepts. */
const unfit = Symbol("unfit")

/** Cleans text; other values are unchanged. */
export const ofText =
  (tidy: (text: string) => unknown) =>
  (value: unknown): unknown =>
    typeof value === "string" ? tidy(value) : value

/** Returns the decoded value, or {@link unfit}: the schema must be asked. A value that needs no cleaning is not copied. */
type Fit = (value: unknown) => unknown

/** As {@link ArgumentDecoder.decoder}, with the same results. */
export const make = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S
): ((input: unknown) => Result.Result<S["Type"], ReadonlyArray<ArgumentIssue>>) => {
  const fit = fitterOf(schema)
  const decode = ArgumentDecoder.decoder(schema)
  const isDecoded = (fitted: unknown): fitted is S["Type"] => fitted !== unfit
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
  return (value): value is S["Type"] => fit(value) !== unfit
}

const never: Fit = () => unfit

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
    if (fitted === unfit || !passes(fitted)) return unfit
    for (const passes of others) if (!passes(fitted)) return unfit
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
      return (value) => (value === null ? value : unfit)
    case "String":
      return (value) => (typeof value === "string" ? value : unfit)
    case "Number":
      return (value) => (typeof value === "number" ? value : unfit)
    case "Boolean":
      return (value) => (typeof value === "boolean" ? value : unfit)
    case "Literal":
      return (value) => (value === ast.literal ? value : unfit)
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
      if (fitted !== unfit) return fitted
    }
    return unfit
  }
}

const plainTypes: ReadonlySet<SchemaAST.AST["_tag"]> = new Set(["Null", "String", "Number", "Boolean", "Literal"])

const isPlain = (ast: SchemaAST.AST): boolean =>
  plainTypes.has(ast._tag) && ast.encoding === undefined && SchemaAST.resolve(ast)?.tidy === undefined

const listFit =
  (fit: Fit): Fit =>
  (value) => {
    if (!Array.isArray(value)) return unfit
    const items: ReadonlyArray<unknown> = value
    let copy: Array<unknown> | undefined
    for (let at = 0; at < items.length; at++) {
      const item = items[at]
      const fitted = fit(item)
      if (fitted === unfit) return unfit
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
    if (!Predicate.isObject(value)) return unfit
    let copy: Record<string, unknown> | undefined
    let known = 0
    // `Object.keys` would make a list. Nothing that was parsed inherits a field.
    for (const name in value) {
      // Most fields are in the order of the schema.
      const next = signatures[known]
      const signature = next !== undefined && next.name === name ? next : fields.get(name)
      if (signature === undefined) {
        if (cleans) return unfit
        continue
      }
      known++
      const field = value[name]
      const fitted = signature.fit(field)
      if (fitted === unfit) return unfit
      if (fitted !== field) (copy ??= { ...value })[name] = fitted
    }
    if (known === fields.size) return copy ?? value
    for (const { name } of required) if (!Object.hasOwn(value, name)) return unfit
    for (const { absent, name } of defaults) {
      if (!Object.hasOwn(value, name)) (copy ??= { ...value })[name] = absent?.value
    }
    return copy ?? value
  }
}
