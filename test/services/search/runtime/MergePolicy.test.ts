/**
 * Which segments are merged when, and that a merge which ends after the list has changed loses no live store, revives no
 * dead one, and leaves the bases in order.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { merge } from "../../../../src/services/search/index/Merge.ts"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import type { SegmentList } from "../../../../src/services/search/index/Segment.ts"
import {
  applyMerge,
  basesFor,
  chooseMerge,
  defaultLimits,
  markDead,
  settled
} from "../../../../src/services/search/runtime/MergePolicy.ts"
import type { MergeLimits } from "../../../../src/services/search/runtime/MergePolicy.ts"
import type { IndexState } from "../../../../src/services/search/runtime/IndexState.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import { contents, segmentOf } from "../../../oracle/segments.ts"

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
        const task = { isOfBase: true, groups: [group], rows: 0, changed: 0 }
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

/** Rows by store, pseudo-stores too: itself and its items. */
const rowsOf = new Map([
  ...contents(catalog).pseudoStores.map(({ ads, id }) => [id, 1 + ads.length] as const),
  ...contents(catalog).stores.map(({ ads, products, store }) => [store.id, 1 + products.length + ads.length] as const)
])
const all = Array.from(rowsOf.keys()).sort((a, b) => a - b)
const rows = (of: ReadonlyArray<number>) => of.reduce((sum, id) => sum + (rowsOf.get(id) ?? 0), 0)

const Stores = Schema.Array(Schema.Literals(all))
const Step = Schema.Struct({
  changed: Stores,
  removed: Stores.check(Schema.isMaxLength(4)),
  /** It comes while a merge runs, if there is one. */
  isMeanwhile: Schema.Boolean
})
type Step = typeof Step.Type
const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Limits = Schema.Struct({
  maxStoresOfBase: between(1, 12),
  maxDeltas: between(1, 4),
  dueShare: Schema.Literals([0.1, 0.5]),
  dueRows: between(1, 60)
})

/** The list after a change, as the indexer makes it. */
const changed = (state: IndexState, step: Step): IndexState => {
  const left = state.list.map((view) => markDead(view, [...step.changed, ...step.removed]))
  const isInDelta = (id: number) => step.changed.includes(id) && !step.removed.includes(id)
  const delta = segmentOf(catalog, spellings, isInDelta)
  return settled(state, left.slice(0, state.bases), [...left.slice(state.bases), delta])
}

const storesOf = ({ segment }: SegmentList[number]) => Array.from(segment.storeIds)

/** The rows that a merge of each range reads, for ranges that are due: a plain reading of what the policy says. */
const dueRanges = ({ bases, list }: IndexState, { dueRows, dueShare }: MergeLimits): ReadonlyArray<number> => {
  const inDeltas = liveOf(list.slice(bases))
  const ranges = bases === 0 ? [undefined] : list.slice(0, bases)
  return ranges.flatMap((base, at) => {
    const first = at === 0 ? Number.NEGATIVE_INFINITY : (ranges[at]?.segment.storeIds[0] ?? 0)
    const end = ranges[at + 1]?.segment.storeIds[0] ?? Number.POSITIVE_INFINITY
    const moving = rows(inDeltas.filter((id) => id >= first && id < end))
    const own = base === undefined ? 0 : rows(storesOf(base))
    const dead = base === undefined ? 0 : own - rows(liveOf([base]))
    return moving + dead >= Math.max(dueRows, dueShare * own) ? [own + moving] : []
  })
}

describe("the choice of merges", () => {
  it.prop(
    "divides many stores among an even number of bases of bounded size, with room for a quarter more in each",
    [between(1, 5_000_000)],
    ([stores]) => {
      const { maxStoresOfBase } = defaultLimits
      const bases = basesFor(stores, defaultLimits)
      if (stores <= maxStoresOfBase) return assert.strictEqual(bases, 1)
      assert.strictEqual(bases % 2, 0)
      assert.isAtMost((1.25 * stores) / bases, maxStoresOfBase)
    }
  )

  it.effect.prop(
    "merges a base when it is due and at no other time, and ends; each store is live once, in bases in order and of bounded size",
    [Limits, Schema.Array(Step).check(Schema.isMaxLength(8))],
    ([limits, steps]) =>
      Effect.sync(() => {
        const toCome = [...steps]
        let state: IndexState = { ...begun, bases: 0, list: [] }
        let live = new Set<number>()
        const take = (step: Step) => {
          state = changed(state, step)
          live = new Set([...live, ...step.changed].filter((id) => !step.removed.includes(id)))
        }
        const check = () => {
          assert.deepStrictEqual(
            liveOf(state.list),
            all.filter((id) => live.has(id))
          )
          const bases = state.list.slice(0, state.bases).map(storesOf)
          for (const stores of bases) assert.isAtMost(stores.length, limits.maxStoresOfBase)
          assert.deepStrictEqual(
            bases.flat(),
            Array.from(new Set(bases.flat())).sort((a, b) => a - b)
          )
        }
        /** Merges until nothing is due. */
        const mergeAll = () => {
          for (let merges = 0; ; merges++) {
            assert.isBelow(merges, 4 * all.length)
            const task = chooseMerge(state, limits)
            const due = dueRanges(state, limits)
            assert.strictEqual(task?.isOfBase ?? false, due.length > 0)
            if (task === undefined) break
            if (task.isOfBase) assert.strictEqual(task.rows, due[0])
            const merged = task.groups.map((group) => merge(group))
            if (toCome[0]?.isMeanwhile === true) take(toCome.shift() ?? assert.fail())
            state = applyMerge(state, task, merged, new Map(), ({ columns }) => columns)
            check()
          }
          assert.isAtMost(state.list.length - state.bases, limits.maxDeltas)
        }
        take({ changed: all, removed: [], isMeanwhile: false })
        mergeAll()
        for (let step = toCome.shift(); step !== undefined; step = toCome.shift()) {
          take(step)
          check()
          mergeAll()
        }
        // Enough to be due, so that no run is without merges into bases.
        take({ changed: all, removed: [], isMeanwhile: false })
        mergeAll()
        assert.isAtLeast(state.bases, Math.ceil(all.length / limits.maxStoresOfBase))
        assert.strictEqual(state.list.length, state.bases)
      }),
    { arbitrary: { runs: 40 } }
  )
})
