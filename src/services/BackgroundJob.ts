/** Work that a server repeats for as long as it runs. */
import { Cause, Effect, Schedule } from "effect"
import type { Duration } from "effect"

/**
 * Servers that start together do not repeat it together. A failure becomes a warning, and the next round tries again; also a
 * defect, such as a connection that breaks within a transaction, which then cannot be rolled back.
 */
export const repeat =
  (every: Duration.Input, warning: string) =>
  <A, E, R>(job: Effect.Effect<A, E, R>) =>
    job.pipe(
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.logWarning(warning, cause)
      ),
      Effect.schedule(Schedule.jittered(Schedule.spaced(every))),
      Effect.forkScoped
    )
