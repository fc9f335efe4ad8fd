/**
 * Which items of a segment meet what is asked of items themselves, as a bitmap: of a price its range, of an ad its flags
 * and the days in which it started, of both when they were first imported.
 *
 * A range is tested row by row in a loop without branches that depend on the data, 3 ns a row; or, the rows that it has or
 * lacks, whichever are fewer, are taken from the permutation of the column, 1.7 ns each. Flags have a bitmap each, 0.1 ns a row.
 */
import * as AdKey from "./AdKey.ts"
import { andAny, bitmapLength, clearRows, isSet, setRange, setRows } from "./Bitmap.ts"
import type { Filter, Range } from "./Query.ts"
import type { Ads, Items, Products, Segment } from "./Segment.ts"

/** In terms of one segment. */
export type ItemTest =
  /** Rows whose value is from `low` to `low + span - 1`; the value is the column's, of which `mask` leaves some bits. */
  | {
      readonly _tag: "Range"
      readonly column: Uint32Array | Int32Array
      readonly mask: number
      readonly low: number
      readonly span: number
      /** All rows by value, ascending. */
      readonly permutation: Uint32Array | undefined
    }
  /** Rows that are in one bitmap of each group. */
  | { readonly _tag: "Flags"; readonly groups: ReadonlyArray<ReadonlyArray<Uint32Array>> }

export type RangeTest = Extract<ItemTest, { readonly _tag: "Range" }>

const allBits = -1

/** All must hold; none when nothing is asked. */
export const itemTests = ({ ads, products }: Segment, items: Items, filter: Filter): ReadonlyArray<ItemTest> => {
  const tests: Array<ItemTest> = []
  const { item, seenAfter } = filter
  if (item?._tag === "Price") tests.push(priceTest(products, item.range))
  if (item?._tag === "Ad") {
    const groups = Object.values(AdKey.wantedBitmaps(item.criteria))
    if (groups.length > 0) tests.push({ _tag: "Flags", groups: groups.map((group) => bitmaps(ads, group)) })
    if (item.firstDay > 0 || item.lastDay < AdKey.lastDay) tests.push(dayTest(ads, item.firstDay, item.lastDay))
  }
  if (seenAfter !== undefined) {
    const low = seenAfter + 1
    const span = 2 ** 32 - low
    tests.push({ _tag: "Range", column: items.firstSeen, mask: allBits, low, span, permutation: undefined })
  }
  return tests
}

export const bitmaps = ({ flags, ids }: Ads, numbers: ReadonlyArray<number>): ReadonlyArray<Uint32Array> => {
  const length = bitmapLength(ids.length)
  return numbers.map((number) => flags.subarray(number * length, (number + 1) * length))
}

export const priceTest = ({ byPrice, price, prices }: Products, range: Range): RangeTest => {
  const [low, end] = priceCodes(prices, range)
  return { _tag: "Range", column: price, mask: allBits, low, span: end - low, permutation: byPrice }
}

export const dayTest = ({ byStarted, keys }: Ads, firstDay: number, lastDay: number): RangeTest => ({
  _tag: "Range",
  column: keys,
  mask: AdKey.lastDay,
  low: firstDay,
  span: Math.max(0, lastDay - firstDay + 1),
  permutation: byStarted
})

/** The position of the first value for which it holds, in an array where it holds for all later ones. */
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

/** The codes of the prices in a range: from the first, to the one after the last. */
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

export const isMet = (test: ItemTest, row: number): boolean =>
  test._tag === "Flags"
    ? test.groups.every((group) => group.some((bits) => isSet(bits, row)))
    : ((test.column[row]! & test.mask) - test.low) >>> 0 < test.span

/** Positions in a permutation of the rows in the range. */
export const positions = (
  { column, low, mask, span }: RangeTest,
  permutation: Uint32Array
): readonly [from: number, to: number] => [
  firstWhere(permutation, (row) => (column[row]! & mask) >= low),
  firstWhere(permutation, (row) => (column[row]! & mask) >= low + span)
]

/**
 * Fills the bitmap of a segment from the permutation, where that is cheaper than to look at `others` rows; else does
 * nothing and gives false.
 */
export const fillFromPermutation = (test: RangeTest, bits: Uint32Array, others: number): boolean => {
  const { permutation } = test
  if (permutation === undefined) return false
  const [from, to] = positions(test, permutation)
  const isFew = to - from <= permutation.length >>> 1
  if ((isFew ? to - from : permutation.length - (to - from)) > 2 * others) return false
  bits.fill(0)
  if (isFew) setRows(bits, permutation, from, to)
  else {
    setRange(bits, 0, permutation.length)
    clearRows(bits, permutation, 0, from)
    clearRows(bits, permutation, to, permutation.length)
  }
  return true
}

/** Fills the bitmap of a segment of so many rows; `space` is as long. */
export const fillFlags = (
  { groups }: Extract<ItemTest, { readonly _tag: "Flags" }>,
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
