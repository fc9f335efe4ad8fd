/** A search as the index takes it: every name resolved to codes. Pure data, sent to the search workers as it is. */
import type { AdCriteria } from "./AdKey.ts"
import type { Code, Figure, Mask } from "./Segment.ts"

/** Bounds are inclusive, ±Infinity where there is none. An unknown figure is in no range. */
export interface Range {
  readonly min: number
  readonly max: number
}

export type StoreCondition =
  /** No value matches nothing. */
  | { readonly _tag: "AnyOf"; readonly column: Code; readonly values: ReadonlyArray<number> }
  | { readonly _tag: "AnyBit"; readonly column: Mask; readonly mask: number }
  | { readonly _tag: "AnyApp"; readonly values: ReadonlyArray<number> }
  | { readonly _tag: "Between"; readonly column: Figure; readonly range: Range }

/** What is asked of an item itself, beside its words. */
export type ItemCondition =
  | { readonly _tag: "Price"; readonly range: Range }
  /** The days that an ad may have started, inclusive, in the numbers of AdKey.ts. */
  | { readonly _tag: "Ad"; readonly criteria: AdCriteria; readonly firstDay: number; readonly lastDay: number }

/**
 * Every order ends in a unique key, so that pages neither repeat nor skip an item. Unknown figures come last in both
 * directions. Ties:
 *
 * - `ByStore`, figures of the store: lower store id first, ads without a store as store 0; within a store its default
 *   order. The direction turns the figures only.
 * - `ByItem`, a figure of the item: by id, in the direction of the order; for `score` against it, so that descending
 *   means highest score, then lower id.
 * - `Grouped`, one ad a store: stores with most active ads first, then lower store id; of each store the first matching
 *   ad in its default order. Ads without a store are left out.
 */
export type Order =
  | { readonly _tag: "ByStore"; readonly figures: readonly [Figure, Figure?]; readonly isDescending: boolean }
  | { readonly _tag: "ByItem"; readonly column: ItemColumn; readonly isDescending: boolean }
  | { readonly _tag: "Grouped" }
export type ItemColumn = "score" | "price" | "created" | "started"

export type Subject = "stores" | "products" | "ads"

/** What matches, without order and page. */
export interface Filter {
  readonly subject: Subject
  /** All must hold. With none, ads without a store match as well. */
  readonly stores: ReadonlyArray<StoreCondition>
  /** Of products `Price`, of ads `Ad`. */
  readonly item?: ItemCondition
  /** Folded (domain/search/SearchText.ts); all must be there, each at the start of a word. */
  readonly words: ReadonlyArray<string>
  /** Only items that were first imported later than this, in seconds since 1970-01-01. Not for stores. */
  readonly seenAfter?: number
}

export interface Query extends Filter {
  readonly order: Order
  /** `offset + limit` is at most 500. */
  readonly offset: number
  readonly limit: number
}

export interface Found {
  readonly id: number
  /** Of a store its own id; `null` for an ad without a store. */
  readonly storeId: number | null
}

export interface SearchResult {
  /** Matching items, exact. */
  readonly total: number
  /** Stores with a matching item, exact; pseudo-stores do not count. */
  readonly stores: number
  readonly page: ReadonlyArray<Found>
}
