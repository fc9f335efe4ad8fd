/**
 * Writes the inverted index of a segment, in the format of {@link Words}. Words.ts reads it.
 *
 * Words and their rows are written in ascending order. Cost: one look-up for each part of a text between blanks, one step for
 * each of its words and one look-up for each pair across a blank, a sort of the vocabulary, and three passes over the postings: two of a counting sort, one that writes.
 *
 * Source: Knuth, "The Art of Computer Programming", volume 3, 5.2 (distribution counting).
 */
import { eachPart, partWords, wordsBetween } from "../../../domain/search/SearchText.ts"
import type { PartWords } from "../../../domain/search/SearchText.ts"
import { bitmapLength, setRows } from "./Bitmap.ts"
import { Growing } from "./Growing.ts"
import { shared } from "./Segment.ts"
import type { Words } from "./Segment.ts"
import { isDense, uniteRows, wordCount } from "./Words.ts"
import type { Postings } from "./Words.ts"

/** With fewer rows, reading the postings of a prefix is faster than finding a stored union. */
const leastRowsForPrefixes = 50_000

export interface WordsOptions {
  /** Tests use smaller segments. */
  readonly leastRowsForPrefixes?: number
}
/** A prefix is stored if its words have more postings than this share of the rows. */
const prefixShare = 8

/** Cached parts of texts with their words; most parts repeat often. */
const maxParts = 200_000
/** Longer parts are URLs. */
const maxPartLength = 32
/** V8 copies substrings up to this length. A longer one keeps the whole string in memory. */
const maxCopied = 12

const copyOf = (text: string): string =>
  text.length <= maxCopied ? text : Buffer.from(text, "utf16le").toString("utf16le")

/** The ids of the words of some texts, assigned by the builder. May contain duplicates. */
export type WordIds = ReadonlyArray<number>

const noIds: WordIds = []

/** A part of a text with the ids of its words. */
interface KnownPart extends Pick<PartWords, "first" | "last"> {
  readonly ids: WordIds
}

/** Collects the distinct words of documents, one document for each row, in the order of rows. */
export class WordsBuilder {
  readonly #ids = new Map<string, number>()
  readonly #parts = new Map<string, KnownPart>()
  /** For each word the last row that has it, plus 1. */
  readonly #lastRow: Array<number> = []
  /** Ids of words, document after document. */
  readonly #words = new Growing("Uint32Array")
  readonly #ends = new Growing("Uint32Array")
  readonly #options: WordsOptions

  constructor(options: WordsOptions = {}) {
    this.#options = options
  }

