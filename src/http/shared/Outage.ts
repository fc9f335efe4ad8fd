/** Logs of an outage: enough to find the cause, without a line for every request that fails. */
import { Cause, Clock, Effect } from "effect"

const intervalMillis = 1_000

/** Logs at most one error a second; each entry says how many were left out before it. */
export const logger = (message: string, level: "Error" | "Warn" = "Error") => {
  let loggedAt = Number.NEGATIVE_INFINITY
  let leftOut = 0
  return (error: unknown, requestId?: string): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // A clock that was set back does not silence the log.
      if (now >= loggedAt && now - loggedAt < intervalMillis) {
        leftOut++
        return Effect.void
      }
      const entry = { ...(requestId === undefined ? {} : { request_id: requestId }), left_out: leftOut }
      loggedAt = now
      leftOut = 0
      return Effect.annotateLogs(Effect.logWithLevel(level)(message, Cause.fail(error)), entry)
    })
}
