/**
 * A search over a list of segments: the exact total, and the items of one page.
 *
 * In each segment the matching items are found ({@link Matching}); what the page needs of them is offered to one heap of
 * the best `offset + limit` across all segments. Across segments values are compared, never codes. Cost: that of the
 * matching, and a look at each matching store; an order by items walks a permutation while few steps are expected, else it
 * looks at each matching item.
 */
import * as AdKey from "./AdKey.ts"
import { Best } from "./Best.ts"
import type { Ranked } from "./Best.ts"
import { keyOf, offerItems, unknownLast } from "./ItemOrder.ts"
import type { ItemQuery, Part } from "./ItemOrder.ts"
import { defaultTuning, isSet, matchItems, matchStores } from "./Matching.ts"
import type { Cancel, Matching, Run } from "./Matching.ts"
import type { Found, Order, Query, SearchResult } from "./Query.ts"
import type { Ads, Figure, Products, SegmentList, SegmentView } from "./Segment.ts"
import { prepare } from "./StoreMask.ts"

type ByStore = Extract<Order, { readonly _tag: "ByStore" }>

export const search = (list: SegmentList, query: Query, cancel: Cancel, tuning = defaultTuning): SearchResult => {
  const run = { conditions: prepare(query.stores), cancel, tuning }
  return isOfItems(query) ? searchItems(list, query, run) : searchStores(list, query, run)
}

const isOfItems = (query: Query): query is ItemQuery => query.subject !== "stores"

/** The figures that order stores, of one segment. */
interface StoreOrder {
  readonly first: Float64Array
  readonly second: Float64Array | undefined
  readonly isDescending: boolean
}

const grouped: ByStore = { _tag: "ByStore", figures: ["active_ads"], isDescending: true }

const storeOrder = ({ columns }: SegmentView, { figures, isDescending }: ByStore): StoreOrder => {
  const [first, second] = figures
  const column = (figure: Figure) => columns.figures[figure]
  return { first: column(first), second: second === undefined ? undefined : column(second), isDescending }
}

const offerStore = (best: Best, order: StoreOrder, { segment }: SegmentView, row: number, at: number): void => {
  const key = keyOf(order.first[row]!, order.isDescending)
  if (key > best.worst) return
  const second = order.second === undefined ? 0 : keyOf(order.second[row]!, order.isDescending)
  best.offer(key, second, segment.storeIds[row]!, row, at)
}

const searchStores = (list: SegmentList, query: Query, run: Run): SearchResult => {
  const best = new Best(query.offset + query.limit)
  let total = 0
  list.forEach((view, at) => {
    const order = storeOrder(view, query.order._tag === "ByStore" ? query.order : grouped)
    const { list: rows, mask } = matchStores(view, query, run)
    if (rows !== undefined) {
      total += rows.length
      for (const row of rows) offerStore(best, order, view, row, at)
      return
    }
    for (let row = view.segment.pseudoStores; row < mask.length; row++) {
      if (mask[row] === 0) continue
      total++
      offerStore(best, order, view, row, at)
    }
  })
  const page = best
    .sorted()
    .slice(query.offset)
    .map(({ tie }) => ({ id: tie, storeId: tie }))
  return { total, stores: total, page }
}

const searchItems = (list: SegmentList, query: ItemQuery, run: Run): SearchResult => {
  const best = new Best(query.offset + query.limit)
  const byItem = query.order._tag === "ByItem" ? query.order : undefined
  const byStore = query.order._tag === "ByStore" ? query.order : grouped
  let total = 0
  let stores = 0
  let storeless = 0
  const parts = list.map((view, at): Part => {
    const items = query.subject === "products" ? view.segment.products : view.segment.ads
    const matching = matchItems(view, query, run)
    const order = storeOrder(view, byStore)
    const before = total
    eachStore(view, items, matching, (row, count) => {
      total += count
      if (row < view.segment.pseudoStores) {
        storeless += count
        return
      }
      stores++
      if (byItem === undefined) offerStore(best, order, view, row, at)
    })
    const part = { view, at, items, matching, total: total - before }
    if (byItem !== undefined) offerItems(best, part, query, byItem, run)
    return part
  })

  const page = () => {
    if (byItem !== undefined)
      return best
        .sorted()
        .slice(query.offset)
        .map((ranked) => foundRow(parts, ranked))
    if (query.order._tag === "Grouped") {
      return best
        .sorted()
        .slice(query.offset)
        .map((ranked) => foundRow(parts, { ...ranked, row: firstRow(parts, ranked) }))
    }
    return pageByStores(parts, best.sorted(), storeless, query)
  }
  return { total, stores, page: query.offset >= total ? [] : page() }
}