  wordsOf(texts: ReadonlyArray<string | null>): WordIds {
    const found: Array<number> = []
    let before: KnownPart | undefined
    eachPart(texts, (text, isFirst) => {
      const part = this.#partOf(text)
      for (const id of part.ids) found.push(id)
      if (!isFirst) for (const id of this.#wordsBetween(before, part)) found.push(id)
      before = part
    })
    return found
  }

  /** Adds a document with these words and the words of the texts. */
  add(words: WordIds = [], texts: ReadonlyArray<string | null> = []): void {
    const row = this.#ends.length + 1
    this.#addWords(words, row)
    let before: KnownPart | undefined
    eachPart(texts, (text, isFirst) => {
      const part = this.#partOf(text)
      this.#addWords(part.ids, row)
      if (!isFirst) this.#addWords(this.#wordsBetween(before, part), row)
      before = part
    })
    this.#ends.push(this.#words.length)
  }

  #wordsBetween(before: KnownPart | undefined, after: KnownPart): WordIds {
    const words = wordsBetween(before?.last, after.first)
    return words.length === 0 ? noIds : words.map((word) => this.#idOf(word))
  }

  #addWords(ids: WordIds, row: number): void {
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at]!
      if (this.#lastRow[id] === row) continue
      this.#lastRow[id] = row
      this.#words.push(id)
    }
  }

  #partOf(text: string): KnownPart {
    const known = this.#parts.get(text)
    if (known !== undefined) return known
    const own = copyOf(text)
    const { first, last, words } = partWords(own)
    const part = { ids: words.map((word) => this.#idOf(word)), first, last }
    if (text.length <= maxPartLength) {
      if (this.#parts.size === maxParts) this.#parts.clear()
      this.#parts.set(own, part)
    }
    return part
  }

  #idOf(word: string): number {
    const known = this.#ids.get(word)
    if (known !== undefined) return known
    const id = this.#ids.size
    this.#ids.set(copyOf(word), id)
    this.#lastRow.push(0)
    return id
  }

  /** Sorts the vocabulary, then all postings by word with one counting sort. */
  finish(): Words {
    const names = Array.from(this.#ids.keys())
    const byName = Uint32Array.from(names.keys()).sort((a, b) => (names[a]! < names[b]! ? -1 : 1))
    const writer = new PostingsWriter(this.#ends.length, this.#options)
    const rank = new Uint32Array(names.length)
    byName.forEach((id, position) => {
      rank[id] = position
    })

    const words = this.#words.view()
    const starts = new Uint32Array(names.length + 1)
    for (let at = 0; at < words.length; at++) starts[rank[words[at]!]! + 1]!++
    for (let word = 0; word < names.length; word++) starts[word + 1]! += starts[word]!
    const next = starts.slice()
    const rows = new Uint32Array(words.length)
    const ends = this.#ends.view()
    let at = 0
    for (let row = 0; row < ends.length; row++) {
      for (; at < ends[row]!; at++) rows[next[rank[words[at]!]!]!++] = row
    }

    byName.forEach((id, position) => {
      const name = names[id]!
      const text = Uint16Array.from({ length: name.length }, (_, index) => name.charCodeAt(index))
      writer.add(text, rows.subarray(starts[position], starts[position + 1]))
    })
    return writer.finish()
  }
}

/** Writes words in ascending order, each with its ascending rows. */
export class PostingsWriter {
  readonly #rows: number
  readonly #text = new Growing("Uint16Array")
  readonly #textOffsets = new Growing("Uint32Array")
  readonly #cumulative = new Growing("Float64Array")
  readonly #starts = new Growing("Float64Array")
  readonly #gaps = new Growing("Uint8Array")
  readonly #bitmaps: Array<Uint32Array> = []
  readonly #options: WordsOptions
  #postings = 0

  constructor(rows: number, options: WordsOptions = {}) {
    this.#rows = rows
    this.#options = options
    this.#textOffsets.push(0)
    this.#cumulative.push(0)
  }

  add(text: Uint16Array, rows: Uint32Array): void {
    for (let at = 0; at < text.length; at++) this.#text.push(text[at]!)
    this.#textOffsets.push(this.#text.length)
    this.#postings += rows.length
    this.#cumulative.push(this.#postings)
    if (isDense(rows.length, this.#rows)) {
      this.#starts.push(this.#bitmaps.length * bitmapLength(this.#rows))
      const bitmap = new Uint32Array(bitmapLength(this.#rows))
      setRows(bitmap, rows)
      this.#bitmaps.push(bitmap)
      return
    }
    this.#starts.push(this.#gaps.length)
    let previous = -1
    for (let at = 0; at < rows.length; at++) {
      let gap = rows[at]! - previous - 1
      previous = rows[at]!
      while (gap > 127) {
        this.#gaps.push((gap & 127) | 128)
        gap >>>= 7
      }
      this.#gaps.push(gap)
    }
  }

  finish(): Words {
    const bitmaps = shared("Uint32Array", this.#bitmaps.length * bitmapLength(this.#rows))
    this.#bitmaps.forEach((bitmap, index) => bitmaps.set(bitmap, index * bitmapLength(this.#rows)))
    const words = {
      text: this.#text.finish(),
      textOffsets: this.#textOffsets.finish(),
      cumulative: this.#cumulative.finish(),
      starts: this.#starts.finish(),
      gaps: this.#gaps.finish(),
      bitmaps
    }
    const least = this.#options.leastRowsForPrefixes ?? leastRowsForPrefixes
    return { ...words, ...broadPrefixes(words, this.#rows, this.#rows >= least) }
  }
}

interface Prefix {
  readonly text: Uint16Array
  readonly from: number
  readonly to: number
}

/** Prefixes whose words have many postings, unless nearly all of these belong to one word. */
const broadPrefixes = (words: Postings, rows: number, isWorthwhile: boolean) => {
  const found: Array<Prefix> = []
  const least = rows / prefixShare
  const { cumulative, text, textOffsets } = words
  /** The words `from` to `to` share their first `depth` code units. Visits prefixes in ascending order. */
  const visit = (from: number, to: number, depth: number): void => {
    let first = from
    while (first < to) {
      if (textOffsets[first]! + depth >= textOffsets[first + 1]!) {
        first++
        continue
      }
      const unit = text[textOffsets[first]! + depth]!
      let end = first + 1
      while (end < to && text[textOffsets[end]! + depth] === unit) end++
      const postings = cumulative[end]! - cumulative[first]!
      if (postings > least) {
        const prefix = text.subarray(textOffsets[first], textOffsets[first]! + depth + 1)
        if (postings - mostPostings(words, first, end) > least / 2) found.push({ text: prefix, from: first, to: end })
        if (end - first > 1) visit(first, end, depth + 1)
      }
      first = end
    }
  }
  if (isWorthwhile) visit(0, wordCount(words), 0)

  const prefixText = new Growing("Uint16Array")
  const prefixOffsets = new Growing("Uint32Array")
  prefixOffsets.push(0)
  const length = bitmapLength(rows)
  const prefixBitmaps = shared("Uint32Array", found.length * length)
  found.forEach((prefix, index) => {
    for (const unit of prefix.text) prefixText.push(unit)
    prefixOffsets.push(prefixText.length)
    uniteRows(words, rows, prefix.from, prefix.to, prefixBitmaps.subarray(index * length, (index + 1) * length))
  })
  return { prefixText: prefixText.finish(), prefixOffsets: prefixOffsets.finish(), prefixBitmaps }
}

const mostPostings = ({ cumulative }: Pick<Words, "cumulative">, from: number, to: number): number => {
  let most = 0
  for (let word = from; word < to; word++) most = Math.max(most, cumulative[word + 1]! - cumulative[word]!)
  return most
}
