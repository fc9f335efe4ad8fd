/**
 * Figures of groups of matching stores (D99): counts, sums and medians, exact over all segments.
 *
 * The matching stores become one table, and each group a list of its rows (Groups.ts). Counts and sums are those of all
 * groups. Medians besides that of the order are computed only for the returned groups. The cost is linear in the pairs of
 * store and group.
 */
import { countedStores } from "./Currencies.ts"
import type { GroupFigures, GroupSums, MedianByCurrency, Overview } from "../../../domain/search/CatalogAnswer.ts"
import type { Leaders } from "./Facets.ts"
import * as Groups from "./Groups.ts"
import type { Filter, OverviewQuery, Summed } from "../../../domain/search/CatalogQuery.ts"
import { matchStores } from "./Matching.ts"
import { firstWhere } from "./RowFilter.ts"
import { defaultTuning, stepsBetweenChecks } from "./Run.ts"
import type { Cancel, Run } from "./Run.ts"
import { Medians } from "./Medians.ts"
import type { Median } from "./Medians.ts"
import type { Figure } from "../../../domain/catalog/Figures.ts"
import { record } from "./Segment.ts"
import type { SegmentList } from "./Segment.ts"
import { prepare, unknownIds } from "./StoreSelection.ts"
import { summed } from "../../../domain/search/CatalogQuery.ts"

const averaged = ["visits", "growth", "revenue"] as const

/** Limit of currencies of a group: most have one or two. */
export const maxCurrencies = 5

export const overview = (
  list: SegmentList,
  query: OverviewQuery,
  leaders: Leaders,
  cancel: Cancel,
  tuning = defaultTuning
): Overview => {
  const run: Run = { conditions: prepare(query.stores), cancel, tuning }
  const { order, ...filter } = query
  const { currencies, match } = countedStores(filter, run)
  const matching = list.map((view) => ({ columns: view.columns, rows: match(view) }))
  const stores = Groups.tabulate(matching, cancel)
  const groups = Groups.group(stores, query.grouping, leaders, cancel)
  const columns = record(summed, (figure) => unknownAsZero(Groups.column(stores, figure, cancel), cancel))
  const mediansOf = (figure: Figure) => new Medians(Groups.column(stores, figure, cancel), tuning.fewValues, cancel)
  const medians = record(averaged, mediansOf)
  const prices = query.hasPrices ? mediansOf("avg_price") : undefined
  const isMatching = query.shareOf === undefined ? undefined : matchingToo(list, query.shareOf, stores, run)

  const { size, starts } = groups
  // Of the thousands of groups that there can be, few have stores when few match.
  const counts = new Float64Array(size)
  const found: Array<number> = []
  for (let group = 0; group < size; group++) {
    counts[group] = starts[group + 1]! - starts[group]!
    if (counts[group]! > 0) found.push(group)
  }
  const sums = sumByGroup(columns, groups, cancel)
  const countMatching = (positions: Uint32Array): number => {
    let matching = 0
    if (isMatching !== undefined) for (let at = 0; at < positions.length; at++) matching += isMatching[positions[at]!]!
    return matching
  }
  const keyOf = (group: number): number => {
    if (order === "matching_share") return countMatching(groups.positions(group)) / counts[group]!
    if (typeof order === "object") return medians[order.median].of(groups.positions(group)).median
    return order === "stores" ? counts[group]! : sums[order][group]!
  }
  const key = new Float64Array(size)
  for (const group of found) {
    cancel.check()
    key[group] = keyOf(group)
  }
  const keys = [key, counts, sums.active_ads, sums.visits, sums.products_count]
  const compare = (one: number, other: number): number => {
    for (const each of keys) {
      const order = descending(each[one]!, each[other]!)
      if (order !== 0) return order
    }
    return 0
  }
  found.sort(compare)
  const last = found[query.limit - 1]
  const chosen = last === undefined ? found : found.filter((group) => compare(group, last) <= 0)

  const figuresOf = (positions: Uint32Array, sumsOf: GroupSums["sums"]): GroupFigures => ({
    stores: positions.length,
    sums: sumsOf,
    matching: countMatching(positions),
    medians: {
      visits: medianOrNull(medians.visits.of(positions)),
      growth: medianOrNull(medians.growth.of(positions))
    },
    revenue: byCurrency(stores.currencies, medians.revenue, positions),
    ...(prices === undefined ? {} : { prices: byCurrency(stores.currencies, prices, positions) })
  })
  const sumOf = ({ values }: Column, positions: Uint32Array): number => {
    let sum = 0
    for (let at = 0; at < positions.length; at++) sum += values[positions[at]!]!
    return sum
  }

  let rank = 0
  return {
    groups: chosen.map((group, at) => {
      if (at > 0 && compare(chosen[at - 1]!, group) !== 0) rank = at
      return {
        group,
        rank,
        ...figuresOf(
          groups.positions(group),
          record(summed, (figure) => sums[figure][group]!)
        )
      }
    }),
    count: found.length,
    total: {
      stores: stores.length,
      sums: record(summed, (figure) => columns[figure].sum),
      matching: isMatching === undefined ? 0 : isMatching.reduce((sum, flag) => sum + flag, 0)
    },
    ...(groups.ungrouped.length === 0
      ? {}
      : {
          ungrouped: figuresOf(
            groups.ungrouped,
            record(summed, (figure) => sumOf(columns[figure], groups.ungrouped))
          )
        }),
    unknownIds: unknownIds(list, [...query.stores, ...(query.shareOf?.stores ?? [])]),
    currencies: currencies()
  }
}

