/**
 * Checks the values of arrays that come from a file: every offset, row and code must lead to a place that exists, and what is
 * searched or walked in an order must be in it. A search in a segment that passes ends, and reads nothing that is not there. What
 * is wrong within these bounds, such as the words of an item, is found by `catalog verify` (Compare.ts).
 *
 * Cost: one pass over each array and over all postings.
 */
import { languages, pixels, socialNetworks } from "../../../domain/catalog/Enumerations.ts"
import * as AdKey from "./AdKey.ts"
import { bitmapLength, popCount } from "./Bitmap.ts"
import { codes, masks, spellingKinds, storeNumbers } from "../../../domain/search/CatalogQuery.ts"
import type { Code, Mask, SpellingKind } from "../../../domain/search/CatalogQuery.ts"
import { record } from "./Segment.ts"
import type { Items, SegmentView, StoreColumns, TypedArray, Words } from "./Segment.ts"
import { isAfterLast, isDense, wordCount } from "./Words.ts"

/** Throws unless the condition holds. */
const need = (holds: boolean, what: string): void => {
  if (!holds) throw new RangeError(`${what} is out of bounds`)
}

const needLength = (array: TypedArray, length: number, what: string): void => need(array.length === length, what)

const needBelow = (array: TypedArray, end: number, what: string): void => {
  for (let at = 0; at < array.length; at++) need(array[at]! < end, what)
}

/** `count` ranges that follow each other, up to `end`. */
const needOffsets = (offsets: Uint32Array, count: number, end: number, what: string): void => {
  needLength(offsets, count + 1, what)
  need(offsets[0] === 0 && offsets[count] === end, what)
  for (let at = 0; at < count; at++) need(offsets[at]! <= offsets[at + 1]!, what)
}

/** Bitmaps of rows, one after another, without bits behind the last row. */
const needBitmaps = (bits: Uint32Array, count: number, rows: number, what: string): void => {
  const length = bitmapLength(rows)
  needLength(bits, count * length, what)
  const behind = ~((1 << (rows & 31)) - 1)
  for (let end = length - 1; end < bits.length; end += length) need((bits[end]! & behind) === 0, what)
}

const needWords = (words: Words, rows: number, what: string): void => {
  const { bitmaps, cumulative, gaps, prefixBitmaps, prefixOffsets, prefixText, starts, text, textOffsets } = words
  const count = wordCount(words)
  need(count >= 0, what)
  needOffsets(textOffsets, count, text.length, what)
  needLength(cumulative, count + 1, what)
  needLength(starts, count, what)
  need(cumulative[0] === 0, what)
  const length = bitmapLength(rows)
  for (let word = 0; word < count; word++) {
    if (word > 0) need(isAfterLast(words, word), what)
    const postings = cumulative[word + 1]! - cumulative[word]!
    const start = starts[word]!
    need(Number.isInteger(postings) && postings >= 0 && postings <= rows, what)
    need(Number.isSafeInteger(start) && start >= 0, what)
    if (isDense(postings, rows)) {
      need(start + length <= bitmaps.length, what)
      needBitmap(bitmaps, start, rows, postings, what)
    } else needGaps(gaps, start, postings, rows, what)
  }
  const prefixes = prefixOffsets.length - 1
  need(prefixes >= 0, what)
  needOffsets(prefixOffsets, prefixes, prefixText.length, what)
  needBitmaps(prefixBitmaps, prefixes, rows, what)
}

const needBitmap = (bitmaps: Uint32Array, start: number, rows: number, postings: number, what: string): void => {
  const end = start + bitmapLength(rows)
  let found = 0
  for (let at = start; at < end; at++) found += popCount(bitmaps[at]!)
  need(found === postings && (bitmaps[end - 1]! & ~((1 << (rows & 31)) - 1)) === 0, what)
}

/** Most bytes of an index are gaps: checked without a call each. */
const needGaps = (gaps: Uint8Array, start: number, postings: number, rows: number, what: string): void => {
  const end = gaps.length
  let position = start
  let row = -1
  for (let count = 0; count < postings; count++) {
    if (position >= end) return need(false, what)
    let byte = gaps[position++]!
    let gap = byte & 127
    for (let factor = 128; byte > 127; factor *= 128) {
      if (position >= end || factor > 2 ** 28) return need(false, what)
      byte = gaps[position++]!
      gap += (byte & 127) * factor
    }
    row += gap + 1
    if (row >= rows) return need(false, what)
  }
}

