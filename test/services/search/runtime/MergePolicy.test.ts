/** A merge that ends after the list has changed loses no live store, revives no dead one, and leaves the bases in order. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { merge } from "../../../../src/services/search/index/Merge.ts"
import { Spellings } from "../../../../src/services/search/index/Records.ts"
import type { SegmentList } from "../../../../src/services/search/index/Segment.ts"
import { applyMerge, markDead, settled } from "../../../../src/services/search/runtime/MergePolicy.ts"
import type { IndexState } from "../../../../src/services/search/runtime/IndexState.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import { segmentOf } from "../../../oracle/segments.ts"

const catalog = NaiveCatalog.generate(1, 24)
const spellings = new Spellings()
const ids = catalog.shops.map(({ id }) => id).sort((a, b) => a - b)
/** Bases hold consecutive ranges; every seventh store is in the delta instead. */
const ranges = 4
const rangeOf = (id: number) => Math.floor((ids.indexOf(id) * ranges) / ids.length)
const isInDelta = (id: number) => ids.indexOf(id) % 7 === 6

const liveOf = (list: SegmentList) =>
  list
    .flatMap(({ live, segment }) => Array.from(segment.storeIds).filter((_, row) => live[row] === 1))
    .sort((a, b) => a - b)

const begun: IndexState = {
  identity: { catalogId: "test", version: 1, token: "test" },
  niches: [],
  spellings: { theme: [], app: [], extension: [] },
  bases: ranges,
  list: [
    ...Array.from({ length: ranges }, (_, range) =>
      segmentOf(catalog, spellings, (id) => ids.includes(id) && rangeOf(id) === range && !isInDelta(id))
    ),
    segmentOf(catalog, spellings, (id) => ids.includes(id) && isInDelta(id))
  ]
}

const Range = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: ranges - 1 }))

describe("a merge of a base with a delta", () => {
  it.effect.prop(
    "replaces only that base, whichever stores and whole bases have gone meanwhile",
    [Range, Schema.Array(Schema.Literals(ids)), Schema.Array(Range).check(Schema.isMaxLength(3))],
    ([range, someGone, rangesGone]) =>
      Effect.sync(() => {
        const [base, delta] = [begun.list[range], begun.list[ranges]]
        assert(base !== undefined && delta !== undefined)
        const group = [
          base,
          markDead(
            delta,
            ids.filter((id) => rangeOf(id) !== range)
          )
        ]
        const gone = new Set([...someGone, ...ids.filter((id) => rangesGone.includes(rangeOf(id)))])
        const left = begun.list.map((view) => markDead(view, gone))
        const meanwhile = settled(begun, left.slice(0, ranges), left.slice(ranges))
        const task = { isOfBase: true, groups: [group], rows: 0 }
        const after = applyMerge(meanwhile, task, [merge(group)], new Map(), ({ columns }) => columns)
        assert.deepStrictEqual(
          liveOf(after.list),
          ids.filter((id) => !gone.has(id))
        )
        const bases = after.list.slice(0, after.bases).map(({ segment }) => Array.from(segment.storeIds))
        assert.deepStrictEqual(
          bases.flat(),
          bases.flat().toSorted((a, b) => a - b)
        )
        assert.deepStrictEqual(
          liveOf(after.list.slice(after.bases)),
          ids.filter((id) => isInDelta(id) && rangeOf(id) !== range && !gone.has(id))
        )
      }),
    { arbitrary: { runs: 30 } }
  )
})
