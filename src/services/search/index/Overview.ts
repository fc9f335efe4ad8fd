/**
 * Figures of groups of matching stores: counts, sums and medians, exact over all segments.
 *
 * Each matching store becomes a member of each of its groups, as two numbers. Sums are one pass over the members. Medians
 * are one pass that arranges the values by group, and a selection in each. Medians besides that of the order are computed
 * only for the returned groups. The cost is linear in the members.
 */
import { defaultTuning, matchStores, stepsBetweenChecks } from "./Matching.ts"
import type { Cancel, Run } from "./Matching.ts"
import { record } from "./Build.ts"
import type { Filter } from "./Query.ts"
import { quickselect } from "./Quickselect.ts"
import type { Leaders } from "./Facets.ts"
import type { Code, Figure, Mask, SegmentList, StoreColumns } from "./Segment.ts"
import { prepare } from "./StoreSelection.ts"

export type Grouping =
  /** By code, or by the group that `groups` assigns to the code. 0 means no group. */
  | { readonly _tag: "Code"; readonly column: Code; readonly groups?: Uint32Array }
  /** By bit. A store belongs to the group of each of its bits, and of each of its apps. */
  | { readonly _tag: "Mask"; readonly column: Mask }
  | { readonly _tag: "App" }

const summed = ["active_ads", "products_count", "visits"] as const
type Summed = (typeof summed)[number]

/** Descending; unknown medians last. Ties: more stores, active ads, visits and products first. */
export type GroupOrder = "stores" | Summed | { readonly median: Figure }

export interface OverviewQuery extends Filter {
  readonly subject: "stores"
  readonly grouping: Grouping
  readonly order: GroupOrder
  readonly limit: number
}

export interface GroupSums {
  readonly stores: number
  /** Of known figures, as for medians. */
  readonly sums: Readonly<Record<Summed, number>>
}

export interface GroupFigures extends GroupSums {
  /** `null` if no store of the group has the figure. */
  readonly medians: { readonly visits: number | null; readonly growth: number | null }
  /** Of stores with a currency; most stores first, then by code. */
  readonly revenue: ReadonlyArray<{ readonly currency: number; readonly stores: number; readonly median: number }>
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
  /** Number of stores without a group. */
  readonly ungrouped: number
}

/** Limit of currencies of a group: most have one or two. */
export const maxCurrencies = 5

/** Stores of a segment, once for each of their groups. */
interface Members {
  readonly columns: StoreColumns
  readonly rows: Uint32Array
  readonly groups: Uint32Array
}

export const overview = (
  list: SegmentList,
  query: OverviewQuery,
  leaders: Leaders,
  cancel: Cancel,
  tuning = defaultTuning
): Overview => {
  const run: Run = { conditions: prepare(query.stores), cancel, tuning }
  const matching = list.map((view) => ({ columns: view.columns, rows: matchStores(view, query, run) }))
  const whole = matching.map(({ columns, rows }) => ({ columns, rows, groups: new Uint32Array(rows.length) }))
  const parts = matching.map(({ columns, rows }) => members(columns, rows, query.grouping, leaders, cancel))

  const size = sizeOf(parts)
  const stores = countMembers(parts, size, cancel)
  const sums = record(summed, (figure) => sum(parts, size, figure, cancel))
  const { order } = query
  const key =
    typeof order === "object"
      ? medians(parts, size, order.median, cancel).medians
      : order === "stores"
        ? stores
        : sums[order]
  const keys = [key, stores, sums.active_ads, sums.visits, sums.products_count]
  const compare = (one: number, other: number): number => {
    for (const each of keys) {
      const order = descending(each[one]!, each[other]!)
      if (order !== 0) return order
    }
    return 0
  }
  const found: Array<number> = []
  for (let group = 0; group < size; group++) if (stores[group]! > 0) found.push(group)
  found.sort(compare)
  const last = found[query.limit - 1]
  const chosen = last === undefined ? found : found.filter((group) => compare(group, last) <= 0)

  const figures = figuresOf(only(parts, chosen, size), chosen.length, cancel)
  let rank = 0
  return {
    groups: chosen.map((group, at) => {
      if (at > 0 && compare(chosen[at - 1]!, group) !== 0) rank = at
      return { group, rank, ...figures[at]! }
    }),
    count: found.length,
    total: {
      stores: countMembers(whole, 1, cancel)[0]!,
      sums: record(summed, (figure) => sum(whole, 1, figure, cancel)[0]!)
    },
    ungrouped: matching.reduce((all, { rows }, at) => all + rows.length - distinct(parts[at]!.rows), 0)
  }
}

