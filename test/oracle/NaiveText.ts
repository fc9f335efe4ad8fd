/**
 * Matches words by loops over characters. Knows only the characters of the words of NaiveCatalog, and shares no code
 * with src/domain/search/SearchText.ts.
 */

interface Piece {
  /** A run is text without blanks, any part of which can be searched for. */
  readonly kind: "word" | "run" | "symbol"
  readonly text: string
  /** The single character between it and the previous piece. */
  readonly link: string
}

const plain: Readonly<Record<string, string>> = {
  é: "e",
  ï: "i",
  ü: "u",
  ß: "ss",
  É: "e",
  Ï: "i",
  Ü: "u",
  ﾃ: "テ",
  ｽ: "ス",
  ﾄ: "ト"
}

const between = (code: number, low: number, high: number) => code >= low && code <= high

const simplify = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  const replacement = plain[character]
  if (replacement !== undefined) return replacement
  // Bold sans-serif small letters, full-width letters, skin tones.
  if (between(code, 0x1d5ee, 0x1d607)) return String.fromCharCode(code - 0x1d5ee + 97)
  if (between(code, 0xff21, 0xff3a)) return String.fromCharCode(code - 0xff21 + 97)
  if (between(code, 0xff41, 0xff5a)) return String.fromCharCode(code - 0xff41 + 97)
  if (between(code, 0x1f3fb, 0x1f3ff)) return ""
  return between(code, 65, 90) ? String.fromCharCode(code + 32) : character
}

const kindOf = (character: string): Piece["kind"] | undefined => {
  const code = character.codePointAt(0) ?? 0
  if (between(code, 97, 122) || between(code, 48, 57)) return "word"
  if (between(code, 0x0e01, 0x0e5b) || between(code, 0x3041, 0x30fe)) return "run"
  if (between(code, 0x4e00, 0x9fff) || between(code, 0xac00, 0xd7a3)) return "run"
  return character === "+" || character === "★" || code >= 0x1f000 ? "symbol" : undefined
}

const pieces = (text: string): ReadonlyArray<Piece> => {
  const found: Array<Piece> = []
  let open: Piece | undefined
  let gap = ""
  const characters = Array.from(text).flatMap((character) => Array.from(simplify(character)))
  for (const character of characters) {
    const kind = kindOf(character)
    if (kind !== undefined && kind !== "symbol" && open?.kind === kind) {
      open = { kind, text: open.text + character, link: open.link }
      continue
    }
    if (open !== undefined) found.push(open)
    open = kind === undefined ? undefined : { kind, text: character, link: gap }
    gap = kind === undefined ? gap + character : ""
  }
  return open === undefined ? found : [...found, open]
}

/** Adjacent words that `link` alone separates, as one. */
const chains = (all: ReadonlyArray<Piece>, link: string): ReadonlyArray<ReadonlyArray<Piece>> => {
  const found: Array<Array<Piece>> = []
  for (const piece of all) {
    const last = found.at(-1)
    const before = last?.at(-1)
    if (last !== undefined && before?.kind === "word" && piece.kind === "word" && piece.link === link) last.push(piece)
    else found.push([piece])
  }
  return found
}

/** An apostrophe joins words. */
const wanted = (text: string): ReadonlyArray<Piece> =>
  chains(pieces(text), "'").map(([first, ...rest]) => {
    if (first === undefined) throw new Error("a chain of nothing")
    return { ...first, text: [first, ...rest].map((piece) => piece.text).join("") }
  })

/** All pieces, with and without their apostrophes, and up to four joined at hyphens. */
const offered = (text: string): ReadonlyArray<Piece> => {
  const joined = wanted(text)
  const byHyphens = chains(joined, "-").flatMap((chain): ReadonlyArray<Piece> => {
    const whole = chain.map((piece) => piece.text).join("")
    return chain.length >= 2 && chain.length <= 4 && /[a-z]/.test(whole)
      ? [{ kind: "word", text: whole, link: "" }]
      : []
  })
  return [...pieces(text), ...joined, ...byHyphens]
}

const hasPiece = (document: ReadonlyArray<Piece>, asked: Piece): boolean => {
  if (asked.kind === "word") return document.some((piece) => piece.kind === "word" && piece.text.startsWith(asked.text))
  if (asked.kind === "symbol") return document.some((piece) => piece.kind === "symbol" && piece.text === asked.text)
  const characters = Array.from(asked.text)
  const parts =
    characters.length === 1 ? characters : characters.slice(1).map((next, index) => `${characters[index]}${next}`)
  return parts.every((part) => document.some((piece) => piece.kind === "run" && piece.text.includes(part)))
}

/** `undefined` for a query without words. */
export const matcher = (query: string): ((texts: ReadonlyArray<string | null>) => boolean) | undefined => {
  const asked = wanted(query)
  if (asked.length === 0) return undefined
  return (texts) => {
    const document = texts.flatMap((text) => (text === null ? [] : offered(text)))
    return asked.every((piece) => hasPiece(document, piece))
  }
}
