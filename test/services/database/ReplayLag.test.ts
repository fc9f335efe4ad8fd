import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as ReplayLag from "../../../src/services/database/ReplayLag.ts"

/** Positions and times that grow, as a primary and a clock do. */
const Steps = Schema.Array(
  Schema.Struct({
    written: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
    millis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 })),
    replayed: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
  })
).check(Schema.isMinLength(1))

describe("ReplayLag", () => {
  it.effect.prop("tells the age of the newest note that the replica has replayed", [Steps], ([steps]) =>
    Effect.sync(() => {
      const lag = ReplayLag.make()
      const notes: Array<{ readonly position: number; readonly at: number }> = []
      let position = 10
      let now = 0
      let replayed = 0
      for (const step of steps) {
        position += step.written
        now += step.millis
        lag.wrote(position, now)
        notes.push({ position, at: now })
        replayed = Math.max(replayed, Math.floor(position * step.replayed))
        lag.replayed(replayed)
        const reached = notes.findLast((note) => note.position <= replayed)
        assert.deepStrictEqual(lag.behind(now + 5), {
          isKnown: reached !== undefined,
          millis: now + 5 - (reached?.at ?? notes[0]?.at ?? 0)
        })
      }
    })
  )

  it("does not know how far behind a replica is that has replayed none of its notes", () => {
    const lag = ReplayLag.make()
    assert.deepStrictEqual(lag.behind(0), { isKnown: false, millis: 0 })
    lag.wrote(100, 0)
    lag.replayed(99)
    assert.deepStrictEqual(lag.behind(7), { isKnown: false, millis: 7 })
  })

  it("starts anew when the primary's log does: another server has taken its place", () => {
    const lag = ReplayLag.make()
    lag.wrote(100, 0)
    lag.replayed(100)
    lag.wrote(50, 10)
    assert.deepStrictEqual(lag.behind(10), { isKnown: false, millis: 0 })
    lag.replayed(50)
    assert.deepStrictEqual(lag.behind(12), { isKnown: true, millis: 2 })
  })

  it("keeps a bounded number of notes, and the figure of a replica that stands still", () => {
    const lag = ReplayLag.make()
    lag.wrote(0, 0)
    lag.replayed(0)
    for (let at = 1; at <= 10_000; at++) lag.wrote(at, at)
    assert.strictEqual(lag.behind(10_000).millis, 10_000)
    lag.replayed(9_000)
    // Thinned out, so coarser, and never too small.
    assert.isAtLeast(lag.behind(10_000).millis, 1_000)
    assert.isAtMost(lag.behind(10_000).millis, 1_100)
  })
})