/** NaN (unknown) last. */
const descending = (one: number, other: number): number => {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other))
  return other - one
}

/** The members of a row are adjacent. */
const distinct = (rows: Uint32Array): number => {
  let count = 0
  for (let at = 0; at < rows.length; at++) count += +(at === 0 || rows[at] !== rows[at - 1])
  return count
}

const members = (
  columns: StoreColumns,
  rows: Uint32Array,
  grouping: Grouping,
  leaders: Leaders,
  cancel: Cancel
): Members => {
  const found = new Collector(grouping._tag === "Code" ? rows.length : 4 * rows.length)
  const groupOf = grouping._tag === "Code" ? groupsOf(grouping, leaders) : []
  const { appOffsets, apps } = columns
  for (let at = 0; at < rows.length; at++) {
    if (at % stepsBetweenChecks === 0) cancel.check()
    const row = rows[at]!
    switch (grouping._tag) {
      case "Code": {
        const code = columns.codes[grouping.column][row]!
        const group = groupOf === undefined ? code : (groupOf[code] ?? 0)
        if (group !== 0) found.add(row, group)
        break
      }
      case "Mask":
        for (let bits = columns.masks[grouping.column][row]!; bits !== 0; bits &= bits - 1) {
          found.add(row, 31 - Math.clz32(bits & -bits))
        }
        break
      case "App": {
        const first = found.length
        for (let place = appOffsets[row]!; place < appOffsets[row + 1]!; place++) {
          const app = leaders.app[apps[place]!]!
          // Once for an app, even if the store has several spellings of it.
          if (!found.has(app, first)) found.add(row, app)
        }
      }
    }
  }
  return { columns, ...found.members() }
}

/** `undefined` if each code is a group. */
const groupsOf = (
  { column, groups }: Extract<Grouping, { readonly _tag: "Code" }>,
  leaders: Leaders
): ArrayLike<number> | undefined =>
  groups ?? (column === "theme" || column === "extension" ? leaders[column] : undefined)

class Collector {
  #rows: Uint32Array<ArrayBuffer>
  #groups: Uint32Array<ArrayBuffer>
  length = 0

  constructor(capacity: number) {
    this.#rows = new Uint32Array(capacity)
    this.#groups = new Uint32Array(capacity)
  }

