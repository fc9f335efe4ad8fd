/**
 * Splits documents into words. WantedWords.ts says what a query asks of them.
 *
 * Letters are folded (FoldText.ts), punctuation separates words, and each symbol or emoji is a word. In scripts without
 * blanks (Chinese, Japanese, Korean, Thai ...) every two adjacent characters are a word, so that any part of a phrase is
 * found.
 *
 * Every word of a query must begin a word of the document. What people write as one word or as two is found either way:
 *
 * - An apostrophe joins: `men's` and `mens` find each other, and `men` finds both.
 * - A hyphen joins and separates: `tshirt`, `t-shirt` and `t shirt` find `T-Shirt` and `tshirt`.
 * - So does a change between letters and digits, with or without a blank: `500ml` and `500 ml` find each other.
 * - A letter that stands alone joins its neighbor: `tshirt` finds `T shirt`, `usbc` finds `USB C`.
 *
 * A document has words that begin at each such place and extend to the end, so that they also begin with every part
 * between. What it has across a blank is a pair of words with `_` behind each, which is in no other word, and which only
 * the same pair of a query begins: `500_ml_`. So `3d` does not find `3 drawers`. Other words that a document separates
 * are not joined: that would double the index.
 */
import { fold, isAscii, spellings, withoutAccents } from "./FoldText.ts"

/** Longer words are cut in documents and queries. In code points. */
export const maxWordCharacters = 64

/** Longer chains of hyphens are URLs rather than words. */
export const maxJoinedByHyphens = 4

/** Words with more places at which they can be parted are codes. They are found from these places only. */
export const maxPlaces = 8

const spaceless = String.raw`[[\p{L}\p{M}\p{N}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]]`
const letter = String.raw`[[\p{L}\p{M}\p{N}]--${spaceless}]`
const flag = String.raw`[\u{1F1E6}-\u{1F1FF}]{2}`

/** A run without blanks, a word, a flag or a symbol. */
const piece = new RegExp(String.raw`(${spaceless}+)|(${letter}+(?:'${letter}+)*)|${flag}|\p{S}`, "gv")

interface Piece {
  readonly kind: "run" | "word" | "symbol"
  readonly text: string
  readonly index: number
}

const apostrophe = 39
const blank = 32
/** The kind of each ASCII character of folded text: part of a word (1), symbol (2), neither (0). */
const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z0-9]/u.test(character)) return 1
  return /\p{S}/u.test(character) ? 2 : 0
})

/** A faster {@link piece} for ASCII, which most texts are. */
const asciiPieces = (folded: string): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  const isLetter = (at: number) => at < folded.length && asciiKinds[folded.charCodeAt(at)] === 1
  for (let at = 0; at < folded.length;) {
    const index = at
    const kind = asciiKinds[folded.charCodeAt(at++)]
    if (kind === 0) continue
    if (kind === 2) {
      pieces.push({ kind: "symbol", text: folded.charAt(index), index })
      continue
    }
    while (isLetter(at) || (folded.charCodeAt(at) === apostrophe && isLetter(at + 1))) at++
    pieces.push({ kind: "word", text: folded.slice(index, at), index })
  }
  return pieces
}

export const piecesOf = (folded: string): ReadonlyArray<Piece> =>
  isAscii(folded)
    ? asciiPieces(folded)
    : Array.from(folded.matchAll(piece), ({ 0: text, 1: run, 2: word, index }) => ({
        kind: run === undefined ? (word === undefined ? "symbol" : "word") : "run",
        text,
        index
      }))

export const hasLetter = /\p{L}/u
export const hasDigit = /\p{N}/u

export const cut = (word: string): string =>
  word.length <= maxWordCharacters ? word : Array.from(word).slice(0, maxWordCharacters).join("")

/** The pairs of neighbors in a run, or its only character. */
export const pairsOf = (characters: ReadonlyArray<string>): ReadonlyArray<string> =>
  characters.length === 1
    ? characters
    : characters.slice(1).map((character, before) => `${characters[before] ?? ""}${character}`)

export const withoutApostrophes = (word: string): string => (word.includes("'") ? word.replaceAll("'", "") : word)

/** The letters and the digits of a word, in turn. */
export const partsOf = (word: string): ReadonlyArray<string> =>
  hasDigit.test(word) ? (word.match(/\p{N}+|\P{N}+/gu) ?? []) : [word]

/** Not `a` and `y`, which are words in many languages; behind another word no vowel, for the same reason. */
export const joinsNext = /^[b-xz]$/u
export const joinsBefore = /^[b-df-hj-np-tv-xz]$/u

/** Two words with a blank between them, as a document has them; `undefined` if they are too long together. */
export const pair = (first: string, second: string): string | undefined =>
  first.length + second.length + 2 <= maxWordCharacters ? `${first}_${second}_` : undefined

/** Ends a spelling that has to be a whole word. In no word of several characters. */
const wholeMark = "="

/** A spelling that only the whole word meets. */
export const whole = (word: string): string => `${word}${wholeMark}`

/** The word that meets {@link whole}; `undefined` for a spelling that words begin with. */
export const wholeOf = (spelling: string): string | undefined =>
  spelling.length > 1 && spelling.endsWith(wholeMark) ? spelling.slice(0, -1) : undefined

/** The word at an end of a part of a document. */
interface Edge {
  /** Its letters or digits at this end; with an apostrophe, also without what is before or behind it. */
  readonly parts: ReadonlyArray<string>
  readonly hasDigit: boolean
  /** Whether it is a letter that joins the next word, or the word before it. */
  readonly joinsNext: boolean
  readonly joinsBefore: boolean
}

