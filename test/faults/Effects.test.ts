/** What a fault did to those who called meanwhile, out of the calls and requests that were kept. */
import { assert, describe, it } from "@effect/vitest"
import { effectsOf } from "../../bench/faults/Record.ts"
import type { Call, Other } from "../../bench/faults/Record.ts"

const call = (own: Partial<Call>): Call => ({
  caller: "script",
  account: 1,
  key: "k",
  beganAt: 0,
  endedAt: 1,
  answers: [{ requestId: "r", outcome: "ok", cost: 1 }],
  unanswered: 0,
  outcome: "ok",
  ...own
})
const other = (kind: Other["kind"], outcome: string, endedAt = 500): Other => ({ kind, beganAt: 1, endedAt, outcome })

describe("the effects of a fault", () => {
  const ends = [1_000, 2_000, 9_000, 10_000].map((endedAt) => call({ beganAt: endedAt - 10, endedAt }))

  it("have the longest time without a call that succeeded", () => {
    const failed = call({ beganAt: 4_000, endedAt: 5_000, outcome: "HTTP 503" })
    const { failed: count, silentSeconds } = effectsOf({ calls: [...ends, failed], others: [] }, 500, 10_500)
    assert.deepStrictEqual([silentSeconds, count], [7, 1])
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
    assert.deepStrictEqual(effectsOf({ calls, others }, 0, 1_000).withoutKey, {
      call: { ended: 2, failed: 1 },
      "sign-in": { ended: 2, failed: 1 },
      refresh: { ended: 2, failed: 1 },
      page: { ended: 1, failed: 0 }
    })
  })
})
