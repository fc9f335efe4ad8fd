/** A thread that receives lists of segments has the same lists, each part once, and the same objects for what did not change. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { setImmediate } from "node:timers/promises"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import type { SegmentList } from "../../../../src/services/search/index/Segment.ts"
import { markDead } from "../../../../src/services/search/runtime/MergePolicy.ts"
import { collectGarbage } from "../../../../src/services/Memory.ts"
import { makeReceiver, makeSender } from "../../../../src/services/search/runtime/SegmentTransfer.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import { segmentOf } from "../../../oracle/segments.ts"

const catalog = NaiveCatalog.generate(1, 12)
const spellings = new Spellings()
const ids = catalog.shops.map(({ id }) => id)

const change = Schema.Literals(["add a segment", "remove the first", "mark stores dead", "replace figures", "nothing"])

it.effect.prop(
  "gets the same lists; a view of the list before is the same object until one of its parts is replaced",
  [Schema.Array(change).check(Schema.isMaxLength(12))],
  ([changes]) =>
    Effect.sync(() => {
      const send = makeSender()
      const receive = makeReceiver(() => undefined)
      let list: SegmentList = [segmentOf(catalog, spellings, (id) => ids.includes(id))]
      const sentParts = new Set<unknown>()
      let received = new Map<SegmentList[number], SegmentList[number]>()
      for (const [step, change] of changes.entries()) {
        const [first, ...others] = list
        if (change === "add a segment") list = list.concat(segmentOf(catalog, spellings, (id) => id === ids[step]))
        if (change === "remove the first") list = others
        if (change === "mark stores dead") list = list.map((view) => markDead(view, ids.slice(0, step)))
        if (change === "replace figures" && first !== undefined) {
          list = [{ ...first, columns: { ...first.columns } }, ...others]
        }
        const message = send(list)
        for (const [, part] of message.parts) {
          assert.isFalse(sentParts.has(part))
          sentParts.add(part)
        }
        const here = receive(message)
        assert.lengthOf(here, list.length)
        const now = new Map<SegmentList[number], SegmentList[number]>()
        for (const [at, view] of list.entries()) {
          const copy = here[at] ?? assert.fail(`view ${at}`)
          assert.isTrue(
            copy.segment === view.segment && copy.columns === view.columns && copy.live === view.live,
            `view ${at}`
          )
          const before = received.get(view)
          if (before !== undefined) assert.strictEqual(copy, before)
          now.set(view, copy)
        }
        received = now
      }
    })
)

describe("collects what a list has no longer", () => {
  const mebibyte = 2 ** 20
  const view = segmentOf(catalog, spellings, (id) => ids.includes(id))
  const buffer = () => new SharedArrayBuffer(mebibyte)

  const parts = {
    segment: () => ({ ...view, segment: { ...view.segment, storeIds: new Int32Array(buffer()) } }),
    columns: () => ({ ...view, columns: { ...view.columns, relevance: new Int32Array(buffer()) } }),
    live: () => ({ ...view, live: new Uint8Array(buffer()) })
  }
  /** Counts its collections, and does not run them. */
  const receiver = () => {
    const send = makeSender()
    let collections = 0
    const receive = makeReceiver(() => void (collections += 1))
    return { show: (list: SegmentList) => receive(send(list)), collections: () => collections }
  }

  for (const [name, made] of Object.entries(parts)) {
    it(`once 16 MiB of ${name} were replaced, and again once as many more were`, () => {
      const { collections, show } = receiver()
      const replace = (times: number) => {
        for (let time = 0; time < times; time++) show([made()])
        return collections()
      }
      show([made()])
      assert.deepStrictEqual([replace(15), replace(2), replace(14), replace(3)], [0, 1, 1, 2])
    })
  }

  it("once a quarter of a large list was replaced", () => {
    const { collections, show } = receiver()
    const large = Array.from({ length: 100 }, parts.live)
    for (let lists = 0; lists <= 25; lists++) show([...large, parts.live()])
    assert.strictEqual(collections(), 0)
    show([...large, parts.live()])
    assert.strictEqual(collections(), 1)
  })

  it.effect("but for what the thread has collected by itself", () =>
    Effect.gen(function* () {
      const { collections, show } = receiver()
      for (let lists = 0; lists < 100; lists++) {
        show([parts.live()])
        if (lists % 10 > 0) continue
        collectGarbage()
        // Callbacks of a FinalizationRegistry run in a later turn of the event loop, and other test files have registries, too.
        for (let turns = 0; turns < 100; turns++) yield* Effect.promise(() => setImmediate())
      }
      assert.strictEqual(collections(), 0)
    })
  )
})
