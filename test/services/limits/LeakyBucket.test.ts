import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as LeakyBucket from "../../../src/services/limits/LeakyBucket.ts"

const allowance = { limit: 3, windowMillis: 60_000 }

describe("a leaky bucket", () => {
  it("takes so many at once, and then one as each has drained", () => {
    const bucket = LeakyBucket.make(10)
    const take = (now: number) => bucket.take([{ key: "a", allowance }], now)
    assert.deepStrictEqual(take(0), { used: 1, retryAfterSeconds: 0 })
    assert.deepStrictEqual(take(0), { used: 2, retryAfterSeconds: 0 })
    assert.deepStrictEqual(take(0), { used: 3, retryAfterSeconds: 0 })
    assert.deepStrictEqual(take(0), { used: 3, retryAfterSeconds: 20 })
    assert.strictEqual(take(19_999).retryAfterSeconds, 1)
    assert.strictEqual(take(20_000).retryAfterSeconds, 0)
  })

  it("a request that one limit refuses counts for none of its limits", () => {
    const bucket = LeakyBucket.make(10)
    const a = { key: "a", allowance }
    const all = { key: "all", allowance: { limit: 1, windowMillis: 60_000 } }
    assert.strictEqual(bucket.take([a, all], 0).retryAfterSeconds, 0)
    assert.strictEqual(bucket.take([a, all], 0).retryAfterSeconds, 60)
    assert.strictEqual(bucket.take([a], 0).used, 2)
  })

  it("forgets the key that was not used for the longest time", () => {
    const bucket = LeakyBucket.make(2)
    for (const key of ["a", "b", "a", "c"]) bucket.take([{ key, allowance }], 0)
    assert.strictEqual(bucket.take([{ key: "a", allowance }], 0).used, 3)
    assert.strictEqual(bucket.take([{ key: "b", allowance }], 0).used, 1)
  })

  it.prop(
    "lets no more through in any window than the allowance and what drains in it, and never less",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 13 })),
      Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 })))
    ],
    ([limit, steps]) => {
      const windowMillis = 1000
      const bucket = LeakyBucket.make(1)
      let now = 0
      let level = 0
      for (const step of steps) {
        now += step
        level = Math.max(0, level - (step * limit) / windowMillis)
        const passes = bucket.take([{ key: "a", allowance: { limit, windowMillis } }], now).retryAfterSeconds === 0
        // Where fractions meet the edge, either is right.
        if (Math.abs(level + 1 - limit) > 1e-3) assert.strictEqual(passes, level + 1 < limit)
        if (passes) level++
      }
    }
  )
})
