/**
 * How many results each value of each filter would leave, with the filter itself left out ("drill sideways" in Lucene).
 *
 * One pass for all filters: a store that meets all conditions counts for the values that it has in every filter; one that
 * fails exactly one condition counts for that condition's filter alone; others count for none. What a store counts is the
 * number of its matching items. Filters on ads themselves are counted by flags, of which there are 512 values.
 */
import { ctas, mediaTypes } from "../../../domain/catalog/Enumerations.ts"
import * as AdKey from "./AdKey.ts"
import { record } from "./Build.ts"
import { defaultTuning, isSet, matchItems, matchStores } from "./Matching.ts"
import type { Cancel, Run } from "./Matching.ts"
import type { Filter } from "./Query.ts"
import { codes, masks } from "./Segment.ts"
import type { Code, Mask, SegmentList, SegmentView, StoreColumns } from "./Segment.ts"
import { andCondition, prepare } from "./StoreMask.ts"
import type { PreparedCondition } from "./StoreMask.ts"

const storeFacets = [...codes, ...masks, "app"] as const
type StoreFacet = Code | Mask | "app"

export interface AdFacets {
  readonly active: number
  readonly inactive: number
  readonly partnership: number
  /** In the order of `mediaTypes`. */
  readonly mediaTypes: ReadonlyArray<number>
  /** In the order of `ctas`. */
  readonly ctas: ReadonlyArray<number>
}

export interface Facets {
  /**
   * Results by code; of a niche without those below it; of a theme, an app or an extension by the first id of its name.
   * Codes that would leave nothing are not there.
   */
  readonly codes: Readonly<Record<Code | "app", ReadonlyMap<number, number>>>
  /** Results by bit, in the order of the vocabulary. */
  readonly masks: Readonly<Record<Mask, ReadonlyArray<number>>>
  /** Only of ads. */
  readonly ads?: AdFacets
}

/** The filter that a condition belongs to; none for a range. */
const facetOf = (condition: PreparedCondition): StoreFacet | undefined => {
  switch (condition._tag) {
    case "AnyOf":
    case "AnyBit":
      return condition.column
    case "AnyApp":
      return "app"
    case "Between":
      return undefined
  }
}

type Counts = Record<StoreFacet, Map<number, number>>

/** For the codes of a facet, the code that counts for them: see `Spellings.leaders`. */
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
  const flags = new Float64Array(AdKey.flagValues)
  for (const view of list) {
    const { failed, mask } = nearlyMatching(view, run.conditions)
    const ofStores = storeCounts(view, filter, run, mask.slice())
    countStores(view, ofStores, failed, run.conditions, leaders, counts)
    if (filter.subject === "ads") countFlags(view, filter, run, mask, failed, flags)
  }
  const bits = (mask: Mask) => Array.from({ length: 32 }, (_, bit) => counts[mask].get(bit) ?? 0)
  return {
    codes: record([...codes, "app"] as const, (name) => counts[name]),
    masks: record(masks, bits),
    ...(filter.subject === "ads" ? { ads: adFacets(flags, filter) } : {})
  }
}

/** Of a store that meets all conditions. */
const failsNone = 255

/** Stores that fail at most one condition, and which: its position, or {@link failsNone}. */
const nearlyMatching = ({ columns, live, segment }: SegmentView, conditions: ReadonlyArray<PreparedCondition>) => {
  const mask = live.slice()
  if (conditions.length > 0) mask.fill(0, 0, segment.pseudoStores)
  const failed = new Uint8Array(live.length).fill(failsNone)
  const meets = new Uint8Array(live.length)
  conditions.forEach((condition, position) => {
    meets.fill(1)
    andCondition(columns, condition, meets)
    for (let row = 0; row < mask.length; row++) {
      if (meets[row] === 1) continue
      if (failed[row] === failsNone) failed[row] = position
      else mask[row] = 0
    }
  })
  return { mask, failed }
}

/** What each store of the mask counts: its matching items, or itself. */
const storeCounts = (view: SegmentView, filter: Filter, run: Run, mask: Uint8Array): Uint8Array | Uint32Array =>
  filter.subject === "stores"
    ? matchStores(view, filter, run, mask).mask
    : matchItems(view, { ...filter, subject: filter.subject }, run, mask).counts

/**
 * Adds what stores count to the facets. Stores are sorted out first, so that the loops over the columns, one a facet, have
 * nothing to decide.
 */
const countStores = (
  { columns, segment }: SegmentView,
  ofStores: Uint8Array | Uint32Array,
  failed: Uint8Array,
  conditions: ReadonlyArray<PreparedCondition>,
  leaders: Leaders,
  counts: Counts
): void => {
  const everywhere = new Uint32Array(ofStores.length)
  let length = 0
  const alone = conditions.map((): Array<number> => [])
  for (let row = segment.pseudoStores; row < ofStores.length; row++) {
    if (ofStores[row] === 0) continue
    if (failed[row] === failsNone) everywhere[length++] = row
    else alone[failed[row]!]!.push(row)
  }
  for (const facet of storeFacets) {
    const position = conditions.findIndex((condition) => facetOf(condition) === facet)
    for (const rows of [everywhere.subarray(0, length), position === -1 ? [] : alone[position]!]) {
      if (facet === "app") addApps(columns, rows, ofStores, leaders.app, counts.app)
      else if (facet === "theme" || facet === "extension") {
        addCodes(columns.codes[facet], rows, ofStores, leaders[facet].length, leaders[facet], counts[facet])
      } else if (facet === "niche" || facet === "country" || facet === "currency") {
        addCodes(columns.codes[facet], rows, ofStores, codesOf[facet], undefined, counts[facet])
      } else addBits(columns.masks[facet], rows, ofStores, counts[facet])
    }
  }
}

