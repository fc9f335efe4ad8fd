/** What a fault did to those who called meanwhile, out of the calls and requests that were kept. */
import { assert, describe, it } from "@effect/vitest"
import { effectsOf } from "../../bench/faults/Record.ts"
import type { Other } from "../../bench/faults/Record.ts"
import { waitedIn } from "../../bench/faults/Waits.ts"
import { call } from "../support/FaultSamples.ts"

const other = (kind: Other["kind"], outcome: string, endedAt = 500): Other => ({ kind, beganAt: 1, endedAt, outcome })
const never = () => 0

describe("the effects of a fault", () => {
  const ends = [1_000, 2_000, 9_000, 10_000].map((endedAt) => call({ beganAt: endedAt - 10, endedAt }))

  it("have the longest time without a call that succeeded", () => {
    const failed = call({ beganAt: 4_000, endedAt: 5_000, outcome: "HTTP 503" })
    const { failed: count, silentSeconds } = effectsOf({ calls: [...ends, failed], others: [] }, 500, 10_500, never)
    assert.deepStrictEqual([silentSeconds, count], [7, 1])
  })

  it("have that time without the waits for a core in it", () => {
    const waits = [
      // Before, and across the beginning.
      { until: 1_900, millis: 1_000 },
      { until: 2_100, millis: 500 },
      // Two that overlap.
      { until: 4_000, millis: 400 },
      { until: 4_250, millis: 600 },
      { until: 5_000, millis: 250 }
    ]
    const effects = effectsOf({ calls: ends, others: [] }, 500, 10_500, waitedIn(waits))
    assert.deepStrictEqual([effects.silentSeconds, effects.silentSecondsWithCores], [7, 6])
  })

  it("count what has no key, by its kind", () => {
    const calls = [
      call({ key: undefined }),
      call({ key: undefined, outcome: "unanswered" }),
      call({ outcome: "unanswered" })
    ]
    const others = [
      other("sign-in", "to be repeated"),
      other("sign-in", "done"),
      other("refresh", "done"),
      other("refresh", "not answered in time"),
      other("page", "done"),
      // After the fault.
      other("page", "refused", 2_000)
    ]
    assert.deepStrictEqual(effectsOf({ calls, others }, 0, 1_000, never).withoutKey, {
      call: { ended: 2, failed: 1 },
      "sign-in": { ended: 2, failed: 1 },
      refresh: { ended: 2, failed: 1 },
      page: { ended: 1, failed: 0 }
    })
  })
})
