/** Samples of what bench/faults keeps of a run. */
import type { Call } from "../../bench/faults/Record.ts"

/** A call that was answered and charged, but for what differs. */
export const call = (own: Partial<Call>): Call => ({
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

/** Nine calls, each charged. */
export const books = {
  succeeded: 9,
  charged: 9,
  refunded: 0,
  abandoned: 0,
  lost: 0,
  withoutResult: 0,
  disagreements: []
}
