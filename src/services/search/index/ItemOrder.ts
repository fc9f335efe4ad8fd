/**
 * The best items of a segment by a column of their own. A walk over the permutation of the column ends as soon as the page
 * is full; where matching items are far apart, or that is seen on the way, every matching item is looked at.
 */
import * as AdKey from "./AdKey.ts"
import type { Best } from "./Best.ts"
import { isSet, priceCodes } from "./Matching.ts"
import type { Matching, Run } from "./Matching.ts"
import type { Order, Query } from "./Query.ts"
import type { Ads, Products, SegmentView } from "./Segment.ts"

export type ItemQuery = Query & { readonly subject: "products" | "ads" }
export type ByItem = Extract<Order, { readonly _tag: "ByItem" }>

/** Key of an unknown figure: behind all others, whatever the direction. */
export const unknownLast = Number.POSITIVE_INFINITY

export const keyOf = (value: number, isDescending: boolean): number => {
  if (Number.isNaN(value)) return unknownLast
  return isDescending ? -value : value
}

/** A segment with what matches in it. */
export interface Part {
  readonly view: SegmentView
  readonly at: number
  readonly items: Products | Ads
  readonly matching: Matching
  /** Matching items, pseudo-stores included. */
  readonly total: number
}

/** Keys of an order by item, of one segment: lower comes first. */
interface ItemKeys {
  readonly keyOf: (row: number) => number
  /** The direction of the ids of equal items: 1 lower first, -1 higher first. */
  readonly tie: 1 | -1
  /** Rows by the same column ascending, then by id; `undefined` for the score, which no permutation has. */
  readonly permutation: Uint32Array | undefined
}

const itemKeys = (part: Part, { column, isDescending }: ByItem): ItemKeys => {
  const { columns, segment } = part.view
  const { ads, products } = segment
  const tie = isDescending ? -1 : 1
  switch (column) {
    case "score": {
      const scoreOf = (row: number) => columns.relevance[products.stores[row]!]! + products.recency[row]!
      return {
        keyOf: isDescending ? (row) => -scoreOf(row) : scoreOf,
        tie: isDescending ? 1 : -1,
        permutation: undefined
      }
    }
    case "price": {
      const priceOf = (row: number) => products.prices[products.price[row]!]!
      return { keyOf: isDescending ? (row) => -priceOf(row) : priceOf, tie, permutation: products.byPrice }
    }
    case "created":
      return { keyOf: (row) => keyOf(products.created[row]!, isDescending), tie, permutation: products.byCreated }
    case "started": {
      const dayOf = (row: number) => AdKey.startDayOf(ads.keys[row]!)
      return { keyOf: isDescending ? (row) => -dayOf(row) : dayOf, tie, permutation: ads.byStarted }
    }
  }
}

export const offerItems = (best: Best, part: Part, query: ItemQuery, order: ByItem, run: Run): void => {
  if (part.total === 0) return
  const keys = itemKeys(part, order)
  const { list } = part.matching
  if (list !== undefined) {
    for (const row of list) best.offer(keys.keyOf(row), 0, keys.tie * part.items.ids[row]!, row, part.at)
    return
  }
  if (keys.permutation !== undefined && walk(best, part, query, order, { ...keys, permutation: keys.permutation }, run))
    return
  if (order.column === "price") return scanPrices(best, part, order.isDescending, keys, run)
  scan(best, part, order, keys, run)
}

/**
 * Offers the first matching rows of a permutation; false when there are too many rows between them, and then nothing is
 * left in `best`.
 */
const walk = (
  best: Best,
  part: Part,
  query: ItemQuery,
  order: ByItem,
  keys: ItemKeys & { readonly permutation: Uint32Array },
  { tuning }: Run
): boolean => {
  const { permutation } = keys
  const { at, items, matching } = part
  const { from, to, unknownTo } = walkRange(part, query, order, permutation)
  const needed = Math.min(query.offset + query.limit, part.total)
  if (needed * ((to - from) / part.total) > tuning.expectedSteps) return false
  let taken = 0
  let steps = 0
  const visit = (position: number): boolean => {
    const row = permutation[position]!
    if (matching.mask[items.stores[row]!] === 1 && isSet(matching.bits, row)) {
      best.offer(keys.keyOf(row), 0, keys.tie * items.ids[row]!, row, at)
      taken++
    }
    return taken < needed && ++steps < tuning.mostSteps
  }
  let goesOn = true
  if (order.isDescending) {
    for (let position = to - 1; position >= from && goesOn; position--) goesOn = visit(position)
  } else {
    // Unknown ones stand first in the permutation and come last.
    for (let position = unknownTo; position < to && goesOn; position++) goesOn = visit(position)
    for (let position = from; position < unknownTo && goesOn; position++) goesOn = visit(position)
  }
  if (taken === needed) return true
  best.forget(at)
  return false
}

