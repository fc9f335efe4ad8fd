/**
 * Matches words by reading each document from each of its places. Knows only the characters of the words of NaiveCatalog,
 * and shares no code with src/domain/search.
 */
import { domainToASCII } from "node:url"
import { getDomain } from "tldts"

/** Words are letters and digits, with apostrophes within; any part of a run can be searched for. */
type Kind = "word" | "run" | "symbol"

interface Piece {
  readonly kind: Kind
  readonly text: string
  /** What is between it and the piece before it; `undefined` for the first of a text. */
  readonly link: string | undefined
}

const others: Readonly<Record<string, string>> = {
  é: "e",
  ï: "i",
  ß: "ss",
  ø: "ö",
  ة: "ه",
  ک: "ك",
  ی: "ي",
  ى: "ي",
  أ: "ا",
  ﾃ: "て",
  ｽ: "す",
  ﾄ: "と"
}

/** With the accent and without it. */
const umlauts = { ä: ["a", "ae"], ö: ["o", "oe"], ü: ["u", "ue"], å: ["a", "aa"] } as const

const between = (code: number, low: number, high: number) => code >= low && code <= high

const simplify = (character: string): string => {
  const lower = character.toLowerCase()
  const code = lower.codePointAt(0) ?? 0
  const replacement = others[lower]
  if (replacement !== undefined) return replacement
  // Bold sans-serif small letters, full-width letters, skin tones, katakana.
  if (between(code, 0x1d5ee, 0x1d607)) return String.fromCharCode(code - 0x1d5ee + 97)
  if (between(code, 0xff41, 0xff5a)) return String.fromCharCode(code - 0xff41 + 97)
  if (between(code, 0x1f3fb, 0x1f3ff)) return ""
  return between(code, 0x30a1, 0x30f6) ? String.fromCharCode(code - 0x30a1 + 0x3041) : lower
}

const isDigit = (character: string | undefined) => between(character?.charCodeAt(0) ?? 0, 48, 57)

const kindOf = (character: string): Kind | undefined => {
  const code = character.codePointAt(0) ?? 0
  if (between(code, 97, 122) || isDigit(character) || character in umlauts || between(code, 0x0620, 0x064a)) {
    return "word"
  }
  if (between(code, 0x0e01, 0x0e5b) || between(code, 0x3041, 0x30fe)) return "run"
  if (between(code, 0x4e00, 0x9fff) || between(code, 0xac00, 0xd7a3)) return "run"
  return "+=★".includes(character) || code >= 0x1f000 ? "symbol" : undefined
}

const pieces = (text: string): ReadonlyArray<Piece> => {
  const found: Array<Piece> = []
  let open: Piece | undefined
  let gap = ""
  const characters = Array.from(text.normalize("NFC")).flatMap((character) => Array.from(simplify(character)))
  characters.forEach((character, at) => {
    const kind = kindOf(character)
    const isInner = character === "'" && open?.kind === "word" && kindOf(characters[at + 1] ?? "") === "word"
    if (open !== undefined && (isInner || (kind === open.kind && kind !== "symbol"))) {
      open = { ...open, text: open.text + character }
      return
    }
    if (open !== undefined) found.push(open)
    const link = found.length === 0 ? undefined : gap
    open = kind === undefined ? undefined : { kind, text: character, link }
    gap = kind === undefined ? gap + character : ""
  })
  return open === undefined ? found : [...found, open]
}

/** International labels are written in letters. */
const decoded = (text: string): string =>
  text.replaceAll(/xn--mnchen-3ya|xn--fiqs8s/gi, (label) => (label.toLowerCase() === "xn--fiqs8s" ? "中国" : "münchen"))

const bare = (word: string): string => word.split("'").join("")

const readings = (text: string): ReadonlyArray<string> => {
  const spell = (index: 0 | 1) =>
    Array.from(
      text,
      (character) => (umlauts as Partial<Record<string, readonly [string, string]>>)[character]?.[index] ?? character
    ).join("")
  return [spell(0), spell(1)]
}

/** Words with more parts are codes, which are not parted further. */
const mostParts = 8

