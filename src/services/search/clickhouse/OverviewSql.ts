/**
 * Figures of groups of matching stores (index/Overview.ts), in two steps: counts and sums of all groups, by which they are ordered, then
 * medians of those that are told.
 *
 * A median is exact, so that it needs the values: of the groups that are told, 8 bytes of each store go from a shard to the server that
 * was asked, which is what no other statement does.
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
import { groupsOf, nameOfGroup, readGroup } from "./GroupSql.ts"

/** Each store is in the whole, and in its groups or among those without one. */
const parts = ["group", "none", "all"] as const

/** ClickHouse writes unknown numbers as texts. */
const Known = Schema.Union([Schema.Finite, Schema.Literal("nan")])

export const GroupRow = Schema.Struct({
  part: Schema.Literals(parts),
  name: Schema.String,
  stores: Int64,
  matching: Int64,
  ...record(summed, () => Schema.Finite),
  /** Of the figure that orders the groups. */
  median: Known
})
export type GroupRow = typeof GroupRow.Type

export const MedianRow = Schema.Struct({
  part: Schema.Literals(parts),
  name: Schema.String,
  currency: Schema.Int,
  stores: Int64,
  median: Known
})
type MedianRow = typeof MedianRow.Type

/**
 * The value below the middle and the one at it, of the values that are known. The lower level is above the middle by less than one place
 * for up to a billion values.
 */
const middles = "(0.4999999999, 0.5)"
const stateOf = (figure: Figure): string => `quantilesExactState${middles}(${figureColumn(figure)})`
const countKnown = (figure: Figure): string => `countIf(NOT isNaN(${figureColumn(figure)}))`
const merged = (state: string): string => `quantilesExactMerge${middles}(${state})`
/** Halves are not added to one that is alone, which could make it infinite. */
const medianOf = (values: string): string =>
  `if(${values}[1] = ${values}[2], ${values}[1], (${values}[1] + ${values}[2]) / 2)`

/** A row for each store and part. `more` has columns of the store. */
const members = (draft: Draft, query: OverviewQuery, more: ReadonlyArray<string>) => {
  const { isNamed, sql } = groupsOf(draft, query.grouping)
  const none = isNamed ? "''" : "toUInt32(0)"
  const each =
    `arrayConcat([(toUInt8(2), ${none})], if(empty(groups), [(toUInt8(1), ${none})], ` +
    "arrayMap(one -> (toUInt8(0), one), groups)))"
  const stores = storeRows(draft, storeConditions(draft, query), [`${sql} AS groups`, ...more].join(", "))
  return { isNamed, sql: `SELECT *, arrayJoin(${each}) AS member FROM (${stores})` }
}

const partNames = `[${parts.map((part) => `'${part}'`).join(", ")}]`

const orderFigure = ({ order }: OverviewQuery): Figure | undefined =>
  typeof order === "object" ? order.median : undefined

export const groups = (draft: Draft, query: OverviewQuery): string => {
  const { shareOf } = query
  const figure = orderFigure(query)
  const share = shareOf === undefined ? "0" : ["1", ...storeConditions(draft, shareOf)].join(" AND ")
  const columns = Array.from(new Set([...summed, ...(figure === undefined ? [] : [figure])]), figureColumn)
  const { sql } = members(draft, query, [...columns, `(${share}) AS is_matching`])
  const sums = summed.map((name) => `sumIf(${figureColumn(name)}, NOT isNaN(${figureColumn(name)})) AS ${name}`)
  const shard =
    `SELECT member.1 AS part, member.2 AS name, count() AS stores, countIf(is_matching) AS matching, ` +
    `${[...sums, ...(figure === undefined ? [] : [`${stateOf(figure)} AS state`, `${countKnown(figure)} AS known`])].join(", ")} ` +
    `FROM (${sql}) AS m GROUP BY part, name`
  const all = ["stores", "matching", ...summed].map((column) => `sum(r.${column}) AS ${column}`)
  // ClickHouse says 0 of no values.
  const median = figure === undefined ? "nan" : `if(sum(r.known) = 0, nan, ${medianOf(merged("r.state"))})`
  return (
    `SELECT ${partNames}[r.part + 1] AS part, toString(r.name) AS name, ${all.join(", ")}, ${median} AS median ` +
    `FROM ${gather(draft, shard)} AS r GROUP BY r.part, r.name`
  )
}

