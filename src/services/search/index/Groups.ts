/**
 * The matching stores of all segments as one table, and the groups that they belong to.
 *
 * Stores get consecutive positions, those of one currency after those of another, and each figure becomes a column by
 * position. The pairs of store and group are a sparse matrix: first the groups of each store, then, transposed by a
 * counting sort, the stores of each group. These ascend, so that stores of one currency are adjacent in each group.
 * The cost is linear in the pairs.
 *
 * Source: Gustavson, "Two Fast Algorithms for Sparse Matrices: Multiplication and Permuted Transposition", 1978.
 */
import { popCount } from "./Bitmap.ts"
import type { Leaders } from "./Facets.ts"
import { stepsBetweenChecks } from "./Run.ts"
import type { Cancel } from "./Run.ts"
import type { Figure } from "../../../domain/catalog/Figures.ts"
import type { StoreColumns } from "./Segment.ts"
import type { Grouping, Mask } from "../../../domain/search/CatalogQuery.ts"

/** Matching rows of a segment. */
interface Rows {
  readonly columns: StoreColumns
  readonly rows: Uint32Array
}

export interface Currency {
  /** 0 for stores without a currency. */
  readonly code: number
  /** The position after its last store. */
  readonly end: number
}

export interface Stores {
  readonly length: number
  /** In the order of positions, each of one currency and with at most `stepsBetweenChecks` rows. */
  readonly parts: ReadonlyArray<Rows>
  readonly currencies: ReadonlyArray<Currency>
}

/** One more than the largest code. */
const currencyCodes = 26 ** 3 + 1

export const tabulate = (matching: ReadonlyArray<Rows>, cancel: Cancel): Stores => {
  const placeOf = new Uint32Array(currencyCodes)
  for (const { columns, rows } of matching) {
    cancel.check()
    const { currency } = columns.codes
    for (let at = 0; at < rows.length; at++) placeOf[currency[rows[at]!]!] = 1
  }
  const codes: Array<number> = []
  for (let code = 0; code < currencyCodes; code++) if (placeOf[code] === 1) placeOf[code] = codes.push(code) - 1

  const split = matching.map((segment) => byCurrency(segment, placeOf, codes.length, cancel))
  let length = 0
  const currencies = codes.map((code, place): Currency => {
    for (const parts of split) length += parts[place]!.rows.length
    return { code, end: length }
  })
  const parts = codes.flatMap((_, place) => split.flatMap((parts) => pieces(parts[place]!)))
  return { length, parts, currencies }
}

/** Short enough for one pass without a check. */
const pieces = ({ columns, rows }: Rows): ReadonlyArray<Rows> =>
  Array.from({ length: Math.ceil(rows.length / stepsBetweenChecks) }, (_, piece) => ({
    columns,
    rows: rows.subarray(piece * stepsBetweenChecks, (piece + 1) * stepsBetweenChecks)
  }))

/** The rows of each currency, ascending. */
const byCurrency = (
  { columns, rows }: Rows,
  placeOf: Uint32Array,
  places: number,
  cancel: Cancel
): ReadonlyArray<Rows> => {
  cancel.check()
  const { currency } = columns.codes
  const counts = new Uint32Array(places)
  for (let at = 0; at < rows.length; at++) counts[placeOf[currency[rows[at]!]!]!]!++
  const starts = startsOf(counts)
  const ends = starts.slice()
  const sorted = new Uint32Array(rows.length)
  for (let at = 0; at < rows.length; at++) sorted[ends[placeOf[currency[rows[at]!]!]!]!++] = rows[at]!
  return Array.from(ends, (end, place) => ({ columns, rows: sorted.subarray(starts[place], end) }))
}

/** Running sums: for each count the sum of those before it. */
const startsOf = (counts: Uint32Array): Uint32Array => {
  const starts = new Uint32Array(counts.length)
  for (let at = 1; at < counts.length; at++) starts[at] = starts[at - 1]! + counts[at - 1]!
  return starts
}

/** A figure by position. */
export const column = ({ length, parts }: Stores, figure: Figure, cancel: Cancel): Float64Array<ArrayBuffer> => {
  const values = new Float64Array(length)
  let position = 0
  for (const { columns, rows } of parts) {
    cancel.check()
    const figures = columns.figures[figure]
    for (let at = 0; at < rows.length; at++) values[position++] = figures[rows[at]!]!
  }
  return values
}

/** A flag by position, of flags by row. */
export const flags = (
  { length, parts }: Stores,
  ofRows: ReadonlyMap<StoreColumns, Uint8Array>,
  cancel: Cancel
): Uint8Array => {
  const values = new Uint8Array(length)
  let position = 0
  for (const { columns, rows } of parts) {
    cancel.check()
    const ofColumns = ofRows.get(columns)
    for (let at = 0; at < rows.length; at++) values[position++] = ofColumns?.[rows[at]!] ?? 0
  }
  return values
}

/** The groups of the store at a position `p`, each once: `groups[offsets[p]]` to `groups[offsets[p + 1] - 1]`. */
interface Members {
  readonly offsets: Uint32Array
  readonly groups: Uint32Array
}

