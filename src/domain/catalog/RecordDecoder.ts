/**
 * Decodes records by the million. A schema decodes each value through a chain of effects; most records are right, and need only be
 * tidied and looked at. What is found wrong so is decoded by the schema, which tells all that is wrong.
 */
import { Predicate, Result, Schema, SchemaAST } from "effect"
import * as ArgumentDecoder from "../ArgumentDecoder.ts"
import type { ArgumentIssue } from "../ArgumentIssue.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      /** Makes the value of a field of what stands in a file, as the decoding of its schema does; {@link unfit} where it cannot. */
      readonly tidy?: ((value: unknown) => unknown) | undefined
      /** What a field is when it is not there. */
      readonly absent?: { readonly value: unknown } | undefined
    }
  }
}

/** No schema takes it. */
const unfit = Symbol("unfit")

/** Tidies text, and leaves alone what is none. */
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
  const isRight = Schema.is(Schema.toType(schema))
  const decode = ArgumentDecoder.decoder(schema, options)
  return (input) => {
    const tidied = tidy(input)
    return isRight(tidied) ? Result.succeed(tidied) : decode(input)
  }
}

type Tidy = (value: unknown) => unknown

/** Makes of a record what its schema decodes it to, if that takes it at all. */
export const tidierOf = (
  { ast }: Schema.ConstraintDecoder<unknown>,
  { unknownNames = "error" }: ArgumentDecoder.DecoderOptions = {}
): Tidy => tidier(ast, unknownNames === "error") ?? ((input) => input)

/** None where values stay as they are. */
const tidier = (ast: SchemaAST.AST, refusesUnknown: boolean): Tidy | undefined => {
  const { absent, tidy } = SchemaAST.resolve(ast) ?? {}
  // It is decoded in a way that is not known here.
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