/** Each store with a matching item, and how many it has, in ascending order. */
const eachStore = (
  { segment }: SegmentView,
  { offsets, stores }: Products | Ads,
  { counts, list }: Matching,
  visit: (row: number, count: number) => void
): void => {
  if (list === undefined) {
    for (let row = 0; row < segment.storeIds.length; row++) if (counts[row]! > 0) visit(row, counts[row]!)
    return
  }
  for (let at = 0; at < list.length;) {
    const store = stores[list[at]!]!
    const start = at
    while (at < list.length && list[at]! < offsets[store + 1]!) at++
    visit(store, at - start)
  }
}

const found = ({ items, view }: Part, row: number): Found => {
  const store = items.stores[row]!
  return { id: items.ids[row]!, storeId: store < view.segment.pseudoStores ? null : view.segment.storeIds[store]! }
}

const partOf = (parts: ReadonlyArray<Part>, { view }: Pick<Ranked, "view">): Part => parts[view]!

const foundRow = (parts: ReadonlyArray<Part>, ranked: Pick<Ranked, "row" | "view">): Found =>
  found(partOf(parts, ranked), ranked.row)

/** The first matching item of a ranked store. */
const firstRow = (parts: ReadonlyArray<Part>, ranked: Ranked): number => {
  const { items, matching } = partOf(parts, ranked)
  let row = items.offsets[ranked.row]!
  while (!isSet(matching.bits, row)) row++
  return row
}

/** The items of the page, store after store; ads without a store come as store 0, before other unknown figures. */
const pageByStores = (
  parts: ReadonlyArray<Part>,
  stores: ReadonlyArray<Ranked>,
  storeless: number,
  { limit, offset }: Query
): ReadonlyArray<Found> => {
  const page: Array<Found> = []
  let skipped = 0
  const take = (part: Part, row: number) => {
    if (skipped < offset) skipped++
    else page.push(found(part, row))
  }
  let isStorelessDue = storeless > 0
  const takeStoreless = () => {
    isStorelessDue = false
    for (const { row, view } of bestStoreless(parts, offset + limit)) {
      if (page.length === limit) return
      take(parts[view]!, row)
    }
  }
  for (const ranked of stores) {
    if (ranked.key === unknownLast && isStorelessDue) takeStoreless()
    const part = partOf(parts, ranked)
    const end = part.items.offsets[ranked.row + 1]!
    for (let row = part.items.offsets[ranked.row]!; row < end && page.length < limit; row++) {
      if (isSet(part.matching.bits, row)) take(part, row)
    }
    if (page.length === limit) return page
  }
  if (isStorelessDue) takeStoreless()
  return page
}

/** The first matching ads of all pseudo-stores together, in the default order of ads. */
const bestStoreless = (parts: ReadonlyArray<Part>, capacity: number): ReadonlyArray<Ranked> => {
  const best = new Best(capacity)
  for (const { at, matching, view } of parts) {
    const { ids, keys, offsets } = view.segment.ads
    const end = offsets[view.segment.pseudoStores]!
    const offer = (row: number) => best.offer(-AdKey.rankOf(keys[row]!), 0, -ids[row]!, row, at)
    if (matching.list !== undefined) {
      for (const row of matching.list) if (row < end) offer(row)
      continue
    }
    for (let store = 0; store < view.segment.pseudoStores; store++) {
      if (matching.counts[store] === 0) continue
      for (let row = offsets[store]!; row < offsets[store + 1]!; row++) if (isSet(matching.bits, row)) offer(row)
    }
  }
  return best.sorted()
}
