/**
 * Conditions on items, as a bitmap of a segment (D103): the ranges of the price and the creation day of a product, the
 * flags and start days of an ad, the id of both.
 *
 * A range is tested row by row in a branchless loop, 1.5 ns a row. Alternatively the rows inside or outside the range,
 * whichever are fewer, are read from the permutation of the column, 1.5 ns each, or the hits of words are tested one by one, some
 * 15 ns each. Each flag has a bitmap, 0.1 ns a row.
 *
 * Source: Warren, "Hacker's Delight", 2002, 4-1, for both bounds of a range in one unsigned comparison.
 */
import * as AdKey from "./AdKey.ts"
import { andAny, bitmapLength, clearRows, isSet, setRange, setRows } from "./Bitmap.ts"
import type { DayRange, Filter, Range } from "../../../domain/search/CatalogQuery.ts"
import type { Ads, Items, Products, Segment } from "./Segment.ts"

/** A condition in the codes of one segment. */
export type RowFilter =
  /** Rows whose value is from `low` to `low + span - 1`. The value is the column's, after `mask`. */
  | {
      readonly _tag: "Range"
      /** Of one kind of array for all tests: the loop over rows of two kinds takes twice as long. */
      readonly column: Int32Array
      readonly mask: number
      readonly low: number
      readonly span: number
      /** All rows by value, ascending. */
      readonly permutation: Uint32Array | undefined
    }
  /** Rows that are in at least one bitmap of each group. */
  | { readonly _tag: "Flags"; readonly groups: ReadonlyArray<ReadonlyArray<Uint32Array>> }

export type RangeTest = Extract<RowFilter, { readonly _tag: "Range" }>

const allBits = -1

/** The tests of a filter, which must all hold; empty if it has no condition on items. */
export const itemTests = ({ ads, products }: Segment, items: Items, filter: Filter): ReadonlyArray<RowFilter> => {
  const tests: Array<RowFilter> = []
  const { idAbove, item } = filter
  if (item?._tag === "Product") {
    if (item.price !== undefined) tests.push(priceTest(products, item.price))
    if (item.created !== undefined) tests.push(createdTest(products, item.created))
  }
  if (item?._tag === "Ad") {
    const groups = Object.values(AdKey.wantedBitmaps(item.criteria))
    if (groups.length > 0) tests.push({ _tag: "Flags", groups: groups.map((group) => bitmaps(ads, group)) })
    if (item.firstDay > 0 || item.lastDay < AdKey.lastDay) tests.push(dayTest(ads, item.firstDay, item.lastDay))
  }
  if (idAbove !== undefined) {
    const low = idAbove + 1
    tests.push({ _tag: "Range", column: items.ids, mask: allBits, low, span: 2 ** 31 - low, permutation: undefined })
  }
  return tests
}

export const bitmaps = ({ flags, ids }: Ads, numbers: ReadonlyArray<number>): ReadonlyArray<Uint32Array> => {
  const length = bitmapLength(ids.length)
  return numbers.map((number) => flags.subarray(number * length, (number + 1) * length))
}

export const priceTest = ({ byPrice, price, prices }: Products, range: Range): RangeTest => {
  const [low, end] = priceCodes(prices, range)
  // Codes are below 2 ** 31.
  const column = new Int32Array(price.buffer, price.byteOffset, price.length)
  return { _tag: "Range", column, mask: allBits, low, span: end - low, permutation: byPrice }
}

/** Less than any day, and in no range: a range of days has fewer than 2 ** 31. */
const unknownDay = -(2 ** 31)
const millisecondsADay = 86_400_000

/** The day on which each product was created. Made by the first search that needs them, 4 bytes a product. */
const createdDays = new WeakMap<Float64Array, Int32Array>()

const daysOf = (created: Float64Array): Int32Array =>
  createdDays.getOrInsertComputed(created, () => {
    // Not by Int32Array.from, whose iterator takes thirty times as long: other searches wait for this thread.
    const days = new Int32Array(created.length)
    for (let row = 0; row < days.length; row++) {
      const time = created[row]!
      days[row] = Number.isNaN(time) ? unknownDay : Math.floor(time / millisecondsADay)
    }
    return days
  })