type Rows = Uint32Array | ReadonlyArray<number>

/** One more than the largest code of the columns without names: niche ids, and letters as digits. */
const codesOf = { niche: 32_001, country: 26 ** 2 + 1, currency: 26 ** 3 + 1 }

const addCodes = (
  column: Uint32Array,
  rows: Rows,
  ofStores: Uint8Array | Uint32Array,
  size: number,
  leaders: ReadonlyArray<number> | undefined,
  counts: Map<number, number>
): void => {
  const sums = new Float64Array(size)
  for (let at = 0; at < rows.length; at++) sums[column[rows[at]!]!]! += ofStores[rows[at]!]!
  for (let code = 1; code < size; code++) {
    if (sums[code]! > 0) add(counts, leaders === undefined ? code : leaders[code]!, sums[code]!)
  }
}

/** So many bits of a mask are counted together: a store adds to two sums, however many bits it has. Masks have at most 26. */
const halfBits = 13

const addBits = (
  column: Uint32Array,
  rows: Rows,
  ofStores: Uint8Array | Uint32Array,
  counts: Map<number, number>
): void => {
  const low = new Float64Array(2 ** halfBits)
  const high = new Float64Array(2 ** halfBits)
  for (let at = 0; at < rows.length; at++) {
    const mask = column[rows[at]!]!
    const count = ofStores[rows[at]!]!
    low[mask & (2 ** halfBits - 1)]! += count
    high[mask >>> halfBits]! += count
  }
  addHalf(low, 0, counts)
  addHalf(high, halfBits, counts)
}

/** `sums` by the value of a part of the mask that begins at bit `first`. */
const addHalf = (sums: Float64Array, first: number, counts: Map<number, number>): void => {
  for (let value = 1; value < sums.length; value++) {
    if (sums[value] === 0) continue
    for (let bits = value; bits !== 0; bits &= bits - 1)
      add(counts, first + 31 - Math.clz32(bits & -bits), sums[value]!)
  }
}

/** A store counts once for an app, however many spellings of it the store has. */
const addApps = (
  { appOffsets, apps }: StoreColumns,
  rows: Rows,
  ofStores: Uint8Array | Uint32Array,
  leaders: ReadonlyArray<number>,
  counts: Map<number, number>
): void => {
  const sums = new Float64Array(leaders.length)
  /** The last row that counted for each app, and 1. */
  const seen = new Uint32Array(leaders.length)
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!
    for (let place = appOffsets[row]!; place < appOffsets[row + 1]!; place++) {
      const app = leaders[apps[place]!]!
      if (seen[app] === row + 1) continue
      seen[app] = row + 1
      sums[app]! += ofStores[row]!
    }
  }
  sums.forEach((sum, app) => add(counts, app, sum))
}

const add = (counts: Map<number, number>, code: number, count: number): void => {
  if (count > 0) counts.set(code, (counts.get(code) ?? 0) + count)
}

/** Ads by their flags, whatever the filter asks of flags. */
const countFlags = (
  view: SegmentView,
  filter: Filter,
  run: Run,
  nearly: Uint8Array,
  failed: Uint8Array,
  flags: Float64Array
): void => {
  const mask = nearly.map((is, row) => is & +(failed[row] === failsNone))
  const item = filter.item?._tag === "Ad" ? { ...filter.item, criteria: AdKey.anyAd } : undefined
  const { item: _, ...others } = filter
  const asked = { ...others, ...(item === undefined ? {} : { item }), subject: "ads" as const }
  const { bits, counts } = matchItems(view, asked, run, mask)
  const { keys, offsets } = view.segment.ads
  for (let store = 0; store < mask.length; store++) {
    if (counts[store] === 0) continue
    for (let row = offsets[store]!; row < offsets[store + 1]!; row++) {
      if (isSet(bits, row)) flags[AdKey.flagsOf(keys[row]!)]!++
    }
  }
}

const adFacets = (counts: Float64Array, filter: Filter): AdFacets => {
  const criteria = filter.item?._tag === "Ad" ? filter.item.criteria : AdKey.anyAd
  const sum = (others: AdKey.AdCriteria, isValue: (flags: number) => boolean): number =>
    AdKey.matchingFlags(others).reduce((total, flags) => total + (isValue(flags) ? counts[flags]! : 0), 0)
  return {
    active: sum({ ...criteria, status: "all" }, AdKey.isRunning),
    inactive: sum({ ...criteria, status: "all" }, (flags) => !AdKey.isRunning(flags)),
    partnership: sum({ ...criteria, partnershipOnly: false }, AdKey.isPartnership),
    mediaTypes: mediaTypes.map((_, media) =>
      sum({ ...criteria, mediaTypes: [] }, (flags) => AdKey.mediaOf(flags) === media)
    ),
    ctas: ctas.map((_, cta) => sum({ ...criteria, ctas: [] }, (flags) => AdKey.ctaOf(flags) === cta + 1))
  }
}