/** A part of a document between blanks. */
export interface PartWords {
  readonly words: ReadonlyArray<string>
  /** The words that it begins and ends with, unless it begins or ends with something else. */
  readonly first: Edge | undefined
  readonly last: Edge | undefined
}

const edge = (text: string, at: 0 | -1): Edge => {
  const word = withoutApostrophes(text)
  const own = partsOf(word).at(at) ?? word
  const outer = word === text ? own : (partsOf(text.split("'").at(at) ?? word).at(at) ?? word)
  return {
    parts: outer === own ? [own] : [own, outer],
    hasDigit: hasDigit.test(text),
    joinsNext: joinsNext.test(word),
    joinsBefore: joinsBefore.test(word)
  }
}

const none: ReadonlyArray<string> = []

/** The words of a document across the blank between two parts. */
export const wordsBetween = (before: Edge | undefined, after: Edge | undefined): ReadonlyArray<string> => {
  if (before === undefined || after === undefined) return none
  const isJoined = before.joinsNext || after.joinsBefore
  if (!isJoined && !before.hasDigit && !after.hasDigit) return none
  const found: Array<string> = []
  for (const first of before.parts) {
    for (const second of after.parts) {
      if (!isJoined && hasDigit.test(first) === hasDigit.test(second)) continue
      for (const spelled of spellings(`${first}\n${second}`)) {
        const [a = "", b = ""] = spelled.split("\n")
        const word = pair(a, b)
        if (word !== undefined) found.push(word)
      }
    }
  }
  return found
}

/** Where the text of a chain of words may begin: at each word, behind each apostrophe, and between letters and digits. */
const addFromPlaces = (text: string, rest: string, words: Set<string>): void => {
  if (!text.includes("'") && !hasDigit.test(text)) {
    for (const word of spellings(`${text}${rest}`)) words.add(cut(word))
    return
  }
  let isFirst = true
  let places = 0
  for (let from = 0; from < text.length && places < maxPlaces;) {
    const remaining = isFirst ? text : text.slice(from)
    const own = withoutApostrophes(remaining)
    for (const word of spellings(`${own}${rest}`)) words.add(cut(word))
    const next = /'|(?<=\p{N})(?=\P{N})|(?<=\P{N})(?=\p{N})/u.exec(remaining)
    if (next === null) return
    from += next.index + next[0].length
    isFirst = false
    places++
  }
}

const addChain = (chain: ReadonlyArray<string>, words: Set<string>): void => {
  chain.forEach((text, at) => {
    if (chain.length > 1) for (const word of spellings(withoutApostrophes(text))) words.add(cut(word))
    const rest = chain.length > maxJoinedByHyphens ? "" : chain.slice(at + 1).join("")
    addFromPlaces(text, hasLetter.test(`${text}${rest}`) ? withoutApostrophes(rest) : "", words)
  })
}

export const isBlank = (text: string): boolean => /^\s+$/u.test(text)

export const partWords = (part: string): PartWords => {
  const folded = fold(part)
  const pieces = piecesOf(folded)
  const words = new Set<string>()
  let chain: Array<string> = []
  let end = -1
  let before: Edge | undefined
  for (const { index, kind, text } of pieces) {
    const isWord = kind === "word"
    if (chain.length > 0 && !(isWord && index === end + 1 && folded[end] === "-")) {
      addChain(chain, words)
      chain = []
    }
    if (isWord) {
      // No-break spaces and such are blanks within a part.
      if (before !== undefined && isBlank(folded.slice(end, index))) {
        for (const word of wordsBetween(before, edge(text, 0))) words.add(word)
      }
      chain.push(text)
      before = edge(text, -1)
    } else {
      before = undefined
      if (kind === "symbol") words.add(text)
      else {
        const characters = Array.from(text)
        for (const word of pairsOf(characters)) words.add(word)
        words.add(characters.at(-1) ?? "")
      }
    }
    end = index + text.length
  }
  addChain(chain, words)
  const [first] = pieces
  return {
    words: Array.from(words),
    first: first?.kind === "word" && first.index === 0 ? edge(first.text, 0) : undefined,
    last: end === folded.length ? before : undefined
  }
}

/** Visits the parts of each text between blanks and control characters, and whether each follows another one. */
export const eachPart = (
  texts: ReadonlyArray<string | null>,
  visit: (part: string, isFirst: boolean) => void
): void => {
  for (const text of texts) {
    if (text === null) continue
    let isFirst = true
    for (let at = 0; at < text.length; at++) {
      const start = at
      while (at < text.length && text.charCodeAt(at) > blank) at++
      if (at === start) continue
      visit(text.slice(start, at), isFirst)
      isFirst = false
    }
  }
}

/** A safeguard: longer queries are rejected before. In UTF-16 units. */
const maxQueryLength = 1_000

export const limited = (query: string): string =>
  query.length > maxQueryLength ? query.slice(0, maxQueryLength) : query

/** The distinct words of a name or a query, in the spelling without accents. */
export const queryWords = (query: string): ReadonlyArray<string> => {
  const words = new Set<string>()
  for (const { kind, text } of piecesOf(fold(limited(query)))) {
    if (kind === "run") for (const word of pairsOf(Array.from(text))) words.add(word)
    else words.add(cut(withoutAccents(withoutApostrophes(text))))
  }
  return Array.from(words)
}