/** Letters and digits in turn. */
const parts = (word: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let last: string | undefined
  for (const character of word) {
    if (last === undefined || isDigit(last) !== isDigit(character)) found.push("")
    found.push(`${found.pop() ?? ""}${character}`)
    last = character
  }
  return found
}

/** The positions at which reading a word may start. */
const places = (word: string): ReadonlyArray<number> =>
  Array.from(word, (_, at) => at).filter((at) => {
    const [before, here] = [word[at - 1], word[at]]
    if (before === undefined || before === "'") return true
    return here !== "'" && isDigit(before) !== isDigit(here)
  })

/** Words around `at` with a single hyphen between each two. */
const chainOf = (all: ReadonlyArray<Piece>, at: number): readonly [first: number, last: number] => {
  const isLinked = (each: number) =>
    all[each]?.kind === "word" && all[each - 1]?.kind === "word" && all[each]?.link === "-"
  let [first, last] = [at, at]
  while (isLinked(first)) first--
  while (isLinked(last + 1)) last++
  return [first, last]
}

const joined = (all: ReadonlyArray<Piece>, from: number, to: number): string =>
  all
    .slice(from, to + 1)
    .map(({ text }) => bare(text))
    .join("")

const hasLetter = (text: string) => Array.from(text).some((character) => !isDigit(character))

interface Document {
  /** What can be read from each place. */
  readonly texts: ReadonlyArray<string>
  /** Words, and those that hyphens join. */
  readonly whole: ReadonlyArray<string>
  /** Pairs of words with a blank between them. */
  readonly apart: ReadonlyArray<readonly [Piece, Piece]>
  readonly runs: ReadonlyArray<string>
  readonly symbols: ReadonlyArray<string>
}

const documents = new Map<string, Document>()

/** Read once: every query is compared with every document. */
const documentOf = (texts: ReadonlyArray<string | null>): Document => {
  const key = JSON.stringify(texts)
  const document = documents.get(key) ?? read(texts)
  documents.set(key, document)
  return document
}

const read = (texts: ReadonlyArray<string | null>): Document => {
  const all = texts.filter((text) => text !== null).flatMap((text) => pieces(decoded(text)))
  const starts = all.flatMap(({ kind, text }, at) => {
    if (kind !== "word") return []
    const [first, last] = chainOf(all, at)
    const rest = last - first < 4 ? joined(all, at + 1, last) : ""
    const following = hasLetter(`${bare(text)}${rest}`) ? rest : ""
    return places(text)
      .slice(0, mostParts)
      .map((place) => `${bare(text.slice(place))}${following}`)
  })
  const apart = all.flatMap((piece, at): ReadonlyArray<readonly [Piece, Piece]> => {
    const before = all[at - 1]
    const isPair = before?.kind === "word" && piece.kind === "word" && /^\s+$/.test(piece.link ?? "")
    return isPair ? [[before, piece]] : []
  })
  const of = (wanted: Kind) => all.filter(({ kind }) => kind === wanted).map(({ text }) => text)
  const whole = all.flatMap(({ text }) => bare(text))
  return {
    texts: starts.flatMap(readings),
    whole: [...whole, ...starts].flatMap(readings),
    apart,
    runs: of("run"),
    symbols: of("symbol")
  }
}

const canRead = ({ texts }: Document, wanted: string): boolean =>
  readings(wanted).some((reading) => texts.some((text) => text.startsWith(reading)))

const sharesReading = (a: string, b: string) => readings(a).some((one) => readings(b).includes(one))

const lastParts = (word: string) => [bare(word), word.split("'").at(-1) ?? ""].map((each) => parts(each).at(-1) ?? "")
const firstParts = (word: string) => [bare(word), word.split("'")[0] ?? ""].map((each) => parts(each)[0] ?? "")

/** Letters and digits with a blank between them. */
const isApart = ({ apart }: Document, first: string, second: string): boolean =>
  apart.some(([before, after]) =>
    lastParts(before.text).some((last) =>
      firstParts(after.text).some((next) => sharesReading(`${last} ${next}`, `${first} ${second}`))
    )
  )

