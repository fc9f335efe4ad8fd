/**
 * Which items of a segment match, and how many of each store (S45). The same for every search: the stores that match,
 * then, only for their items, a bitmap of those that have the words and meet the conditions on items.
 *
 * Cost: 2 ns a store that is left and condition; 1.5 ns an item of a matching store where something is asked of items;
 * 0.1 ns an item where only words are asked for. With few hits of words nothing is done for each store of the segment.
 */
import { andBits, countBits, setRange, setRows } from "./Bitmap.ts"
import * as RowFilter from "./RowFilter.ts"
import { firstWhere } from "./RowFilter.ts"
import type { Filter } from "../../../domain/search/CatalogQuery.ts"
import { stepsBetweenChecks } from "./Run.ts"
import type { Cancel, Run } from "./Run.ts"
import type { Items, Segment, SegmentView } from "./Segment.ts"
import { keepSet, matches, meeting, select } from "./StoreSelection.ts"
import { countItems, countRuns, sum } from "./StoreCounts.ts"
import { findHits } from "./Words.ts"
import { bitmapOf, itemBitmaps, scratchOf } from "./WorkSpace.ts"

/** The matching items in one segment. Valid until the next search of the segment. */
export interface ItemMatching {
  /** The number of matching items, and of those in pseudo-stores. */
  readonly total: number
  readonly storeless: number
  /** The matching items; `undefined` if all items of the stores match. Of stores that do not match it may have any. */
  readonly bits: Uint32Array | undefined
  /** All matching rows, ascending, if the words have few hits. */
  readonly list: Uint32Array | undefined
  /** Rows of stores with a matching item, ascending, so pseudo-stores come first. Absent if only items were looked at. */
  readonly stores?: Uint32Array
}

/** The matches in one segment, with their stores. */
export interface Matching extends ItemMatching {
  readonly stores: Uint32Array
  /** The number of matching items of each of these stores. */
  readonly counts: Uint32Array
  /** The number of pseudo-stores among them. */
  readonly pseudoStores: number
}

export type ItemFilter = Filter & { readonly subject: "products" | "ads" }

/** Intersects a bitmap, or all rows, with the conditions on items; exact for the items of these stores, or of all. */
export const meetTests = (
  segment: Segment,
  items: Items,
  filter: ItemFilter,
  stores: Uint32Array | undefined,
  given: Uint32Array | undefined,
  cancel: Cancel
): Uint32Array | undefined => {
  const bitmap = itemBitmaps(segment, items)
  const all = items.ids.length
  let bits = given
  for (const test of RowFilter.itemTests(segment, items, filter)) {
    const met = bitmap(bits === undefined ? 2 : 3)
    if (test._tag === "Flags") RowFilter.fillFlags(test, all, met, bitmap(4))
    else {
      const rows = stores === undefined ? all : rowsOf(items, stores)
      const ofHits = bits === undefined ? Infinity : hitCost * countBits(bits, 0, all)
      if (!RowFilter.fillFromPermutation(test, met, Math.min(rows, ofHits))) {
        if (bits !== undefined && ofHits < rows) {
          inSteps(cancel, RowFilter.keepRange, test, bits)
          continue
        }
        if (stores === undefined) inSteps(cancel, RowFilter.fillRange, test, met)
        else fillOfStores(items, stores, cancel, test, met)
      }
    }
    if (bits === undefined) bits = met
    else andBits(bits, met)
  }
  return bits
}

/** The rows of stores that a filter is about end here: pseudo-stores come first. */
const endOf = ({ pseudoStores, storeIds }: Segment, { isStoreless }: ItemFilter): number =>
  isStoreless === true ? pseudoStores : storeIds.length

/** The matching items among few hits of words, each tested alone. The bitmap has the hits, and then the matches. */
export const matchHits = (
  view: SegmentView,
  filter: ItemFilter,
  { conditions }: Run,
  bits: Uint32Array,
  rows: Uint32Array
): Matching => {
  const { segment } = view
  const items = segment[filter.subject]
  const tests = RowFilter.itemTests(segment, items, filter)
  const end = endOf(segment, filter)
  const kept = new Uint32Array(rows.length)
  let length = 0
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!
    const store = items.stores[row]!
    bits[row >>> 5] = 0
    kept[length] = row
    if (store < end && matches(view, conditions, store) && RowFilter.areMet(tests, row)) length++
  }
  const list = kept.subarray(0, length)
  setRows(bits, list)
  return { ...sum(segment, countRuns(items, list, scratchOf(segment))), bits, list }
}

/** The matching items of a segment, in stores that meet the conditions. */
export const matchItems = (
  view: SegmentView,
  filter: ItemFilter,
  run: Run,
  /** These stores are used instead of those that meet the conditions. */
  given?: Uint32Array
): Matching => {
  const { cancel, conditions, tuning } = run
  const { segment } = view
  const items = segment[filter.subject]
  const bitmap = itemBitmaps(segment, items)
  const scratch = scratchOf(segment)
  const hits = findHits(items.words, items.ids.length, filter, bitmap, tuning.fewHits)
  cancel.check()

  if (hits?.list !== undefined && given === undefined) return matchHits(view, filter, run, hits.bits, hits.list)

  const end = endOf(segment, filter)
  const selected = given ?? select(view, conditions, scratch.stores)
  const stores = selected.subarray(
    0,
    firstWhere(selected, (row) => row >= end)
  )
  return meet(segment, filter, stores, hits?.bits, cancel)
}