/** Each row once, by ascending keys; unknown ones are first. */
const needOrder = (permutation: Uint32Array, rows: number, keyOf: (row: number) => number, what: string): void => {
  needLength(permutation, rows, what)
  const seen = new Uint8Array(rows)
  let previous = Number.NEGATIVE_INFINITY
  for (let at = 0; at < permutation.length; at++) {
    const row = permutation[at]!
    need(row < rows && seen[row] === 0, what)
    seen[row] = 1
    const key = keyOf(row)
    need(Number.isNaN(key) ? previous === Number.NEGATIVE_INFINITY : key >= previous, what)
    if (!Number.isNaN(key)) previous = key
  }
}

const needItems = ({ highestId, ids, offsets, stores, words }: Items, storeRows: number, what: string): void => {
  const rows = ids.length
  needOffsets(offsets, storeRows, rows, `${what}.offsets`)
  needLength(stores, rows, `${what}.stores`)
  for (let store = 0; store < storeRows; store++) {
    for (let row = offsets[store]!; row < offsets[store + 1]!; row++) need(stores[row] === store, `${what}.stores`)
  }
  needLength(highestId, 1, `${what}.highestId`)
  const highest = highestId[0]!
  for (let row = 0; row < rows; row++) need(ids[row]! > 0 && ids[row]! <= highest, `${what}.ids`)
  needWords(words, rows, `${what}.words`)
}

const vocabularies: Readonly<Record<Mask, ReadonlyArray<string>>> = { languages, pixels, networks: socialNetworks }

/** The highest codes that can be; `spellings` counts the known ones. */
const highestCodes = (spellings: Readonly<Record<SpellingKind, number>>): Readonly<Record<Code, number>> => ({
  niche: 2 ** 31 - 1,
  country: 26 ** 2,
  currency: 26 ** 3,
  theme: spellings.theme,
  extension: spellings.extension
})

const needColumns = (columns: StoreColumns, rows: number, spellings: Readonly<Record<SpellingKind, number>>): void => {
  const highest = highestCodes(spellings)
  for (const name of storeNumbers) needLength(columns.figures[name], rows, name)
  for (const name of codes) {
    needLength(columns.codes[name], rows, name)
    needBelow(columns.codes[name], highest[name] + 1, name)
  }
  for (const name of masks) {
    needLength(columns.masks[name], rows, name)
    needBelow(columns.masks[name], 2 ** vocabularies[name].length, name)
  }
  needLength(columns.relevance, rows, "relevance")
  const { appOffsets, apps } = columns
  needOffsets(appOffsets, rows, apps.length, "appOffsets")
  for (const app of apps) need(app > 0 && app <= spellings.app, "apps")
}

/** Throws a `RangeError` that names an array with a value out of bounds. `spellings`: those of the index. */
export const check = (
  { columns, live, segment }: SegmentView,
  spellings: Readonly<Record<SpellingKind, ReadonlyArray<string>>>
): void => {
  const { ads, products, pseudoStores, storeIds } = segment
  const rows = storeIds.length
  need(pseudoStores <= rows, "pseudoStores")
  for (let row = 0; row < rows; row++) {
    need(row === 0 || storeIds[row - 1]! < storeIds[row]!, "storeIds")
    need(storeIds[row]! < 0 === row < pseudoStores, "storeIds")
  }
  needLength(live, rows, "live")
  needBelow(live, 2, "live")
  needColumns(
    columns,
    rows,
    record(spellingKinds, (kind) => spellings[kind].length)
  )
  needWords(segment.words, rows, "words")
  needItems(products, rows, "products")
  needItems(ads, rows, "ads")

  const { byCreated, byPrice, created, price, prices, recency } = products
  for (const array of [price, created, recency]) needLength(array, products.ids.length, "products")
  needBelow(price, prices.length, "price")
  for (let at = 0; at < prices.length; at++) need(at === 0 || prices[at - 1]! < prices[at]!, "prices")
  needOrder(byPrice, products.ids.length, (row) => price[row]!, "byPrice")
  needOrder(byCreated, products.ids.length, (row) => created[row]!, "byCreated")

  needLength(ads.keys, ads.ids.length, "keys")
  needOrder(ads.byStarted, ads.ids.length, (row) => AdKey.startDayOf(ads.keys[row]!), "byStarted")
  const flags = AdKey.flagBitmaps(ads.keys)
  needLength(ads.flags, flags.length, "flags")
  for (let at = 0; at < flags.length; at++) need(flags[at] === ads.flags[at], "flags")
}