/** A word of letters whose first or last letter stands alone. */
const isPartedAtLetter = ({ apart }: Document, word: string): boolean => {
  const [first = "", rest] = [word[0], word.slice(1)]
  const [start, last = ""] = [word.slice(0, -1), word.at(-1)]
  const isLatin = (letter: string) => between(letter.charCodeAt(0), 98, 122) && letter !== "y"
  if (word.length < 4) return false
  return apart.some(
    ([before, after]) =>
      (isLatin(first) &&
        bare(before.text) === first &&
        firstParts(after.text).some((next) =>
          readings(next).some((reading) => readings(rest).some((wanted) => reading.startsWith(wanted)))
        )) ||
      (isLatin(last) &&
        !"eiou".includes(last) &&
        bare(after.text) === last &&
        lastParts(before.text).some((each) => sharesReading(each, start)))
  )
}

/** The domain that a store registers, or its subdomain of a platform. */
const domainOf = (host: string): string =>
  getDomain(domainToASCII(host), { allowPrivateDomains: true, extractHostname: false }) ?? host

/** Only those with a scheme, also behind a quotation mark or a bracket. */
const address = /(?<=^|\s)[^\s\p{L}\p{N}]*https?:\/\/(?:www\.)?([^\s/?#]+)\S*/giu

/** At least five letters, an `s` at the end and no `s`, `u` or `i` before it. */
const hasSingular = ({ whole }: Document, word: string): boolean =>
  Array.from(word).length >= 5 &&
  word.endsWith("s") &&
  !"sui".includes(word.at(-2) ?? "") &&
  readings(word.slice(0, -1)).some((reading) => whole.includes(reading))

/** The words of a query with those that it may be written together with. */
interface Wanted extends Piece {
  readonly together: ReadonlyArray<string>
}

const wantedOf = (query: string): ReadonlyArray<Wanted> => {
  const all = pieces(decoded(query.replaceAll(address, (_, host: string) => domainOf(host))))
  const isPlain = (at: number) => all[at]?.kind === "word" && !Array.from(all[at].text).some(isDigit)
  const isNext = (at: number) =>
    isPlain(at) && isPlain(at + 1) && (all[at + 1]?.link === "-" || /^\s+$/.test(all[at + 1]?.link ?? ""))
  return all.map((piece, at): Wanted => {
    const [first, last] = chainOf(all, at)
    const isChain = piece.kind === "word" && last > first && last - first < 4 && hasLetter(joined(all, first, last))
    return {
      ...piece,
      text: bare(piece.text),
      together: [
        ...(isNext(at - 1) ? [joined(all, at - 1, at)] : []),
        ...(isNext(at) ? [joined(all, at, at + 1)] : []),
        ...(isChain ? [joined(all, first, last)] : [])
      ]
    }
  })
}

const hasWord = (document: Document, { text, together }: Wanted): boolean => {
  if ([text, ...together].some((each) => canRead(document, each))) return true
  const all = parts(text)
  if (all.length === 1) return isPartedAtLetter(document, text) || hasSingular(document, text)
  if (all.length > mostParts) return false
  const pairs = all.slice(1).map((part, before) => [all[before] ?? "", part] as const)
  return (
    pairs.some(([a, b]) => isApart(document, a, b)) &&
    (pairs.length === 1 || pairs.every(([a, b]) => canRead(document, `${a}${b}`) || isApart(document, a, b)))
  )
}

const hasPiece = (document: Document, wanted: Wanted): boolean => {
  if (wanted.kind === "word") return hasWord(document, wanted)
  if (wanted.kind === "symbol") return document.symbols.includes(wanted.text)
  const characters = Array.from(wanted.text)
  const pairs =
    characters.length === 1 ? characters : characters.slice(1).map((next, index) => `${characters[index]}${next}`)
  return pairs.every((pair) => document.runs.some((run) => run.includes(pair)))
}

/** `undefined` for a query without words. */
export const matcher = (query: string): ((texts: ReadonlyArray<string | null>) => boolean) | undefined => {
  const wanted = wantedOf(query)
  if (wanted.length === 0) return undefined
  return (texts) => {
    const document = documentOf(texts)
    return wanted.every((piece) => hasPiece(document, piece))
  }
}
