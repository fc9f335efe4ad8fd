/**
 * Reading of the inverted index of a segment (D101): the rows that have a word with a given prefix. WordsBuilder.ts
 * writes {@link Words}.
 *
 * Postings are ascending row numbers, stored as gaps in variable-length bytes (varint, 7 bits a byte, high bit set on all
 * but the last). Most gaps are small: in the prototype, 146 MB instead of 686 MB for 5 million products and 2 million ads. A
 * word in more than 1/8 of the rows is stored as a bitmap, which is then no larger and ten times faster to read. The unions of
 * prefixes with very many postings are stored as bitmaps too, so that a search for one letter costs as much as one for a common
 * word.
 *
 * Cost: two binary searches for a prefix, then 3.1 ns a posting for varints, 0.2 ns for bitmaps (measured).
 *
 * Source: Witten, Moffat, Bell, "Managing Gigabytes", 1999, for gaps; the bytes of a gap are those of a VInt of Lucene.
 */
import { wholeOf } from "../../../domain/search/SearchText.ts"
import type { WantedWord } from "../../../domain/search/WantedWords.ts"
import { andBits, bitmapLength, countBits, eachBit, isSet, orBits, setRows } from "./Bitmap.ts"
import type { Filter } from "../../../domain/search/CatalogQuery.ts"
import type { Words } from "./Segment.ts"

export const isDense = (postings: number, rows: number): boolean => postings > rows >>> 3

export const wordCount = ({ textOffsets }: Pick<Words, "textOffsets">): number => textOffsets.length - 1

/** The order of UTF-16 code units, like `<` for strings. */
export const compareText = (a: Uint16Array, b: Uint16Array): number => {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return a[at]! - b[at]!
  return a.length - b.length
}

export const wordText = ({ text, textOffsets }: Words, word: number): Uint16Array =>
  text.subarray(textOffsets[word], textOffsets[word + 1])

/** Whether a word is greater than the one before it, by {@link compareText} without arrays for each word. */
export const isAfterLast = ({ text, textOffsets }: Words, word: number): boolean => {
  const end = textOffsets[word]!
  const ownEnd = textOffsets[word + 1]!
  let at = textOffsets[word - 1]!
  let own = end
  while (at < end && own < ownEnd && text[at] === text[own]) {
    at++
    own++
  }
  return own < ownEnd && (at === end || text[at]! < text[own]!)
}

/** Compares the word in `text` from `from` to `to` with a prefix: less (-1), begins with it (0), greater (1). */
const comparePrefix = (text: Uint16Array, from: number, to: number, prefix: string): number => {
  for (let at = 0; at < prefix.length; at++) {
    if (from + at >= to) return -1
    const difference = text[from + at]! - prefix.charCodeAt(at)
    if (difference !== 0) return difference < 0 ? -1 : 1
  }
  return 0
}

/** The words that begin with the spelling, or are it: the first, and the one after the last. */
const wordsWith = (words: Words, spelling: string): readonly [from: number, to: number] => {
  const { text, textOffsets } = words
  const whole = wholeOf(spelling)
  const prefix = whole ?? spelling
  const place = (word: number) => comparePrefix(text, textOffsets[word]!, textOffsets[word + 1]!, prefix)
  let low = 0
  let high = wordCount(words)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (place(middle) < 0) low = middle + 1
    else high = middle
  }
  const from = low
  if (whole !== undefined) {
    const isThere = from < wordCount(words) && place(from) === 0
    const length = isThere ? textOffsets[from + 1]! - textOffsets[from]! : 0
    return [from, length === whole.length ? from + 1 : from]
  }
  high = wordCount(words)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (place(middle) === 0) low = middle + 1
    else high = middle
  }
  return [from, low]
}

const prefixBitmap = (words: Words, rows: number, prefix: string): Uint32Array | undefined => {
  const { prefixBitmaps, prefixOffsets, prefixText } = words
  const length = bitmapLength(rows)
  for (let at = 0; at < prefixOffsets.length - 1; at++) {
    const [from, to] = [prefixOffsets[at]!, prefixOffsets[at + 1]!]
    if (to - from === prefix.length && comparePrefix(prefixText, from, to, prefix) === 0) {
      return prefixBitmaps.subarray(at * length, (at + 1) * length)
    }
  }
  return undefined
}

/** Without the unions of prefixes. */
export type Postings = Omit<Words, "prefixText" | "prefixOffsets" | "prefixBitmaps">

/** Sets the bits of all rows that have one of the words. */
export const uniteRows = (words: Postings, rows: number, from: number, to: number, bits: Uint32Array): void => {
  for (let word = from; word < to; word++) {
    const postings = words.cumulative[word + 1]! - words.cumulative[word]!
    if (isDense(postings, rows)) {
      const start = words.starts[word]!
      orBits(bits, words.bitmaps.subarray(start, start + bits.length))
      continue
    }
    const { gaps } = words
    let position = words.starts[word]!
    let row = -1
    for (let count = 0; count < postings; count++) {
      let byte = gaps[position++]!
      let gap = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = gaps[position++]!
        gap |= (byte & 127) << shift
      }
      row += gap + 1
      bits[row >>> 5]! |= 1 << (row & 31)
    }
  }
}

/** Writes the rows of a word, ascending, to `target` from `start`. Returns the position after the last. */
export const readRows = (words: Words, rows: number, word: number, target: Uint32Array, start: number): number => {
  const postings = words.cumulative[word + 1]! - words.cumulative[word]!
  let end = start
  if (isDense(postings, rows)) {
    const from = words.starts[word]!
    for (let at = 0; at < bitmapLength(rows); at++) {
      for (let bits = words.bitmaps[from + at]!; bits !== 0; bits &= bits - 1) {
        target[end++] = (at << 5) + 31 - Math.clz32(bits & -bits)
      }
    }
    return end
  }
  let position = words.starts[word]!
  let row = -1
  for (let count = 0; count < postings; count++) {
    let byte = words.gaps[position++]!
    let gap = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = words.gaps[position++]!
      gap |= (byte & 127) << shift
    }
    row += gap + 1
    target[end++] = row
  }
  return end
}

