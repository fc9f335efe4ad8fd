/**
 * Finds the names of a vocabulary that match a query, best first. Names are folded once, when the index is built. A
 * query compares only names that share its rarest prefix, and a bounded number of them.
 */
import { Effect } from "effect"
import { queryWords } from "./SearchText.ts"

export interface Named {
  readonly id: number
  readonly name: string
  readonly parent: string | null
  readonly stores: number
}

export interface NameIndex<A extends Named> {
  /**
   * Exact matches first, then names that begin with the query, names with words that begin with its words, names that
   * contain its words, and names whose parent matches; within each group by number of stores, then by name. Without
   * words, all names by number of stores.
   */
  best(query: string | undefined, limit: number): ReadonlyArray<A>
}

/** Names that one query is compared with, at most; those with most stores come first. */
export const maxComparisons = 20_000

/** Longest prefix that is indexed, in UTF-16 units. */
const maxBeginning = 3
/** Longest substring of a word that is indexed. */
const maxPart = 2

/** Names that are folded before other fibers run. */
const atOnce = 50

/** Positions in the order of the index, ascending. */
type Places = ReadonlyArray<number>
type Postings = Map<string, Array<number>>

/** The words of a name, each after a blank, so that a blank and a prefix match at the start of a word. */
type Folded = string

const foldedOf = (words: ReadonlyArray<string>): Folded => words.map((word) => ` ${word}`).join("")

/** `sorted`: most stores first (`byStores`). `folds` caches folded names across builds. */
export const build = Effect.fnUntraced(function* <A extends Named>(
  sorted: ReadonlyArray<A>,
  folds: Map<string, Folded> = new Map()
): Effect.fn.Return<NameIndex<A>> {
  const own: Array<Folded> = []
  const parents: Array<Folded> = []
  const whole: Postings = new Map()
  const beginnings: Postings = new Map()
  const parts: Postings = new Map()
  /** Names with a parent, by prefixes of their own words and those of the parent. */
  const families: Postings = new Map()

  const fold = (name: string): Folded => folds.getOrInsertComputed(name, () => foldedOf(queryWords(name)))

  for (const [place, { name, parent }] of sorted.entries()) {
    if (place % atOnce === atOnce - 1) yield* Effect.yieldNow
    const folded = fold(name)
    own.push(folded)
    add(whole, folded, place)
    addBeginnings(beginnings, folded, place)
    addParts(parts, folded, place)
    const above = parent === null ? "" : fold(parent)
    parents.push(above)
    if (above !== "") addBeginnings(families, `${folded}${above}`, place)
  }

  return {
    best: (query, limit) => {
      const words = query === undefined ? [] : queryWords(query)
      if (words.length === 0) return sorted.slice(0, limit)
      const wanted = foldedOf(words)
      const found = new Set<number>(whole.get(wanted)?.slice(0, limit))
      let comparisons = 0

      const take = (places: Places, texts: (place: number) => string, sought: ReadonlyArray<string>) => {
        const taken: Array<number> = []
        for (const place of places) {
          if (comparisons >= maxComparisons) break
          const text = texts(place)
          const isFound = sought.every((word) => {
            comparisons++
            return text.includes(word)
          })
          if (isFound && !found.has(place)) taken.push(place)
        }
        return taken
      }
      const addAll = (places: Places) => {
        for (const place of places) found.add(place)
      }

      const starts = words.map((word) => ` ${word}`)
      const beginning = take(rarest(beginnings, words.map(beginningOf)), (place) => own[place] ?? "", starts)
      addAll(beginning.filter((place) => own[place]?.startsWith(wanted)))
      addAll(beginning)
      if (found.size < limit) {
        addAll(take(rarest(parts, words.flatMap(partsOf)), (place) => own[place] ?? "", words))
      }
      if (found.size < limit) {
        const family = (place: number) => `${own[place] ?? ""}${parents[place] ?? ""}`
        addAll(take(rarest(families, words.map(beginningOf)), family, starts))
      }
      return Array.from(found)
        .slice(0, limit)
        .flatMap((place) => sorted[place] ?? [])
    }
  }
})

const add = (postings: Postings, key: string, place: number) => {
  const places = postings.get(key)
  if (places === undefined) postings.set(key, [place])
  else if (places.at(-1) !== place) places.push(place)
}

const wordsOf = (folded: Folded): ReadonlyArray<string> => (folded === "" ? [] : folded.slice(1).split(" "))

const addBeginnings = (postings: Postings, folded: Folded, place: number) => {
  for (const word of wordsOf(folded)) {
    for (let length = 1; length <= Math.min(maxBeginning, word.length); length++) {
      add(postings, word.slice(0, length), place)
    }
  }
}

const addParts = (postings: Postings, folded: Folded, place: number) => {
  for (const word of wordsOf(folded)) {
    for (let at = 0; at < word.length; at++) {
      for (let length = 1; length <= Math.min(maxPart, word.length - at); length++) {
        add(postings, word.slice(at, at + length), place)
      }
    }
  }
}

const beginningOf = (word: string): string => word.slice(0, maxBeginning)

/** The longest indexed substrings of a word: shorter ones match more names. */
const partsOf = (word: string): ReadonlyArray<string> =>
  word.length <= maxPart
    ? [word]
    : Array.from({ length: word.length - maxPart + 1 }, (_, at) => word.slice(at, at + maxPart))

/** The shortest list among the keys: names with all keys are in it. */
const rarest = (postings: Postings, keys: ReadonlyArray<string>): Places => {
  let fewest: Places | undefined
  for (const key of keys) {
    const places = postings.get(key) ?? []
    if (fewest === undefined || places.length < fewest.length) fewest = places
  }
  return fewest ?? []
}
