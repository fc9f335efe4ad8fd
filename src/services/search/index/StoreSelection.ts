/**
 * The matching stores of a segment as a selection vector (S26, D41, D93): the ascending rows of the stores that meet
 * all conditions so far. Each condition is tested for the remaining rows in a branchless loop, so its cost does not
 * depend on the data: 2 ns a row and condition.
 *
 * Source: Boncz, Zukowski, Nes, "MonetDB/X100: Hyper-Pipelining Query Execution", 2005.
 */
import { bitmapLength, setRows } from "./Bitmap.ts"
import { firstWhere } from "./RowFilter.ts"
import type { StoreCondition } from "../../../domain/search/CatalogQuery.ts"
import { findStore, rowOf } from "./Segment.ts"
import type { SegmentList, SegmentView, StoreColumns } from "./Segment.ts"

/** A condition with its look-up table, prepared once for a search. */
export type PreparedCondition = StoreCondition & { readonly isWanted: Uint8Array }

/** 1 for each wanted value. Its length is a power of two, so that a mask replaces the bounds check. */
const lookUpTable = (values: ReadonlyArray<number>): Uint8Array => {
  const largest = values.reduce((most, value) => Math.max(most, value), 0)
  const table = new Uint8Array(2 ** (32 - Math.clz32(largest)))
  for (const value of values) table[value] = 1
  return table
}

export const prepare = (conditions: ReadonlyArray<StoreCondition>): ReadonlyArray<PreparedCondition> =>
  conditions.map((condition) => ({
    ...condition,
    isWanted:
      condition._tag === "AnyOf" || condition._tag === "AnyApp" ? lookUpTable(condition.values) : lookUpTable([])
  }))

/** The ids of the conditions that no live store has, each once. */
export const unknownIds = (list: SegmentList, conditions: ReadonlyArray<StoreCondition>): ReadonlyArray<number> =>
  conditions.flatMap((condition) =>
    condition._tag === "AnyId"
      ? Array.from(new Set(condition.ids)).filter((id) => findStore(list, id) === undefined)
      : []
  )

/** The rows of live stores, ascending; computed once for each set of live stores. */
const liveRows = new WeakMap<Uint8Array, Uint32Array>()

const findLive = (live: Uint8Array): Uint32Array => {
  const rows = new Uint32Array(live.length)
  let length = 0
  for (let row = 0; row < live.length; row++) {
    rows[length] = row
    length += live[row]!
  }
  return rows.slice(0, length)
}

/** The stores to test: all live ones. With conditions, without pseudo-stores, which match no condition. */
export const candidates = ({ live, segment }: SegmentView, hasConditions: boolean): Uint32Array => {
  const rows = liveRows.getOrInsertComputed(live, findLive)
  return hasConditions ? rows.subarray(firstWhere(rows, (row) => row >= segment.pseudoStores)) : rows
}

/**
 * Live stores that match all conditions. The result may be in `space`, which has one element for each store of the
 * segment.
 */
export const select = (
  view: SegmentView,
  conditions: ReadonlyArray<PreparedCondition>,
  space: Uint32Array
): Uint32Array => {
  let rows = candidates(view, conditions.length > 0)
  for (const condition of conditions) rows = meeting(view, condition, rows, space)
  return rows
}

/** If fewer stores than this share remain, the apps of each are read; otherwise the stores of each app. */
const fewStores = 8

/** The rows whose store meets the condition, written to `space`, which may be the same array as `rows`. */
export const meeting = (
  { columns, segment }: SegmentView,
  condition: PreparedCondition,
  rows: Uint32Array,
  space: Uint32Array
): Uint32Array => {
  const length = () => {
    switch (condition._tag) {
      case "AnyOf":
        return keepAnyOf(columns.codes[condition.column], condition.isWanted, rows, space)
      case "AnyBit":
        return keepAnyBit(columns.masks[condition.column], condition.mask, rows, space)
      case "AnyId":
        return keepIds(segment.storeIds, condition.ids, rows, space)
      case "AnyApp":
        return rows.length * fewStores < columns.relevance.length
          ? keepAnyApp(columns, condition.isWanted, rows, space)
          : keepSet(withAnyApp(columns, condition.values), rows, space).length
      case "Between":
        return keepBetween(columns.figures[condition.column], condition.range, rows, space)
    }
  }
  return space.subarray(0, length())
}

