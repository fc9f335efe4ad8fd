/** What runs searches in the published list, and the one that runs them on the caller's thread. */
import { Clock, Duration, Effect } from "effect"
import type { SearchTimeout } from "../../../domain/ToolError.ts"
import * as ToolErrorMessages from "../../../domain/ToolErrorMessages.ts"
import type { SearchFailure } from "../../limits/SearchPermits.ts"
import { Canceled } from "../index/Run.ts"
import type { Published } from "./IndexState.ts"
import { runJob } from "./SearchThread.ts"
import type { Answers, Job, Kind, Outcome } from "./SearchThread.ts"

/** The answer, and the list that it is of. */
export interface JobResult<K extends Kind> {
  readonly answer: Answers[K]
  readonly published: Published
}

export interface Searcher {
  /** Sets the list for searches that begin from now on. */
  show(published: Published | undefined): Effect.Effect<void>
  /** Runs a job on the newest list at its start. A list must have been shown before. */
  run<K extends Kind>(job: Job<K>, hint?: () => string | undefined): Effect.Effect<JobResult<K>, SearchFailure>
  /** Whether there is a thread that answers. */
  readonly isAnswering: Effect.Effect<boolean>
}

/** A search that takes longer is canceled. */
export const searchLimit = Duration.seconds(5)

/** The result of a job that has ended; `hint` suggests how to narrow one that was too slow. */
export const resultOf = <K extends Kind>(
  outcome: Outcome,
  published: Published,
  hint: (() => string | undefined) | undefined
): Effect.Effect<JobResult<K>, SearchTimeout> => {
  switch (outcome._tag) {
    case "Canceled":
      return Effect.fail(ToolErrorMessages.tooSlow(hint?.()))
    case "Failed":
      return Effect.die(outcome.error)
    case "Done":
      // Of the kind of the job: a thread answers what it is asked.
      return Effect.succeed({ answer: outcome.answer as Answers[K], published })
  }
}

/** Runs searches on the caller's thread, for tests and small machines. */
export const onThisThread: Effect.Effect<Searcher> = Effect.sync(() => {
  let current: Published | undefined
  return {
    isAnswering: Effect.succeed(true),
    show: (published) => Effect.sync(() => void (current = published)),
    run: <K extends Kind>(job: Job<K>, hint?: () => string | undefined) =>
      Effect.gen(function* () {
        const published = current
        if (published === undefined) return yield* ToolErrorMessages.unavailable("index_building")
        const clock = yield* Clock.Clock
        const end = clock.currentTimeMillisUnsafe() + Duration.toMillis(searchLimit)
        const check = () => {
          if (clock.currentTimeMillisUnsafe() > end) throw new Canceled()
        }
        return yield* resultOf<K>(runJob(published, job, { check }), published, hint)
      })
  }
})
