/**
 * Which items of a segment match, and how many of each store. The same for every search: a mask of stores, then, only for
 * the items of matching stores, a bitmap of those that have the words and meet the conditions on items.
 *
 * Cost: 1 ns a store and condition; 1 ns an item of a matching store where something is asked of items; 0.1 ns an item
 * where only words are asked for. With few hits of words nothing is done for each store of the segment.
 */
import * as AdKey from "./AdKey.ts"
import type { Filter, ItemCondition } from "./Query.ts"
import type { Items, Segment, SegmentView } from "./Segment.ts"
import { fillMask, matches } from "./StoreMask.ts"
import type { PreparedCondition } from "./StoreMask.ts"
import { bitmapLength, findRows } from "./Words.ts"

/** Asked often by what takes long. */
export interface Cancel {
  /** Throws {@link Cancelled} once the search is to stop. */
  readonly check: () => void
}

export class Cancelled extends Error {}

/** Where the ways of a search part. They decide what it costs, never what it finds; tests try others. */
export interface Tuning {
  /** Up to so many hits of words are handled one by one; with more, whole bitmaps are cheaper. */
  readonly fewHits: number
  /** So many rows of a permutation are looked at when matching ones lie as densely as is expected. */
  readonly expectedSteps: number
  /** And so many at the most: order and filter may correlate, and the next match be far away. */
  readonly mostSteps: number
}

export const defaultTuning: Tuning = { fewHits: 4_096, expectedSteps: 30_000, mostSteps: 120_000 }

/** What every step of a search is given. */
export interface Run {
  readonly conditions: ReadonlyArray<PreparedCondition>
  readonly cancel: Cancel
  readonly tuning: Tuning
}

/** Steps between two looks at {@link Cancel}: a fraction of a millisecond. */
const stepsBetweenChecks = 65_536

/** Work space of a segment, made once. A search runs to its end before the next begins. */
interface Scratch {
  readonly mask: Uint8Array
  readonly counts: Uint32Array
  readonly storeBits: Array<Uint32Array>
  readonly productBits: Array<Uint32Array>
  readonly adBits: Array<Uint32Array>
}

const scratches = new WeakMap<Segment, Scratch>()

const scratchOf = (segment: Segment): Scratch => {
  const known = scratches.get(segment)
  if (known !== undefined) return known
  const stores = segment.storeIds.length
  const made: Scratch = {
    mask: new Uint8Array(stores),
    counts: new Uint32Array(stores),
    storeBits: [],
    productBits: [],
    adBits: []
  }
  scratches.set(segment, made)
  return made
}

const bitmapOf =
  (bitmaps: Array<Uint32Array>, rows: number) =>
  (index: number): Uint32Array =>
    (bitmaps[index] ??= new Uint32Array(bitmapLength(rows)))

/** What matches in one segment. Valid until the next search of the segment. */
export interface Matching {
  /** Stores that match. Not filled when there is a `list`. */
  readonly mask: Uint8Array
  /** Matching items of each store; not filled when there is a `list`. */
  readonly counts: Uint32Array
  /** Of the items of matching stores, those that match; `undefined` when all do. */
  readonly bits: Uint32Array | undefined
  /** All matching rows, ascending, when words have few hits. */
  readonly list: Uint32Array | undefined
}

const matchesEverything = { _tag: "Nothing asked" } as const

/** A condition on items in terms of one segment. */
type RowTest =
  | typeof matchesEverything
  /** Prices with codes from `low`, `span` of them. */
  | { readonly _tag: "Price"; readonly codes: Uint32Array; readonly low: number; readonly span: number }
  | {
      readonly _tag: "Ad"
      readonly keys: Int32Array
      readonly isWanted: Uint8Array
      readonly firstDay: number
      readonly span: number
    }

const rowTest = ({ ads, products }: Segment, condition: ItemCondition | undefined): RowTest => {
  if (condition === undefined) return matchesEverything
  if (condition._tag === "Price") {
    const [low, end] = priceCodes(products.prices, condition.range)
    return { _tag: "Price", codes: products.price, low, span: end - low }
  }
  const isWanted = new Uint8Array(AdKey.flagValues)
  for (const flags of AdKey.matchingFlags(condition.criteria)) isWanted[flags] = 1
  const { firstDay, lastDay } = condition
  return { _tag: "Ad", keys: ads.keys, isWanted, firstDay, span: Math.max(0, lastDay - firstDay + 1) }
}

