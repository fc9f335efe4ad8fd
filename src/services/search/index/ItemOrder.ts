/**
 * The best items of a segment by a column of items.
 *
 * A walk over the permutation of the column ends when the page is full. If matching items are few, or are found to be far
 * back in that order, each matching item is read instead. The score has no permutation: within a store items are ordered
 * by it, so the best item of each store bounds the rest. Cost: 1.3 ns a step of a walk, 5 ns a matching item, 3 ns a
 * matching store for the score.
 */
import * as AdKey from "./AdKey.ts"
import { eachBit, isSet } from "./Bitmap.ts"
import { createdTest, dayTest, firstWhere, positions, priceTest } from "./RowFilter.ts"
import { matchingRows } from "./Matching.ts"
import { stepsBetweenChecks } from "./Run.ts"
import { candidates } from "./StoreSelection.ts"
import { TopN } from "./TopN.ts"
import type { ItemMatching } from "./Matching.ts"
import type { Cancel, Run } from "./Run.ts"
import type { Order, Query } from "../../../domain/search/CatalogQuery.ts"
import type { Ads, Products, SegmentView } from "./Segment.ts"

export type ItemQuery = Query & { readonly subject: "products" | "ads" }
export type ByItem = Extract<Order, { readonly _tag: "ByItem" }>

/** The key of an unknown figure: last in both directions. */
export const unknownLast = Number.POSITIVE_INFINITY

export const keyOf = (value: number, isDescending: boolean): number => {
  if (Number.isNaN(value)) return unknownLast
  return isDescending ? -value : value
}

/** A segment and its matching items. */
export interface Part {
  readonly view: SegmentView
  readonly at: number
  readonly items: Products | Ads
  readonly matching: ItemMatching
}

/** An order column of one segment. */
interface Column {
  /** NaN if unknown. */
  readonly valueOf: (row: number) => number
  /** Rows by value ascending, unknown first, then by id. */
  readonly permutation: Uint32Array
}

const columnOf = ({ ads, products }: SegmentView["segment"], name: Exclude<ByItem["column"], "score">): Column => {
  switch (name) {
    case "price":
      return { valueOf: (row) => products.prices[products.price[row]!]!, permutation: products.byPrice }
    case "created":
      return { valueOf: (row) => products.created[row]!, permutation: products.byCreated }
    case "started":
      return { valueOf: (row) => AdKey.startDayOf(ads.keys[row]!), permutation: ads.byStarted }
  }
}

export const offerItems = (best: TopN, part: Part, query: ItemQuery, order: ByItem, run: Run): void => {
  const { at, items, matching, view } = part
  if (matching.total === 0 || query.offset + query.limit === 0) return
  const { column, isDescending } = order
  if (column === "score") return offerByScore(best, part, isDescending, run)
  const { permutation, valueOf } = columnOf(view.segment, column)
  const ways = stretches(part, query, column, { permutation, valueOf })
  const tie = isDescending ? -1 : 1
  const offer = (row: number) => {
    const key = keyOf(valueOf(row), isDescending)
    if (key <= best.worst) best.offer(key, 0, tie * items.ids[row]!, row, at)
  }
  if (matching.list !== undefined) return matching.list.forEach(offer)
  const rows = matchingRows(view.segment, items, matching)
  const needed = Math.min(query.offset + query.limit, matching.total)
  const walked = walk(rows, permutation, ways, isDescending, needed, mostSteps(part, needed, run), run.cancel)
  if (walked === undefined) eachBit(rows, offer)
  else walked.forEach(offer)
}

/** The longest walk that is worth it. 0 if a walk is expected to cost more than reading each matching row. */
const mostSteps = ({ items, matching: { total } }: Part, needed: number, { tuning }: Run): number => {
  const most = Math.max(tuning.leastSteps, total * tuning.stepsAMatch)
  return (needed * items.ids.length) / total > most ? 0 : most
}

/** Positions `from` to `to - 1` of a permutation. */
interface Stretch {
  readonly from: number
  readonly to: number
}

/** The parts of the permutation that can contain matching rows, in the direction of the order. */
const stretches = (
  { view }: Part,
  { item }: ItemQuery,
  column: ByItem["column"],
  { permutation, valueOf }: Column
): ReadonlyArray<Stretch> => {
  const { ads, products } = view.segment
  if (column === "price" && item?._tag === "Product" && item.price !== undefined) {
    const [from, to] = positions(priceTest(products, item.price), permutation)
    return [{ from, to }]
  }
  if (column === "created" && item?._tag === "Product" && item.created !== undefined) {
    const [from, to] = positions(createdTest(products, item.created), permutation)
    return [{ from, to }]
  }
  if (column === "started" && item?._tag === "Ad") {
    const [from, to] = positions(dayTest(ads, item.firstDay, item.lastDay), permutation)
    return [{ from, to }]
  }
  // Unknown values are first in the permutation, and last in both directions of the order.
  const known = column === "created" ? firstWhere(permutation, (row) => !Number.isNaN(valueOf(row))) : 0
  return [
    { from: known, to: permutation.length },
    { from: 0, to: known }
  ]
}

