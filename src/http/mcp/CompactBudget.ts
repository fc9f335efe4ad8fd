/** Answers of searches within a budget of tokens, for compact answers (D69). */
import { cut } from "../../domain/catalog/ThirdPartyText.ts"
import * as CompactSlug from "./CompactSlug.ts"

/**
 * Tables with such a column have a budget: tokens for each row, and at least for ten rows, so that a client which asks for
 * few items reads whole texts. The estimate is within a tenth of o200k; the budgets leave room for it.
 */
const rowBudgets = [
  { column: "ad_text", tokens: 82 },
  { column: "title", tokens: 65 }
]
const leastRows = 10

/** What is cut when a table exceeds its budget, the longest texts first. */
const freeTexts: ReadonlySet<string> = new Set(["ad_text", "headline", "page_name", "title", "shop.name"])
/** No text is cut to fewer tokens. */
const leastTokens = 5
const rounds = 3
/** An excess that is not worth another round. */
const tolerance = 0.01

type Row = ReadonlyMap<string, unknown>
type Repeated = ReadonlyMap<string, string>

const space = 0x20
const tabulator = 0x09
const lineFeed = 0x0a

const isBetween = (unit: number, first: number, last: number): boolean => unit >= first && unit <= last

/** ASCII letters, and whatever is beyond Latin-1's signs. */
const isLetter = (unit: number): boolean => isBetween(unit | 0x20, 0x61, 0x7a) || unit >= 0xc0

const isSign = (unit: number): boolean => unit > space && !isLetter(unit) && !isBetween(unit, 0x30, 0x39)

/** Tokens for each UTF-16 unit of scripts other than Latin. */
const perUnit = (unit: number): number => {
  if (isBetween(unit, 0x4e00, 0x9fff)) return 1.2
  if (isBetween(unit, 0x3040, 0x30ff)) return 0.52
  if (isBetween(unit, 0x600, 0x6ff) || isBetween(unit, 0xe00, 0xe7f)) return 0.4
  return 0.96
}

/**
 * An estimate of the tokens of o200k, fitted to answers of the demo data by least squares: of nearly all tables of ten rows
 * within 6 percent. A word costs less after a space than after another sign, and more beyond four letters.
 */
const tokensOf = (text: string): number => {
  let tokens = 0
  let letters = 0
  let digits = 0
  let before = space
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (isLetter(unit)) {
      letters += 1
      digits = 0
      if (unit >= 0x250) tokens += perUnit(unit)
      else if (letters === 1) tokens += before === space ? 0.83 : 1.2
      else if (letters > 4) tokens += 0.24
      if (isBetween(unit, 0xc0, 0x24f)) tokens += 1.03
    } else if (unit >= 0x30 && unit <= 0x39) {
      letters = 0
      digits += 1
      if (digits % 3 === 1) tokens += 1.29
    } else {
      letters = 0
      digits = 0
      const next = text.charCodeAt(at + 1)
      // A sign before a word is part of its first token, and equal spaces or signs in a row are one.
      if (unit === lineFeed) tokens += 0.83
      else if (!isLetter(next)) {
        if (unit === space || unit === tabulator) tokens += next === unit ? 0 : 1.11
        else if (!isSign(before)) tokens += 0.39
      }
    }
    before = unit
  }
  return tokens
}

/** The table, with its longest texts cut to one line that ends with `…` where it exceeds its budget. */
export const withinBudget = (rows: ReadonlyArray<Row>, table: (rows: ReadonlyArray<Row>) => string): string => {
  const budget = rowBudgets.find(({ column }) => rows.some((row) => row.has(column)))
  let text = table(rows)
  if (budget === undefined) return text
  const most = budget.tokens * Math.max(leastRows, rows.length)
  let left = tokensOf(text) - most
  if (left <= most * tolerance) return text
  const repeated = rows.map(repeatedIn)
  const sizes = rows.flatMap((row, at) =>
    Array.from(row).flatMap(([column, value]) =>
      isFree(column, value) && repeated[at]?.get(column) !== value ? [tokensOf(value)] : []
    )
  )
  let excess = 0
  // A text that is in the table once for several columns saves less than its size, which the next round makes up for.
  for (let round = 0; round < rounds && left > most * tolerance; round++) {
    excess += left
    text = table(rows.map((row, at) => cutTo(row, repeated[at] ?? new Map(), mostTokens(sizes, excess))))
    left = tokensOf(text) - most
  }
  return text
}

const isFree = (column: string, value: unknown): value is string => typeof value === "string" && freeTexts.has(column)

const cutTo = (row: Row, repeated: Repeated, tokens: number): Row =>
  new Map(
    Array.from(row, ([column, value]) => [
      column,
      isFree(column, value) ? shortened(value, repeated.get(column), tokens) : value
    ])
  )

/** Names of a row by their column, as far as an address of it repeats them: to cut more of them saves nothing. */
const repeatedIn = (row: Row): Repeated =>
  new Map(
    Array.from(row).flatMap(([column, address]) => {
      const named = CompactSlug.nameOf(column)
      const name = named === undefined ? undefined : row.get(named)
      if (named === undefined || typeof name !== "string" || typeof address !== "string") return []
      const part = CompactSlug.repeated(name, address, column)
      return part === undefined ? [] : [[named, part] as const]
    })
  )

/** The size to cut the longest texts to, so that all of them together lose the excess. */
const mostTokens = (sizes: ReadonlyArray<number>, excess: number): number => {
  const sorted = sizes.toSorted((one, other) => other - one)
  let longest = -excess
  const count = sorted.findIndex((size, at) => {
    longest += size
    return longest >= (at + 1) * (sorted[at + 1] ?? 0)
  })
  return Math.max(leastTokens, longest / (count + 1))
}

const shortened = (text: string, repeated: string | undefined, most: number): string => {
  const tokens = repeated === text ? 0 : tokensOf(text)
  if (tokens <= most) return text
  if (repeated !== undefined) return `${repeated}…`
  const line = text.replaceAll(/\s+/gu, " ")
  return `${cut(line, Math.floor((Array.from(line).length * most) / tokens)).trimEnd()}…`
}