/** The codes of the prices in a range: from the first, to the one after the last. */
export const priceCodes = (
  prices: Float64Array,
  { max, min }: { readonly min: number; readonly max: number }
): readonly [from: number, to: number] => {
  const firstWhere = (isThere: (price: number) => boolean): number => {
    let low = 0
    let high = prices.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isThere(prices[middle]!)) high = middle
      else low = middle + 1
    }
    return low
  }
  const from = firstWhere((price) => price >= min)
  return [
    from,
    Math.max(
      from,
      firstWhere((price) => price > max)
    )
  ]
}

const isRow = (test: RowTest, row: number): boolean => {
  switch (test._tag) {
    case "Nothing asked":
      return true
    case "Price":
      return (test.codes[row]! - test.low) >>> 0 < test.span
    case "Ad": {
      const key = test.keys[row]!
      return test.isWanted[AdKey.flagsOf(key)] === 1 && (AdKey.startDayOf(key) - test.firstDay) >>> 0 < test.span
    }
  }
}

/** The words of items `from * 32` to `to * 32` of the bitmap: bits of rows that meet the test. */
const fillPrices = (
  { codes, low, span }: Extract<RowTest, { readonly _tag: "Price" }>,
  bits: Uint32Array,
  from: number,
  to: number
): void => {
  for (let word = from; word < to; word++) {
    const first = word << 5
    const rows = Math.min(32, codes.length - first)
    let found = 0
    for (let bit = 0; bit < rows; bit++) found |= +((codes[first + bit]! - low) >>> 0 < span) << bit
    bits[word] = found
  }
}

const fillAds = (
  { firstDay, isWanted, keys, span }: Extract<RowTest, { readonly _tag: "Ad" }>,
  bits: Uint32Array,
  from: number,
  to: number
): void => {
  for (let word = from; word < to; word++) {
    const first = word << 5
    const rows = Math.min(32, keys.length - first)
    let found = 0
    for (let bit = 0; bit < rows; bit++) {
      const key = keys[first + bit]!
      found |= (isWanted[key >>> 22]! & +(((key & AdKey.lastDay) - firstDay) >>> 0 < span)) << bit
    }
    bits[word] = found
  }
}

const fillSeen = (firstSeen: Uint32Array, after: number, bits: Uint32Array, from: number, to: number): void => {
  for (let word = from; word < to; word++) {
    const first = word << 5
    const rows = Math.min(32, firstSeen.length - first)
    let found = 0
    for (let bit = 0; bit < rows; bit++) found |= +(firstSeen[first + bit]! > after) << bit
    bits[word] = found
  }
}

/** The items of a segment that match, of stores that meet the conditions. */
export const matchItems = (
  view: SegmentView,
  filter: Filter & { readonly subject: "products" | "ads" },
  { cancel, conditions, tuning }: Run,
  /** Stores to look at instead of those that meet the conditions. */
  given?: Uint8Array
): Matching => {
  const { segment } = view
  const scratch = scratchOf(segment)
  const items = filter.subject === "products" ? segment.products : segment.ads
  const rows = items.ids.length
  const bitmap = bitmapOf(filter.subject === "products" ? scratch.productBits : scratch.adBits, rows)
  const { counts } = scratch
  const test = rowTest(segment, filter.item)
  const { seenAfter } = filter
  const hits = filter.words.length === 0 ? undefined : findRows(items.words, rows, filter.words, bitmap, tuning.fewHits)
  cancel.check()

  if (hits?.list !== undefined && given === undefined) {
    const list = hits.list.filter(
      (row) =>
        matches(view, conditions, items.stores[row]!) &&
        isRow(test, row) &&
        (seenAfter === undefined || items.firstSeen[row]! > seenAfter)
    )
    // The bitmap is of what matches, not of all hits.
    for (let at = 0; at < hits.list.length; at++) hits.bits[hits.list[at]! >>> 5] = 0
    for (let at = 0; at < list.length; at++) hits.bits[list[at]! >>> 5]! |= 1 << (list[at]! & 31)
    return { mask: scratch.mask, counts, bits: hits.bits, list }
  }

  const mask = given ?? scratch.mask
  if (given === undefined) fillMask(view, conditions, mask)
  const asksItems = test._tag !== "Nothing asked"
  if (!asksItems && seenAfter === undefined) {
    countOfStores(items, mask, hits?.bits, counts, cancel)
    return { mask, counts, bits: hits?.bits, list: undefined }
  }

  const bits = bitmap(2)
  eachRun(items, mask, cancel, (from, to) => {
    if (test._tag === "Price") fillPrices(test, bits, from, to)
    else if (test._tag === "Ad") fillAds(test, bits, from, to)
    if (hits !== undefined) andBits(bits, hits.bits, from, to, !asksItems)
    if (seenAfter === undefined) return
    const isFirst = !asksItems && hits === undefined
    const seen = isFirst ? bits : bitmap(3)
    fillSeen(items.firstSeen, seenAfter, seen, from, to)
    if (!isFirst) andBits(bits, seen, from, to, false)
  })
  countOfStores(items, mask, bits, counts, cancel)
  return { mask, counts, bits, list: undefined }
}

