/**
 * Figures of groups of matching stores (index/Overview.ts), in two steps: counts and sums of all groups, by which they are ordered, then
 * medians of those that are told (MediansSql).
 */
import { Schema } from "effect"
import type { Figure } from "../../../domain/catalog/Figures.ts"
import type { GroupFigures, GroupSums, MedianByCurrency, Overview } from "../../../domain/search/CatalogAnswer.ts"
import { summed } from "../../../domain/search/CatalogQuery.ts"
import type { OverviewQuery } from "../../../domain/search/CatalogQuery.ts"
import { maxCurrencies } from "../index/Overview.ts"
import { record } from "../index/Segment.ts"
import { Int64 } from "./ClickHouse.ts"
import { figureColumn, gather, storeConditions, storeRows } from "./Conditions.ts"
import type { Draft } from "./Conditions.ts"
import { groupsOf, readGroup } from "./GroupSql.ts"

/** Each store is in the whole, and in its groups or among those without one. */
export const parts = ["group", "none", "all"] as const

export const GroupRow = Schema.Struct({
  part: Schema.Literals(parts),
  name: Schema.String,
  stores: Int64,
  matching: Int64,
  ...record(summed, () => Schema.Finite)
})
export type GroupRow = typeof GroupRow.Type

/** A row for each store and part. `more` has columns of the store. */
export const members = (draft: Draft, query: OverviewQuery, more: ReadonlyArray<string>) => {
  const { isNamed, sql } = groupsOf(draft, query.grouping)
  const none = isNamed ? "''" : "toUInt32(0)"
  const each =
    `arrayConcat([(toUInt8(2), ${none})], if(empty(groups), [(toUInt8(1), ${none})], ` +
    "arrayMap(one -> (toUInt8(0), one), groups)))"
  const stores = storeRows(draft, storeConditions(draft, query), [`${sql} AS groups`, ...more].join(", "))
  return { isNamed, sql: `SELECT *, arrayJoin(${each}) AS member FROM (${stores})` }
}

export const partNames = `[${parts.map((part) => `'${part}'`).join(", ")}]`

/** The figure whose median orders the groups. */
export const orderFigure = ({ order }: OverviewQuery): Figure | undefined =>
  typeof order === "object" ? order.median : undefined

export const groups = (draft: Draft, query: OverviewQuery): string => {
  const { shareOf } = query
  const share = shareOf === undefined ? "0" : ["1", ...storeConditions(draft, shareOf)].join(" AND ")
  const { sql } = members(draft, query, [...summed.map(figureColumn), `(${share}) AS is_matching`])
  const sums = summed.map((name) => `sumIf(${figureColumn(name)}, NOT isNaN(${figureColumn(name)})) AS ${name}`)
  const shard =
    `SELECT member.1 AS part, member.2 AS name, count() AS stores, countIf(is_matching) AS matching, ` +
    `${sums.join(", ")} ` +
    `FROM (${sql}) AS m GROUP BY part, name`
  const all = ["stores", "matching", ...summed].map((column) => `sum(r.${column}) AS ${column}`)
  return (
    `SELECT ${partNames}[r.part + 1] AS part, toString(r.name) AS name, ${all.join(", ")} ` +
    `FROM ${gather(draft, shard)} AS r GROUP BY r.part, r.name`
  )
}

/** NaN (unknown) last. */
const descending = (one: number, other: number): number => {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other))
  return other - one
}

const keysOf = (
  { order }: OverviewQuery,
  row: GroupRow,
  medians: ReadonlyMap<string, number>
): ReadonlyArray<number> => {
  const { active_ads: ads, matching, products_count: products, stores, visits } = row
  const first = () => {
    if (order === "matching_share") return matching / stores
    if (typeof order === "object") return medians.get(row.name) ?? Number.NaN
    return row[order]
  }
  return [first(), stores, ads, visits, products]
}

