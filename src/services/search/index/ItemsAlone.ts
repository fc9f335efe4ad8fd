/**
 * Which items of a segment match, for a search that asks nothing of stores: their number and a bitmap. Stores are looked at once
 * for each set of live ones. At 200,000 stores the counting of each store's items took most of the time of a search for a common word.
 *
 * Cost: a few operations for 32 rows, and 1.5 ns an item for each range of an item's figure.
 */
import { andBits, bitmapLength, countBits, setRange } from "./Bitmap.ts"
import { comparesMoney } from "./Currencies.ts"
import type { ByItem, ItemQuery } from "./ItemOrder.ts"
import { matchHits, meetTests } from "./Matching.ts"
import { itemBitmaps } from "./WorkSpace.ts"
import type { ItemFilter, ItemMatching } from "./Matching.ts"
import type { Query } from "../../../domain/search/CatalogQuery.ts"
import type { Run } from "./Run.ts"
import type { Items, SegmentView } from "./Segment.ts"
import { findHits } from "./Words.ts"

/** Whether a search asks nothing of stores: no condition on them, no money, and an order of items. */
export const isOfItemsAlone = (query: Query): query is ItemQuery & { readonly order: ByItem } =>
  query.subject !== "stores" &&
  query.order._tag === "ByItem" &&
  query.stores.length === 0 &&
  query.isStoreless !== true &&
  !comparesMoney(query)

interface LiveItems {
  /** `undefined` if all stores are live. */
  readonly bits: Uint32Array | undefined
  readonly total: number
}

/** The items of live stores, found once for each set of live stores. */
const liveItems = new WeakMap<Uint8Array, WeakMap<Items, LiveItems>>()

const findLiveItems = ({ live }: SegmentView, { ids, offsets }: Items): LiveItems => {
  if (!live.includes(0)) return { bits: undefined, total: ids.length }
  const bits = new Uint32Array(bitmapLength(ids.length))
  for (let store = 0; store < live.length; store++) {
    if (live[store] === 1) setRange(bits, offsets[store]!, offsets[store + 1]!)
  }
  return { bits, total: countBits(bits, 0, ids.length) }
}

const liveItemsOf = (view: SegmentView, items: Items): LiveItems =>
  liveItems
    .getOrInsertComputed(view.live, () => new WeakMap<Items, LiveItems>())
    .getOrInsertComputed(items, () => findLiveItems(view, items))

/** Where the words have few hits, these are tested one by one, with their stores. */
export const matchItemsAlone = (view: SegmentView, filter: ItemFilter, run: Run): ItemMatching => {
  const { segment } = view
  const items = segment[filter.subject]
  const rows = items.ids.length
  const hits = findHits(items.words, rows, filter, itemBitmaps(segment, items), run.tuning.fewHits)
  run.cancel.check()
  if (hits?.list !== undefined) {
    return matchHits(view, filter, run, hits.bits, hits.list)
  }
  const live = liveItemsOf(view, items)
  const bits = meetTests(segment, items, filter, undefined, hits?.bits, run.cancel)
  const storelessEnd = items.offsets[segment.pseudoStores]!
  if (bits === undefined) {
    const storeless = live.bits === undefined ? storelessEnd : countBits(live.bits, 0, storelessEnd)
    return { total: live.total, storeless, bits: live.bits, list: undefined }
  }
  if (live.bits !== undefined) andBits(bits, live.bits)
  return { total: countBits(bits, 0, rows), storeless: countBits(bits, 0, storelessEnd), bits, list: undefined }
}