/** Where in the permutation matching rows can be, and where unknown values end. */
const walkRange = ({ view }: Part, query: ItemQuery, { column }: ByItem, permutation: Uint32Array) => {
  const { ads, products } = view.segment
  const firstWhere = (isThere: (row: number) => boolean): number => {
    let low = 0
    let high = permutation.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isThere(permutation[middle]!)) high = middle
      else low = middle + 1
    }
    return low
  }
  const { item } = query
  if (column === "price" && item?._tag === "Price") {
    const [low, end] = priceCodes(products.prices, item.range)
    const from = firstWhere((row) => products.price[row]! >= low)
    return { from, to: firstWhere((row) => products.price[row]! >= end), unknownTo: from }
  }
  if (column === "started" && item?._tag === "Ad") {
    const dayOf = (row: number) => AdKey.startDayOf(ads.keys[row]!)
    const from = firstWhere((row) => dayOf(row) >= item.firstDay)
    return { from, to: firstWhere((row) => dayOf(row) > item.lastDay), unknownTo: from }
  }
  const unknownTo = column === "created" ? firstWhere((row) => !Number.isNaN(products.created[row]!)) : 0
  return { from: 0, to: permutation.length, unknownTo }
}

const rowsBetweenChecks = 65_536

/**
 * Offers every matching product that can still be among the best by price: told by its code, which one comparison does.
 * The dearest products are often of other currencies than those of the filter, and then a walk does not help.
 */
const scanPrices = (best: Best, part: Part, isDescending: boolean, keys: ItemKeys, { cancel }: Run): void => {
  const { at, items, matching, view } = part
  const { price, prices } = view.segment.products
  let worst = best.worst
  const codes = () =>
    priceCodes(prices, isDescending ? { min: -worst, max: Number.POSITIVE_INFINITY } : { min: 0, max: worst })
  let [from, to] = codes()
  let rows = 0
  for (let store = 0; store < view.segment.storeIds.length; store++) {
    if (matching.counts[store] === 0) continue
    const end = items.offsets[store + 1]!
    rows += end - items.offsets[store]!
    if (rows > rowsBetweenChecks) {
      cancel.check()
      rows = 0
    }
    for (let row = items.offsets[store]!; row < end; row++) {
      const code = price[row]!
      if (code < from || code >= to || !isSet(matching.bits, row)) continue
      best.offer(keys.keyOf(row), 0, keys.tie * items.ids[row]!, row, at)
      if (best.worst === worst) continue
      worst = best.worst
      ;[from, to] = codes()
    }
  }
}

/** Offers every matching row that can still be among the best. */
const scan = (best: Best, part: Part, { column, isDescending }: ByItem, keys: ItemKeys, { cancel }: Run): void => {
  const { at, items, matching, view } = part
  const { counts } = matching
  const isScore = column === "score"
  let rows = 0
  for (let store = 0; store < view.segment.storeIds.length; store++) {
    if (counts[store] === 0) continue
    const first = items.offsets[store]!
    const end = items.offsets[store + 1]!
    rows += end - first
    if (rows > rowsBetweenChecks) {
      cancel.check()
      rows = 0
    }
    // The items of a store are in the order of the score: none after one that is too bad is better.
    const isBackwards = isScore && !isDescending
    for (let step = 0; step < end - first; step++) {
      const row = isBackwards ? end - 1 - step : first + step
      const key = keys.keyOf(row)
      if (key > best.worst) {
        if (isScore) break
        continue
      }
      if (isSet(matching.bits, row)) best.offer(key, 0, keys.tie * items.ids[row]!, row, at)
    }
  }
}
