/**
 * What is asked of a catalog search, as plain data: every name is a code of one version of the catalog (CatalogAnswer.ts). The
 * services that answer are in services/search.
 */
import type { AdStatus, Cta, MediaType } from "../catalog/Enumerations.ts"
import { figures } from "../catalog/Figures.ts"
import type { Figure } from "../catalog/Figures.ts"
import { movers } from "../catalog/Movers.ts"
import type { Mover } from "../catalog/Movers.ts"
import type { WantedWord } from "./WantedWords.ts"

/** Columns with one number for each store. */
export type StoreNumber = Figure | Mover
export const storeNumbers: ReadonlyArray<StoreNumber> = [...figures, ...movers]

/** Columns with one code for each store; 0 is none. Countries and currencies are encoded by `lettersCode`. */
export const codes = ["niche", "country", "currency", "theme", "extension"] as const
export type Code = (typeof codes)[number]

/** Columns with one bit for each value of a closed vocabulary, in the order of domain/catalog/Enumerations.ts. */
export const masks = ["languages", "pixels", "networks"] as const
export type Mask = (typeof masks)[number]

export const spellingKinds = ["theme", "app", "extension"] as const
/** Vocabularies of names in any spelling; each spelling has a code. */
export type SpellingKind = (typeof spellingKinds)[number]

/**
 * A positive number for a code of upper-case letters: `A` is 1, `US` is 538 + 1. Codes of one column have the same length.
 */
export const lettersCode = (code: string): number =>
  Array.from(code).reduce((value, letter) => value * 26 + letter.charCodeAt(0) - 65, 0) + 1

/** The inverse of {@link lettersCode} for codes of `length` letters. */
export const lettersOf = (value: number, length: number): string => {
  let rest = value - 1
  let text = ""
  for (let at = 0; at < length; at++) {
    text = String.fromCharCode(65 + (rest % 26)) + text
    rest = Math.floor(rest / 26)
  }
  return text
}

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

/** Criteria for ads. Empty lists are no criteria. */
export interface AdCriteria {
  readonly status: AdStatus | "all"
  /** Requested by an argument other than `status`. */
  readonly runningOnly: boolean
  readonly mediaTypes: ReadonlyArray<MediaType>
  readonly ctas: ReadonlyArray<Cta>
  readonly partnershipOnly: boolean
}

/** The condition on an item itself, besides its words. */
export type ItemCondition =
  /** Without bounds a product needs no creation date. */
  | { readonly _tag: "Product"; readonly price?: Range; readonly created?: DayRange }
  /** Inclusive bounds of the start day, as numbers of days: 0001-01-01 is 1. */
  | { readonly _tag: "Ad"; readonly criteria: AdCriteria; readonly firstDay: number; readonly lastDay: number }

/**
 * Every order is total, so that pages neither repeat nor skip an item. Unknown figures are last in both directions. Ties:
 *
 * - `ByStore`, by figures of the store: lower store id first, then the default order within the store. Ads without a
 *   store are store 0. The direction applies only to the figures.
 * - `ByItem`, by a figure of the item: by id in the direction of the order. For `score` in the opposite direction, so that
 *   descending means highest score, then lower id.
 * - `Grouped`, one ad for each store: most active ads first, then lower store id. The ad is the match that
 *   runs longest: of the running ones the first that started, else the first in the default order of the store (D119). Ads without a
 *   store are left out.
 */
export type Order =
  | { readonly _tag: "ByStore"; readonly figures: readonly [StoreNumber, StoreNumber?]; readonly isDescending: boolean }
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

/** A condition that is missing here does not compile. */
const furtherConditions = {
  item: (filter) => filter.item,
  phrases: (filter) => filter.phrases,
  isStoreless: (filter) => filter.isStoreless,
  idAbove: (filter) => filter.idAbove
} satisfies { readonly [K in Exclude<keyof Filter, "subject" | "stores" | "words">]: (filter: Filter) => Filter[K] }

/** Whether a filter, or that of a query, asks for nothing. */
export const isOfAll = (filter: Filter): boolean =>
  filter.stores.length === 0 &&
  filter.words.length === 0 &&
  Object.values(furtherConditions).every((condition) => condition(filter) === undefined)

export interface Query extends Filter {
  readonly order: Order
  /** `offset + limit` is at most 500. */
  readonly offset: number
  readonly limit: number
}

export interface StoreIdsQuery extends Filter {
  readonly subject: "stores"
  /** No ids are wanted of more stores. */
  readonly limit: number
}

/** What stores are grouped by. */
export type Grouping =
  /** By code, or by the group that `groups` assigns to the code. 0 means no group. */
  | { readonly _tag: "Code"; readonly column: Code; readonly groups?: Uint32Array }
  /** By bit. A store belongs to the group of each of its bits, and of each of its apps. */
  | { readonly _tag: "Mask"; readonly column: Mask }
  | { readonly _tag: "App" }

/** Figures that are summed over the stores of a group. */
export const summed = ["active_ads", "products_count", "visits"] as const
export type Summed = (typeof summed)[number]

/** Descending; unknown medians last. Ties: more stores, active ads, visits and products first. */
export type GroupOrder = "stores" | "matching_share" | Summed | { readonly median: "visits" | "growth" }

export interface OverviewQuery extends Filter {
  readonly subject: "stores"
  readonly grouping: Grouping
  /** What is counted of each group besides: its stores that match this filter too. */
  readonly shareOf?: Filter
  /** Whether the medians of average prices are wanted. */
  readonly hasPrices: boolean
  readonly order: GroupOrder
  readonly limit: number
}

export type AdGroupKind =
  /** By the position of the value in its vocabulary plus 1; of `status`, 1 is running and 2 is not. */
  { readonly _tag: "Flag"; readonly flag: "cta" | "media" | "status" } | Extract<Grouping, { readonly _tag: "Code" }>

export interface AdGroupsQuery extends Filter {
  readonly subject: "ads"
  readonly grouping: AdGroupKind
}
