/**
 * The words of a text, for documents and queries alike: what a search finds is decided here, and nowhere else.
 *
 * Compatibility forms, case and accents are folded (`𝗕𝗢𝗟𝗗 Crème` gives `bold creme`), punctuation parts words, and each
 * symbol or emoji is a word. Scripts that are written without blanks (Chinese, Japanese, Korean, Thai ...) give every two
 * neighbouring characters as a word, so that any part of a phrase is found.
 */

/** Longer words are cut, in documents and queries alike, so that an index can hold them. In code points. */
const maxWordCharacters = 64

/** PostgreSQL refuses a tsvector of more than 1 MB; no text that people write comes near. */
const maxDocumentWords = 3_000

/**
 * Marks of accent and vocalisation (Latin, Greek, Cyrillic, Hebrew, Arabic), enclosing marks, tatweel, variation
 * selectors, skin tones and invisible formatting. Marks that make another letter (Thai, Devanagari, kana) stay.
 */
const ignored =
  // oxlint-disable-next-line no-misleading-character-class
  /[\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\u{1F3FB}-\u{1F3FF}\u{E0100}-\u{E01EF}\p{Cf}]/gu

/** Letters that Unicode does not decompose, though readers type them plain. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ı: "i",
  ς: "σ"
}
const foldable = new RegExp(`[${Object.keys(plainLetters).join("")}]`, "gu")

// oxlint-disable-next-line no-control-regex
const ascii = /^[\u0000-\u007F]*$/u

const fold = (text: string): string =>
  ascii.test(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKD")
        .toLowerCase()
        .normalize("NFKD")
        .replaceAll(ignored, "")
        .replaceAll(foldable, (letter) => plainLetters[letter] ?? letter)
        .normalize("NFC")

const spaceless = String.raw`[[\p{L}\p{M}\p{N}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]]`
const flag = String.raw`[\u{1F1E6}-\u{1F1FF}]{2}`

/** A run without blanks, a word, a flag or a symbol. */
const piece = new RegExp(String.raw`(${spaceless}+)|[[\p{L}\p{M}\p{N}]--${spaceless}]+|${flag}|\p{S}`, "gv")

/** `tails`: whether the last character of a run stands alone as well, so that a query of this one character finds it. */
const split = (text: string, tails: boolean): Set<string> => {
  const words = new Set<string>()
  for (const [word, run] of fold(text).matchAll(piece)) {
    if (run === undefined) {
      words.add(word.length <= maxWordCharacters ? word : Array.from(word).slice(0, maxWordCharacters).join(""))
      continue
    }
    const characters = Array.from(run)
    for (let index = 1; index < characters.length; index++) {
      words.add(`${characters[index - 1]}${characters[index]}`)
    }
    if (tails || characters.length === 1) words.add(characters.at(-1) ?? "")
  }
  return words
}

/** The distinct words that a document must have for the query to find it, each at the start of one of its own. */
export const queryWords = (query: string): ReadonlyArray<string> => Array.from(split(query, false))

/** Of an argument that may be absent; in one order, so that equal searches look equal. */
export const wantedWords = (query: string | undefined): ReadonlyArray<string> =>
  query === undefined ? [] : queryWords(query).toSorted()

/** The distinct words of several texts, separated by blanks; unknown texts have none. */
export const document = (texts: ReadonlyArray<string | null>): string => {
  const words = split(texts.filter((text) => text !== null).join("\n"), true)
  const all = Array.from(words)
  return (all.length <= maxDocumentWords ? all : all.slice(0, maxDocumentWords)).join(" ")
}
