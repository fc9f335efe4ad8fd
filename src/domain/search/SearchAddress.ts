/**
 * The arguments of a search as the query of a URL, such as `countries=US&countries=DE&monthly_revenue.min=1000&page=2`,
 * and back (D48). Both directions follow the schema, so that a new argument needs no code here.
 *
 * - An array repeats its name. Line breaks separate entries, as a text field of several lines sends them, and blanks
 *   around an entry are ignored.
 * - A range is `name.min` and `name.max`, a date range `name.from` and `name.to`.
 * - Empty values of arguments are ignored: forms send all their fields.
 * - A niche of digits is an id. The name of a niche that looks like an id or begins with a quotation mark is quoted:
 *   `niches="1984"`.
 *
 * Invalid values are kept for the schema to report: `page=two` is the text `two`, a repeated single value is an array,
 * and an unknown name is kept.
 */
import type { Schema } from "effect"
import { SchemaAST } from "effect"
import * as Arguments from "./Arguments.ts"
import * as Page from "./Page.ts"

/** How an argument is written in a URL. */
export type Kind =
  | { readonly _tag: "Text" | "Number" | "Flag" }
  /** One value of a closed vocabulary. */
  | { readonly _tag: "Choice"; readonly values: ReadonlyArray<string> }
  /** Several values of a closed vocabulary, names, ids, or names and ids. */
  | { readonly _tag: "List"; readonly values: ReadonlyArray<string> | undefined; readonly hasIds: boolean }
  /** `min` and `max`, or `from` and `to`. */
  | { readonly _tag: "Parts"; readonly parts: Readonly<Record<string, "Text" | "Number">> }

type Arguments = Readonly<Record<string, unknown>>

/** Names and values in their order. */
export type Pairs = ReadonlyArray<readonly [name: string, value: string]>

export interface SearchAddress {
  /** By argument, in the order of the schema. */
  readonly kinds: ReadonlyMap<string, Kind>
  /** Without the empty values of arguments. */
  readonly withoutEmpty: (pairs: Pairs) => Pairs
  /** Accepts any query; the schema decodes the result. */
  readonly toArguments: (pairs: Pairs) => Arguments
  /** Valid arguments without defaults, empty filters and repeated entries. */
  readonly canonical: (args: object) => Arguments
  /** Takes canonical arguments. */
  readonly toPairs: (args: Arguments) => Pairs
  /** Takes canonical arguments; the query without its question mark. */
  readonly toAddress: (args: Arguments) => string
}

type Defaults = Readonly<Record<string, string | number | boolean>>

/** Arguments with these values are left out. */
const searchDefaults: Defaults = {
  ...Arguments.defaults,
  page: Page.window({}).page,
  per_page: Page.window({}).perPage
}

/** The defaults of addresses whose pages have this many results. */
export const defaultsOf = (perPage: number): Defaults => ({ ...searchDefaults, per_page: perPage })

export const make = (schema: Schema.Constraint, defaults: Defaults = searchDefaults): SearchAddress => {
  const kinds = kindsOf(SchemaAST.toEncoded(schema.ast))

  const canonical: SearchAddress["canonical"] = (args) => {
    const values: Arguments = { ...args }
    return Object.fromEntries(
      Array.from(kinds.keys()).flatMap((name) => {
        const value = meant(values[name])
        return value === undefined || value === defaults[name] ? [] : [[name, value]]
      })
    )
  }

  const toPairs: SearchAddress["toPairs"] = (args) =>
    Array.from(kinds).flatMap(([name, kind]) => {
      const value = args[name]
      if (value === undefined) return []
      if (Array.isArray(value)) return value.map((entry: unknown) => [name, written(entry, kind)] as const)
      return typeof value === "object" && value !== null
        ? Object.entries(value).map(([part, bound]) => [`${name}.${part}`, String(bound)] as const)
        : [[name, written(value, kind)] as const]
    })

  return {
    kinds,
    withoutEmpty: (pairs) => withoutEmpty(kinds, pairs),
    toArguments: (pairs) => read(kinds, pairs),
    canonical,
    toPairs,
    toAddress: (args) => toQuery(toPairs(args))
  }
}

/** Parses a query without its question mark. */
export const parse = (query: string): Pairs => Array.from(new URLSearchParams(query))

export const toQuery = (pairs: Pairs): string =>
  new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()