  add(row: number, group: number): void {
    if (this.length === this.#rows.length) {
      const { length } = this
      const [rows, groups] = [this.#rows, this.#groups]
      this.#rows = new Uint32Array(2 * length + 16)
      this.#groups = new Uint32Array(2 * length + 16)
      this.#rows.set(rows)
      this.#groups.set(groups)
    }
    this.#rows[this.length] = row
    this.#groups[this.length] = group
    this.length++
  }

  /** Searches from the position `first` on. */
  has(group: number, first: number): boolean {
    for (let at = first; at < this.length; at++) if (this.#groups[at] === group) return true
    return false
  }

  members(): Pick<Members, "rows" | "groups"> {
    return { rows: this.#rows.subarray(0, this.length), groups: this.#groups.subarray(0, this.length) }
  }
}

/** One more than the largest group. */
const sizeOf = (parts: ReadonlyArray<Members>): number => {
  let size = 0
  for (const { groups } of parts) for (let at = 0; at < groups.length; at++) size = Math.max(size, groups[at]! + 1)
  return size
}

/** Members of the chosen groups, renumbered by their positions in `chosen`. */
const only = (parts: ReadonlyArray<Members>, chosen: ReadonlyArray<number>, size: number): ReadonlyArray<Members> => {
  const places = new Int32Array(size).fill(-1)
  for (const [place, group] of chosen.entries()) places[group] = place
  return parts.map(({ columns, groups, rows }) => {
    const kept = { columns, rows: new Uint32Array(rows.length), groups: new Uint32Array(rows.length) }
    let length = 0
    for (let at = 0; at < rows.length; at++) {
      const place = places[groups[at]!]!
      kept.rows[length] = rows[at]!
      kept.groups[length] = place
      length += +(place !== -1)
    }
    return { columns, rows: kept.rows.subarray(0, length), groups: kept.groups.subarray(0, length) }
  })
}

const figuresOf = (parts: ReadonlyArray<Members>, size: number, cancel: Cancel): ReadonlyArray<GroupFigures> => {
  const stores = countMembers(parts, size, cancel)
  const sums = record(summed, (figure) => sum(parts, size, figure, cancel))
  const visits = medians(parts, size, "visits", cancel).medians
  const growth = medians(parts, size, "growth", cancel).medians
  const revenue = revenues(parts, size, cancel)
  return Array.from({ length: size }, (_, group) => ({
    stores: stores[group]!,
    sums: record(summed, (figure) => sums[figure][group]!),
    medians: { visits: knownOrNull(visits[group]!), growth: knownOrNull(growth[group]!) },
    revenue: revenue[group]!
  }))
}

const knownOrNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

const countMembers = (parts: ReadonlyArray<Members>, size: number, cancel: Cancel): Float64Array => {
  const counts = new Float64Array(size)
  for (const { groups } of parts) {
    cancel.check()
    for (let at = 0; at < groups.length; at++) counts[groups[at]!]!++
  }
  return counts
}

const sum = (parts: ReadonlyArray<Members>, size: number, figure: Summed, cancel: Cancel): Float64Array => {
  const sums = new Float64Array(size)
  for (const { columns, groups, rows } of parts) {
    const column = columns.figures[figure]
    for (let at = 0; at < rows.length; at++) {
      if (at % stepsBetweenChecks === 0) cancel.check()
      const value = column[rows[at]!]!
      if (!Number.isNaN(value)) sums[groups[at]!]! += value
    }
  }
  return sums
}

interface Medians {
  /** NaN for a group without a known value. */
  readonly medians: Float64Array
  /** Number of known values by group. */
  readonly counts: Uint32Array
}

const medians = (parts: ReadonlyArray<Members>, size: number, figure: Figure, cancel: Cancel): Medians => {
  const counts = new Uint32Array(size)
  for (const { columns, groups, rows } of parts) {
    const column = columns.figures[figure]
    for (let at = 0; at < rows.length; at++) {
      if (at % stepsBetweenChecks === 0) cancel.check()
      counts[groups[at]!]! += +!Number.isNaN(column[rows[at]!]!)
    }
  }
  const ends = new Uint32Array(size)
  let length = 0
  for (let group = 0; group < size; group++) {
    ends[group] = length
    length += counts[group]!
  }
  const values = new Float64Array(length)
  for (const { columns, groups, rows } of parts) {
    const column = columns.figures[figure]
    for (let at = 0; at < rows.length; at++) {
      if (at % stepsBetweenChecks === 0) cancel.check()
      const value = column[rows[at]!]!
      if (!Number.isNaN(value)) values[ends[groups[at]!]!++] = value
    }
  }
  const found = new Float64Array(size).fill(Number.NaN)
  for (let group = 0; group < size; group++) {
    if (counts[group] === 0) continue
    found[group] = medianOf(values.subarray(ends[group]! - counts[group]!, ends[group]), cancel)
  }
  return { medians: found, counts }
}

/** The middle value, or the mean of the two middle ones. Reorders `values`, which must not be empty. */
const medianOf = (values: Float64Array, cancel: Cancel): number => {
  const upper = values.length >>> 1
  quickselect(values, upper, cancel)
  if (values.length % 2 === 1) return values[upper]!
  // All values before it are at most as high.
  let lower = values[0]!
  for (let at = 1; at < upper; at++) lower = Math.max(lower, values[at]!)
  return (lower + values[upper]!) / 2
}

/** By group and currency, because revenues are in the store's currency. */
const revenues = (
  parts: ReadonlyArray<Members>,
  size: number,
  cancel: Cancel
): ReadonlyArray<GroupFigures["revenue"]> => {
  const currencies = new Set<number>()
  for (const { columns, rows } of parts) {
    for (let at = 0; at < rows.length; at++) currencies.add(columns.codes.currency[rows[at]!]!)
  }
  const codes = Uint32Array.from(currencies).sort()
  const placeOf = new Uint32Array((codes.at(-1) ?? 0) + 1)
  for (const [place, code] of codes.entries()) placeOf[code] = place
  const byCurrency = parts.map(({ columns, groups, rows }) => ({
    columns,
    rows,
    groups: groups.map((group, at) => group * codes.length + placeOf[columns.codes.currency[rows[at]!]!]!)
  }))
  const found = medians(byCurrency, size * codes.length, "revenue", cancel)
  return Array.from({ length: size }, (_, group) => {
    const all: Array<GroupFigures["revenue"][number]> = []
    for (const [place, currency] of codes.entries()) {
      const at = group * codes.length + place
      const stores = found.counts[at]!
      if (stores > 0 && currency !== 0) all.push({ currency, stores, median: found.medians[at]! })
    }
    return all.sort((one, other) => other.stores - one.stores || one.currency - other.currency).slice(0, maxCurrencies)
  })
}
