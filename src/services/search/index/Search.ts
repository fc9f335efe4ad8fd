/**
 * Searches a list of segments: the exact total, and the items of one page.
 *
 * Each segment finds its matches ({@link Matching}) and offers its best to one heap of `offset + limit` rows. Across
 * segments values are compared, never codes. Cost: that of the matching, plus one read for each matching store; of all
 * stores, the first ones in each order are kept. An order by items walks a permutation if few steps are expected, otherwise
 * it reads each matching item.
 *
 * Read next: Segment, the data; Query, what is asked; StoreSelection, Matching and ItemOrder, the steps of a search. This folder
 * computes only: it reads no database, and a list that it searches never changes.
 */
import * as AdKey from "./AdKey.ts"
import { TopN } from "./TopN.ts"
import type { Ranked } from "./TopN.ts"
import { countedItems, countedStores } from "./Currencies.ts"
import { keyOf, offerItems, unknownLast } from "./ItemOrder.ts"
import type { ByItem, ItemQuery, Part } from "./ItemOrder.ts"
import { isSet } from "./Bitmap.ts"
import { isOfItemsAlone, matchItemsAlone } from "./ItemsAlone.ts"
import { isOfAll } from "../../../domain/search/CatalogQuery.ts"
import { defaultTuning } from "./Run.ts"
import type { Matching } from "./Matching.ts"
import type { Cancel, Run, Tuning } from "./Run.ts"
import type { Order, Query, StoreIdsQuery, StoreNumber } from "../../../domain/search/CatalogQuery.ts"
import type { Found, SearchResult, StoreIds } from "../../../domain/search/CatalogAnswer.ts"
import type { SegmentList, SegmentView } from "./Segment.ts"
import { prepare, unknownIds } from "./StoreSelection.ts"

type ByStore = Extract<Order, { readonly _tag: "ByStore" }>

export const search = (list: SegmentList, query: Query, cancel: Cancel, tuning = defaultTuning): SearchResult => {
  const { ranks: _, ...result } = searchRanked(list, query, cancel, tuning)
  return result
}

/** A result, and the ranks of the page; none for items in an order by stores. */
type RankedResult = SearchResult & { readonly ranks: ReadonlyArray<Ranked> }

export const searchRanked = (list: SegmentList, query: Query, cancel: Cancel, tuning: Tuning): RankedResult => {
  const run = { conditions: prepare(query.stores), cancel, tuning }
  if (isOfItemsAlone(query)) return searchItemsAlone(list, query, run)
  return isOfItems(query) ? searchItems(list, query, run) : searchStores(list, query, run)
}

const isOfItems = (query: Query): query is ItemQuery => query.subject !== "stores"

/** The figures that order stores, in one segment. */
interface StoreOrder {
  readonly first: Float64Array
  readonly second: Float64Array | undefined
  readonly isDescending: boolean
}

const grouped: ByStore = { _tag: "ByStore", figures: ["active_ads"], isDescending: true }

const storeOrder = ({ columns }: SegmentView, { figures, isDescending }: ByStore): StoreOrder => {
  const [first, second] = figures
  const column = (figure: StoreNumber) => columns.figures[figure]
  return { first: column(first), second: second === undefined ? undefined : column(second), isDescending }
}

const offerStores = (best: TopN, view: SegmentView, at: number, order: ByStore, rows: Uint32Array): void => {
  const { first, isDescending, second } = storeOrder(view, order)
  const { storeIds } = view.segment
  const sign = isDescending ? -1 : 1
  let worst = best.worst
  for (let position = 0; position < rows.length; position++) {
    const row = rows[position]!
    const value = first[row]!
    // Skips nearly all stores. Nothing is skipped while the heap is not full or has unknown figures (NaN).
    if (!(sign * value <= worst) && worst !== unknownLast) continue
    best.offer(
      keyOf(value, isDescending),
      second === undefined ? 0 : keyOf(second[row]!, isDescending),
      storeIds[row]!,
      row,
      at
    )
    worst = best.worst
  }
}

/** The first stores of a segment in an order. Made by the first search that needs them, and kept as long as the view. */
const firstStores = new WeakMap<SegmentView, Map<string, Uint32Array>>()

const firstOf = (view: SegmentView, order: ByStore, live: Uint32Array, count: number): Uint32Array => {
  const key = `${order.figures.join()} ${order.isDescending} ${count}`
  return firstStores
    .getOrInsertComputed(view, () => new Map())
    .getOrInsertComputed(key, () => {
      const best = new TopN(count)
      offerStores(best, view, 0, order, live)
      return Uint32Array.from(best.sorted(), ({ row }) => row)
    })
}

const searchStores = (list: SegmentList, query: Query, run: Run): RankedResult => {
  const { limit, offset } = query
  const count = run.tuning.firstStores
  const isFirst = isOfAll(query) && offset + limit <= count
  const order = query.order._tag === "ByStore" ? query.order : grouped
  const best = new TopN(offset + limit)
  const { currencies, match } = countedStores(query, run)
  let total = 0
  list.forEach((view, at) => {
    const stores = match(view)
    total += stores.length
    offerStores(best, view, at, order, isFirst ? firstOf(view, order, stores, count) : stores)
  })
  const ranks = best.sorted().slice(offset)
  return {
    total,
    stores: total,
    storeless: 0,
    unknownIds: unknownIds(list, query.stores),
    page: ranks.map(({ tie }) => ({ id: tie, storeId: tie })),
    ranks,
    currencies: currencies()
  }
}

