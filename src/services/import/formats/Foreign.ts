/** Reads values of third-party JSON and CSV. A value of an unexpected type is unknown, never an error. */
import { Predicate, Result } from "effect"
import * as BoundedJson from "../../../domain/BoundedJson.ts"
import { remembering } from "../../../domain/catalog/Remembering.ts"

export type Foreign = Readonly<Record<string, unknown>>

export const isForeign = (value: unknown): value is Foreign => Predicate.isObject(value) && !Array.isArray(value)

/** Parses JSON; `undefined` for other text, and for JSON with too much structure. */
export const parseAny = (text: string): unknown => Result.getOrUndefined(BoundedJson.parse(text, BoundedJson.ofFile))

/** Parses a JSON object; `undefined` for other text. */
export const parse = (text: string): Foreign | undefined => {
  const value = parseAny(text)
  return isForeign(value) ? value : undefined
}

/** The objects in the first lines of a text, one a line. */
export const recordsIn = (text: string, lines: number): ReadonlyArray<Foreign> =>
  text
    .split("\n", lines)
    .map((line) => parse(line))
    .filter((record) => record !== undefined)

/** A value that is there and cannot be read. */
export class Unread {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

const none: Foreign = {}

export const foreign = (value: unknown): Foreign => (isForeign(value) ? value : none)

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Trimmed text; blank text is unknown. Safe integers count as text, such as ids. */
export const text = (value: unknown): string | null => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : null
  if (typeof value !== "string") return null
  const trimmed = value.trim()
  return trimmed === "" ? null : trimmed
}

/** The places of a table's columns. `names` are the possible names of each in lower case, the best first. */
export const placesOf = <Column extends string>(
  header: ReadonlyArray<string>,
  names: Readonly<Record<Column, ReadonlyArray<string>>>
): Readonly<Partial<Record<Column, number>>> => {
  const lower = header.map((name) => name.trim().toLowerCase())
  const places: Partial<Record<Column, number>> = {}
  for (const column in names) {
    const at = names[column].map((name) => lower.indexOf(name)).find((at) => at >= 0)
    if (at !== undefined) places[column] = at
  }
  return places
}

/** The first value that is known. */
export const firstText = (...values: ReadonlyArray<unknown>): string | null => {
  for (const value of values) {
    const found = text(value)
    if (found !== null) return found
  }
  return null
}

