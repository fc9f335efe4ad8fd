/**
 * For each value of each filter, the number of results with that filter left out ("drill sideways" in Lucene).
 *
 * One pass serves all filters. A store that meets all conditions counts for its values in every filter. A store that fails
 * exactly one condition counts only for that condition's filter. Other stores do not count. A store contributes the number
 * of its matching items. Flags of ads are counted from their bitmaps.
 */
import * as AdKey from "./AdKey.ts"
import { andAny, countBoth } from "./Bitmap.ts"
import { bitmaps } from "./RowFilter.ts"
import { matchingRows, matchItems, matchStores } from "./Matching.ts"
import { itemBitmaps, spaceOf } from "./WorkSpace.ts"
import { defaultTuning } from "./Run.ts"
import type { Cancel, Run } from "./Run.ts"
import type { Code, Filter, Mask, StoreCondition } from "../../../domain/search/CatalogQuery.ts"
import { record } from "./Segment.ts"
import { codes, masks } from "../../../domain/search/CatalogQuery.ts"
import type { SegmentList, SegmentView, StoreColumns } from "./Segment.ts"
import { candidates, meeting, prepare } from "./StoreSelection.ts"
import type { PreparedCondition } from "./StoreSelection.ts"
import type { Facets, FlagKind } from "../../../domain/search/CatalogAnswer.ts"
import { flagKinds } from "../../../domain/search/CatalogAnswer.ts"

export const storeFacets = [...codes, ...masks, "app"] as const
export type StoreFacet = Code | Mask | "app"

/** The filter of a condition; `undefined` for a range and for ids of stores. */
export const facetOf = (condition: StoreCondition | PreparedCondition): StoreFacet | undefined => {
  switch (condition._tag) {
    case "AnyOf":
    case "AnyBit":
      return condition.column
    case "AnyApp":
      return "app"
    case "AnyId":
    case "Between":
      return undefined
  }
}

type Counts = Record<StoreFacet, Map<number, number>>

/** For each code of a facet, the code under which it is counted: see `Spellings.leaders`. */
export type Leaders = Readonly<Record<"theme" | "app" | "extension", ReadonlyArray<number>>>

export const facets = (
  list: SegmentList,
  filter: Filter,
  leaders: Leaders,
  cancel: Cancel,
  tuning = defaultTuning
): Facets => {
  const run: Run = { conditions: prepare(filter.stores), cancel, tuning }
  const counts: Counts = record(storeFacets, () => new Map<number, number>())
  const flags: Array<number> = []
  for (const view of list) {
    const { failed, rows } = nearlyMatching(view, run.conditions)
    countStores(view, failed, run.conditions, storeCounts(view, filter, run, rows), leaders, counts)
    if (filter.subject !== "ads") continue
    const matching = only(view, { rows, counts: rows }, failed, failsNone, spaces.alone).rows
    countFlags(view, filter, run, matching, flags)
  }
  const bitmapsOf = (kind: FlagKind) => AdKey.bitmapsOf(kind).map((bitmap) => flags[bitmap] ?? 0)
  const bits = (mask: Mask) => Array.from({ length: 32 }, (_, bit) => counts[mask].get(bit) ?? 0)
  return {
    codes: record([...codes, "app"] as const, (name) => counts[name]),
    masks: record(masks, bits),
    ...(filter.subject === "ads" ? { flags: record(flagKinds, bitmapsOf) } : {})
  }
}

/** Indexes of work spaces. */
const spaces = { nearly: 0, met: 1, everywhere: 2, alone: 4 } as const

/** For a store that meets all conditions. */
const failsNone = 255

/**
 * Stores that fail at most one condition. Stores that fail a range are left out, because ranges have no facet. Also the
 * position of the condition that each store fails, or {@link failsNone}.
 */
const nearlyMatching = (view: SegmentView, conditions: ReadonlyArray<PreparedCondition>) => {
  const stores = view.live.length
  const failed = new Uint8Array(stores).fill(failsNone)
  const space = spaceOf(view.segment, spaces.nearly)
  let rows = candidates(view, conditions.length > 0)
  for (const [position, condition] of conditions.entries()) {
    if (facetOf(condition) === undefined) rows = meeting(view, condition, rows, space)
    else {
      const met = meeting(view, condition, rows, spaceOf(view.segment, spaces.met))
      rows = forgive(failed, position, rows, met, space)
    }
  }
  return { failed, rows }
}

/** The rows that meet the condition, and those that fail it as their first. */
const forgive = (
  failed: Uint8Array,
  position: number,
  rows: Uint32Array,
  met: Uint32Array,
  kept: Uint32Array
): Uint32Array => {
  let length = 0
  let next = 0
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!
    const meets = +(met[next] === row)
    next += meets
    const isFirst = +(failed[row] === failsNone)
    if ((meets ^ 1) & isFirst) failed[row] = position
    kept[length] = row
    length += meets | isFirst
  }
  return kept.subarray(0, length)
}

/** Stores with their contributions: the number of matching items, or 1 for searches of stores. */
interface Contributions {
  readonly rows: Uint32Array
  readonly counts: Uint32Array
}

const storeCounts = (view: SegmentView, filter: Filter, run: Run, given: Uint32Array): Contributions => {
  if (filter.subject === "stores") {
    const rows = matchStores(view, filter, run, given)
    return { rows, counts: new Uint32Array(rows.length).fill(1) }
  }
  const { counts, pseudoStores, stores } = matchItems(view, { ...filter, subject: filter.subject }, run, given)
  return { rows: stores.subarray(pseudoStores), counts: counts.subarray(pseudoStores) }
}

/**
 * Adds the contributions of stores to the facets. Stores are grouped first, so that the loop over each facet's column has
 * no branches.
 */
