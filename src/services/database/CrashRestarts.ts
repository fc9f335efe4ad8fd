/** Whether, and how soon, a program that ended by itself is started again: so often within a minute, ever more slowly. */
import { Clock, Duration, Effect, Option } from "effect"

const windowMillis = 60_000
export const maxRestarts = 5
const firstDelayMillis = 250

export interface CrashRestarts {
  /** Counts one more start. The wait before it; none at all when there were too many in the last minute. */
  readonly next: Effect.Effect<Option.Option<Duration.Duration>>
}

export const make = (): CrashRestarts => {
  let times: ReadonlyArray<number> = []
  const next = Effect.map(Clock.currentTimeMillis, (now) => {
    times = times.filter((time) => now - time < windowMillis)
    if (times.length >= maxRestarts) return Option.none()
    // The first one is not kept waiting: every query fails until then.
    const delay = times.length === 0 ? 0 : firstDelayMillis * 2 ** (times.length - 1)
    times = [...times, now]
    return Option.some(Duration.millis(delay))
  })
  return { next }
}
