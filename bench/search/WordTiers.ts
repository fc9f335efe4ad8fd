/**
 * How common words are, counted as searches find them: a word stands for every document that has a word with this
 * beginning.
 */
import { queryWords } from "../../src/domain/search/SearchText.ts"
import { Prng } from "../../demo/Prng.ts"

export interface Words {
  readonly rare: ReadonlyArray<string>
  readonly middling: ReadonlyArray<string>
  readonly common: ReadonlyArray<string>
  /** Two words of one document, so that something is found; the first is common or middling. */
  readonly pairs: ReadonlyArray<readonly [string, string]>
}

/** Shares of all documents. Between them lies what belongs to no tier. */
export const limits = { rare: 0.000_2, middling: [0.001, 0.01], common: 0.02 } as const

/** As many words of a tier as cases may want. */
const wanted = 600
const wantedRare = 250
/** Rare words are looked up one by one. */
const maxLookups = 600

/** One that a person would type: three letters at least, a code, or two characters of a script without blanks. */
const isAskable = (word: string): boolean =>
  /^(?:\p{L}{3,}|(?=.*\p{L})[\p{L}\p{N}]{4,}|[\p{L}--\p{sc=Latin}][\p{L}\p{M}])$/v.test(word) &&
  queryWords(word).length === 1

/** In how many documents a word begins with each of `candidates`. */
const countPrefixes = (docs: ReadonlyArray<ReadonlyArray<string>>, candidates: ReadonlySet<string>) => {
  const counts = new Map<string, number>()
  for (const words of docs) {
    const seen = new Set<string>()
    for (const word of words) {
      for (let length = 1; length <= word.length; length++) {
        const prefix = word.slice(0, length)
        if (candidates.has(prefix)) seen.add(prefix)
      }
    }
    for (const prefix of seen) counts.set(prefix, (counts.get(prefix) ?? 0) + 1)
  }
  return counts
}

/** The documents of which `docs`, as their words, are a sample. */
export interface Documents {
  readonly name: string
  readonly docs: ReadonlyArray<ReadonlyArray<string>>
  /** How many there are. */
  readonly count: number
  /** In how many of them a word begins so: of rare ones, for a sample cannot tell how rare they are. */
  readonly hits: (word: string) => number
}

export const make = ({ count, docs, hits, name }: Documents): Words => {
  const random = new Prng("words", name)
  const candidates = new Set(docs.flat().filter(isAskable))
  const counts = countPrefixes(docs, candidates)
  const shareOf = (word: string) => (counts.get(word) ?? 0) / docs.length
  const isMiddling = (word: string) => shareOf(word) >= limits.middling[0] && shareOf(word) <= limits.middling[1]
  const isCommon = (word: string) => shareOf(word) >= limits.common
  const all = Array.from(candidates)
  const few = all.filter((word) => (counts.get(word) ?? 0) <= 2)

  const mostRare = Math.max(1, Math.floor(count * limits.rare))
  const rare: Array<string> = []
  for (const word of random.some(few, maxLookups)) {
    if (rare.length >= wantedRare) break
    const found = hits(word)
    if (found > 0 && found <= mostRare) rare.push(word)
  }

  const pairs = new Map<string, readonly [string, string]>()
  for (let tries = 0; tries < 20 * wanted && pairs.size < wanted; tries++) {
    const words = random.pick(docs).filter((word) => isCommon(word) || isMiddling(word))
    const [first, second] = words.length < 2 ? [] : [random.pick(words), random.pick(words)]
    if (first === undefined || second === undefined || first.startsWith(second) || second.startsWith(first)) continue
    pairs.set([first, second].sort().join(" "), [first, second])
  }
  return {
    rare,
    middling: random.some(all.filter(isMiddling), wanted),
    common: random.some(all.filter(isCommon), wanted),
    pairs: Array.from(pairs.values())
  }
}
