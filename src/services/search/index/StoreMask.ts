/**
 * Which stores of a segment match: one byte a store, 1 or 0, made by one pass over a column for each condition. The loops
 * have no branches, so that their cost does not depend on the data: about 1 ns a store and condition.
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

/** Live stores that match all conditions. Pseudo-stores match no condition. */
export const fillMask = (
  { columns, live, segment }: SegmentView,
  conditions: ReadonlyArray<PreparedCondition>,
  mask: Uint8Array
): void => {
  mask.set(live)
  if (conditions.length > 0) mask.fill(0, 0, segment.pseudoStores)
  for (const condition of conditions) andCondition(columns, condition, mask)
}

/** Sets the bytes of stores that do not match to 0. */
export const andCondition = (columns: StoreColumns, condition: PreparedCondition, mask: Uint8Array): void => {
  switch (condition._tag) {
    case "AnyOf":
      return andAnyOf(columns.codes[condition.column], condition.isWanted, mask)
    case "AnyBit":
      return andAnyBit(columns.masks[condition.column], condition.mask, mask)
    case "AnyApp":
      return andAnyApp(columns, condition.isWanted, mask)
    case "Between":
      return andBetween(columns.figures[condition.column], condition.range.min, condition.range.max, mask)
  }
}

const andAnyOf = (column: Uint32Array, isWanted: Uint8Array, mask: Uint8Array): void => {
  const last = isWanted.length - 1
  for (let row = 0; row < mask.length; row++) {
    const value = column[row]!
    mask[row]! &= isWanted[value & last]! & +(value <= last)
  }
}

const andAnyBit = (column: Uint32Array, bits: number, mask: Uint8Array): void => {
  for (let row = 0; row < mask.length; row++) mask[row]! &= +((column[row]! & bits) !== 0)
}

const andAnyApp = ({ appOffsets, apps }: StoreColumns, isWanted: Uint8Array, mask: Uint8Array): void => {
  const last = isWanted.length - 1
  for (let row = 0; row < mask.length; row++) {
    if (mask[row] === 0) continue
    let has = 0
    for (let at = appOffsets[row]!; at < appOffsets[row + 1]!; at++) {
      has |= isWanted[apps[at]! & last]! & +(apps[at]! <= last)
    }
    mask[row] = has
  }
}

/** NaN is in no range. */
const andBetween = (column: Float64Array, min: number, max: number, mask: Uint8Array): void => {
  for (let row = 0; row < mask.length; row++) mask[row]! &= +(column[row]! >= min) & +(column[row]! <= max)
}

/** The same of a single store, for the few that a search for rare words has found. */
export const matches = (
  { columns, live, segment }: SegmentView,
  conditions: ReadonlyArray<PreparedCondition>,
  row: number
): boolean =>
  live[row] === 1 &&
  (conditions.length === 0 ||
    (row >= segment.pseudoStores && conditions.every((condition) => meets(columns, condition, row))))

const meets = (columns: StoreColumns, condition: PreparedCondition, row: number): boolean => {
  switch (condition._tag) {
    case "AnyOf":
      return condition.isWanted[columns.codes[condition.column][row]!] === 1
    case "AnyBit":
      return (columns.masks[condition.column][row]! & condition.mask) !== 0
    case "AnyApp": {
      for (let at = columns.appOffsets[row]!; at < columns.appOffsets[row + 1]!; at++) {
        if (condition.isWanted[columns.apps[at]!] === 1) return true
      }
      return false
    }
    case "Between": {
      const value = columns.figures[condition.column][row]!
      return value >= condition.range.min && value <= condition.range.max
    }
  }
}
