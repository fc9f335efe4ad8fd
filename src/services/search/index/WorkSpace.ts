/** The memory that searches of a segment write to, allocated once for each thread: searches of a thread do not overlap. */
import { bitmapLength } from "./Bitmap.ts"
import type { Items, Segment } from "./Segment.ts"

export interface Scratch {
  readonly stores: Uint32Array
  readonly counts: Uint32Array
  readonly storeBits: Array<Uint32Array>
  readonly productBits: Array<Uint32Array>
  readonly adBits: Array<Uint32Array>
  readonly spaces: Array<Uint32Array>
}

const scratches = new WeakMap<Segment, Scratch>()

export const scratchOf = (segment: Segment): Scratch =>
  scratches.getOrInsertComputed(segment, ({ storeIds }) => ({
    stores: new Uint32Array(storeIds.length),
    counts: new Uint32Array(storeIds.length),
    storeBits: [],
    productBits: [],
    adBits: [],
    spaces: []
  }))

export const bitmapOf =
  (bitmaps: Array<Uint32Array>, rows: number) =>
  (index: number): Uint32Array =>
    (bitmaps[index] ??= new Uint32Array(bitmapLength(rows)))

/** One number for each store, for facets. Reused, because allocating it for each facet would cost garbage collection. */
export const spaceOf = (segment: Segment, index: number): Uint32Array => {
  const { spaces } = scratchOf(segment)
  return (spaces[index] ??= new Uint32Array(segment.storeIds.length))
}

/** Bitmaps of items. Searches use the first five and the eighth. */
export const itemBitmaps = (segment: Segment, items: Items) => {
  const { adBits, productBits } = scratchOf(segment)
  return bitmapOf(items === segment.products ? productBits : adBits, items.ids.length)
}
