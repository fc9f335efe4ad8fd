/**
 * What a search is expected to cost, from sizes that the index knows: stores, conditions, postings of words, rows of items. It
 * decides where a search runs (Searcher), never what it finds, so that it may be wrong by a factor of two or three.
 *
 * The nanoseconds are those of the loops of StoreSelection, Words, Matching and ItemOrder, measured by `npm run bench:large -- --only index`.
 */
import * as AdKey from "./AdKey.ts"
import { comparesMoney } from "./Currencies.ts"
import { isOfItemsAlone } from "./ItemsAlone.ts"
import type { Filter, Query, StoreCondition, StoreIdsQuery } from "../../../domain/search/CatalogQuery.ts"
import { hitCost } from "./Matching.ts"
import { defaultTuning } from "./Run.ts"
import type { Segment, SegmentList, SegmentView, Words } from "./Segment.ts"
import { isDense, postingsOf } from "./Words.ts"

/** Nanoseconds of one step. */
const steps = {
  /** A search, and each of its segments, without any store. */
  search: 15_000,
  segment: 10_000,
  /** A store that one condition is tested for, and one whose items are counted and offered. */
  condition: 3,
  store: 5,
  /** A posting that is read from its gap, and one row of a bitmap of 32. */
  posting: 3,
  bitmap: 0.15,
  /** A row that a range of an item's figure is tested for. */
  item: 1,
  /** One of few hits, for each condition: no cache has it and its store, which are anywhere in large columns. */
  hit: 100,
  /** A result up to the last one of the page. */
  ranked: 1_000,
  /** A store in facets and in an overview, and an ad in its group. */
  facets: 60,
  overview: 200,
  adGroups: 3
} as const

/** The share of stores that a condition on stores leaves. */
const left = 0.4

const remaining = (conditions: ReadonlyArray<StoreCondition>, stores: number): number =>
  conditions.reduce((rows, condition) => (condition._tag === "AnyId" ? condition.ids.length : rows * left), stores)

/** Each condition reads what those before it have left. */
const selection = (conditions: ReadonlyArray<StoreCondition>, stores: number): number =>
  conditions.reduce((sum, _, at) => sum + steps.condition * remaining(conditions.slice(0, at), stores), 0)

interface WordCost {
  readonly nanos: number
  /** Of the rarest word, if all are wanted. */
  readonly hits: number
  /** Whether these hits are a list, tested one by one. */
  readonly areFew: boolean
}

const costOfWords = (words: Words, rows: number, { phrases, words: wanted }: Filter): WordCost => {
  const postings = [...wanted, ...(phrases ?? []).flat()].map((word) => postingsOf(words, word))
  const hits = phrases === undefined ? Math.min(...postings) : Infinity
  const areFew = hits <= defaultTuning.fewHits
  const bitmaps = postings.length - Number(areFew)
  const read = postings.reduce((sum, count) => (isDense(count, rows) ? sum : sum + count), 0)
  return { nanos: steps.posting * read + steps.bitmap * rows * bitmaps, hits, areFew }
}

/**
 * The conditions on items: ranges that are tested row by row, and groups of flags, which have bitmaps. RowFilter's tests would say
 * it too, but making them may read all products once.
 */
const itemTests = ({ idAbove, item }: Filter): { readonly ranges: number; readonly bitmaps: number } => {
  const count = (...conditions: ReadonlyArray<boolean>) => conditions.filter(Boolean).length
  const isNewer = idAbove !== undefined
  if (item === undefined) return { ranges: count(isNewer), bitmaps: 0 }
  if (item._tag === "Product") {
    return { ranges: count(isNewer, item.price !== undefined, item.created !== undefined), bitmaps: 0 }
  }
  const groups = Object.values(AdKey.wantedBitmaps(item.criteria)).length
  return { ranges: count(isNewer, item.firstDay > 0 || item.lastDay < AdKey.lastDay), bitmaps: groups }
}

interface Documents {
  readonly words: Words
  readonly rows: number
}

const documentsOf = ({ storeIds, words, ...segment }: Segment, { subject }: Filter): Documents =>
  subject === "stores"
    ? { words, rows: storeIds.length }
    : { words: segment[subject].words, rows: segment[subject].ids.length }

const costIn = ({ segment }: SegmentView, query: Query): number => {
  const stores = segment.storeIds.length
  const { rows, words } = documentsOf(segment, query)
  const { areFew, hits, nanos } = costOfWords(words, rows, query)
  const conditions = query.stores.length
  if (areFew) return nanos + hits * steps.hit * (1 + conditions)
  const matching = remaining(query.stores, stores)
  const chosen = selection(query.stores, stores) + steps.store * matching
  if (query.subject === "stores") return nanos + chosen
  const isByItem = query.order._tag === "ByItem" && query.order.column !== "score"
  const { bitmaps, ranges } = itemTests(query)
  const share = matching / Math.max(1, stores)
  // Few hits are tested one by one.
  const inRange = Math.min(rows * share, hits * hitCost)
  const tested = ranges * steps.item * inRange + rows * (ranges + bitmaps) * steps.bitmap
  // Stores are not looked at.
  if (isOfItemsAlone(query)) return nanos + tested + 2 * steps.bitmap * rows
  // Stores are counted once more without the filters of money.
  const counted = comparesMoney(query) ? steps.store * matching : 0
  return nanos + chosen + counted + tested + (isByItem ? steps.bitmap * rows + defaultTuning.leastSteps : 0)
}

/** A list of segments, each with what a step costs for each of its stores and ads besides the words. */
const costOfAll = (list: SegmentList, query: Filter, ofStore: number, ofAd: number): number =>
  list.reduce<number>((sum, { segment }) => {
    const { rows, words } = documentsOf(segment, query)
    const { nanos } = costOfWords(words, rows, query)
    return sum + steps.segment + nanos + ofStore * segment.storeIds.length + ofAd * segment.ads.ids.length
  }, steps.search)

/** Expected nanoseconds. */
export const ofSearch = (list: SegmentList, query: Query): number =>
  list.reduce(
    (sum, view) => sum + steps.segment + costIn(view, query),
    steps.search + steps.ranked * (query.offset + query.limit)
  )

/** Each id is read, sorted and written. */
export const ofStoreIds = (list: SegmentList, query: StoreIdsQuery): number =>
  ofSearch(list, {
    ...query,
    order: { _tag: "ByStore", figures: ["active_ads"], isDescending: true },
    offset: 0,
    limit: Math.min(
      query.limit,
      list.reduce((all, { segment }) => all + segment.storeIds.length, 0)
    )
  })

export const ofFacets = (list: SegmentList, query: Filter): number => costOfAll(list, query, steps.facets, 0)

export const ofOverview = (list: SegmentList, query: Filter): number => costOfAll(list, query, steps.overview, 0)

export const ofAdGroups = (list: SegmentList, query: Filter): number =>
  costOfAll(list, query, steps.store, steps.adGroups)
