/** What a catalog search answers, as plain data, and the names of one version of the catalog. */
import { Schema } from "effect"
import type { NumberFigure } from "../catalog/Figures.ts"
import type { Mover } from "../catalog/Movers.ts"
import type { Code, Mask, SpellingKind, Subject, Summed } from "./CatalogQuery.ts"

export interface Found {
  readonly id: number
  /** The store's own id for a store; `null` for an ad without a store. */
  readonly storeId: number | null
}

export interface CurrencyCount {
  /** 0 for stores whose currency is unknown. */
  readonly currency: number
  readonly stores: number
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
  /** Of the stores whose money the search compares (D90), ascending; none if it compares none or asks for one. */
  readonly currencies: ReadonlyArray<CurrencyCount>
  readonly page: ReadonlyArray<Found>
}

/** The figures of a store, and how they have changed (D120), as they are searched; `NaN` for unknown. */
export type StoreValues = (figure: NumberFigure | Mover) => number

/** Kinds of flags of ads. */
export const flagKinds = ["status", "partnership", "media", "cta"] as const
export type FlagKind = (typeof flagKinds)[number]

export interface Facets {
  /**
   * Results by code: for a niche without the niches below it; for a theme, an app or an extension by the first id of its
   * name. Codes without results are absent.
   */
  readonly codes: Readonly<Record<Code | "app", ReadonlyMap<number, number>>>
  /** Results by bit, in the order of the vocabulary. */
  readonly masks: Readonly<Record<Mask, ReadonlyArray<number>>>
  /** For ads only, by kind of flag: running and not running; partnership; in the order of `mediaTypes`; of `ctas`. */
  readonly flags?: Readonly<Record<FlagKind, ReadonlyArray<number>>>
}

export interface GroupSums {
  readonly stores: number
  /** Of known figures, as for medians. */
  readonly sums: Readonly<Record<Summed, number>>
  /** Number of stores that match `shareOf`; 0 without it. */
  readonly matching: number
}

/** Of stores with a currency that have the figure; most stores first, then by code. */
export type MedianByCurrency = ReadonlyArray<{
  readonly currency: number
  readonly stores: number
  readonly median: number
}>

export interface GroupFigures extends GroupSums {
  /** `null` if no store of the group has the figure. */
  readonly medians: { readonly visits: number | null; readonly growth: number | null }
  readonly revenue: MedianByCurrency
  /** Absent unless it is asked for. */
  readonly prices?: MedianByCurrency
}

export interface Group extends GroupFigures {
  /** A code (for a theme, an app or an extension the first id of its name), a group of `groups`, or a bit. */
  readonly group: number
  /** Equal for groups that are equal in all figures of the order. */
  readonly rank: number
}

export interface Overview {
  /** The first groups, and all with the rank of the last one, which only their names distinguish. */
  readonly groups: ReadonlyArray<Group>
  /** Number of groups with a store. */
  readonly count: number
  /** Counts each matching store once. */
  readonly total: GroupSums
  /** The stores without a group; absent if there are none. */
  readonly ungrouped?: GroupFigures
  /** Ids of stores that were asked for and are not in the catalog. */
  readonly unknownIds: ReadonlyArray<number>
  /** Of the stores whose money the search compares (D90), ascending; none if it compares none or asks for one. */
  readonly currencies: ReadonlyArray<CurrencyCount>
}

/** All stores that match. */
export interface StoreIds {
  readonly total: number
  /** Ascending; empty if there are more than were asked for. */
  readonly ids: ReadonlyArray<number>
  /** Ids of stores that were asked for and are not in the catalog. */
  readonly unknownIds: ReadonlyArray<number>
  /** Of the stores whose money the search compares (D90), ascending; none if it compares none or asks for one. */
  readonly currencies: ReadonlyArray<CurrencyCount>
}

export interface AdCounts {
  readonly ads: number
  /** Without pseudo-stores. */
  readonly stores: number
}

export interface AdGroups {
  /** All groups with an ad, in any order. Group 0 has the ads without a value. */
  readonly groups: ReadonlyArray<AdCounts & { readonly group: number }>
  readonly total: AdCounts
  /** Ids of stores that were asked for and are not in the catalog. */
  readonly unknownIds: ReadonlyArray<number>
  /** Of the stores whose money the search compares (D90), ascending; none if it compares none or asks for one. */
  readonly currencies: ReadonlyArray<CurrencyCount>
}

export const Niche = Schema.Struct({ id: Schema.Int, parentId: Schema.NullOr(Schema.Int), name: Schema.String })
export type Niche = typeof Niche.Type

export interface VocabularyEntry {
  /** The first id of the name. */
  readonly id: number
  /** Of spellings that differ only in case, the one with the most stores; among equals, the first by code units. */
  readonly name: string
  /** As names are compared. */
  readonly folded: string
  readonly stores: number
  /** The ids of all its spellings, as stores have them. */
  readonly ids: ReadonlyArray<number>
}

/** Most stores first. */
export interface VocabularyCounts extends Readonly<Record<SpellingKind, ReadonlyArray<VocabularyEntry>>> {
  /** Stores by niche, without the niches below it. */
  readonly niches: ReadonlyMap<number, number>
  readonly stores: number
  readonly products: number
  readonly ads: number
}

/** One version of the catalog, with the codes of names that queries of it have. */
export interface Catalog {
  readonly version: number
  readonly niches: ReadonlyArray<Niche>
  readonly vocabulary: VocabularyCounts
  /** The highest id that an item of each kind ever had. Later items have higher ones. */
  readonly highestIds: Readonly<Record<Subject, number>>
}
