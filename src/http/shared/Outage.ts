/** Logs of an outage: enough to find the cause, without a line for every request that fails. */
import { Cause, Clock, Effect, Ref } from "effect"

const intervalMillis = 1_000

/** When the last entry was logged, and how many errors were left out since. */
type State = readonly [loggedAt: number, leftOut: number]

/** Logs at most one error a second; each entry says how many were left out before it. */
export const logger = (message: string, level: "Error" | "Warn" = "Error") => {
  const state = Ref.makeUnsafe<State>([Number.NEGATIVE_INFINITY, 0])
  return Effect.fnUntraced(function* (error: unknown, requestId?: string): Effect.fn.Return<void> {
    const now = yield* Clock.currentTimeMillis
    const leftOutBefore = yield* Ref.modify(state, ([loggedAt, leftOut]): readonly [number | undefined, State] =>
      // A clock that was set back does not silence the log.
      now >= loggedAt && now - loggedAt < intervalMillis ? [undefined, [loggedAt, leftOut + 1]] : [leftOut, [now, 0]]
    )
    if (leftOutBefore === undefined) return
    const entry = { ...(requestId === undefined ? {} : { request_id: requestId }), left_out: leftOutBefore }
    yield* Effect.annotateLogs(Effect.logWithLevel(level)(message, Cause.fail(error)), entry)
  })
}
