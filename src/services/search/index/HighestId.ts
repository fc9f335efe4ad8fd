/**
 * The highest id of a list: what comes to the catalog later has a higher one. Ids come from a sequence, are given under the
 * catalog's lock (services/import/CatalogVersion.ts) and are never used again, so that their order is that of the commits,
 * which no clock's is.
 */
import type { Subject } from "./Query.ts"
import type { Segment, SegmentList } from "./Segment.ts"

type Highest = Readonly<Record<Subject, number>>

/** A segment never changes. */
const known = new WeakMap<Segment, Highest>()

/** By a loop: an array of millions is no list of arguments. */
const highest = (ids: Int32Array): number => {
  let found = 0
  for (let at = 0; at < ids.length; at++) if (ids[at]! > found) found = ids[at]!
  return found
}

const ofSegment = (segment: Segment): Highest => {
  const found = known.get(segment) ?? {
    stores: Math.max(0, segment.storeIds.at(-1) ?? 0),
    products: highest(segment.products.ids),
    ads: highest(segment.ads.ids)
  }
  known.set(segment, found)
  return found
}

/** 0 where there is none. */
export const highestId = (list: SegmentList, subject: Subject): number =>
  list.reduce((found, { segment }) => Math.max(found, ofSegment(segment)[subject]), 0)
