/**
 * Which stores of a segment match: a selection vector, the ascending rows of the stores that have met every condition so
 * far. Each condition is tested for the rows that are left, in a loop without branches that depend on the data, so that its
 * cost does not depend on how they are mixed: 2 ns a row and condition.
 *
 * Source: Boncz, Zukowski, Nes, "MonetDB/X100: Hyper-Pipelining Query Execution", 2005.
 */
import type { StoreCondition } from "./Query.ts"
import type { SegmentView, StoreColumns } from "./Segment.ts"

/** A condition with its look-up table, made once for a search. */
export type PreparedCondition = StoreCondition & { readonly isWanted: Uint8Array }

/** 1 for each wanted value; its length is a power of two, so that a value is looked up without a bounds check. */
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

/** Live stores that match all conditions, written to `rows`; `meets` is work space. Pseudo-stores match no condition. */
export const select = (
  { columns, live, segment }: SegmentView,
  conditions: ReadonlyArray<PreparedCondition>,
  rows: Uint32Array,
  meets: Uint8Array
): Uint32Array => {
  let length = 0
  for (let row = conditions.length === 0 ? 0 : segment.pseudoStores; row < live.length; row++) {
    rows[length] = row
    length = (length + live[row]!) | 0
  }
  for (const condition of conditions) {
    test(columns, condition, rows, length, meets)
    length = keep(rows, length, meets)
  }
  return rows.subarray(0, length)
}

/** Leaves the rows whose byte is 1; returns how many they are. */
export const keep = (rows: Uint32Array, length: number, meets: Uint8Array): number => {
  let kept = 0
  for (let at = 0; at < length; at++) {
    rows[kept] = rows[at]!
    kept = (kept + meets[at]!) | 0
  }
  return kept
}

/** Sets `meets[i]` to 1 where the store of `rows[i]` meets the condition, else to 0. */
export const test = (
  columns: StoreColumns,
  condition: PreparedCondition,
  rows: Uint32Array,
  length: number,
  meets: Uint8Array
): void => {
  switch (condition._tag) {
    case "AnyOf":
      return testAnyOf(columns.codes[condition.column], condition.isWanted, rows, length, meets)
    case "AnyBit":
      return testAnyBit(columns.masks[condition.column], condition.mask, rows, length, meets)
    case "AnyApp":
      return testAnyApp(columns, condition.isWanted, rows, length, meets)
    case "Between":
      return testBetween(columns.figures[condition.column], condition.range, rows, length, meets)
  }
}

const testAnyOf = (
  column: Uint32Array,
  isWanted: Uint8Array,
  rows: Uint32Array,
  length: number,
  meets: Uint8Array
): void => {
  const last = isWanted.length - 1
  for (let at = 0; at < length; at++) {
    const value = column[rows[at]!]!
    meets[at] = isWanted[value & last]! & +(value <= last)
  }
}

const testAnyBit = (column: Uint32Array, bits: number, rows: Uint32Array, length: number, meets: Uint8Array): void => {
  for (let at = 0; at < length; at++) meets[at] = +((column[rows[at]!]! & bits) !== 0)
}

const testAnyApp = (
  { appOffsets, apps }: StoreColumns,
  isWanted: Uint8Array,
  rows: Uint32Array,
  length: number,
  meets: Uint8Array
): void => {
  const last = isWanted.length - 1
  for (let at = 0; at < length; at++) {
    const row = rows[at]!
    let has = 0
    for (let place = appOffsets[row]!; place < appOffsets[row + 1]!; place++) {
      has |= isWanted[apps[place]! & last]! & +(apps[place]! <= last)
    }
    meets[at] = has
  }
}

/** NaN is in no range. */
const testBetween = (
  column: Float64Array,
  { max, min }: { readonly min: number; readonly max: number },
  rows: Uint32Array,
  length: number,
  meets: Uint8Array
): void => {
  for (let at = 0; at < length; at++) {
    const value = column[rows[at]!]!
    meets[at] = +(value >= min) & +(value <= max)
  }
}

const oneRow = new Uint32Array(1)
const meetsIt = new Uint8Array(1)

/** The same of a single store, for the few that a search for rare words has found. */
export const matches = (
  { columns, live, segment }: SegmentView,
  conditions: ReadonlyArray<PreparedCondition>,
  row: number
): boolean => {
  if (live[row] !== 1) return false
  if (conditions.length === 0) return true
  oneRow[0] = row
  return (
    row >= segment.pseudoStores &&
    conditions.every((condition) => {
      test(columns, condition, oneRow, 1, meetsIt)
      return meetsIt[0] === 1
    })
  )
}