/** An entry as a form field holds it. */
export const written = (entry: unknown, kind: Kind): string =>
  typeof entry === "string" && kind._tag === "List" && kind.hasIds && /^(?:\d+$|")/u.test(entry)
    ? `"${entry}"`
    : String(entry)

const kindsOf = (ast: SchemaAST.AST): ReadonlyMap<string, Kind> => {
  if (!SchemaAST.isObjects(ast)) throw new TypeError("a search's arguments are an object")
  return new Map(ast.propertySignatures.map(({ name, type }) => [String(name), kindOf(String(name), type)]))
}

const kindOf = (name: string, ast: SchemaAST.AST): Kind => {
  const values = literals(ast)
  if (values !== undefined) return { _tag: "Choice", values }
  if (SchemaAST.isString(ast)) return { _tag: "Text" }
  if (SchemaAST.isNumber(ast)) return { _tag: "Number" }
  if (SchemaAST.isBoolean(ast)) return { _tag: "Flag" }
  const entry = SchemaAST.isArrays(ast) ? ast.rest[0] : undefined
  if (entry !== undefined) {
    const hasIds = SchemaAST.isNumber(entry) || (SchemaAST.isUnion(entry) && entry.types.some(SchemaAST.isNumber))
    return { _tag: "List", values: literals(entry), hasIds }
  }
  if (SchemaAST.isObjects(ast)) {
    const parts = ast.propertySignatures.map(
      (part) => [String(part.name), SchemaAST.isNumber(part.type) ? "Number" : "Text"] as const
    )
    return { _tag: "Parts", parts: Object.fromEntries(parts) }
  }
  throw new TypeError(`no address can hold the argument ${name}`)
}

const literals = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined =>
  SchemaAST.isUnion(ast) && ast.types.every(SchemaAST.isLiteral)
    ? ast.types.map((type) => String(type.literal))
    : undefined

/** An empty value of a name that no argument has is kept, so that the name is reported. */
const withoutEmpty = (kinds: ReadonlyMap<string, Kind>, pairs: Pairs): Pairs => {
  const isKnown = (name: string) => {
    const [whole = "", part = ""] = splitAt(name, name.indexOf("."))
    const parent = kinds.get(whole)
    return kinds.has(name) || (parent?._tag === "Parts" && Object.hasOwn(parent.parts, part))
  }
  return pairs.filter(([name, value]) => value !== "" || !isKnown(name))
}

const read = (kinds: ReadonlyMap<string, Kind>, pairs: Pairs): Arguments => {
  const texts = Map.groupBy(withoutEmpty(kinds, pairs), ([name]) => name)
  const args = new Map<string, unknown>()
  const parts = new Map<string, Map<string, unknown>>()
  for (const [name, found] of texts) {
    const values = found.map(([, value]) => value)
    const kind = kinds.get(name)
    const [whole = "", part = ""] = splitAt(name, name.indexOf("."))
    const parent = kinds.get(whole)
    if (kind === undefined && parent?._tag === "Parts" && part !== "") {
      const siblings = parts.getOrInsertComputed(whole, () => new Map())
      siblings.set(part, single(values, Object.hasOwn(parent.parts, part) ? parent.parts[part] : undefined))
      if (!args.has(whole)) args.set(whole, siblings)
    } else if (kind?._tag === "List") {
      const entries = values.flatMap((value) => value.split(/[\r\n]+/u)).map((entry) => entry.trim())
      const written = entries.filter((entry) => entry !== "")
      args.set(name, kind.hasIds ? written.map(reference) : written)
    } else {
      args.set(name, single(values, kind?._tag))
    }
  }
  return Object.fromEntries(
    Array.from(args, ([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value])
  )
}

const splitAt = (text: string, index: number): ReadonlyArray<string> =>
  index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)]

/** Repetitions of one value count once. */
const single = (values: ReadonlyArray<string>, kind: string | undefined): unknown => {
  const [value = "", ...others] = new Set(values)
  if (others.length > 0) return [value, ...others]
  if (kind === "Number") return number(value)
  if (kind === "Flag") return value === "true" || (value === "false" ? false : value)
  return value
}

/** The pattern is unambiguous, so that a long row of digits takes linear time. */
const number = (text: string): number | string =>
  /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/iu.test(text) ? Number(text) : text

const reference = (text: string): number | string => {
  if (/^\d+$/u.test(text)) return Number(text)
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
}

/** `undefined` for an empty filter. */
const meant = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const entries = new Set(value.map((entry: unknown) => (typeof entry === "string" ? entry.trim() : entry)))
    entries.delete("")
    return entries.size === 0 ? undefined : Array.from(entries)
  }
  if (typeof value !== "object" || value === null) return value
  const bounds = Object.entries(value).filter(([, bound]) => bound !== undefined)
  // Negative zero is written as zero.
  return bounds.length === 0
    ? undefined
    : Object.fromEntries(bounds.map(([part, bound]) => [part, Object.is(bound, -0) ? 0 : bound]))
}
