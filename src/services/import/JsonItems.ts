/** Splits one JSON document into the items of its list. Buffers at most one item. */
import { JSONParser, TokenType } from "@streamparser/json"
import type { Tokenizer } from "@streamparser/json"
import * as BoundedJson from "../../domain/BoundedJson.ts"

/** Deeper values are ignored: no list of records is nested more deeply. */
const maxDepth = 12

/** The largest size of one item. */
const maxItemBytes = 16_777_216
/** Values of an item, with those before it that belong to none. The largest products have 100,000. */
const maxItemValues = 1_000_000

type Token = Parameters<Tokenizer["onToken"]>[0]

const expected: Readonly<Record<string, string>> = {
  VALUE: "a value",
  KEY: "a name in quotation marks",
  COLON: "a colon",
  COMMA: "a comma or a closing bracket"
}

/** What other notations have, by its first sign. */
const beginsOther: Readonly<Record<string, string>> = {
  N: ", where NaN or None begins: write null",
  I: ", where Infinity begins: write null",
  T: ", where True begins: write true",
  F: ", where False begins: write false",
  u: ", where undefined begins: write null",
  "'": ", where a string in single quotes begins: write double quotes"
}

/** The parser's message quotes strings of the file, which may be access tokens: only the position or the expected sign is kept. */
const hintOf = (message: string): string => {
  const [, found = "", position] = /^Unexpected "(.)" at [^(]*\(absolute position "(\d+)"\)/su.exec(message) ?? []
  if (position !== undefined) return `: see byte ${Number(position) + 1}${beginsOther[found] ?? ""}`
  const sign = expected[/ in state ([A-Z]+)$/u.exec(message)?.[1] ?? ""]
  return sign === undefined ? "" : `: ${sign} is expected`
}

/** Levels and values take more memory than their bytes: lists within lists, of a few kilobytes when packed, gigabytes. */
class Structure {
  #depth = 0
  #values = 0
  #problem: string | undefined

  get problem(): string | undefined {
    return this.#problem
  }

  /** The values so far count no more. */
  forget(): void {
    this.#values = 0
  }

  /** Throws if there is too much; the parser then ends. */
  take({ token }: Token): void {
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.#depth--
    else if (token !== TokenType.COLON && token !== TokenType.COMMA) this.#values++
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.#depth++
    if (this.#depth > BoundedJson.maxDepth) this.#end(`is nested more deeply than ${BoundedJson.maxDepth} levels`)
    if (this.#values > maxItemValues) this.#end(`an item has more than ${maxItemValues} names and values`)
  }

  #end(problem: string): void {
    this.#problem ??= problem
    throw new Error(problem)
  }
}

export class JsonItems {
  readonly #parser: JSONParser
  readonly #structure = new Structure()
  #items: Array<unknown> = []
  #problem: string | undefined
  #bytesOfItem = 0

  /** `path`: the path of the items, such as `$.products.*`, or of all items of lists at a depth, such as `$.*.*`. */
  constructor(path: string) {
    // Items that were returned are not kept in memory.
    this.#parser = new JSONParser({ paths: [path], keepStack: false })
    this.#parser.onToken = (token) => this.#structure.take(token)
    const isOfAnyList = isOfLists(path)
    this.#parser.onValue = ({ key, value }) => {
      if (!isOfAnyList || typeof key === "number") this.#items.push(value)
      this.#bytesOfItem = 0
      this.#structure.forget()
    }
    this.#parser.onError = (error) => {
      this.#problem ??= this.#structure.problem ?? `is not JSON from here on${hintOf(error.message)}`
    }
  }

  /** Why the rest of the input cannot be parsed, if it cannot. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Returns the items that end in these bytes. */
  push(bytes: Uint8Array): ReadonlyArray<unknown> {
    if (this.#problem !== undefined || this.#parser.isEnded) return []
    this.#items = []
    this.#bytesOfItem += bytes.length
    this.#parser.write(bytes)
    if (this.#items.length === 0 && this.#bytesOfItem > maxItemBytes) {
      this.#problem ??= `an item is longer than ${maxItemBytes} bytes`
    }
    return this.#items
  }

  end(): void {
    if (!this.#parser.isEnded) this.#problem ??= "the input ends in the middle of the document"
  }
}

export interface FirstItem {
  readonly path: string
  readonly item: unknown
}

type Place = Parameters<JSONParser["onValue"]>[0]

/** Whether a path can have the name: its names are separated by points. */
const isInPaths = (name: unknown): boolean => typeof name !== "string" || (name !== "" && !name.includes("."))

/** Calls `onValue` for every value that `hasPath`, inner values first. The document may be truncated. */
const walk = (head: string, onValue: (place: Place) => void, hasPath = isInPaths): void => {
  const parser = new JSONParser()
  const structure = new Structure()
  parser.onToken = (token) => structure.take(token)
  parser.onValue = (place) => {
    const { key, stack } = place
    if (stack.length <= maxDepth && hasPath(key) && stack.every((level) => hasPath(level.key))) onValue(place)
  }
  // A document that is truncated or has too much ends in an error.
  parser.onError = () => {}
  try {
    parser.write(head)
  } catch {
    // Values before the error have been reported.
  }
}

const pathOf = ({ key, stack }: Place): string => {
  const names = [...stack.slice(1).map((level) => level.key), ...(stack.length === 0 ? [] : [key])]
  return ["$", ...names.map((name) => (typeof name === "number" ? "*" : String(name)))].join(".")
}

/** The first value that `isItem` accepts, and the path of it and its siblings. */
export const firstItem = (head: string, isItem: (value: unknown) => boolean): FirstItem | undefined => {
  let found: FirstItem | undefined
  walk(head, (place) => {
    const { value } = place
    if (found === undefined && typeof value === "object" && isItem(value)) found = { path: pathOf(place), item: value }
  })
  return found
}

/** The part of the path of a value that matches first. The value may be within an item that is cut off. */
export const firstPath = (head: string, path: RegExp): string | undefined => {
  let found: string | undefined
  walk(head, (place) => {
    found ??= path.exec(pathOf(place))?.[0]
  })
  return found
}

/** A list of objects in a document, and its first items. */
export interface FoundList {
  /** Its path and that of lists beside it, as in `$.*.*`. */
  readonly path: string
  readonly items: ReadonlyArray<object>
}

const listsAt = (depth: number): string => `$${".*".repeat(depth)}`

/** Whether a path is that of lists at a depth, whatever the names above them. */
export const isOfLists = (path: string): boolean => /^\$(?:\.\*)+$/u.test(path)

/** More items would not show more. */
const shownItems = 100

/** The lists of objects at each depth, those that are nested least first. A document that is an object is the last one. */
export const listsIn = (head: string): ReadonlyArray<FoundList> => {
  const byDepth = new Map<number, Array<object>>()
  let whole: object | undefined
  const take = ({ key, stack, value }: Place) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return
    if (stack.length === 0) whole = value
    if (typeof key !== "number") return
    const items = byDepth.getOrInsert(stack.length, [])
    if (items.length < shownItems) items.push(value)
  }
  walk(head, take, () => true)
  const lists = Array.from(byDepth)
    .toSorted(([a], [b]) => a - b)
    .map(([depth, items]) => ({ path: listsAt(depth), items }))
  return whole === undefined ? lists : [...lists, { path: "$", items: [whole] }]
}
