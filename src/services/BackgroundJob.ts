/** Work that a server repeats for as long as it runs. */
import { Effect, Schedule } from "effect"
import type { Duration } from "effect"

/** Servers that start together do not repeat it together. A failure becomes a warning, and the next round tries again. */
export const repeat =
  (every: Duration.Input, warning: string) =>
  <A, E, R>(job: Effect.Effect<A, E, R>) =>
    job.pipe(
      Effect.catch((error) => Effect.logWarning(warning, error)),
      Effect.schedule(Schedule.jittered(Schedule.spaced(every))),
      Effect.forkScoped
    )
