/**
 * Which names of a vocabulary a query means, best first. Names are folded once, when the index is built; a query looks at
 * those alone that its rarest beginning leads to, and at so many of them at most.
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
   * The whole name, then names that begin with the query, then those whose words do, then those that hold its words
   * anywhere, then those of a matching parent; within each, the ones with most stores first, then by name. Without a
   * query, or with one that has no words, all by stores.
   */
  best(query: string | undefined, limit: number): ReadonlyArray<A>
}

/** Words that one query is compared with, at most: the names with most stores come first. */
export const maxComparisons = 20_000

/** Longer beginnings lead to the same names, and few of them. In UTF-16 units. */
const maxBeginning = 3
/** Parts of a word that lead to it from within. */
const maxPart = 2

/** So many names are folded before others have their turn. */
const atOnce = 50

/** Places of names in the order of the index, rising. */
type Places = ReadonlyArray<number>
type Postings = Map<string, Array<number>>

/** The words of a name, each behind a blank, so that a blank and a word are found where a word begins. */
type Folded = string

const foldedOf = (words: ReadonlyArray<string>): Folded => words.map((word) => ` ${word}`).join("")

const byStores = (a: Named, b: Named): number =>
  b.stores - a.stores || (a.name === b.name ? a.id - b.id : a.name < b.name ? -1 : 1)

/** `folds` has what earlier indexes have folded, and gets the rest. */
export const build = Effect.fnUntraced(function* <A extends Named>(
  names: ReadonlyArray<A>,
  folds: Map<string, Folded> = new Map()
): Effect.fn.Return<NameIndex<A>> {
  const sorted = names.toSorted(byStores)
  const own: Array<Folded> = []
  const parents: Array<Folded> = []
  const whole: Postings = new Map()
  const beginnings: Postings = new Map()
  const parts: Postings = new Map()
  /** Of names that have a parent, with the parent's words. */
  const families: Postings = new Map()

  const fold = (name: string): Folded => {
    const known = folds.get(name)
    if (known !== undefined) return known
    const folded = foldedOf(queryWords(name))
    folds.set(name, folded)
    return folded
  }

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

/** As long ones as there are: shorter ones lead to more names. */
const partsOf = (word: string): ReadonlyArray<string> =>
  word.length <= maxPart
    ? [word]
    : Array.from({ length: word.length - maxPart + 1 }, (_, at) => word.slice(at, at + maxPart))

/** The fewest names: whatever has all of the keys is among them. */
const rarest = (postings: Postings, keys: ReadonlyArray<string>): Places => {
  let fewest: Places | undefined
  for (const key of keys) {
    const places = postings.get(key) ?? []
    if (fewest === undefined || places.length < fewest.length) fewest = places
  }
  return fewest ?? []
}
