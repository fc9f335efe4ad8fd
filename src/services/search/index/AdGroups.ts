/**
 * Numbers of matching ads and of their stores in groups, exact over all segments: by a value of the ad, or by a code of its
 * store. Each matching ad is read once; a live store is in one segment, so that its groups are counted there.
 */
import * as AdKey from "./AdKey.ts"
import { isSet } from "./Bitmap.ts"
import { countedItems } from "./Currencies.ts"
import type { AdGroups } from "../../../domain/search/CatalogAnswer.ts"
import type { AdGroupsQuery, Grouping } from "../../../domain/search/CatalogQuery.ts"
import type { Matching } from "./Matching.ts"
import { defaultTuning, stepsBetweenChecks } from "./Run.ts"
import type { Cancel, Run } from "./Run.ts"
import type { SegmentList, SegmentView } from "./Segment.ts"
import { prepare, unknownIds } from "./StoreSelection.ts"

const groupOfFlags = {
  cta: AdKey.ctaOf,
  media: (flags: number) => AdKey.mediaOf(flags) + 1,
  status: (flags: number) => (AdKey.isRunning(flags) ? 1 : 2)
} as const

/** One more than the largest group: a label has four bits. */
const flagGroups = 16

type Counts = Map<number, { ads: number; stores: number }>

const add = (counts: Counts, group: number, ads: number, stores: number): void => {
  const of = counts.getOrInsertComputed(group, () => ({ ads: 0, stores: 0 }))
  of.ads += ads
  of.stores += stores
}

export const adGroups = (list: SegmentList, query: AdGroupsQuery, cancel: Cancel, tuning = defaultTuning): AdGroups => {
  const run: Run = { conditions: prepare(query.stores), cancel, tuning }
  const counts: Counts = new Map()
  const total = { ads: 0, stores: 0 }
  const { currencies, match } = countedItems(query, run)
  for (const view of list) {
    const matching = match(view)
    total.ads += matching.total
    total.stores += matching.stores.length - matching.pseudoStores
    if (query.grouping._tag === "Code") countByStore(view, matching, query.grouping, counts)
    else countByFlag(view, matching, groupOfFlags[query.grouping.flag], counts, cancel)
  }
  return {
    groups: Array.from(counts, ([group, of]) => ({ group, ...of })),
    total,
    unknownIds: unknownIds(list, query.stores),
    currencies: currencies()
  }
}

const countByStore = (
  { columns }: SegmentView,
  { counts: ofStores, pseudoStores, stores }: Matching,
  { column, groups }: Extract<Grouping, { readonly _tag: "Code" }>,
  counts: Counts
): void => {
  const codes = columns.codes[column]
  for (let at = 0; at < stores.length; at++) {
    const code = at < pseudoStores ? 0 : codes[stores[at]!]!
    add(counts, groups === undefined ? code : (groups[code] ?? 0), ofStores[at]!, Number(at >= pseudoStores))
  }
}

const countByFlag = (
  { segment }: SegmentView,
  { bits, pseudoStores, stores }: Matching,
  groupOf: (flags: number) => number,
  counts: Counts,
  cancel: Cancel
): void => {
  const { keys, offsets } = segment.ads
  const ads = new Uint32Array(flagGroups)
  const storesOf = new Uint32Array(flagGroups)
  /** The position of the last store that was counted in the group, plus 1. */
  const seen = new Uint32Array(flagGroups)
  let steps = 0
  for (let at = 0; at < stores.length; at++) {
    for (let row = offsets[stores[at]!]!; row < offsets[stores[at]! + 1]!; row++) {
      if ((steps++ & (stepsBetweenChecks - 1)) === 0) cancel.check()
      if (!isSet(bits, row)) continue
      const group = groupOf(AdKey.flagsOf(keys[row]!))
      ads[group]!++
      if (at < pseudoStores || seen[group] === at + 1) continue
      seen[group] = at + 1
      storesOf[group]!++
    }
  }
  for (let group = 0; group < flagGroups; group++) {
    if (ads[group]! > 0) add(counts, group, ads[group]!, storesOf[group]!)
  }
}