const meet = (
  segment: Segment,
  filter: ItemFilter,
  stores: Uint32Array,
  given: Uint32Array | undefined,
  cancel: Cancel
): Matching => {
  const items = segment[filter.subject]
  const bits = meetTests(segment, items, filter, stores, given, cancel)
  return { ...sum(segment, countItems(segment, items, stores, bits)), bits, list: undefined }
}

/** The matches that also meet these conditions on stores and items. Words are not looked at. `matched` is overwritten. */
export const narrowItems = (view: SegmentView, matched: Matching, filter: ItemFilter, run: Run): Matching => {
  const { bits, list, stores } = matched
  if (bits !== undefined && list !== undefined) return matchHits(view, filter, run, bits, list)
  return meet(view.segment, filter, narrowStores(view, stores, run), bits, run.cancel)
}

/** The stores that also meet these conditions. `stores` may be overwritten. */
export const narrowStores = (view: SegmentView, stores: Uint32Array, { conditions }: Run): Uint32Array =>
  conditions.reduce((rows, condition) => meeting(view, condition, rows, scratchOf(view.segment).stores), stores)

const rowsOf = ({ offsets }: Items, stores: Uint32Array): number => {
  let rows = 0
  for (let at = 0; at < stores.length; at++) rows += offsets[stores[at]! + 1]! - offsets[stores[at]!]!
  return rows
}

const wordsBetweenChecks = stepsBetweenChecks >>> 5

/** A hit that is tested alone costs as much as so many rows of a loop without branches. */
export const hitCost = 12

/** Fills all elements of a bitmap, or keeps the rows of them that are in the range. */
const inSteps = (
  cancel: Cancel,
  step: typeof RowFilter.fillRange,
  test: RowFilter.RangeTest,
  bits: Uint32Array
): void => {
  for (let from = 0; from < bits.length; from += wordsBetweenChecks) {
    cancel.check()
    step(test, bits, from, Math.min(bits.length, from + wordsBetweenChecks))
  }
}

/**
 * Fills the elements of a bitmap that contain items of these stores, each once. An element may also contain items of other
 * stores, whose bits are ignored.
 */
const fillOfStores = (
  { offsets }: Items,
  stores: Uint32Array,
  cancel: Cancel,
  test: RowFilter.RangeTest,
  bits: Uint32Array
): void => {
  let from = 0
  let to = 0
  for (let at = 0; at <= stores.length; at++) {
    const isEnd = at === stores.length
    const start = isEnd ? bits.length << 5 : offsets[stores[at]!]!
    // Extends the run, unless it would become too long without a check.
    if (!isEnd && start >>> 5 <= to && to - from < wordsBetweenChecks) {
      to = Math.max(to, (offsets[stores[at]! + 1]! + 31) >>> 5)
      continue
    }
    for (; from < to; from += wordsBetweenChecks) {
      cancel.check()
      RowFilter.fillRange(test, bits, from, Math.min(to, from + wordsBetweenChecks))
    }
    if (isEnd) return
    from = Math.max(to, start >>> 5)
    to = Math.max(to, (offsets[stores[at]! + 1]! + 31) >>> 5)
  }
}

/** The exact matching rows; `bits` may also contain rows of other stores. */
export const matchingRows = (segment: Segment, items: Items, { bits, stores }: ItemMatching): Uint32Array => {
  if (stores === undefined && bits !== undefined) return bits
  const rows = itemBitmaps(segment, items)(1).fill(0)
  if (stores === undefined) {
    setRange(rows, 0, items.ids.length)
    return rows
  }
  const { offsets } = items
  let from = 0
  let to = 0
  for (let at = 0; at < stores.length; at++) {
    const start = offsets[stores[at]!]!
    if (start !== to) {
      setRange(rows, from, to)
      from = start
    }
    to = offsets[stores[at]! + 1]!
  }
  setRange(rows, from, to)
  if (bits !== undefined) andBits(rows, bits)
  return rows
}

/** The first row that can match: after pseudo-stores and, with `idAbove`, after stores with lower ids. */
const firstStore = ({ pseudoStores, storeIds }: Segment, { idAbove }: Filter): number =>
  idAbove === undefined
    ? pseudoStores
    : Math.max(
        pseudoStores,
        firstWhere(storeIds, (id) => id > idAbove)
      )

/** The rows of matching stores, ascending, without pseudo-stores. */
export const matchStores = (
  view: SegmentView,
  filter: Filter,
  { cancel, conditions, tuning }: Run,
  /** These stores are used instead of those that meet the conditions. */
  given?: Uint32Array
): Uint32Array => {
  const { segment } = view
  const scratch = scratchOf(segment)
  const all = segment.storeIds.length
  const first = firstStore(segment, filter)
  const hits = findHits(segment.words, all, filter, bitmapOf(scratch.storeBits, all), tuning.fewHits)
  cancel.check()
  if (hits?.list !== undefined && given === undefined) {
    return hits.list.filter((row) => row >= first && matches(view, conditions, row))
  }
  const selected = given ?? select(view, conditions, scratch.stores)
  const stores = selected.subarray(firstWhere(selected, (row) => row >= first))
  return hits === undefined ? stores : keepSet(hits.bits, stores, scratch.stores)
}