/** The rows that have each wanted word, as a bitmap; also as an ascending `list` if the rarest has few. */
export interface Hits {
  readonly bits: Uint32Array
  readonly list: Uint32Array | undefined
}

/** The words of one spelling: the first, and the one after the last. */
interface Range {
  readonly prefix: string
  readonly from: number
  readonly to: number
  readonly postings: number
}

interface Wanted {
  /** Only those with postings. */
  readonly ranges: ReadonlyArray<Range>
  /** Of all ranges; a row can be in several. */
  readonly postings: number
}

const wantedOf = (words: Words, spellings: WantedWord): Wanted => {
  const ranges = spellings.flatMap((prefix): ReadonlyArray<Range> => {
    const [from, to] = wordsWith(words, prefix)
    const postings = words.cumulative[to]! - words.cumulative[from]!
    return postings === 0 ? [] : [{ prefix, from, to, postings }]
  })
  return { ranges, postings: ranges.reduce((sum, { postings }) => sum + postings, 0) }
}

/** The postings of a word in all its spellings; a row can be counted several times. */
export const postingsOf = (words: Words, spellings: WantedWord): number => wantedOf(words, spellings).postings

/**
 * Finds the rows that have each wanted word, the rarest first, so that only its hits are tested for the others. `scratch`
 * returns bitmaps with any content; two are used. Up to `fewHits` hits are handled one by one.
 */
export const findRows = (
  words: Words,
  rows: number,
  wantedWords: ReadonlyArray<WantedWord>,
  scratch: (index: number) => Uint32Array,
  fewHits: number
): Hits => {
  const [rarest, ...others] = wantedWords
    .map((spellings) => wantedOf(words, spellings))
    .sort((a, b) => a.postings - b.postings)
  if (rarest === undefined) throw new RangeError("at least one word is needed")
  const bits = scratch(0).fill(0)
  if (rarest.postings <= fewHits) {
    let list = fewRows(words, rows, rarest)
    for (const other of others) {
      if (list.length === 0) break
      const bitmap = bitmapOf(words, rows, other, scratch)
      list = list.filter((row) => isSet(bitmap, row))
    }
    setRows(bits, list)
    return { bits, list }
  }
  unite(words, rows, rarest, bits)
  for (const other of others) andBits(bits, bitmapOf(words, rows, other, scratch))
  return { bits, list: undefined }
}

/**
 * The rows that have each wanted word, and each word of at least one phrase; `undefined` if neither is asked for. The eighth
 * bitmap of `scratch` is used besides those of {@link findRows}.
 */
export const findHits = (
  words: Words,
  rows: number,
  { phrases, words: wanted }: Pick<Filter, "phrases" | "words">,
  scratch: (index: number) => Uint32Array,
  fewHits: number
): Hits | undefined => {
  if (phrases === undefined) return wanted.length === 0 ? undefined : findRows(words, rows, wanted, scratch, fewHits)
  const any = scratch(7).fill(0)
  for (const phrase of phrases) orBits(any, findRows(words, rows, phrase, scratch, fewHits).bits)
  const { bits } = wanted.length === 0 ? { bits: scratch(0).fill(-1) } : findRows(words, rows, wanted, scratch, fewHits)
  andBits(bits, any)
  return { bits, list: countBits(bits, 0, rows) > fewHits ? undefined : listOf(bits) }
}

const listOf = (bits: Uint32Array): Uint32Array => {
  const rows: Array<number> = []
  eachBit(bits, (row) => rows.push(row))
  return Uint32Array.from(rows)
}

/** The bitmap that the segment has of the words of a range. */
const storedBitmap = (words: Words, rows: number, { from, postings, prefix, to }: Range): Uint32Array | undefined => {
  if (!isDense(postings, rows)) return undefined
  if (to - from > 1) return prefixBitmap(words, rows, prefix)
  const start = words.starts[from]!
  return words.bitmaps.subarray(start, start + bitmapLength(rows))
}

const unite = (words: Words, rows: number, { ranges }: Wanted, bits: Uint32Array): void => {
  for (const range of ranges) {
    const stored = storedBitmap(words, rows, range)
    if (stored === undefined) uniteRows(words, rows, range.from, range.to, bits)
    else orBits(bits, stored)
  }
}

/** A stored bitmap, or one that is made in the second scratch. */
const bitmapOf = (words: Words, rows: number, wanted: Wanted, scratch: (index: number) => Uint32Array): Uint32Array => {
  const [only] = wanted.ranges
  const stored = only === undefined || wanted.ranges.length > 1 ? undefined : storedBitmap(words, rows, only)
  if (stored !== undefined) return stored
  const bits = scratch(1).fill(0)
  unite(words, rows, wanted, bits)
  return bits
}

/** Ascending and distinct. */
const fewRows = (words: Words, rows: number, { postings, ranges }: Wanted): Uint32Array => {
  const all = new Uint32Array(postings)
  let end = 0
  for (const { from, to } of ranges) {
    for (let word = from; word < to; word++) end = readRows(words, rows, word, all, end)
  }
  const [only] = ranges
  if (ranges.length <= 1 && (only === undefined || only.to - only.from === 1)) return all
  all.sort()
  let kept = 0
  for (let at = 0; at < all.length; at++) {
    const row = all[at]!
    if (kept === 0 || row !== all[kept - 1]) all[kept++] = row
  }
  return all.subarray(0, kept)
}
