/**
 * The newest items of one store. Cost: a binary search for the store in each segment, then one read for each of its products, or
 * for `limit` ads.
 */
import * as AdKey from "./AdKey.ts"
import { TopN } from "./TopN.ts"
import { findStore } from "./Segment.ts"
import type { SegmentList } from "./Segment.ts"

/** Ids of the newest products: latest creation first, then higher id first; unknown dates last. */
export const newestProducts = (list: SegmentList, storeId: number, limit: number): ReadonlyArray<number> => {
  const store = findStore(list, storeId)
  if (store === undefined) return []
  const { created, ids, offsets } = store.view.segment.products
  const best = new TopN(limit)
  for (let row = offsets[store.row]!; row < offsets[store.row + 1]!; row++) {
    const key = Number.isNaN(created[row]!) ? Number.POSITIVE_INFINITY : -created[row]!
    best.offer(key, 0, -ids[row]!, row, 0)
  }
  return best.sorted().map(({ row }) => ids[row]!)
}

/** Ids of the running ads: latest start first, then higher id first. */
export const newestRunningAds = (list: SegmentList, storeId: number, limit: number): ReadonlyArray<number> => {
  const store = findStore(list, storeId)
  if (store === undefined) return []
  const { ids, keys, offsets } = store.view.segment.ads
  const first = offsets[store.row]!
  // Within a store, running ads come first, newest first.
  const newest = Array.from(keys.subarray(first, Math.min(first + limit, offsets[store.row + 1]!)))
  return newest.flatMap((key, at) => (AdKey.isRunning(AdKey.flagsOf(key)) ? [ids[first + at]!] : []))
}
