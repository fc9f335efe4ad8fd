/** What runs searches in the published list; on the caller's thread all of them, or those that are short. */
import { Clock, Duration, Effect, Semaphore } from "effect"
import type { SearchTimeout } from "../../../domain/ToolError.ts"
import * as ToolErrorMessages from "../../../domain/ToolErrorMessages.ts"
import type { SearchFailure } from "../../limits/SearchPermits.ts"
import * as Cost from "../index/Cost.ts"
import { Canceled } from "../index/Run.ts"
import type { Published } from "./IndexState.ts"
import { runJob } from "./SearchThread.ts"
import type { Answers, Asked, Job, Kind, Outcome } from "./SearchThread.ts"

/** The answer, and the list that it is of. */
export interface JobResult<K extends Kind> {
  readonly answer: Answers[K]
  readonly published: Published
}

export interface Searcher {
  /** Sets the list for searches that begin from now on. */
  show(published: Published | undefined): Effect.Effect<void>
  /** Runs a job on the newest list at its start. A list must have been shown before. */
  run<K extends Asked>(job: Job<K>, hint?: () => string | undefined): Effect.Effect<JobResult<K>, SearchFailure>
  /** Whether there is a thread that answers. */
  readonly isAnswering: Effect.Effect<boolean>
}

/** A search that takes longer is canceled. */
export const searchLimit = Duration.seconds(5)
/** A thread is up within this time after it was spawned or has died, or is replaced; so long the first ones may take (D56). */
export const startLimit = Duration.seconds(30)

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

/** Runs a job on the caller's thread. It is canceled after `limit`. */
const runHere = (published: Published, job: Job, limit: Duration.Duration): Effect.Effect<Outcome> =>
  Effect.clockWith((clock) => {
    const end = clock.monotonicTimeNanosUnsafe() + BigInt(Duration.toMillis(limit)) * 1_000_000n
    const check = () => {
      if (clock.monotonicTimeNanosUnsafe() > end) throw new Canceled()
    }
    return Effect.succeed(runJob(published, job, { check }))
  })

const noList = Effect.suspend(() => Effect.fail(ToolErrorMessages.unavailable("index_building")))

/** Runs searches on the caller's thread, for tests and small machines. */
export const onThisThread: Effect.Effect<Searcher> = Effect.sync(() => {
  let current: Published | undefined
  return {
    isAnswering: Effect.succeed(true),
    show: (published) => Effect.sync(() => void (current = published)),
    run: <K extends Asked>(job: Job<K>, hint?: () => string | undefined) =>
      Effect.gen(function* () {
        const published = current
        if (published === undefined) return yield* noList
        return yield* resultOf<K>(yield* runHere(published, job, searchLimit), published, hint)
      })
  }
})

/**
 * The way to another thread and back takes some 0.3 ms of CPU, and searches that come back one by one share no statements for their
 * records and charges (bench/results/search-index.md).
 */
const shortNanos = 1_000_000
/** The expected cost may be wrong, and a search that blocks the thread for longer goes on elsewhere. */
const blockingLimit = Duration.millis(3)

const expectedNanos = ({ list }: Published, job: Job<Asked>): number => {
  switch (job.kind) {
    case "search":
      return Cost.ofSearch(list, job.query)
    case "facets":
      return Cost.ofFacets(list, job.query)
    case "overview":
      return Cost.ofOverview(list, job.query)
    case "adGroups":
      return Cost.ofAdGroups(list, job.query)
    case "storeIds":
      return Cost.ofStoreIds(list, job.query)
  }
}

/**
 * Runs short searches on the caller's thread, and the others with a searcher that the first of them starts: a small catalog
 * needs no other threads (D57).
 */
export const shortOnThisThread = <R>(others: Effect.Effect<Searcher, never, R>): Effect.Effect<Searcher, never, R> =>
  Effect.map(Effect.context<R>(), (context): Searcher => {
    let current: Published | undefined
    let started: Searcher | undefined
    let startedAtMillis = 0
    /** Whether it has answered once: until then it is being started, which does not make the server unready. */
    let hasAnswered = false
    const starting = Semaphore.makeUnsafe(1)
    const start = Effect.gen(function* () {
      if (started !== undefined) return started
      // Its threads outlive the search that starts them, and must not keep the context of that search.
      const searcher = yield* Effect.updateContext<Searcher, never, R, never>(others, () => context)
      startedAtMillis = yield* Clock.currentTimeMillis
      started = searcher
      // Another list may be shown meanwhile, and must be the last one.
      let shown: Published | undefined
      do {
        shown = current
        yield* searcher.show(shown)
      } while (shown !== current)
      return searcher
    }).pipe(Effect.uninterruptible, starting.withPermits(1))

    return {
      isAnswering: Effect.gen(function* () {
        if (started === undefined) return true
        const isAnswering = yield* started.isAnswering
        hasAnswered ||= isAnswering
        const isStarting =
          !hasAnswered && (yield* Clock.currentTimeMillis) - startedAtMillis < Duration.toMillis(startLimit)
        return isAnswering || isStarting
      }),
      show: (published) =>
        Effect.suspend(() => {
          current = published
          return started?.show(published) ?? Effect.void
        }),
      run: <K extends Asked>(job: Job<K>, hint?: () => string | undefined) =>
        Effect.gen(function* () {
          const published = current
          if (published === undefined) return yield* noList
          if (expectedNanos(published, job) < shortNanos) {
            const outcome = yield* runHere(published, job, blockingLimit)
            if (outcome._tag !== "Canceled") return yield* resultOf<K>(outcome, published, hint)
          }
          return yield* (yield* start).run(job, hint)
        })
    }
  })
