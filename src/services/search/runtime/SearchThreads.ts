/**
 * Searches on worker threads. Each thread runs one search at a time; the others wait in a fair queue.
 *
 * A thread that dies is replaced, and its search is repeated once. A search that takes too long, or whose caller has left,
 * is canceled through a word in shared memory. A thread that does not answer to that, or to a question whether it is there while
 * it has no search, or that does not start, is stuck and replaced. A canceled search that it had fails.
 */
import { Clock, Deferred, Duration, Effect, Exit, Fiber, Schedule } from "effect"
import type { Scope } from "effect"
import * as Threads from "effect/workers/Worker"
import type { WorkerError } from "effect/workers/WorkerError"
import type { AccountId } from "../../../domain/access/Account.ts"
import type { RateLimited, ServiceUnavailable } from "../../../domain/ToolError.ts"
import { CurrentAccount } from "../../limits/CurrentAccount.ts"
import * as FairQueue from "../../limits/FairQueue.ts"
import type { SearchFailure } from "../../limits/SearchPermits.ts"
import * as Metrics from "../../metrics/Metrics.ts"
import type { Published } from "./IndexState.ts"
import { resultOf, searchLimit, startLimit } from "./Searcher.ts"
import type { JobResult, Searcher } from "./Searcher.ts"
import type { FromThread, Job, Kind, Outcome, ToThread } from "./SearchThread.ts"
import { makeSender } from "./SegmentTransfer.ts"
import * as ToolErrorMessages from "../../../domain/ToolErrorMessages.ts"

const waitLimit = Duration.seconds(5)
/** Threads without a search are asked so often whether they are there. */
const heartbeat = Duration.seconds(5)
/** A thread answers within this time to a question or a cancellation, or is replaced. */
const answerLimit = Duration.seconds(3)
/** After a turn in which this thread was blocked itself, answers are handled before it is judged. */
const secondLook = Duration.millis(250)
/** From then on the thread counts for nothing when it is asked whether searches are answered. */
const silentMillis = 1_000
/** Limit of waiting searches. At some milliseconds each, later ones would time out. */
const defaultPlaces = 400
const respawn = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("5 seconds")])
/** Attempts for one search if threads die. */
const maxAttempts = 2

const refuseAccount = Effect.andThen(
  Metrics.refused.add({ limit: "searches_of_account" }),
  Effect.suspend(() => Effect.fail(ToolErrorMessages.tooManySearches()))
)
const refuseAll = Effect.andThen(
  Metrics.refused.add({ limit: "searches" }),
  Effect.suspend(() => Effect.fail(ToolErrorMessages.unavailable("busy")))
)

interface Task {
  readonly account: AccountId | undefined
  readonly job: Job
  readonly started: Deferred.Deferred<void>
  readonly done: Deferred.Deferred<{ readonly outcome: Outcome; readonly published: Published }, ServiceUnavailable>
  attempts: number
  isCanceled: boolean
}

interface Running {
  readonly id: number
  readonly task: Task
  readonly published: Published
}

/** The thread is to answer to this number: the one of a canceled search, or 0. */
interface Check {
  readonly id: number
  readonly atMillis: number
}

interface Thread {
  readonly index: number
  readonly send: (message: ToThread) => Effect.Effect<void>
  readonly word: Int32Array
  sender: ReturnType<typeof makeSender>
  /** The thread was spawned and has not died. */
  isUp: boolean
  /** What the thread has not answered yet. */
  asked: Check | undefined
  fiber: Fiber.Fiber<never, WorkerError> | undefined
  shown: Published | undefined
  running: Running | undefined
}

export interface SearchThreadsOptions {
  readonly threads: number
  /** Limit of waiting searches. */
  readonly places?: number
}

export interface ThreadSearcher extends Omit<Searcher, "run"> {
  /** As of a {@link Searcher}, and parts of searches. */
  run<K extends Kind>(job: Job<K>, hint?: () => string | undefined): Effect.Effect<JobResult<K>, SearchFailure>
  /** The number of threads that wait for a search. */
  readonly idle: () => number
}