const keepAnyOf = (column: Uint32Array, isWanted: Uint8Array, rows: Uint32Array, space: Uint32Array): number => {
  const last = isWanted.length - 1
  let kept = 0
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!
    const value = column[row]!
    space[kept] = row
    kept = (kept + (isWanted[value & last]! & +(value <= last))) | 0
  }
  return kept
}

const keepIds = (storeIds: Int32Array, ids: ReadonlyArray<number>, rows: Uint32Array, space: Uint32Array): number => {
  const isThere = (row: number) => rows[firstWhere(rows, (other) => other >= row)] === row
  const wanted = new Set(ids.flatMap((id) => rowOf(storeIds, id) ?? []))
  const kept = Uint32Array.from(wanted).sort().filter(isThere)
  space.set(kept)
  return kept.length
}

const keepAnyBit = (column: Uint32Array, bits: number, rows: Uint32Array, space: Uint32Array): number => {
  let kept = 0
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!
    space[kept] = row
    kept = (kept + +((column[row]! & bits) !== 0)) | 0
  }
  return kept
}

const keepAnyApp = (
  { appOffsets, apps }: StoreColumns,
  isWanted: Uint8Array,
  rows: Uint32Array,
  space: Uint32Array
): number => {
  const last = isWanted.length - 1
  let kept = 0
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!
    let has = 0
    for (let place = appOffsets[row]!; place < appOffsets[row + 1]!; place++) {
      has |= isWanted[apps[place]! & last]! & +(apps[place]! <= last)
    }
    space[kept] = row
    kept = (kept + has) | 0
  }
  return kept
}

/** Rows of stores by app: those of app `a` are `rows[offsets[a]]` to `rows[offsets[a + 1] - 1]`. */
interface AppPostings {
  readonly offsets: Uint32Array
  readonly rows: Uint32Array
}

/** Made on first use: one counting sort, some milliseconds. */
const appPostings = new WeakMap<Uint32Array, AppPostings>()

const makePostings = ({ appOffsets, apps }: StoreColumns): AppPostings => {
  let size = 1
  for (let at = 0; at < apps.length; at++) size = Math.max(size, apps[at]! + 1)
  const offsets = new Uint32Array(size + 1)
  for (let at = 0; at < apps.length; at++) offsets[apps[at]! + 1]!++
  for (let app = 0; app < size; app++) offsets[app + 1]! += offsets[app]!
  const next = offsets.slice()
  const rows = new Uint32Array(apps.length)
  for (let row = 0; row + 1 < appOffsets.length; row++) {
    for (let at = appOffsets[row]!; at < appOffsets[row + 1]!; at++) rows[next[apps[at]!]!++] = row
  }
  return { offsets, rows }
}

/** A bitmap of the stores that have one of the apps. */
const withAnyApp = (columns: StoreColumns, wanted: ReadonlyArray<number>): Uint32Array => {
  const { offsets, rows } = appPostings.getOrInsertComputed(columns.apps, () => makePostings(columns))
  const bits = new Uint32Array(bitmapLength(columns.appOffsets.length))
  for (const app of wanted) {
    if (app + 1 >= offsets.length) continue
    setRows(bits, rows, offsets[app], offsets[app + 1])
  }
  return bits
}

/** NaN is in no range. */
const keepBetween = (
  column: Float64Array,
  { max, min }: { readonly min: number; readonly max: number },
  rows: Uint32Array,
  space: Uint32Array
): number => {
  let kept = 0
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!
    const value = column[row]!
    space[kept] = row
    kept = (kept + (+(value >= min) & +(value <= max))) | 0
  }
  return kept
}

/** The rows of stores that are set in a bitmap. */
export const keepSet = (bits: Uint32Array, rows: Uint32Array, space: Uint32Array): Uint32Array => {
  let kept = 0
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!
    space[kept] = row
    kept = (kept + ((bits[row >>> 5]! >>> (row & 31)) & 1)) | 0
  }
  return space.subarray(0, kept)
}

const oneRow = new Uint32Array(1)
const space = new Uint32Array(1)

/** The same test for a single store, for the few hits of rare words. */
export const matches = (view: SegmentView, conditions: ReadonlyArray<PreparedCondition>, row: number): boolean => {
  if (view.live[row] !== 1) return false
  if (conditions.length === 0) return true
  oneRow[0] = row
  return (
    row >= view.segment.pseudoStores &&
    conditions.every((condition) => meeting(view, condition, oneRow, space).length === 1)
  )
}