/** A host with at least one point, and what may follow it. */
const withoutScheme =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,10}\p{L}{2,24}(?::\d{1,5})?(?:[/?#]\S*)?$/u

/** Adds `https:` to addresses that begin with `//`, and `https://` to those that begin with a host. */
export const address = (value: unknown): string | null => {
  const found = text(value)
  if (found === null) return null
  if (found.startsWith("//")) return `https:${found}`
  return withoutScheme.test(found) ? `https://${found}` : found
}

/** Splits a list at `separator`, else at the first of `:`, `|`, `;` and `,` that occurs. */
export const joined = (value: string | null, separator?: string): ReadonlyArray<string> => {
  if (value === null) return []
  const sign = separator ?? [":", "|", ";", ","].find((sign) => value.includes(sign)) ?? ":"
  return value
    .split(sign)
    .map((part) => part.trim())
    .filter((part) => part !== "")
}

/** The host of an address, whose scheme may be missing. */
export const host = (written: string): string =>
  written
    .replace(/^(?:https?:)?\/\//iu, "")
    .replace(/[/?#].*/su, "")
    .replace(/:\d*$/u, "")

const yes = new Set(["true", "yes", "1", "active"])
const no = new Set(["false", "no", "0", "inactive"])

export const flag = (value: unknown): boolean | null => {
  if (typeof value === "boolean") return value
  const word = text(value)?.toLowerCase() ?? ""
  return yes.has(word) ? true : no.has(word) ? false : null
}

const maxAmountCharacters = 100
const plainAmount = /^\d+(?:\.\d+)?$/u
/** A number as data frames and spreadsheets write it, such as `1.58095e+03` and `1,58E+03`, with or without a currency. */
export const powerOfTen = /^[^\d+.,-]*([+-]?\d+(?:[.,]\d+)?)e([+-]?\d{1,3})[^\d]*$/iu
/** An abbreviation before the digits whose point is not one of the number, such as `Rs.`, `kr.` and `S/.`. */
const abbreviation = /^[^\d+,-]*[\p{L}/]\./u

/**
 * Parses `1234.5`, `1,234.50`, `USD $1,234.56`, `1 234,50 €`, `Rs. 1,234`. The decimal separator is `decimalSign`, else the last of comma
 * and point if both occur, else a comma that occurs once and not before exactly three digits, else the point.
 */
export const amount = (value: unknown, decimalSign?: "," | "."): number | null => {
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  const found = text(value)
  // The regular expressions take quadratic time.
  if (found === null || found.length > maxAmountCharacters) return null
  // The usual form needs no further parsing.
  if (decimalSign !== "," && plainAmount.test(found)) return Number(found)
  const power = powerOfTen.exec(found)
  if (power !== null) return finite(Number(`${power[1]?.replace(",", ".")}e${power[2]}`))
  // `12.5K` is not 12.5.
  if (/\d\s?[kmb]$/iu.test(found)) return null
  // In accounting, an amount in brackets is negative. A dash in place of decimals follows their separator.
  const isNegative = /^[^\d()]*\([^()]*\)[^\d()]*$/u.test(found)
  const dashed = /^(.*\d)([.,])[-\u2013\u2014](?!\d)/su.exec(found)
  if (dashed !== null) return amountOf(`${dashed[1]}${dashed[2]}00`, dashed[2] === "," ? "," : ".", isNegative)
  return amountOf(found, decimalSign, isNegative)
}

/** Of the digits of an amount, with their separators. */
const amountOf = (found: string, decimalSign: "," | "." | undefined, isNegative: boolean): number | null => {
  const digits = /^[^\d+.,-]*([+-]?[\d.,\s'\u2019]*\d)[^\d]*$/u
    .exec(found.replace(abbreviation, ""))?.[1]
    ?.replaceAll(/[\s'\u2019]/gu, "")
  if (digits === undefined) return null
  const comma = digits.lastIndexOf(",")
  const point = digits.lastIndexOf(".")
  if (decimalSign === undefined && !isGrouped(digits)) return null
  const decimal =
    decimalSign ??
    (comma >= 0 && point >= 0
      ? comma > point
        ? ","
        : "."
      : comma >= 0
        ? isDecimal(digits, comma, ",")
          ? ","
          : "."
        : digits.indexOf(".") === point
          ? "."
          : ",")
  // A thousands separator never follows the decimal separator.
  if (
    decimalSign !== undefined &&
    digits.indexOf(decimalSign) >= 0 &&
    Math.max(comma, point) > digits.indexOf(decimalSign)
  )
    return null
  const plain = digits.replaceAll(decimal === "," ? "." : ",", "").replace(",", ".")
  const number = Number(plain)
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)$/u.test(plain) || !Number.isFinite(number)) return null
  return isNegative ? -number : number
}

/** Whether a separator that occurs more than once stands before groups of three digits, or of two before the last, as in India. */
const isGrouped = (digits: string): boolean => {
  for (const sign of [",", "."]) {
    const [whole = "", ...groups] = digits.replace(/^[+-]/u, "").split(sign)
    if (groups.length < 2) continue
    // Behind the last group, the other separator begins the decimals.
    const groupsOnly = groups.map((group) => group.replace(/[.,].*/su, ""))
    const last = groupsOnly.at(-1) ?? ""
    if (!/^\d{1,3}$/u.test(whole) || !/^\d{3}$/u.test(last)) return false
    const inner = groupsOnly.slice(0, -1)
    if (!inner.every((group) => /^\d{3}$/u.test(group)) && !inner.every((group) => /^\d{2}$/u.test(group))) return false
  }
  return true
}

const finite = (number: number): number | null => (Number.isFinite(number) ? number : null)

/** As {@link amount}, of a number that has no decimals: the point in `1.234` separates thousands. */
export const wholeAmount = (value: unknown, decimalSign?: "," | "."): number | null =>
  amount(value, decimalSign ?? (/^[+-]?\d{1,3}(?:\.\d{3})+$/u.test(text(value) ?? "") ? "," : undefined))

const isDecimal = (digits: string, at: number, sign: string) =>
  digits.indexOf(sign) === at && digits.length - at - 1 !== 3

/** As {@link text}; a number of seconds or of a day without the zeros or the fraction that data frames add, such as `1769904000.0`. */
export const wholeText = (value: unknown): string | null => text(value)?.replace(/^(\d{6,13})\.\d+$/u, "$1") ?? null

/** Converts a date to `YYYY-MM-DD`: with hyphens, slashes, points or none, or in seconds or milliseconds since 1970. */
export const day = (value: unknown): string | null => {
  const found = wholeText(typeof value === "number" ? String(value) : value)
  if (found === null) return null
  const iso =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/u.exec(found) ?? /^((?:19|20)\d{2})(\d{2})(\d{2})$/u.exec(found)
  if (iso !== null) return `${iso[1]}-${iso[2]?.padStart(2, "0")}-${iso[3]?.padStart(2, "0")}`
  if (!/^\d{9,13}$/u.test(found)) return null
  const time = Number(found)
  return new Date(found.length > 10 ? time : time * 1000).toISOString().slice(0, 10)
}

/** Deeper values are not read: no format has any, and a file may nest them until a recursion exhausts the stack. */
export const maxDepth = 12

/** Restores the objects and lists of a flattened record with names such as `a.b.0.c` and `a/b/0/c`. */
export const unflatten = (record: Foreign): Foreign => {
  if (!Object.keys(record).some((name) => /[./]/u.test(name))) return record
  const tree: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    if (value === "" || value === null) continue
    const path = name.split(/[./]/u)
    if (path.length > maxDepth || path.some((part) => part === "__proto__")) continue
    const last = path.pop() ?? ""
    let at: Record<string, unknown> = tree
    for (const part of path) {
      const next = at[part]
      // A group of names replaces a value of the same name.
      at = isGroup(next) ? next : (at[part] = {} as Record<string, unknown>)
    }
    at[last] = value
  }
  return foreign(withLists(tree, 0))
}

const isGroup = (value: unknown): value is Record<string, unknown> => isForeign(value)

const withLists = (value: unknown, depth: number): unknown => {
  if (!isForeign(value) || depth > maxDepth) return value
  const names = Object.keys(value)
  const inner = Object.fromEntries(names.map((name) => [name, withLists(value[name], depth + 1)]))
  return names.length > 0 && names.every((name) => /^\d{1,4}$/u.test(name))
    ? names.toSorted((a, b) => Number(a) - Number(b)).map((name) => inner[name])
    : inner
}

/** Converts names to snake case, so that `adArchiveID` and `ad_archive_id` are equal. */
export const snakeCase = (value: unknown): unknown => snakeCaseWithin(value, 0)

const snakeCaseWithin = (value: unknown, depth: number): unknown => {
  if (depth > maxDepth) return value
  if (Array.isArray(value)) return value.map((item) => snakeCaseWithin(item, depth + 1))
  if (!isForeign(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [inSnakeCase(name), snakeCaseWithin(inner, depth + 1)])
  )
}

const inSnakeCase = remembering((name) => name.replaceAll(/([a-z0-9])([A-Z]+)/gu, "$1_$2").toLowerCase())
