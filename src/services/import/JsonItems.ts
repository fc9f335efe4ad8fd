/** Cuts the bytes of one JSON document into the items of the list that it holds. Holds one item at most. */
import { JSONParser } from "@streamparser/json"

/** Deeper than any list of records stands. */
const maxDepth = 12

/** How many characters one item may have. */
const maxItemBytes = 16_777_216

export class JsonItems {
  readonly #parser: JSONParser
  #items: Array<unknown> = []
  #problem: string | undefined
  #bytesOfItem = 0

  /** `path`: where the items stand, such as `$.products.*`. */
  constructor(path: string) {
    // What was taken is let go.
    this.#parser = new JSONParser({ paths: [path], keepStack: false })
    this.#parser.onValue = ({ value }) => {
      this.#items.push(value)
      this.#bytesOfItem = 0
    }
    this.#parser.onError = (error) => {
      this.#problem ??= `is not JSON from here on (${error.message.slice(0, 200)})`
    }
  }

  /** Why the rest of the input holds no item, if it does not. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** The items that end in these bytes. */
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

/** Told of every value of a document, inner ones before those that hold them. The document may be cut. */
const walk = (head: string, onValue: (place: Place) => void): void => {
  const parser = new JSONParser()
  parser.onValue = (place) => {
    if (place.stack.length <= maxDepth) onValue(place)
  }
  // It is cut.
  parser.onError = () => {}
  try {
    parser.write(head)
  } catch {
    // What was told stands.
  }
}

const pathOf = ({ key, stack }: Place): string => {
  const names = [...stack.slice(1).map((level) => level.key), ...(stack.length === 0 ? [] : [key])]
  return ["$", ...names.map((name) => (typeof name === "number" ? "*" : String(name)))].join(".")
}

/** The first value of a document that `isItem` takes, and where its like stand. */
export const firstItem = (head: string, isItem: (value: unknown) => boolean): FirstItem | undefined => {
  let found: FirstItem | undefined
  walk(head, (place) => {
    const { value } = place
    if (found === undefined && typeof value === "object" && isItem(value)) found = { path: pathOf(place), item: value }
  })
  return found
}

/** Where the objects of a list stand; of several lists that one that is in no other. */
export const listIn = (head: string): string | undefined => {
  let best: { readonly path: string; readonly depth: number } | undefined
  walk(head, (place) => {
    const { key, stack, value } = place
    const isItem = typeof key === "number" && typeof value === "object" && value !== null && !Array.isArray(value)
    if (isItem && stack.length < (best?.depth ?? Infinity)) best = { path: pathOf(place), depth: stack.length }
  })
  return best?.path
}
