/** What a query asks for, in every way in which a document may spell it (SearchText.ts). */
import * as StoreDomain from "../catalog/StoreDomain.ts"
import { fold, spellings } from "./FoldText.ts"
import {
  cut,
  hasDigit,
  hasLetter,
  isBlank,
  joinsBefore,
  joinsNext,
  limited,
  maxJoinedByHyphens,
  maxPlaces,
  maxWordCharacters,
  pair,
  pairsOf,
  partsOf,
  piecesOf,
  queryWords,
  whole,
  withoutApostrophes
} from "./SearchText.ts"

/** The ways to write a word. A document matches if one of them begins one of its words, or is one (`wholeOf`). */
export type WantedWord = ReadonlyArray<string>

/** All spellings, sorted, without those that another one begins. */
const wantedWord = (folded: ReadonlyArray<string | undefined>): WantedWord => {
  const all = folded.flatMap((word) => (word === undefined ? [] : spellings(word).map(cut))).sort()
  const kept: Array<string> = []
  for (const word of all) {
    const last = kept.at(-1)
    if (last === undefined || !word.startsWith(last)) kept.push(word)
  }
  return kept
}

/** A word of letters as a document has it if its first or last letter stands alone. */
const partedAtLetter = (word: string): ReadonlyArray<string | undefined> =>
  word.length < 4
    ? []
    : [
        joinsNext.test(word.slice(0, 1)) ? `${word.slice(0, 1)}_${word.slice(1)}` : undefined,
        joinsBefore.test(word.slice(-1)) ? pair(word.slice(0, -1), word.slice(-1)) : undefined
      ]

/**
 * The singular of a plural in `s`, only as a whole word: `shirts` finds `Shirt`, but `plates` does not find `plateau`. Short
 * words are no plurals in some language (`des`, `ons`).
 */
const singular = (word: string): string | undefined =>
  /^\p{L}{5,}$/u.test(word) && word.length < maxWordCharacters && /(?<![sui])s$/u.test(word)
    ? whole(word.slice(0, -1))
    : undefined

/** What has to be found for a word of a query. `joined` are ways to write it together with its neighbors. */
const wantedOf = (word: string, joined: ReadonlyArray<string>): ReadonlyArray<WantedWord> => {
  const parts = partsOf(word)
  if (parts.length === 1) return [wantedWord([word, ...joined, ...partedAtLetter(word), singular(word)])]
  if (parts.length > maxPlaces) return [wantedWord([word, ...joined])]
  const pairs = parts.slice(1).map((part, before) => [parts[before] ?? "", part] as const)
  const all = wantedWord([word, ...joined, ...pairs.map(([a, b]) => pair(a, b))])
  // Of three parts and more, the whole is in the document, or each pair as one word or as two, and at least one as two.
  return pairs.length === 1
    ? [all]
    : [all, ...pairs.map(([a, b]) => wantedWord([word, `${a}${b}`, pair(a, b), ...joined]))]
}

/** Without what stands around an address in a sentence. */
const withoutPunctuation = (text: string): string => {
  let end = text.length
  while (end > 0 && !/[\p{L}\p{N}/]/u.test(text.charAt(end - 1))) end--
  return text.slice(0, end).replace(/^[^\p{L}\p{N}]+/u, "")
}

/**
 * An address is that of a store: the registrable domain, which a store at the host itself has too, as in `get_shop`. Without
 * scheme and `www.` only a public one.
 */
const withoutAddress = (text: string): string => {
  const address = withoutPunctuation(text)
  const isCertain = /^(?:https?:\/\/|www\.)/iu.test(address)
  if (!isCertain && (!/[/?#:]/u.test(address) || /^[^/?#]*@/u.test(address))) return text
  const host = StoreDomain.candidates(address).at(-1) ?? ""
  return (isCertain || StoreDomain.isPublic(host)) && queryWords(host).length > 0 ? host : text
}

/**
 * What a query asks for: a document must have each. Sorted, so that equal searches have equal keys. At most seven spellings
 * a character of the query.
 */
export const wantedWords = (query: string | undefined): ReadonlyArray<WantedWord> => {
  if (query === undefined) return []
  const folded = fold(limited(query).replaceAll(/\S+/gu, withoutAddress))
  const wanted = new Map<string, WantedWord>()
  const add = (word: WantedWord) => wanted.set(word.join("\n"), word)
  const pieces = piecesOf(folded)
  const words = pieces.map(({ kind, text }) => (kind === "word" ? withoutApostrophes(text) : ""))
  const isLetters = (at: number) => (words[at] ?? "") !== "" && !hasDigit.test(words[at] ?? "")
  const linkAfter = (at: number): string => {
    const [one, next] = [pieces[at], pieces[at + 1]]
    return one === undefined || next === undefined ? "" : folded.slice(one.index + one.text.length, next.index)
  }
  const isJoined = (at: number) =>
    isLetters(at) && isLetters(at + 1) && (linkAfter(at) === "-" || isBlank(linkAfter(at)))
  const isChained = (at: number) => words[at] !== "" && words[at + 1] !== "" && linkAfter(at) === "-"

  let chain: ReadonlyArray<number> = []
  pieces.forEach(({ kind, text }, at) => {
    const word = words[at] ?? ""
    if (kind === "run") return pairsOf(Array.from(text)).forEach((one) => add([one]))
    if (kind === "symbol") return add([text])
    if (!chain.includes(at)) {
      let last = at
      while (isChained(last)) last++
      chain = Array.from({ length: last - at + 1 }, (_, index) => at + index)
    }
    const together = chain.map((each) => words[each]).join("")
    // What it makes with the word behind it begins with it.
    const joined = [
      ...(isJoined(at - 1) ? [`${words[at - 1] ?? ""}${word}`] : []),
      ...(chain.length > 1 && chain.length <= maxJoinedByHyphens && hasLetter.test(together) ? [together] : [])
    ]
    wantedOf(word, joined).forEach(add)
  })
  return Array.from(wanted.values()).sort((a, b) => (a.join("\n") < b.join("\n") ? -1 : 1))
}