const countStores = (
  view: SegmentView,
  failed: Uint8Array,
  conditions: ReadonlyArray<PreparedCondition>,
  counted: Contributions,
  leaders: Leaders,
  counts: Counts
): void => {
  const { columns } = view
  const everywhere = conditions.length === 0 ? counted : only(view, counted, failed, failsNone, spaces.everywhere)
  for (const facet of storeFacets) {
    const position = conditions.findIndex((condition) => facetOf(condition) === facet)
    const alone = position === -1 ? [] : [only(view, counted, failed, position, spaces.alone)]
    for (const part of [everywhere, ...alone]) {
      if (facet === "app") addApps(columns, part, leaders.app, counts.app)
      else if (facet === "theme" || facet === "extension") {
        addCodes(columns.codes[facet], part, leaders[facet].length, leaders[facet], counts[facet])
      } else if (facet === "niche" || facet === "country" || facet === "currency") {
        addCodes(columns.codes[facet], part, codesOf[facet], undefined, counts[facet])
      } else addBits(columns.masks[facet], part, counts[facet])
    }
  }
}

/** The stores that fail only this condition, in the work space with that index and the next. */
const only = (
  { segment }: SegmentView,
  { counts, rows }: Contributions,
  failed: Uint8Array,
  position: number,
  space: number
): Contributions => {
  const own = { rows: spaceOf(segment, space), counts: spaceOf(segment, space + 1) }
  let length = 0
  for (let at = 0; at < rows.length; at++) {
    own.rows[length] = rows[at]!
    own.counts[length] = counts[at]!
    length += +(failed[rows[at]!] === position)
  }
  return { rows: own.rows.subarray(0, length), counts: own.counts.subarray(0, length) }
}

/** One more than the largest code of the columns without names: niche ids and letter codes. */
const codesOf = { niche: 32_001, country: 26 ** 2 + 1, currency: 26 ** 3 + 1 }

const addCodes = (
  column: Uint32Array,
  { counts: ofRows, rows }: Contributions,
  size: number,
  leaders: ReadonlyArray<number> | undefined,
  counts: Map<number, number>
): void => {
  const sums = new Int32Array(size)
  for (let at = 0; at < rows.length; at++) sums[column[rows[at]!]!]! += ofRows[at]!
  for (let code = 1; code < size; code++) {
    if (sums[code]! > 0) add(counts, leaders === undefined ? code : leaders[code]!, sums[code]!)
  }
}

/**
 * Bits of a mask that are counted together, so that a store adds to two sums regardless of its number of bits. Masks have
 * at most 26 bits.
 */
const halfBits = 13

const addBits = (column: Uint32Array, { counts: ofRows, rows }: Contributions, counts: Map<number, number>): void => {
  const low = new Int32Array(2 ** halfBits)
  const high = new Int32Array(2 ** halfBits)
  for (let at = 0; at < rows.length; at++) {
    const mask = column[rows[at]!]!
    const count = ofRows[at]!
    low[mask & (2 ** halfBits - 1)]! += count
    high[mask >>> halfBits]! += count
  }
  addHalf(low, 0, counts)
  addHalf(high, halfBits, counts)
}

/** Adds `sums`, indexed by the part of the mask that begins at bit `first`. */
const addHalf = (sums: Int32Array, first: number, counts: Map<number, number>): void => {
  for (let value = 1; value < sums.length; value++) {
    if (sums[value] === 0) continue
    for (let bits = value; bits !== 0; bits &= bits - 1)
      add(counts, first + 31 - Math.clz32(bits & -bits), sums[value]!)
  }
}

/** A store counts once for an app, even if it has several spellings of it. */
const addApps = (
  { appOffsets, apps }: StoreColumns,
  { counts: ofRows, rows }: Contributions,
  leaders: ReadonlyArray<number>,
  counts: Map<number, number>
): void => {
  const sums = new Int32Array(leaders.length)
  /** The last row that counted for each app, plus 1. */
  const seen = new Uint32Array(leaders.length)
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!
    for (let place = appOffsets[row]!; place < appOffsets[row + 1]!; place++) {
      const app = leaders[apps[place]!]!
      if (seen[app] === row + 1) continue
      seen[app] = row + 1
      sums[app]! += ofRows[at]!
    }
  }
  sums.forEach((sum, app) => add(counts, app, sum))
}

const add = (counts: Map<number, number>, code: number, count: number): void => {
  if (count > 0) counts.set(code, (counts.get(code) ?? 0) + count)
}

/** Ads by their flags; each kind is counted without the filter's criteria for that kind. */
const countFlags = (view: SegmentView, filter: Filter, run: Run, given: Uint32Array, counts: Array<number>): void => {
  const { ads } = view.segment
  const criteria = filter.item?._tag === "Ad" ? filter.item.criteria : AdKey.anyAd
  const { item, ...others } = filter
  const asked = item?._tag === "Ad" ? { ...others, item: { ...item, criteria: AdKey.anyAd } } : others
  const matching = matchItems(view, { ...asked, subject: "ads" }, run, given)
  const rows = matchingRows(view.segment, ads, matching)
  const bitmap = itemBitmaps(view.segment, ads)
  const left = bitmap(5)
  const space = bitmap(6)
  for (const kind of flagKinds) {
    const { [kind]: _, ...groups } = AdKey.wantedBitmaps(criteria)
    left.set(rows)
    for (const group of Object.values(groups)) andAny(left, bitmaps(ads, group), space)
    for (const number of AdKey.bitmapsOf(kind)) {
      for (const bits of bitmaps(ads, [number])) counts[number] = (counts[number] ?? 0) + countBoth(left, bits)
    }
  }
}
