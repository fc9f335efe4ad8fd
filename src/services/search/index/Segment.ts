/**
 * A segment: a complete, immutable, small catalog in typed arrays.
 *
 * Rows of stores are dense and ascend by id. Stores with negative ids are pseudo-stores: each holds the ads without a
 * store of 1,024 consecutive ad ids, so that new ads touch few of them. They come first, have no figures and no words,
 * and match no filter on stores. Items lie in the order of their stores (`offsets`), and within a store in its default
 * order: products by recency (highest first, then lower id), ads running first, newest first, highest id first.
 *
 * All arrays are on SharedArrayBuffers: worker threads read the same memory, and a snapshot holds the same bytes.
 * Memory besides words and distinct prices: 32 bytes a product, 19 an ad, 205 a store and 4 for each of its apps.
 * Terms follow Lucene: segment, postings, live documents, merge.
 */
import type { Code, Mask, StoreNumber } from "../../../domain/search/CatalogQuery.ts"

/** A value for each name. */
export const record = <K extends string, A>(keys: ReadonlyArray<K>, value: (key: K) => A): Record<K, A> =>
  // Object.fromEntries loses the type of the keys.
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, A>

/** The values of the stores of a segment. When figures change they are replaced as a whole; the items stay. */
export interface StoreColumns {
  /** Unknown is NaN, which is in no range. */
  readonly figures: Readonly<Record<StoreNumber, Float64Array>>
  readonly codes: Readonly<Record<Code, Uint32Array>>
  readonly masks: Readonly<Record<Mask, Uint32Array>>
  /** The store's part of the relevance of its products, in micros (domain/search/Relevance.ts). */
  readonly relevance: Int32Array
  /** Apps of row `s`: `apps[appOffsets[s]]` to `apps[appOffsets[s + 1] - 1]`, ascending. */
  readonly appOffsets: Uint32Array
  readonly apps: Uint32Array
}

/**
 * The inverted index of a segment: its words in the order of UTF-16 code units, and the rows of each. The postings of a
 * word are a bitmap if more than 1/8 of the rows have it, otherwise gaps as varints.
 */
export interface Words {
  /** All words concatenated: word `w` is `text[textOffsets[w]]` to `text[textOffsets[w + 1] - 1]`. */
  readonly text: Uint16Array
  readonly textOffsets: Uint32Array
  /** Number of postings of the words before `w`; the last entry is the total. */
  readonly cumulative: Float64Array
  /** Start of the postings of `w`: in `bitmaps` for a word in more than 1/8 of the rows, otherwise in `gaps`. */
  readonly starts: Float64Array
  readonly gaps: Uint8Array
  readonly bitmaps: Uint32Array
  /** Sorted prefixes whose words have so many postings that their union is stored as a bitmap. */
  readonly prefixText: Uint16Array
  readonly prefixOffsets: Uint32Array
  readonly prefixBitmaps: Uint32Array
}

export interface Items {
  /** Items of store row `s`: rows `offsets[s]` to `offsets[s + 1] - 1`. */
  readonly offsets: Uint32Array
  readonly ids: Int32Array
  /** The row of the item's store. */
  readonly stores: Uint32Array
  /** One value: the highest id that this segment or one merged into it ever had, also of removed items. 0 without items. */
  readonly highestId: Int32Array
  readonly words: Words
}

export interface Products extends Items {
  /** Position in `prices`. */
  readonly price: Uint32Array
  /** The distinct prices of the segment, ascending. */
  readonly prices: Float64Array
  /** Milliseconds since 1970-01-01; unknown is NaN. */
  readonly created: Float64Array
  /** The product's own part of its relevance, in micros (domain/search/Relevance.ts). */
  readonly recency: Int32Array
  /** Rows by price, then id. */
  readonly byPrice: Uint32Array
  /** Rows by `created`, then id; unknown first. */
  readonly byCreated: Uint32Array
}

export interface Ads extends Items {
  /** Flags and start day: `flags << 22 | day`, see AdKey.ts. */
  readonly keys: Int32Array
  /** One bitmap for each flag value: `flagBitmaps` of AdKey.ts. */
  readonly flags: Uint32Array
  /** Rows by start day, then id. */
  readonly byStarted: Uint32Array
}

export interface Segment {
  readonly storeIds: Int32Array
  /** The first rows are pseudo-stores; this is their number. */
  readonly pseudoStores: number
  /** The rows of these words are stores. */
  readonly words: Words
  readonly products: Products
  readonly ads: Ads
}

/** A segment in a list: with the figures and the live stores of one version of the catalog. */
export interface SegmentView {
  readonly segment: Segment
  readonly columns: StoreColumns
  /** 1 for a store that is live in this segment, 0 if it was removed or is in a newer segment. */
  readonly live: Uint8Array
}

export type SegmentList = ReadonlyArray<SegmentView>

/** By name, so that a snapshot can store the type of each array. */
export interface Arrays {
  readonly Uint8Array: Uint8Array
  readonly Uint16Array: Uint16Array
  readonly Int32Array: Int32Array
  readonly Uint32Array: Uint32Array
  readonly Float64Array: Float64Array
}
export type ArrayKind = keyof Arrays
export type TypedArray = Arrays[ArrayKind]

export const constructors = { Uint8Array, Uint16Array, Int32Array, Uint32Array, Float64Array } as const

const over: { readonly [K in ArrayKind]: (buffer: SharedArrayBuffer) => Arrays[K] } = {
  Uint8Array: (buffer) => new Uint8Array(buffer),
  Uint16Array: (buffer) => new Uint16Array(buffer),
  Int32Array: (buffer) => new Int32Array(buffer),
  Uint32Array: (buffer) => new Uint32Array(buffer),
  Float64Array: (buffer) => new Float64Array(buffer)
}

/** A new array of zeros in shared memory. */
export const shared = <K extends ArrayKind>(kind: K, length: number): Arrays[K] =>
  over[kind](new SharedArrayBuffer(length * constructors[kind].BYTES_PER_ELEMENT))

/** A copy in shared memory. */
export const sharedCopy = <K extends ArrayKind>(kind: K, from: Arrays[K]): Arrays[K] => {
  const copy = shared(kind, from.length)
  copy.set(from)
  return copy
}

export const kindOf = (array: TypedArray): ArrayKind => {
  if (array instanceof Float64Array) return "Float64Array"
  if (array instanceof Uint32Array) return "Uint32Array"
  if (array instanceof Int32Array) return "Int32Array"
  return array instanceof Uint16Array ? "Uint16Array" : "Uint8Array"
}

/** A row of a store, in one of several segments. */
export interface Place {
  readonly id: number
  readonly view: SegmentView
  readonly row: number
}

/** The live stores of all segments, by id. */
export const livePlaces = (list: SegmentList): ReadonlyArray<Place> =>
  list
    .flatMap((view) =>
      Array.from(view.segment.storeIds, (id, row): Place => ({ id, view, row })).filter(
        ({ row }) => view.live[row] === 1
      )
    )
    .sort((a, b) => a.id - b.id)

/** The row of a live store and its view; `undefined` if there is none. */
export const findStore = (
  list: SegmentList,
  storeId: number
): { readonly view: SegmentView; readonly row: number } | undefined => {
  for (const view of list) {
    const row = rowOf(view.segment.storeIds, storeId)
    if (row !== undefined && view.live[row] === 1) return { view, row }
  }
  return undefined
}

/** The position of an id in an ascending array; `undefined` if it is absent. */
export const rowOf = (ids: Int32Array, id: number): number | undefined => {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[middle]! < id) low = middle + 1
    else high = middle
  }
  return ids[low] === id ? low : undefined
}
