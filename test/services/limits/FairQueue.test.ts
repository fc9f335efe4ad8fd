import { assert, describe, it } from "@effect/vitest"
import * as FairQueue from "../../../src/services/limits/FairQueue.ts"

const takeAll = (queue: FairQueue.FairQueue<string, string>) => Array.from({ length: queue.size }, () => queue.take())

describe("a fair queue", () => {
  it("owners take turns, each in its own order", () => {
    const queue = FairQueue.make<string, string>(10)
    for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) queue.add(item.slice(0, 1), item)
    assert.deepStrictEqual(takeAll(queue), ["a1", "b1", "c1", "a2", "b2", "a3"])
    assert.strictEqual(queue.take(), undefined)
  })

  it("an owner has half of the places at most, and all owners no more than all", () => {
    const queue = FairQueue.make<string, string>(4)
    const add = (owner: string) => queue.add(owner, owner)
    assert.deepStrictEqual([add("a"), add("a"), add("a")], ["added", "added", "share_full"])
    assert.deepStrictEqual([add("b"), add("c"), add("d")], ["added", "added", "full"])
    queue.take()
    assert.strictEqual(add("d"), "added")
  })

  it("what is removed gives its place back; what had its turn comes first", () => {
    const queue = FairQueue.make<string, string>(4)
    queue.add("a", "a1")
    queue.add("a", "a2")
    assert.isTrue(queue.remove("a", "a1"))
    assert.isFalse(queue.remove("a", "a1"))
    queue.addFirst("z")
    assert.deepStrictEqual(takeAll(queue), ["z", "a2"])
    assert.strictEqual(queue.size, 0)
  })
})
