/**
 * Cuts arguments to what a schema accepts, before they are decoded (D24). Decoding visits every member of a list and
 * every name of an object and reports an issue for each, so thousands of them would be expensive.
 *
 * A cut argument was invalid and stays invalid: the schema refuses the cut text, and a list or an object that is too long
 * is reported here, as is a text with control characters. `null` counts as absent, except in a list, where removing it would shift the others.
 */
import type { Schema } from "effect"
import { Predicate, Result, SchemaAST } from "effect"
import * as BoundedJson from "./BoundedJson.ts"
import * as ControlCharacters from "./ControlCharacters.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      /** Of an object that clients also send as its text in JSON: an example, which a refusal shows. */
      readonly jsonText?: string | undefined
    }
  }
}

/** For texts without a bound: they have a closed vocabulary, or a format that is shorter. In UTF-16 units. */
const maxLength = 1_000

export interface Excess {
  readonly path: ReadonlyArray<string>
  readonly reason:
    | { readonly _tag: "UnknownName"; readonly known: ReadonlyArray<string> }
    | { readonly _tag: "TooMany"; readonly most: number }
    | { readonly _tag: "Control" }
    | { readonly _tag: "Repeated"; readonly name: string }
}

export interface Bounded {
  readonly args: Readonly<Record<string, unknown>>
  readonly excess: ReadonlyArray<Excess>
}

type Cut = (value: unknown, path: ReadonlyArray<string>, found: Array<Excess>) => unknown

/** In any one object, more than `maxUnknownNames` unknown names are not reported. */
export const make = (
  schema: Schema.Constraint,
  maxUnknownNames: number
): ((input: Readonly<Record<string, unknown>>) => Bounded) => {
  const ast = SchemaAST.toEncoded(schema.ast)
  if (!SchemaAST.isObjects(ast)) throw new TypeError("arguments are an object")
  const cut = object(ast, maxUnknownNames)
  return (input) => {
    const excess: Array<Excess> = []
    return { args: cut(input, [], excess), excess }
  }
}

const unchanged: Cut = (value) => value

/** The object that a text is in JSON; any other value stays what it is, for the schema to refuse. */
const objectOfText: Cut = (value, path, found) => {
  if (typeof value !== "string") return value
  const parsed = BoundedJson.parse(value)
  if (Result.isSuccess(parsed)) return Predicate.isObject(parsed.success) ? parsed.success : value
  if (typeof parsed.failure === "string") return value
  found.push({ path, reason: { _tag: "Repeated", name: parsed.failure.repeated } })
  return {}
}

const cutOf = (ast: SchemaAST.AST, maxUnknownNames: number): Cut => {
  if (SchemaAST.isObjects(ast)) {
    const cut = object(ast, maxUnknownNames)
    const read = ast.annotations?.["jsonText"] === undefined ? unchanged : objectOfText
    return (sent, path, found) => {
      const value = read(sent, path, found)
      return Predicate.isObject(value) ? cut(value, path, found) : value
    }
  }
  if (SchemaAST.isArrays(ast)) return array(ast, maxUnknownNames)
  if (SchemaAST.isUnion(ast)) {
    const members = Array.from(new Set(ast.types.map((type) => cutOf(type, maxUnknownNames))))
    return (value, path, found) => members.reduce((left, member) => member(left, path, found), value)
  }
  if (SchemaAST.isLiteral(ast)) return literal
  if (!SchemaAST.isString(ast)) return unchanged
  const most = bound(ast.checks, "maxCodePoints")
  // Cut to this many units, the text is still at least one character too long.
  return text(most === undefined ? maxLength : 2 * most + 1)
}

const text =
  (longest: number): Cut =>
  (value, path, found) => {
    if (typeof value !== "string") return value
    if (value.length > longest) return value.slice(0, longest)
    if (ControlCharacters.isIn(value)) found.push({ path, reason: { _tag: "Control" } })
    return value
  }

const literal = text(maxLength)

const object = (ast: SchemaAST.Objects, maxUnknownNames: number) => {
  const cuts = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), cutOf(type, maxUnknownNames)]))
  const known = Array.from(cuts.keys())
  return (value: Readonly<Record<string, unknown>>, path: ReadonlyArray<string>, found: Array<Excess>) => {
    const kept: Record<string, unknown> = {}
    let unknown = 0
    for (const name of Object.keys(value)) {
      if (cuts.has(name)) continue
      if (unknown++ === maxUnknownNames) break
      found.push({ path: [...path, name], reason: { _tag: "UnknownName", known } })
    }
    // After the loop, because names after too many unknown ones count too.
    for (const [name, cut] of cuts) {
      const own = Object.hasOwn(value, name) ? value[name] : undefined
      if (own !== undefined && own !== null) kept[name] = cut(own, [...path, name], found)
    }
    return kept
  }
}

const array = (ast: SchemaAST.Arrays, maxUnknownNames: number): Cut => {
  const [rest] = ast.rest
  const cut = rest === undefined ? unchanged : cutOf(rest, maxUnknownNames)
  const most = bound(ast.checks, "maxLength")
  return (value, path, found) => {
    if (!Array.isArray(value)) return value
    if (most !== undefined && value.length > most) {
      found.push({ path, reason: { _tag: "TooMany", most } })
      return []
    }
    return value.map((member: unknown, index) => cut(member, [...path, String(index)], found))
  }
}

/** The bound of one of Effect's checks, by its name in the check's representation. */
const bound = (checks: SchemaAST.Checks | undefined, name: "maxCodePoints" | "maxLength"): number | undefined => {
  for (const check of checks ?? []) {
    if (check._tag === "FilterGroup") {
      const inner = bound(check.checks, name)
      if (inner !== undefined) return inner
      continue
    }
    const payload: unknown = check.annotations?.representation?.payload
    const value = Predicate.isObject(payload) ? (payload[name] ?? payload["maximum"]) : undefined
    if (typeof value === "number") return value
  }
  return undefined
}