/** The stores of group `g`: `stores[starts[g]]` to `stores[starts[g + 1] - 1]`, by their positions, ascending. */
export interface Groups {
  /** One more than the largest group. */
  readonly size: number
  readonly starts: Uint32Array
  readonly stores: Uint32Array
  readonly positions: (group: number) => Uint32Array
  /** The positions of stores without a group, ascending. */
  readonly ungrouped: Uint32Array
}

export const group = (stores: Stores, grouping: Grouping, leaders: Leaders, cancel: Cancel): Groups =>
  transpose(members(stores, grouping, leaders, cancel), cancel)

const members = (stores: Stores, grouping: Grouping, leaders: Leaders, cancel: Cancel): Members => {
  switch (grouping._tag) {
    case "Code":
      return ofCodes(stores, grouping, leaders, cancel)
    case "Mask":
      return ofBits(stores, grouping.column, cancel)
    case "App":
      return ofApps(stores, leaders.app, cancel)
  }
}

const ofCodes = (
  { length, parts }: Stores,
  { column, groups: assigned }: Extract<Grouping, { readonly _tag: "Code" }>,
  leaders: Leaders,
  cancel: Cancel
): Members => {
  const groupOf = assigned ?? (column === "theme" || column === "extension" ? leaders[column] : undefined)
  const offsets = new Uint32Array(length + 1)
  const groups = new Uint32Array(length)
  let position = 0
  let end = 0
  for (const { columns, rows } of parts) {
    cancel.check()
    const codes = columns.codes[column]
    for (let at = 0; at < rows.length; at++) {
      const code = codes[rows[at]!]!
      const group = groupOf === undefined ? code : (groupOf[code] ?? 0)
      groups[end] = group
      end += +(group !== 0)
      offsets[++position] = end
    }
  }
  return { offsets, groups: groups.subarray(0, end) }
}

const ofBits = ({ length, parts }: Stores, column: Mask, cancel: Cancel): Members => {
  let most = 0
  for (const { columns, rows } of parts) {
    cancel.check()
    const masks = columns.masks[column]
    for (let at = 0; at < rows.length; at++) most += popCount(masks[rows[at]!]!)
  }
  const offsets = new Uint32Array(length + 1)
  const groups = new Uint32Array(most)
  let position = 0
  let end = 0
  for (const { columns, rows } of parts) {
    cancel.check()
    const masks = columns.masks[column]
    for (let at = 0; at < rows.length; at++) {
      for (let bits = masks[rows[at]!]!; bits !== 0; bits &= bits - 1) groups[end++] = 31 - Math.clz32(bits & -bits)
      offsets[++position] = end
    }
  }
  return { offsets, groups }
}

const ofApps = ({ length, parts }: Stores, leaders: ReadonlyArray<number>, cancel: Cancel): Members => {
  let most = 0
  for (const { columns, rows } of parts) {
    cancel.check()
    const { appOffsets } = columns
    for (let at = 0; at < rows.length; at++) most += appOffsets[rows[at]! + 1]! - appOffsets[rows[at]!]!
  }
  const offsets = new Uint32Array(length + 1)
  const groups = new Uint32Array(most)
  let position = 0
  let end = 0
  for (const { columns, rows } of parts) {
    cancel.check()
    const { appOffsets, apps } = columns
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!
      const last = appOffsets[row + 1]!
      const first = end
      for (let place = appOffsets[row]!; place < last; place++) {
        const app = apps[place]!
        const leader = leaders[app]!
        // A store may have several spellings of an app. Its ids are distinct and ascend, so a leader comes first.
        if (leader === app || !has(groups, first, end, leader)) groups[end++] = leader
      }
      offsets[++position] = end
    }
  }
  return { offsets, groups: groups.subarray(0, end) }
}

const has = (groups: Uint32Array, from: number, to: number, wanted: number): boolean => {
  for (let at = from; at < to; at++) if (groups[at] === wanted) return true
  return false
}

const transpose = ({ groups, offsets }: Members, cancel: Cancel): Groups => {
  let largest = 0
  for (let at = 0; at < groups.length; at++) {
    if ((at & (stepsBetweenChecks - 1)) === 0) cancel.check()
    largest = Math.max(largest, groups[at]!)
  }
  const size = largest + 1
  const counts = new Uint32Array(size + 1)
  for (let at = 0; at < groups.length; at++) {
    if ((at & (stepsBetweenChecks - 1)) === 0) cancel.check()
    counts[groups[at]!]!++
  }
  const starts = startsOf(counts)
  const ends = starts.slice()
  const stores = new Uint32Array(groups.length)
  const ungrouped = new Uint32Array(Math.max(0, offsets.length - 1))
  let without = 0
  let at = 0
  for (let position = 0; position + 1 < offsets.length; position++) {
    if ((position & (stepsBetweenChecks - 1)) === 0) cancel.check()
    const end = offsets[position + 1]!
    ungrouped[without] = position
    without += +(at === end)
    for (; at < end; at++) stores[ends[groups[at]!]!++] = position
  }
  const positions = (group: number) => stores.subarray(starts[group], starts[group + 1])
  return { size, starts, stores, positions, ungrouped: ungrouped.subarray(0, without) }
}
