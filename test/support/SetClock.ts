/**
 * A clock that tests set, while sleeps and timeouts are real: for services with a database. Retention and limits use
 * it, too, as if it were the clock of the database.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Duration } from "effect"
import { GivenTime } from "../../src/services/database/DatabaseClock.ts"

export class SetClock extends Context.Service<
  SetClock,
  {
    /** To a time such as `2026-01-31T23:59:59Z`. */
    readonly set: (time: string) => Effect.Effect<void>
    readonly advance: (millis: number) => Effect.Effect<void>
  }
>()("test/support/SetClock") {
  /** Starts at `time`. */
  static readonly layer = (time: string): Layer.Layer<SetClock> =>
    Layer.effectContext(
      Effect.gen(function* () {
        const live = yield* Clock.Clock
        let now = Date.parse(time)
        const clock: Clock.Clock = {
          currentTimeMillisUnsafe: () => now,
          currentTimeMillis: Effect.sync(() => now),
          currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
          currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
          monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
          monotonicTimeNanos: live.monotonicTimeNanos,
          sleep: (duration: Duration.Duration) => live.sleep(duration)
        }
        return Context.make(Clock.Clock, clock).pipe(
          Context.add(
            GivenTime,
            Effect.sync(() => new Date(now))
          ),
          Context.add(SetClock, {
            set: (to) => Effect.sync(() => void (now = Date.parse(to))),
            advance: (millis) => Effect.sync(() => void (now += millis))
          })
        )
      })
    )
}