/** The first `needed` set rows in the order; `undefined` if that takes too many steps. */
const walk = (
  rows: Uint32Array,
  permutation: Uint32Array,
  ways: ReadonlyArray<Stretch>,
  isDescending: boolean,
  needed: number,
  mostSteps: number,
  cancel: Cancel
): ReadonlyArray<number> | undefined => {
  const found: Array<number> = []
  let left = mostSteps
  for (const { from, to } of ways) {
    const first = isDescending ? to - 1 : from
    const direction = isDescending ? -1 : 1
    const length = Math.min(to - from, left)
    left -= length
    for (let step = 0; step < length; step++) {
      if ((step & (stepsBetweenChecks - 1)) === 0) cancel.check()
      const row = permutation[first + direction * step]!
      if (((rows[row >>> 5]! >>> (row & 31)) & 1) === 0) continue
      found.push(row)
      if (found.length === needed) return found
    }
  }
  return undefined
}

/** The least and the greatest recency of a segment, computed once. */
const recencies = new WeakMap<Int32Array, ReturnType<typeof findBounds>>()

const findBounds = (recency: Int32Array) => {
  let least = 0
  let greatest = 0
  for (let row = 0; row < recency.length; row++) {
    least = Math.min(least, recency[row]!)
    greatest = Math.max(greatest, recency[row]!)
  }
  return { least, greatest }
}

/** With fewer matches than one in so many stores, each match is read. */
const fewMatches = 8

/** The first stores of a segment by the best score that an item of theirs has, in each direction. Kept as long as the view. */
const bestStores = new WeakMap<SegmentView, Map<string, Uint32Array>>()

const findBestStores = (view: SegmentView, keyOfStore: (store: number) => number, count: number): Uint32Array => {
  const best = new TopN(count)
  for (const store of candidates(view, false)) {
    const key = keyOfStore(store)
    if (key <= best.worst) best.offer(key, 0, store, store, 0)
  }
  return Uint32Array.from(best.sorted(), ({ row }) => row)
}

/**
 * Offers the best items of each store, until one is worse than those that are kept already. Where no stores were looked at, few
 * matches are read one by one; otherwise the stores with the best items are read first, and no other one once the
 * best item of these is worse than those that are kept.
 */
const offerByScore = (
  best: TopN,
  { at, matching, view }: Part,
  isDescending: boolean,
  { cancel, tuning }: Run
): void => {
  const { ids, offsets, recency, stores } = view.segment.products
  const { relevance } = view.columns
  const sign = isDescending ? -1 : 1
  let worst = best.worst
  /** False if the row is not good enough. The remaining rows of its store are not either. */
  const offer = (row: number, ofStore: number): boolean => {
    const key = sign * (ofStore + recency[row]!)
    if (key > worst) return false
    best.offer(key, 0, -sign * ids[row]!, row, at)
    worst = best.worst
    return true
  }
  if (matching.list !== undefined) {
    for (const row of matching.list) offer(row, relevance[stores[row]!]!)
    return
  }
  const { bits } = matching
  const offerStore = (store: number, first: number): void => {
    const length = offsets[store + 1]! - offsets[store]!
    for (let step = 0; step < length; step++) {
      const row = first - sign * step
      if (isSet(bits, row) && !offer(row, relevance[store]!)) break
    }
  }
  const firstOf = (store: number) => (isDescending ? offsets[store]! : offsets[store + 1]! - 1)
  /** The stores that were read. */
  const read = new Set<number>()
  if (matching.stores === undefined) {
    if (bits !== undefined && matching.total * fewMatches < view.live.length) {
      eachBit(bits, (row) => void offer(row, relevance[stores[row]!]!))
      return
    }
    /** Of the best item of the store. */
    const keyOfStore = (store: number) =>
      offsets[store] === offsets[store + 1] ? unknownLast : sign * (relevance[store]! + recency[firstOf(store)]!)
    const count = tuning.bestStores
    const first = bestStores
      .getOrInsertComputed(view, () => new Map())
      .getOrInsertComputed(`${isDescending} ${count}`, () => findBestStores(view, keyOfStore, count))
    for (const store of first) {
      if (keyOfStore(store) > worst) return
      offerStore(store, firstOf(store))
      read.add(store)
    }
  }
  const rows = matching.stores ?? candidates(view, false)
  const { greatest, least } = recencies.getOrInsertComputed(recency, findBounds)
  const extreme = isDescending ? greatest : least
  for (let position = 0; position < rows.length; position++) {
    if ((position & (stepsBetweenChecks - 1)) === 0) cancel.check()
    const store = rows[position]!
    const ofStore = relevance[store]!
    if (sign * (ofStore + extreme) > worst) continue
    const first = firstOf(store)
    if (sign * (ofStore + recency[first]!) > worst || read.has(store)) continue
    offerStore(store, first)
  }
}
