/** A thread that receives lists of segments has the same lists, each part once, and the same objects for what did not change. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Spellings } from "../../../../src/services/search/index/Records.ts"
import type { SegmentList } from "../../../../src/services/search/index/Segment.ts"
import { markDead } from "../../../../src/services/search/runtime/MergePolicy.ts"
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
