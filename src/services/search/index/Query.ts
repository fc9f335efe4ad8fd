/** Queries of the index: every name is a code. Plain data that can be sent to search threads. */
import type { WantedWord } from "../../../domain/search/WantedWords.ts"
import type { AdCriteria } from "./AdKey.ts"
import type { CurrencyCount } from "./Currencies.ts"
import type { Figure } from "../../../domain/catalog/Figures.ts"
import type { Code, Mask } from "./Segment.ts"

/** Inclusive bounds, ±Infinity for none. An unknown figure is in no range. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** Inclusive bounds in days since 1970-01-01, in UTC. An unknown day is in no range. */
export interface DayRange {
  readonly from: number
  readonly to: number
}

export type StoreCondition =
  /** An empty list matches nothing. */
  | { readonly _tag: "AnyOf"; readonly column: Code; readonly values: ReadonlyArray<number> }
  | { readonly _tag: "AnyBit"; readonly column: Mask; readonly mask: number }
  /** Of the store itself. */
  | { readonly _tag: "AnyId"; readonly ids: ReadonlyArray<number> }
  | { readonly _tag: "AnyApp"; readonly values: ReadonlyArray<number> }
  | { readonly _tag: "Between"; readonly column: Figure; readonly range: Range }

/** The condition on an item itself, besides its words. */
export type ItemCondition =
  /** Without bounds a product needs no creation date. */
  | { readonly _tag: "Product"; readonly price?: Range; readonly created?: DayRange }
  /** Inclusive bounds of the start day, as day numbers of AdKey.ts. */
  | { readonly _tag: "Ad"; readonly criteria: AdCriteria; readonly firstDay: number; readonly lastDay: number }

/**
 * Every order is total, so that pages neither repeat nor skip an item. Unknown figures are last in both directions. Ties:
 *
 * - `ByStore`, by figures of the store: lower store id first, then the default order within the store. Ads without a
 *   store are store 0. The direction applies only to the figures.
 * - `ByItem`, by a figure of the item: by id in the direction of the order. For `score` in the opposite direction, so that
 *   descending means highest score, then lower id.
 * - `Grouped`, one ad for each store: most active ads first, then lower store id. The ad is the first match in the default
 *   order of the store. Ads without a store are left out.
 */
export type Order =
  | { readonly _tag: "ByStore"; readonly figures: readonly [Figure, Figure?]; readonly isDescending: boolean }
  | { readonly _tag: "ByItem"; readonly column: ItemColumn; readonly isDescending: boolean }
  | { readonly _tag: "Grouped" }
export type ItemColumn = "score" | "price" | "created" | "started"

export type Subject = "stores" | "products" | "ads"

/** The conditions, without order and page. */
export interface Filter {
  readonly subject: Subject
  /** All must hold. Without any, ads without a store match too. */
  readonly stores: ReadonlyArray<StoreCondition>
  /** `Product` for products, `Ad` for ads. */
  readonly item?: ItemCondition
  /** Each must be found, in one of its spellings. */
  readonly words: ReadonlyArray<WantedWord>
  /** At least one must be found: each word of it. Absent if any item will do. */
  readonly phrases?: ReadonlyArray<ReadonlyArray<WantedWord>>
  /** Only ads without a store. */
  readonly isStoreless?: true
  /** Only results with a higher id, which were imported later. */
  readonly idAbove?: number
}

/** Whether a filter asks for nothing. */
export const isOfAll = ({ subject: _subject, stores, words, ...conditions }: Filter): boolean =>
  stores.length === 0 && words.length === 0 && Object.values(conditions).every((condition) => condition === undefined)

export interface Query extends Filter {
  readonly order: Order
  /** `offset + limit` is at most 500. */
  readonly offset: number
  readonly limit: number
}

export interface Found {
  readonly id: number
  /** The store's own id for a store; `null` for an ad without a store. */
  readonly storeId: number | null
}

export interface SearchResult {
  /** Exact number of matching items. */
  readonly total: number
  /** Exact number of stores with a matching item, without pseudo-stores. Absent where stores need not be looked at. */
  readonly stores?: number
  /** Exact number of matching ads without a store. */
  readonly storeless: number
  /** Ids of stores that were asked for and are not in the catalog. */
  readonly unknownIds: ReadonlyArray<number>
  /** See Currencies.ts. */
  readonly currencies: ReadonlyArray<CurrencyCount>
  readonly page: ReadonlyArray<Found>
}
