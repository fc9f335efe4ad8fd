/**
 * A fast path for decoding millions of records. A schema decodes each value through a chain of effects, but most records
 * are valid and need only cleaning and a check. A record that fails here is decoded by the schema, which reports all
 * issues.
 */
import { Predicate, Result, SchemaAST } from "effect"
import type { Schema } from "effect"
import * as ArgumentDecoder from "../ArgumentDecoder.ts"
import type { ArgumentIssue } from "../ArgumentIssue.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      /** Cleans a field's raw value as its schema does when decoding; {@link unfit} if it cannot. */
      readonly tidy?: ((value: unknown) => unknown) | undefined
      /** The value of an absent field. */
      readonly absent?: { readonly value: unknown } | undefined
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

/** As {@link ArgumentDecoder.decoder}, with the same results. */
export const make = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  options: ArgumentDecoder.DecoderOptions = {}
): ((input: unknown) => Result.Result<S["Type"], ReadonlyArray<ArgumentIssue>>) => {
  const tidy = tidierOf(schema, options)
  const isRight = guardOf(schema)
  const decode = ArgumentDecoder.decoder(schema, options)
  return (input) => {
    const tidied = tidy(input)
    return isRight(tidied) ? Result.succeed(tidied) : decode(input)
  }
}

/**
 * As `Schema.is` of the decoded type, which builds an exit for each value and a copy of each object. `false` also where the type has
 * a part that is not known here.
 */
export const guardOf = <S extends Schema.Constraint>(schema: S): ((value: unknown) => value is S["Type"]) => {
  const fits = guard(SchemaAST.toType(schema.ast))
  return (value): value is S["Type"] => fits(value)
}

type Guard = (value: unknown) => boolean

const parseOptions: SchemaAST.ParseOptions = {}

const guard = (ast: SchemaAST.AST): Guard => {
  const fits = shapeGuard(ast)
  const filters = (ast.checks ?? []).flatMap(filtersOf)
  if (filters.length === 0) return fits
  return (value) => fits(value) && filters.every((filter) => filter.run(value, ast, parseOptions) === undefined)
}

const filtersOf = (check: SchemaAST.Check<unknown>): ReadonlyArray<SchemaAST.Filter<unknown>> =>
  check._tag === "Filter" ? [check] : check.checks.flatMap(filtersOf)

const shapeGuard = (ast: SchemaAST.AST): Guard => {
  switch (ast._tag) {
    case "Null":
      return (value) => value === null
    case "String":
      return Predicate.isString
    case "Number":
      return Predicate.isNumber
    case "Boolean":
      return Predicate.isBoolean
    case "Literal":
      return (value) => value === ast.literal
    case "Union": {
      const members = ast.types.map(guard)
      return (value) => members.some((fits) => fits(value))
    }
    case "Arrays": {
      const [item, ...others] = ast.rest.map(guard)
      if (item === undefined || others.length > 0 || ast.elements.length > 0) return () => false
      return (value) => Array.isArray(value) && value.every(item)
    }
    case "Objects": {
      if (ast.indexSignatures.length > 0) return () => false
      const fields = ast.propertySignatures.map(({ name, type }) => ({
        name: String(name),
        fits: guard(type),
        isOptional: SchemaAST.isOptional(type)
      }))
      return (value) =>
        Predicate.isObject(value) &&
        fields.every(({ fits, isOptional, name }) => (Object.hasOwn(value, name) ? fits(value[name]) : isOptional))
    }
    default:
      return () => false
  }
}

type Tidy = (value: unknown) => unknown

/** Converts a record to what its schema decodes it to, if the schema accepts it. */
export const tidierOf = (
  { ast }: Schema.ConstraintDecoder<unknown>,
  { unknownNames = "error" }: ArgumentDecoder.DecoderOptions = {}
): Tidy => tidier(ast, unknownNames === "error") ?? ((input) => input)

/** `undefined` if values are unchanged. */
const tidier = (ast: SchemaAST.AST, refusesUnknown: boolean): Tidy | undefined => {
  const { absent, tidy } = SchemaAST.resolve(ast) ?? {}
  // Its decoding is not known here.
  if (ast.encoding !== undefined && tidy === undefined && absent === undefined) return () => unfit
  const inner = innerTidier(ast, refusesUnknown)
  return inner === undefined || tidy === undefined ? (tidy ?? inner) : (value) => tidy(inner(value))
}

const innerTidier = (ast: SchemaAST.AST, refusesUnknown: boolean): Tidy | undefined => {
  switch (ast._tag) {
    case "Arrays": {
      const [item, ...others] = ast.rest.map((type) => tidier(type, refusesUnknown))
      if (others.length > 0 || ast.elements.length > 0) return () => unfit
      return item === undefined ? undefined : (value) => (Array.isArray(value) ? value.map(item) : value)
    }
    case "Objects":
      return objectTidier(ast, refusesUnknown)
    case "Union": {
      const [member, ...others] = ast.types.flatMap((type) => tidier(type, refusesUnknown) ?? [])
      return others.length > 0 ? () => unfit : member
    }
    default:
      return undefined
  }
}

const objectTidier = (ast: SchemaAST.Objects, refusesUnknown: boolean): Tidy => {
  const fields = ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    tidy: tidier(type, refusesUnknown),
    absent: SchemaAST.resolve(type)?.absent
  }))
  return (value) => {
    if (!Predicate.isObject(value)) return value
    const tidied: Record<string, unknown> = {}
    let known = 0
    for (const { absent, name, tidy } of fields) {
      if (Object.hasOwn(value, name)) {
        known++
        tidied[name] = tidy === undefined ? value[name] : tidy(value[name])
      } else if (absent !== undefined) {
        tidied[name] = absent.value
      }
    }
    return refusesUnknown && known < Object.keys(value).length ? unfit : tidied
  }
}