/** By position, whether the store matches this filter too. */
const matchingToo = (list: SegmentList, filter: Filter, stores: Groups.Stores, run: Run): Uint8Array => {
  const asked = { ...run, conditions: prepare(filter.stores) }
  const flags = list.map((view) => {
    const ofRows = new Uint8Array(view.live.length)
    for (const row of matchStores(view, filter, asked)) ofRows[row] = 1
    return [view.columns, ofRows] as const
  })
  return Groups.flags(stores, new Map(flags), run.cancel)
}

/** NaN (unknown) last. */
const descending = (one: number, other: number): number => {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other))
  return other - one
}

const medianOrNull = ({ known, median }: Median): number | null => (known === 0 ? null : median)

interface Column {
  readonly values: Float64Array
  readonly sum: number
}

/** In place. */
const unknownAsZero = (values: Float64Array, cancel: Cancel): Column => {
  let sum = 0
  for (let at = 0; at < values.length; at++) {
    if ((at & (stepsBetweenChecks - 1)) === 0) cancel.check()
    const value = values[at]!
    if (Number.isNaN(value)) values[at] = 0
    else sum += value
  }
  return { values, sum }
}

/** All figures in one pass, so that the positions are read once. */
const sumByGroup = (
  columns: Readonly<Record<Summed, Column>>,
  { size, starts, stores }: Groups.Groups,
  cancel: Cancel
): Readonly<Record<Summed, Float64Array>> => {
  const sums = record(summed, () => new Float64Array(size))
  const [ads, products, visits] = [columns.active_ads.values, columns.products_count.values, columns.visits.values]
  let at = 0
  for (let group = 0; group < size; group++) {
    const end = starts[group + 1]!
    let [ofAds, ofProducts, ofVisits] = [0, 0, 0]
    for (; at < end; at++) {
      if ((at & (stepsBetweenChecks - 1)) === 0) cancel.check()
      const position = stores[at]!
      ofAds += ads[position]!
      ofProducts += products[position]!
      ofVisits += visits[position]!
    }
    sums.active_ads[group] = ofAds
    sums.products_count[group] = ofProducts
    sums.visits[group] = ofVisits
  }
  return sums
}

/** Because amounts are in the store's currency. */
const byCurrency = (
  currencies: ReadonlyArray<Groups.Currency>,
  medians: Medians,
  positions: Uint32Array
): MedianByCurrency => {
  let from = 0
  const all = currencies.flatMap(({ code, end }) => {
    const to = from + firstWhere(positions.subarray(from), (position) => position >= end)
    const own = positions.subarray(from, to)
    from = to
    if (code === 0) return []
    const { known, median } = medians.of(own)
    return known === 0 ? [] : [{ currency: code, stores: known, median }]
  })
  return all.sort((one, other) => other.stores - one.stores || one.currency - other.currency).slice(0, maxCurrencies)
}
