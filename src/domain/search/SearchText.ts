/**
 * Splits documents and queries into words. All searches use this module.
 *
 * Compatibility forms, case and accents are folded (`𝗕𝗢𝗟𝗗 Crème` becomes `bold creme`), punctuation separates words,
 * and each symbol or emoji is a word. In scripts without blanks (Chinese, Japanese, Korean, Thai ...) every two
 * adjacent characters are a word, so that any part of a phrase is found.
 *
 * An apostrophe joins: `men's` and `mens` find each other, and `men` finds both. A hyphen separates, but documents have
 * the joined word as well: `tshirt`, `t-shirt` and `shirt` find `T-Shirt`.
 */

/** Longer words are cut in documents and queries. In code points. */
const maxWordCharacters = 64

/** Longer chains of hyphens are URLs rather than words. */
const maxJoinedByHyphens = 4

/**
 * Accents and vocalization (Latin, Greek, Cyrillic, Hebrew, Arabic), enclosing marks, tatweel, variation selectors,
 * skin tones and invisible formatting. Marks that make a different letter (Thai, Devanagari, kana) stay.
 */
const ignored =
  // oxlint-disable-next-line no-misleading-character-class
  /[\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\u{1F3FB}-\u{1F3FF}\u{E0100}-\u{E01EF}\p{Cf}]/gu

const inTurn = (fancy: string, plain: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from(fancy, (letter, index) => [letter, plain[index] ?? ""]))

/** Letters that Unicode does not decompose, but that people type as plain ones. */
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
  ς: "σ",
  // Variants of the apostrophe and the hyphen.
  "\u2018": "'",
  "\u2019": "'",
  "\u02BB": "'",
  "\u02BC": "'",
  "\u2010": "-",
  // Decorative letters: small capitals, and white on black circles and squares.
  ...inTurn("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"),
  ...inTurn("🅐🅑🅒🅓🅔🅕🅖🅗🅘🅙🅚🅛🅜🅝🅞🅟🅠🅡🅢🅣🅤🅥🅦🅧🅨🅩", "abcdefghijklmnopqrstuvwxyz"),
  ...inTurn("🅰🅱🅲🅳🅴🅵🅶🅷🅸🅹🅺🅻🅼🅽🅾🅿🆀🆁🆂🆃🆄🆅🆆🆇🆈🆉", "abcdefghijklmnopqrstuvwxyz")
}
const foldable = new RegExp(`[${Object.keys(plainLetters).join("")}]`, "gu")

// oxlint-disable-next-line no-control-regex
const ascii = /^[\u0000-\u007F]*$/u

/**
 * Marks that normalization reorders, and two kana letters that decompose into one. Reordering takes quadratic time in
 * the length of a row of marks, so each row is cut to 30, as in the Stream-Safe Text Format (UAX #15, section 13); no
 * language writes so many.
 */
const marks = /([\p{M}\uFF9E\uFF9F]{30})[\p{M}\uFF9E\uFF9F]+/gu

/** Text that can be normalized in linear time. */
export const streamSafe = (text: string): string => text.replaceAll(marks, "$1")

const fold = (text: string): string =>
  ascii.test(text)
    ? text.toLowerCase()
    : // One mark can decompose into several.
      streamSafe(
        streamSafe(text)
          // Used as an apostrophe; NFKD would turn it into a blank.
          .replaceAll("\u00B4", "'")
          .normalize("NFKD")
      )
        .toLowerCase()
        .normalize("NFKD")
        .replaceAll(ignored, "")
        .replaceAll(foldable, (letter) => plainLetters[letter] ?? letter)
        .normalize("NFC")

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

const piecesOf = (folded: string): ReadonlyArray<Piece> =>
  ascii.test(folded)
    ? asciiPieces(folded)
    : Array.from(folded.matchAll(piece), ({ 0: text, 1: run, 2: word, index }) => ({
        kind: run === undefined ? (word === undefined ? "symbol" : "word") : "run",
        text,
        index
      }))

const hasLetter = /\p{L}/u

/**
 * With `isDocument`, adds words for other spellings of a query: the last character of a run, the parts of a word with
 * an apostrophe, and words joined at hyphens.
 */
const split = (text: string, isDocument: boolean): Set<string> => {
  const folded = fold(text)
  const words = new Set<string>()
  const add = (word: string) =>
    words.add(word.length <= maxWordCharacters ? word : Array.from(word).slice(0, maxWordCharacters).join(""))
  let chain: Array<string> = []
  let chainEnd = -1
  const join = () => {
    if (chain.length < 2 || chain.length > maxJoinedByHyphens) return
    const joined = chain.join("")
    if (hasLetter.test(joined)) add(joined)
  }
  for (const { index, kind, text } of piecesOf(folded)) {
    if (kind === "run") {
      const characters = Array.from(text)
      for (let at = 1; at < characters.length; at++) words.add(`${characters[at - 1]}${characters[at]}`)
      if (isDocument || characters.length === 1) words.add(characters.at(-1) ?? "")
      continue
    }
    const hasApostrophe = kind === "word" && text.includes("'")
    const joined = hasApostrophe ? text.replaceAll("'", "") : text
    add(joined)
    if (!isDocument || kind === "symbol") continue
    if (hasApostrophe) for (const part of text.split("'")) add(part)
    if (index !== chainEnd + 1 || folded[chainEnd] !== "-") {
      join()
      chain = []
    }
    if (chain.length <= maxJoinedByHyphens) chain.push(joined)
    chainEnd = index + text.length
  }
  join()
  return words
}

/** A safeguard: longer queries are rejected before. In UTF-16 units. */
const maxQueryLength = 1_000

/** The distinct words of a query. A document matches if each of them begins one of its words. */
export const queryWords = (query: string): ReadonlyArray<string> =>
  Array.from(split(query.length > maxQueryLength ? query.slice(0, maxQueryLength) : query, false))

/** Sorted, so that equal searches have equal keys. */
export const wantedWords = (query: string | undefined): ReadonlyArray<string> =>
  query === undefined ? [] : queryWords(query).toSorted()

/** Visits the parts of each text between blanks and control characters: no word spans two of them. */
export const eachPart = (texts: ReadonlyArray<string | null>, visit: (part: string) => void): void => {
  for (const text of texts) {
    if (text === null) continue
    for (let at = 0; at < text.length; at++) {
      const start = at
      while (at < text.length && text.charCodeAt(at) > blank) at++
      if (at > start) visit(text.slice(start, at))
    }
  }
}

export const partWords = (part: string): ReadonlySet<string> => split(part, true)