/** Medians of the groups, and of the stores without one, in all or by currency. */
export const medians = (
  draft: Draft,
  query: OverviewQuery,
  figure: Figure,
  told: ReadonlyArray<number>,
  isByCurrency: boolean
): string => {
  const { isNamed, sql } = members(draft, query, [figureColumn(figure), "currency"])
  const wanted = isNamed
    ? draft.parameters.add(
        "Array(String)",
        told.map((group) => nameOfGroup(draft, query.grouping, group))
      )
    : draft.parameters.add("Array(UInt32)", told)
  const shard =
    `SELECT member.1 AS part, member.2 AS name, ${isByCurrency ? "m.currency" : "toUInt32(0)"} AS money, ` +
    `count() AS stores, ${stateOf(figure)} AS state FROM (${sql}) AS m ` +
    `WHERE NOT isNaN(${figureColumn(figure)}) AND (part = 1 OR (part = 0 AND name IN ${wanted})) ` +
    "GROUP BY part, name, money"
  return (
    `SELECT ${partNames}[r.part + 1] AS part, toString(r.name) AS name, r.money AS currency, sum(r.stores) AS stores, ` +
    `${medianOf(merged("r.state"))} AS median FROM ${gather(draft, shard)} AS r GROUP BY r.part, r.name, r.money`
  )
}

const known = (median: typeof Known.Type): number => (median === "nan" ? Number.NaN : median)

/** NaN (unknown) last. */
const descending = (one: number, other: number): number => {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other))
  return other - one
}

const keysOf = ({ order }: OverviewQuery, row: GroupRow): ReadonlyArray<number> => {
  const { active_ads: ads, matching, products_count: products, stores, visits } = row
  const first = () => {
    if (order === "matching_share") return matching / stores
    if (typeof order === "object") return known(row.median)
    return row[order]
  }
  return [first(), stores, ads, visits, products]
}

interface Ranked {
  readonly row: GroupRow
  readonly group: number
  readonly rank: number
}

/** The groups that are told, in their order: the first ones, and all that only their names tell from the last one. */
export const rank = (
  draft: Pick<Draft, "spellings">,
  query: OverviewQuery,
  rows: ReadonlyArray<GroupRow>
): ReadonlyArray<Ranked> => {
  const compare = (one: GroupRow, other: GroupRow): number => {
    const others = keysOf(query, other)
    for (const [at, key] of keysOf(query, one).entries()) {
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

export interface FoundMedians {
  readonly visits: ReadonlyArray<MedianRow>
  readonly growth: ReadonlyArray<MedianRow>
  readonly revenue: ReadonlyArray<MedianRow>
  readonly prices?: ReadonlyArray<MedianRow>
}

export const readOverview = (
  rows: ReadonlyArray<GroupRow>,
  ranked: ReadonlyArray<Ranked>,
  found: FoundMedians
): Omit<Overview, "unknownIds" | "currencies"> => {
  const byRow = (all: ReadonlyArray<MedianRow>) => Map.groupBy(all, ({ name, part }) => `${part} ${name}`)
  const [visits, growth, revenue] = [byRow(found.visits), byRow(found.growth), byRow(found.revenue)]
  const prices = found.prices === undefined ? undefined : byRow(found.prices)
  const byCurrency = (all: ReadonlyArray<MedianRow> = []): MedianByCurrency =>
    all
      .flatMap(({ currency, median, stores }) => (currency === 0 ? [] : [{ currency, stores, median: known(median) }]))
      .sort((one, other) => other.stores - one.stores || one.currency - other.currency)
      .slice(0, maxCurrencies)
  const figuresOf = (row: GroupRow): GroupFigures => {
    const key = `${row.part} ${row.name}`
    const median = (all: ReadonlyMap<string, ReadonlyArray<MedianRow>>) => {
      const [one] = all.get(key) ?? []
      return one === undefined ? null : known(one.median)
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