interface Ranked {
  readonly row: GroupRow
  readonly group: number
  readonly rank: number
}

/**
 * The groups that are told, in their order: the first ones, and all that only their names tell from the last one. `medians` are those
 * that order them, by their names.
 */
export const rank = (
  draft: Pick<Draft, "spellings">,
  query: OverviewQuery,
  rows: ReadonlyArray<GroupRow>,
  medians: ReadonlyMap<string, number>
): ReadonlyArray<Ranked> => {
  const compare = (one: GroupRow, other: GroupRow): number => {
    const others = keysOf(query, other, medians)
    for (const [at, key] of keysOf(query, one, medians).entries()) {
      const order = descending(key, others[at] ?? 0)
      if (order !== 0) return order
    }
    return 0
  }
  const numbered = rows
    .flatMap((row) => (row.part === "group" ? [{ row, group: readGroup(draft, query.grouping, row.name) }] : []))
    .sort((one, other) => compare(one.row, other.row) || one.group - other.group)
  const last = numbered[query.limit - 1]
  const told = last === undefined ? numbered : numbered.filter(({ row }) => compare(row, last.row) <= 0)
  let rank = 0
  return told.map(({ group, row }, at) => {
    const before = told[at - 1]
    if (before !== undefined && compare(before.row, row) !== 0) rank = at
    return { row, group, rank }
  })
}

const sumsOf = (row: GroupRow | undefined): GroupSums => ({
  stores: row?.stores ?? 0,
  sums: record(summed, (name) => row?.[name] ?? 0),
  matching: row?.matching ?? 0
})

/** Of the known values of a group or of the stores without one, in all (0) or of a currency. */
export interface GroupMedian {
  readonly part: GroupRow["part"]
  readonly name: string
  readonly currency: number
  /** At least one. */
  readonly stores: number
  readonly median: number
}

export interface FoundMedians {
  readonly visits: ReadonlyArray<GroupMedian>
  readonly growth: ReadonlyArray<GroupMedian>
  readonly revenue: ReadonlyArray<GroupMedian>
  readonly prices?: ReadonlyArray<GroupMedian>
}

export const readOverview = (
  rows: ReadonlyArray<GroupRow>,
  ranked: ReadonlyArray<Ranked>,
  found: FoundMedians
): Omit<Overview, "unknownIds" | "currencies"> => {
  const byRow = (all: ReadonlyArray<GroupMedian>) => Map.groupBy(all, ({ name, part }) => `${part} ${name}`)
  const [visits, growth, revenue] = [byRow(found.visits), byRow(found.growth), byRow(found.revenue)]
  const prices = found.prices === undefined ? undefined : byRow(found.prices)
  const byCurrency = (all: ReadonlyArray<GroupMedian> = []): MedianByCurrency =>
    all
      .flatMap(({ currency, median, stores }) => (currency === 0 ? [] : [{ currency, stores, median }]))
      .sort((one, other) => other.stores - one.stores || one.currency - other.currency)
      .slice(0, maxCurrencies)
  const figuresOf = (row: GroupRow): GroupFigures => {
    const key = `${row.part} ${row.name}`
    const median = (all: ReadonlyMap<string, ReadonlyArray<GroupMedian>>) => {
      const [one] = all.get(key) ?? []
      return one === undefined ? null : one.median
    }
    return {
      ...sumsOf(row),
      medians: { visits: median(visits), growth: median(growth) },
      revenue: byCurrency(revenue.get(key)),
      ...(prices === undefined ? {} : { prices: byCurrency(prices.get(key)) })
    }
  }
  const without = rows.find(({ part }) => part === "none")
  return {
    groups: ranked.map(({ group, rank, row }) => ({ group, rank, ...figuresOf(row) })),
    count: rows.filter(({ part }) => part === "group").length,
    total: sumsOf(rows.find(({ part }) => part === "all")),
    ...(without === undefined ? {} : { ungrouped: figuresOf(without) })
  }
}