const andBits = (bits: Uint32Array, other: Uint32Array, from: number, to: number, isCopy: boolean): void => {
  if (isCopy) {
    bits.set(other.subarray(from, to), from)
    return
  }
  for (let word = from; word < to; word++) bits[word]! &= other[word]!
}

/**
 * Calls for each run of bitmap words that hold items of matching stores, each word once. A word may hold items of other
 * stores too: bits count only where the mask has the store.
 */
const eachRun = (
  { offsets }: Items,
  mask: Uint8Array,
  cancel: Cancel,
  visit: (from: number, to: number) => void
): void => {
  let from = 0
  let to = 0
  const flush = () => {
    for (; from < to; from += stepsBetweenChecks >>> 5) {
      cancel.check()
      visit(from, Math.min(to, from + (stepsBetweenChecks >>> 5)))
    }
    from = to
  }
  for (let store = 0; store < mask.length; store++) {
    if (mask[store] === 0 || offsets[store] === offsets[store + 1]) continue
    const first = offsets[store]! >>> 5
    if (first > to) {
      flush()
      from = first
    }
    to = Math.max(to, ((offsets[store + 1]! - 1) >>> 5) + 1)
  }
  flush()
}

const countOfStores = (
  { offsets }: Items,
  mask: Uint8Array,
  bits: Uint32Array | undefined,
  counts: Uint32Array,
  cancel: Cancel
): void => {
  for (let store = 0; store < mask.length; store++) {
    if ((store & (stepsBetweenChecks - 1)) === 0) cancel.check()
    if (mask[store] === 0) counts[store] = 0
    else if (bits === undefined) counts[store] = offsets[store + 1]! - offsets[store]!
    else counts[store] = countBits(bits, offsets[store]!, offsets[store + 1]!)
  }
}

/** Population count, Hacker's Delight 5-1. */
const popCount = (word: number): number => {
  let sum = word - ((word >>> 1) & 0x5555_5555)
  sum = (sum & 0x3333_3333) + ((sum >>> 2) & 0x3333_3333)
  return Math.imul((sum + (sum >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}

const countBits = (bits: Uint32Array, from: number, to: number): number => {
  if (from >= to) return 0
  const first = from >>> 5
  const last = (to - 1) >>> 5
  const head = -1 << (from & 31)
  const tail = -1 >>> (31 - ((to - 1) & 31))
  if (first === last) return popCount(bits[first]! & head & tail)
  let count = popCount(bits[first]! & head) + popCount(bits[last]! & tail)
  for (let word = first + 1; word < last; word++) count += popCount(bits[word]!)
  return count
}

export const isSet = (bits: Uint32Array | undefined, row: number): boolean =>
  bits === undefined || ((bits[row >>> 5]! >>> (row & 31)) & 1) === 1

/** The stores that match, as a mask or, when words have few hits, as a list. Pseudo-stores never do. */
export const matchStores = (
  view: SegmentView,
  filter: Filter,
  { cancel, conditions, tuning }: Run,
  /** Stores to look at instead of those that meet the conditions. */
  given?: Uint8Array
): Pick<Matching, "mask" | "list"> => {
  const { segment } = view
  const scratch = scratchOf(segment)
  const rows = segment.storeIds.length
  const hits =
    filter.words.length === 0
      ? undefined
      : findRows(segment.words, rows, filter.words, bitmapOf(scratch.storeBits, rows), tuning.fewHits)
  cancel.check()
  const mask = given ?? scratch.mask
  if (hits?.list !== undefined && given === undefined) {
    const list = hits.list.filter((row) => row >= segment.pseudoStores && matches(view, conditions, row))
    return { mask, list }
  }
  if (given === undefined) fillMask(view, conditions, mask)
  mask.fill(0, 0, segment.pseudoStores)
  if (hits !== undefined) for (let row = 0; row < rows; row++) mask[row]! &= (hits.bits[row >>> 5]! >>> (row & 31)) & 1
  return { mask, list: undefined }
}