/** {@link Threads.Spawner} spawns the platform's threads. */
export const onThreads = Effect.fnUntraced(function* (
  options: SearchThreadsOptions
): Effect.fn.Return<ThreadSearcher, never, Threads.WorkerPlatform | Threads.Spawner | Scope.Scope> {
  const platform = yield* Threads.WorkerPlatform
  const spawner = yield* Threads.Spawner
  const scope = yield* Effect.scope
  const queue = FairQueue.make<AccountId | undefined, Task>(options.places ?? defaultPlaces)
  yield* Metrics.queueLength.follow({ queue: "searches" }, () => queue.size)
  const threads: Array<Thread> = []
  /** Number of running searches of an account. */
  const runningOf = (account: AccountId | undefined) =>
    threads.filter(({ running }) => running?.task.account === account).length
  let current: Published | undefined
  let lastId = 0

  /** Assigns waiting searches to idle threads. A thread that is marked as running is always sent its search. */
  const dispatch: Effect.Effect<void> = Effect.suspend(() => {
    const published = current
    if (published === undefined) return Effect.void
    const steps: Array<Effect.Effect<void>> = []
    for (const thread of threads) {
      if (!thread.isUp || thread.running !== undefined) continue
      const task = queue.take()
      if (task === undefined) break
      lastId = (lastId % 2_000_000_000) + 1
      thread.running = { id: lastId, task, published }
      task.attempts++
      Deferred.doneUnsafe(task.started, Exit.void)
      steps.push(showTo(thread, published), thread.send({ _tag: "Run", id: lastId, job: task.job, word: thread.word }))
    }
    return Effect.all(steps, { discard: true })
  }).pipe(Effect.uninterruptible)

  const showTo = (thread: Thread, published: Published): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!thread.isUp || thread.shown === published) return Effect.void
      thread.shown = published
      return thread.send({ _tag: "List", message: thread.sender(published.list), leaders: published.leaders })
    })

  const finish = (thread: Thread, { id, outcome }: FromThread) =>
    Effect.suspend(() => {
      if (thread.asked?.id === id) thread.asked = undefined
      const running = thread.running
      if (running?.id !== id) return Effect.void
      thread.running = undefined
      Deferred.doneUnsafe(running.task.done, Exit.succeed({ outcome, published: running.published }))
      return dispatch
    })

  /** Its search is repeated by another thread, before all waiting ones. */
  const died = (thread: Thread) =>
    Effect.suspend(() => {
      if (threads[thread.index] !== thread) return Effect.void
      const running = thread.running
      thread.isUp = false
      thread.running = undefined
      thread.shown = undefined
      if (running !== undefined) repeat(running.task)
      return Effect.all(
        [Metrics.searchThreadsReplaced.add({ reason: "died" }), awaitAnswer(thread, 0, startLimit), dispatch],
        { discard: true }
      )
    })

  /** Nobody waits for a canceled search, which may be why a thread is stuck. */
  const repeat = (task: Task): void => {
    if (task.attempts < maxAttempts && !task.isCanceled) queue.addFirst(task)
    else fail(task)
  }

  const fail = (task: Task) =>
    void Deferred.doneUnsafe(task.done, Exit.fail(ToolErrorMessages.unavailable("search_failed")))

  /** Another thread takes the place of a stuck one, which is ended without waiting for it. */
  const replace = (thread: Thread) =>
    Effect.gen(function* () {
      const { fiber, running } = thread
      thread.isUp = false
      thread.running = undefined
      if (running !== undefined) repeat(running.task)
      yield* start(thread.index)
      yield* dispatch
      if (fiber !== undefined) yield* Effect.forkIn(Fiber.interrupt(fiber), scope)
      yield* Effect.logError("A search thread does not answer and is replaced")
      yield* Metrics.searchThreadsReplaced.add({ reason: "stuck" })
    })

  /** Replaces the thread unless it answers to this number in time. Only the last number that it was asked for counts. */
  const awaitAnswer = (thread: Thread, id: number, limit: Duration.Duration): Effect.Effect<void> =>
    Effect.clockWith((clock) => {
      // It may have answered in between.
      if (id !== 0 && thread.running?.id !== id) return Effect.void
      const check: Check = { id, atMillis: clock.currentTimeMillisUnsafe() }
      thread.asked = check
      const isStuck = () => threads[thread.index] === thread && thread.asked === check
      const watch = Effect.gen(function* () {
        yield* Effect.sleep(limit)
        if (!isStuck()) return
        yield* Effect.sleep(secondLook)
        yield* Effect.uninterruptible(Effect.suspend(() => (isStuck() ? replace(thread) : Effect.void)))
      })
      return Effect.asVoid(Effect.forkIn(watch, scope))
    })

  /** Asks idle threads whether they are there. They answer to 0, which is the number of no search. */
  const beat = Effect.suspend(() =>
    Effect.forEach(
      threads,
      (thread) =>
        Effect.suspend(() => {
          if (!thread.isUp || thread.running !== undefined || thread.asked !== undefined) return Effect.void
          return Effect.andThen(awaitAnswer(thread, 0, answerLimit), thread.send({ _tag: "Ping" }))
        }),
      { discard: true }
    )
  )

  const came = (thread: Thread) =>
    Effect.suspend(() => {
      thread.isUp = true
      thread.asked = undefined
      thread.sender = makeSender()
      return current === undefined ? Effect.void : Effect.andThen(showTo(thread, current), dispatch)
    })

  const start: (index: number) => Effect.Effect<void> = Effect.fnUntraced(function* (index) {
    const worker = yield* platform
      .spawn<FromThread, ToThread>(index)
      .pipe(Effect.provideService(Threads.Spawner, spawner), Effect.orDie)
    const thread: Thread = {
      index,
      // A message that cannot be cloned is a defect. A message to a dying thread is sent to its replacement.
      send: (message) => Effect.orDie(worker.send(message)),
      word: new Int32Array(new SharedArrayBuffer(4)),
      sender: makeSender(),
      isUp: false,
      asked: undefined,
      fiber: undefined,
      shown: undefined,
      running: undefined
    }
    threads[index] = thread
    thread.fiber = yield* worker
      .run((message) => finish(thread, message), { onSpawn: came(thread) })
      .pipe(
        Effect.tapCause((cause) => Effect.andThen(Effect.logError("A search thread has died", cause), died(thread))),
        Effect.retry(respawn),
        Effect.forkIn(scope)
      )
    yield* awaitAnswer(thread, 0, startLimit)
  })
  for (let index = 0; index < options.threads; index++) yield* start(index)
  yield* Effect.forkIn(Effect.forever(Effect.andThen(Effect.sleep(heartbeat), beat)), scope)

  // Asks the thread to end, which it does between two searches.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { running, word } of threads) if (running !== undefined) Atomics.store(word, 0, running.id)
    })
  )

  const cancel = (task: Task) =>
    Effect.suspend(() => {
      if (task.isCanceled) return Effect.void
      if (queue.remove(task.account, task)) return Effect.sync(() => fail(task))
      const thread = threads.find(({ running }) => running?.task === task)
      if (thread?.running === undefined) return Effect.void
      task.isCanceled = true
      Atomics.store(thread.word, 0, thread.running.id)
      return awaitAnswer(thread, thread.running.id, answerLimit)
    }).pipe(Effect.uninterruptible)

  const isAnswering = Effect.map(Clock.currentTimeMillis, (now) =>
    threads.some(({ asked, isUp }) => isUp && (asked === undefined || now - asked.atMillis < silentMillis))
  )

  /** The error for a search that waited too long: if other searches of its account are ahead, these are the reason. */
  const late = (task: Task) =>
    Effect.suspend((): Effect.Effect<never, RateLimited | ServiceUnavailable> => {
      const areAllSilent = threads.every(({ asked, isUp }) => !isUp || asked !== undefined)
      if (areAllSilent) return Effect.fail(ToolErrorMessages.unavailable("search_failed"))
      const isOwn = task.account !== undefined && runningOf(task.account) === options.threads
      return isOwn ? refuseAccount : refuseAll
    })

  return {
    isAnswering,
    idle: () => Math.max(0, threads.filter(({ isUp, running }) => isUp && running === undefined).length - queue.size),
    show: (published) =>
      Effect.suspend(() => {
        current = published
        if (published === undefined) return Effect.void
        return Effect.andThen(
          Effect.forEach(threads, (thread) => showTo(thread, published), { discard: true }),
          dispatch
        )
      }),
    run: Effect.fnUntraced(function* <K extends Kind>(job: Job<K>, hint?: () => string | undefined) {
      if (current === undefined) return yield* ToolErrorMessages.unavailable("index_building")
      const account = yield* CurrentAccount
      const task: Task = {
        account,
        job,
        started: Deferred.makeUnsafe(),
        done: Deferred.makeUnsafe(),
        attempts: 0,
        isCanceled: false
      }
      const place = queue.add(account, task)
      if (place === "share_full") return yield* refuseAccount
      if (place === "full") return yield* refuseAll
      return yield* dispatch.pipe(
        Effect.andThen(Deferred.await(task.started)),
        Effect.timeoutOrElse({ duration: waitLimit, orElse: () => late(task) }),
        Effect.andThen(
          Effect.timeoutOrElse(Deferred.await(task.done), {
            duration: searchLimit,
            // A thread that answers was slow; one that does not is replaced, and says nothing of the search.
            orElse: () => Effect.andThen(cancel(task), Deferred.await(task.done))
          })
        ),
        Effect.flatMap(({ outcome, published }) => resultOf<K>(outcome, published, hint)),
        Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : cancel(task)))
      )
    })
  }
})