export const createdTest = ({ byCreated, created }: Products, { from, to }: DayRange): RangeTest => ({
  _tag: "Range",
  column: daysOf(created),
  mask: allBits,
  low: from,
  span: Math.max(0, to - from + 1),
  permutation: byCreated
})

export const dayTest = ({ byStarted, keys }: Ads, firstDay: number, lastDay: number): RangeTest => ({
  _tag: "Range",
  column: keys,
  mask: AdKey.lastDay,
  low: firstDay,
  span: Math.max(0, lastDay - firstDay + 1),
  permutation: byStarted
})

/** The first position at which `isThere` holds. It must hold at all later positions too. */
export const firstWhere = (values: ArrayLike<number>, isThere: (value: number) => boolean): number => {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isThere(values[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

/** The codes of the prices in a range: the first, and the one after the last. */
export const priceCodes = (prices: Float64Array, { max, min }: Range): readonly [from: number, to: number] => {
  const from = firstWhere(prices, (price) => price >= min)
  return [
    from,
    Math.max(
      from,
      firstWhere(prices, (price) => price > max)
    )
  ]
}

const isMet = (test: RowFilter, row: number): boolean =>
  test._tag === "Flags"
    ? test.groups.every((group) => group.some((bits) => isSet(bits, row)))
    : ((test.column[row]! & test.mask) - test.low) >>> 0 < test.span

/** A loop, because `every` would make a function for each row. */
export const areMet = (tests: ReadonlyArray<RowFilter>, row: number): boolean => {
  for (const test of tests) if (!isMet(test, row)) return false
  return true
}

/** The positions of the range in the permutation. */
export const positions = (
  { column, low, mask, span }: RangeTest,
  permutation: Uint32Array
): readonly [from: number, to: number] => [
  firstWhere(permutation, (row) => (column[row]! & mask) >= low),
  firstWhere(permutation, (row) => (column[row]! & mask) >= low + span)
]

/**
 * Fills the bitmap of a segment from the permutation if that is cheaper than testing `others` rows. Returns false if it
 * did nothing.
 */
export const fillFromPermutation = (test: RangeTest, bits: Uint32Array, others: number): boolean => {
  const { permutation } = test
  if (permutation === undefined) return false
  const [from, to] = positions(test, permutation)
  const isFew = to - from <= permutation.length >>> 1
  if ((isFew ? to - from : permutation.length - (to - from)) > others) return false
  bits.fill(0)
  if (isFew) setRows(bits, permutation, from, to)
  else {
    setRange(bits, 0, permutation.length)
    clearRows(bits, permutation, 0, from)
    clearRows(bits, permutation, to, permutation.length)
  }
  return true
}

/** Fills the bitmap of a segment with `rows` rows. `space` has the same length. */
export const fillFlags = (
  { groups }: Extract<RowFilter, { readonly _tag: "Flags" }>,
  rows: number,
  bits: Uint32Array,
  space: Uint32Array
): void => {
  bits.fill(0)
  setRange(bits, 0, rows)
  for (const group of groups) andAny(bits, group, space)
}

/** Fills the elements `from` to `to - 1` of the bitmap. */
export const fillRange = (
  { column, low, mask, span }: RangeTest,
  bits: Uint32Array,
  from: number,
  to: number
): void => {
  for (let word = from; word < to; word++) {
    const first = word << 5
    let found = 0
    for (let row = Math.min(first + 31, column.length - 1); row >= first; row--) {
      found = (found << 1) | +(((column[row]! & mask) - low) >>> 0 < span)
    }
    bits[word] = found
  }
}

/** Clears the set rows that are out of the range, in the elements `from` to `to - 1` of the bitmap. */
export const keepRange = (
  { column, low, mask, span }: RangeTest,
  bits: Uint32Array,
  from: number,
  to: number
): void => {
  for (let word = from; word < to; word++) {
    let kept = 0
    for (let rest = bits[word]! | 0; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest
      const row = (word << 5) + 31 - Math.clz32(bit)
      if (((column[row]! & mask) - low) >>> 0 < span) kept |= bit
    }
    bits[word] = kept
  }
}
