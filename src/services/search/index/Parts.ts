/**
 * A search that several threads share: each searches some of the segments, and the results are merged. A store with its items is in
 * one segment, so numbers add up, and the first results of all are among the first ones of each part.
 */
import type { CurrencyCount, Found, SearchResult } from "../../../domain/search/CatalogAnswer.ts"
import type { Query } from "../../../domain/search/CatalogQuery.ts"
import type { Cancel } from "./Run.ts"
import { defaultTuning } from "./Run.ts"
import { searchRanked } from "./Search.ts"
import type { SegmentList } from "./Segment.ts"
import { compare } from "./TopN.ts"
import type { Ranked } from "./TopN.ts"

export interface PartQuery {
  readonly query: Query
  /** Positions of the segments in the list. */
  readonly views: ReadonlyArray<number>
}

export interface PartResult extends SearchResult {
  /** Of each result of the page. */
  readonly ranks: ReadonlyArray<Ranked>
}

/** In an order by stores, items of one store have no rank of their own. */
export const isDivisible = ({ order, subject }: Query): boolean => subject === "stores" || order._tag !== "ByStore"

const rowsOf = ({ segment }: SegmentList[number]): number =>
  segment.storeIds.length + segment.products.ids.length + segment.ads.ids.length

/** Positions of segments, in at most so many parts of nearly as many rows. */
export const divide = (list: SegmentList, parts: number): ReadonlyArray<ReadonlyArray<number>> => {
  const bins = Array.from({ length: parts }, () => ({ rows: 0, views: new Array<number>() }))
  const largestFirst = list.map((view, at) => ({ at, rows: rowsOf(view) })).toSorted((a, b) => b.rows - a.rows)
  for (const { at, rows } of largestFirst) {
    const smallest = bins.reduce((least, bin) => (bin.rows < least.rows ? bin : least))
    smallest.rows += rows
    smallest.views.push(at)
  }
  return bins.map(({ views }) => views).filter(({ length }) => length > 0)
}

/** All results of some segments that may be on the page, from the first one on. */
export const searchPart = (
  list: SegmentList,
  { query, views }: PartQuery,
  cancel: Cancel,
  tuning = defaultTuning
): PartResult => {
  const wanted = new Set(views)
  const part = list.filter((_, at) => wanted.has(at))
  return searchRanked(part, { ...query, offset: 0, limit: query.offset + query.limit }, cancel, tuning)
}

const sumOf = (parts: ReadonlyArray<PartResult>, of: (part: PartResult) => number | undefined): number =>
  parts.reduce((sum, part) => sum + (of(part) ?? 0), 0)

const currenciesOf = (parts: ReadonlyArray<PartResult>): ReadonlyArray<CurrencyCount> => {
  const sums = new Map<number, number>()
  for (const { currency, stores } of parts.flatMap(({ currencies }) => currencies)) {
    sums.set(currency, (sums.get(currency) ?? 0) + stores)
  }
  return Array.from(sums, ([currency, stores]) => ({ currency, stores })).sort((a, b) => a.currency - b.currency)
}

/** The result of a query that {@link isDivisible}, from those of all its parts. */
export const mergeParts = ({ limit, offset }: Query, parts: ReadonlyArray<PartResult>): SearchResult => {
  const [first, ...others] = parts
  const ranked = parts.flatMap(({ page, ranks }) =>
    ranks.map((rank, at): [Ranked, Found | undefined] => [rank, page[at]])
  )
  return {
    total: sumOf(parts, ({ total }) => total),
    // Absent in all parts or in none.
    ...(first?.stores === undefined ? {} : { stores: sumOf(parts, ({ stores }) => stores) }),
    storeless: sumOf(parts, ({ storeless }) => storeless),
    unknownIds: (first?.unknownIds ?? []).filter((id) => others.every(({ unknownIds }) => unknownIds.includes(id))),
    currencies: currenciesOf(parts),
    page: ranked
      .sort(([one], [other]) => compare(one, other))
      .slice(offset, offset + limit)
      .flatMap(([, found]) => found ?? [])
  }
}