/** The ids of all matching stores. */
export const storeIds = (list: SegmentList, query: StoreIdsQuery, cancel: Cancel, tuning = defaultTuning): StoreIds => {
  const run = { conditions: prepare(query.stores), cancel, tuning }
  const { currencies, match } = countedStores(query, run)
  const matched = list.map(match)
  const total = matched.reduce((all, { length }) => all + length, 0)
  const idsIn = ({ segment }: SegmentView, at: number) =>
    Array.from(matched[at] ?? [], (row) => segment.storeIds[row] ?? 0)
  return {
    total,
    ids: total > query.limit ? [] : list.flatMap(idsIn).sort((one, other) => one - other),
    unknownIds: unknownIds(list, query.stores),
    currencies: currencies()
  }
}

/** In an order by item, without a condition on stores. */
const searchItemsAlone = (list: SegmentList, query: ItemQuery & { readonly order: ByItem }, run: Run): RankedResult => {
  const best = new TopN(query.offset + query.limit)
  const parts = list.map((view, at): Part => {
    const part = { view, at, items: view.segment[query.subject], matching: matchItemsAlone(view, query, run) }
    offerItems(best, part, query, query.order, run)
    return part
  })
  const total = parts.reduce((all, { matching }) => all + matching.total, 0)
  const ranks = best.sorted().slice(query.offset)
  return {
    total,
    storeless: parts.reduce((all, { matching }) => all + matching.storeless, 0),
    unknownIds: [],
    page: ranks.map((one) => foundRow(parts, one)),
    ranks,
    currencies: []
  }
}

const searchItems = (list: SegmentList, query: ItemQuery, run: Run): RankedResult => {
  const { order } = query
  const best = new TopN(query.offset + query.limit)
  const { currencies, match } = countedItems(query, run)
  const parts = list.map((view, at): PartOfStores => {
    const part = { view, at, items: view.segment[query.subject], matching: match(view) }
    const { pseudoStores, stores } = part.matching
    if (order._tag === "ByItem") offerItems(best, part, query, order, run)
    else if (query.limit > 0)
      offerStores(best, view, at, order._tag === "ByStore" ? order : grouped, stores.subarray(pseudoStores))
    return part
  })
  const sum = (of: (matching: Matching) => number) => parts.reduce((all, { matching }) => all + of(matching), 0)
  const total = sum((matching) => matching.total)
  const storeless = sum((matching) => matching.storeless)

  const page = (): Pick<RankedResult, "page" | "ranks"> => {
    const ranked = best.sorted()
    if (query.order._tag === "ByStore") return { page: pageByStores(parts, ranked, storeless, query), ranks: [] }
    const isGrouped = query.order._tag === "Grouped"
    const ranks = ranked.slice(query.offset)
    return {
      page: ranks.map((one) => foundRow(parts, isGrouped ? { ...one, row: longestRow(parts, one) } : one)),
      ranks
    }
  }
  return {
    total,
    stores: sum(({ pseudoStores, stores }) => stores.length - pseudoStores),
    storeless,
    unknownIds: unknownIds(list, query.stores),
    ...(query.offset >= total ? { page: [], ranks: [] } : page()),
    currencies: currencies()
  }
}

const foundAt = ({ items, view }: Part, row: number): Found => {
  const store = items.stores[row]!
  return { id: items.ids[row]!, storeId: store < view.segment.pseudoStores ? null : view.segment.storeIds[store]! }
}

/** A segment with its matching items and their stores. */
type PartOfStores = Part & { readonly matching: Matching }

const partOf = <P extends Part>(parts: ReadonlyArray<P>, { view }: Pick<Ranked, "view">): P => parts[view]!

const foundRow = (parts: ReadonlyArray<Part>, ranked: Pick<Ranked, "row" | "view">): Found =>
  foundAt(partOf(parts, ranked), ranked.row)

/**
 * The ad that stands for a ranked store (D119): of those that match, the running one that started first, else the first one. Within a
 * store running ads come first, the newest first, so that these are the rows up to the first one that does not run.
 */
const longestRow = (parts: ReadonlyArray<PartOfStores>, ranked: Ranked): number => {
  const { matching, view } = partOf(parts, ranked)
  const { keys, offsets } = view.segment.ads
  const end = offsets[ranked.row + 1]!
  let row = offsets[ranked.row]!
  while (!isSet(matching.bits, row)) row++
  let longest = row
  for (; row < end && AdKey.isRunning(AdKey.flagsOf(keys[row]!)); row++) {
    // The first one of a day has the highest id.
    if (isSet(matching.bits, row) && AdKey.startDayOf(keys[row]!) < AdKey.startDayOf(keys[longest]!)) longest = row
  }
  return longest
}

/** The items of the page, store after store. Ads without a store are store 0, before other unknown figures. */
const pageByStores = (
  parts: ReadonlyArray<PartOfStores>,
  stores: ReadonlyArray<Ranked>,
  storeless: number,
  { limit, offset }: Query
): ReadonlyArray<Found> => {
  const page: Array<Found> = []
  let skipped = 0
  const take = (part: Part, row: number) => {
    if (skipped < offset) skipped++
    else page.push(foundAt(part, row))
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
const bestStoreless = (parts: ReadonlyArray<PartOfStores>, capacity: number): ReadonlyArray<Ranked> => {
  const best = new TopN(capacity)
  for (const { at, matching, view } of parts) {
    const { ids, keys, offsets } = view.segment.ads
    const end = offsets[view.segment.pseudoStores]!
    const offer = (row: number) => best.offer(-AdKey.rankOf(keys[row]!), 0, -ids[row]!, row, at)
    if (matching.list !== undefined) {
      for (const row of matching.list) if (row < end) offer(row)
      continue
    }
    for (const store of matching.stores.subarray(0, matching.pseudoStores)) {
      for (let row = offsets[store]!; row < offsets[store + 1]!; row++) if (isSet(matching.bits, row)) offer(row)
    }
  }
  return best.sorted()
}
