/**
 * The threads that answer requests beside the main one (Config, `HTTP_THREADS`; D107). All listen on one port, and the kernel
 * distributes the connections. The main thread alone has the indexer and the jobs of the server; it sends what the indexer publishes
 * to the others, which share its arrays.
 *
 * A thread that dies, or does not answer for a while, is replaced; the connections that it had are lost, and no call of another.
 */
import { Deferred, Duration, Effect, Exit, Layer, Option, Schedule, Schema, Scope } from "effect"
import * as Threads from "effect/workers/Worker"
import type { WorkerError } from "effect/workers/WorkerError"
import * as Metrics from "../services/metrics/Metrics.ts"
import * as ThreadMetrics from "../services/metrics/ThreadMetrics.ts"
import type { Snapshots } from "../services/metrics/ThreadMetrics.ts"
import { CatalogIndex } from "../services/search/runtime/CatalogIndex.ts"
import * as IndexThread from "../services/search/runtime/IndexThread.ts"
import { heartbeat } from "./HttpThread.ts"
import type { FromThread, ToThread } from "./HttpThread.ts"

/** Modules are loaded and the services are made within this time. */
const startLimit = Duration.seconds(60)
/** Longer than any garbage collection or search may block a thread. */
const answerLimit = Duration.seconds(10)
/** A scrape takes what a thread has told last if it does not answer within this time. */
const scrapeLimit = Duration.millis(500)
/** Longer than the drain of a server. */
const stopLimit = Duration.seconds(25)
const respawn = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("10 seconds")])

/** The thread does not answer, or does not start. */
class ThreadStuck extends Schema.TaggedError<ThreadStuck>()("ThreadStuck", {}) {}

interface Thread {
  /** Asks whether it is there. False if it does not answer in time. */
  readonly ask: (limit: Duration.Duration) => Effect.Effect<boolean>
  /** Of the running thread, at its last answer. */
  readonly metrics: () => Snapshots
}

/** Keeps one thread running for the length of the scope. At its end the thread has some time for its calls. */
const keep = Effect.fnUntraced(function* (
  index: number,
  onEnd: (metrics: Snapshots) => void
): Effect.fn.Return<Thread, never, CatalogIndex | Threads.WorkerPlatform | Threads.Spawner | Scope.Scope> {
  const platform = yield* Threads.WorkerPlatform
  const catalogIndex = yield* CatalogIndex
  const scope = yield* Effect.scope
  const worker = yield* Effect.orDie(platform.spawn<FromThread, ToThread>(index))
  // A message that cannot be cloned is a defect.
  const send = (message: ToThread) => Effect.orDie(worker.send(message))
  const ended = Deferred.makeUnsafe<void>()
  let isStopping = false
  let isListening = false
  let metrics: Snapshots = []
  let lastId = 0
  let listening = Deferred.makeUnsafe<void>()
  const asked = new Map<number, Deferred.Deferred<void>>()

  const handle = (message: FromThread): Effect.Effect<void> =>
    Effect.sync(() => {
      if (message._tag === "Listening") {
        isListening = true
        return void Deferred.doneUnsafe(listening, Exit.void)
      }
      metrics = message.metrics
      const answer = asked.get(message.id)
      asked.delete(message.id)
      if (answer !== undefined) Deferred.doneUnsafe(answer, Exit.void)
    })

  const ask = (limit: Duration.Duration): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      if (!isListening) return Effect.succeed(false)
      const id = ++lastId
      const answer = Deferred.makeUnsafe<void>()
      asked.set(id, answer)
      return Effect.andThen(send({ _tag: "Ask", id }), Deferred.await(answer)).pipe(
        Effect.timeoutOption(limit),
        Effect.map(Option.isSome),
        Effect.ensuring(Effect.sync(() => void asked.delete(id)))
      )
    })

  /** Fails when the thread is stuck. */
  const watch = Effect.gen(function* () {
    const started = yield* Effect.timeoutOption(Deferred.await(listening), startLimit)
    if (Option.isNone(started)) return yield* new ThreadStuck()
    for (;;) {
      yield* Effect.sleep(heartbeat)
      if (!(yield* ask(answerLimit))) return yield* new ThreadStuck()
    }
  })

  /** Until the thread dies. Nothing is sent to a thread that is not there: it would reach the next one. */
  const live = Effect.gen(function* () {
    if (isStopping) return yield* Effect.void
    const ownScope = yield* Effect.scope
    const encode = IndexThread.makeEncoder()
    listening = Deferred.makeUnsafe()
    const introduce = Effect.andThen(
      catalogIndex.follow((event) => send({ _tag: "Index", event: encode(event) })),
      send({ _tag: "Listen" })
    ).pipe(Scope.provide(ownScope))
    return yield* Effect.raceFirst(worker.run(handle, { onSpawn: introduce }), watch)
  }).pipe(
    Effect.scoped,
    Effect.ensuring(
      Effect.sync(() => {
        isListening = false
        onEnd(metrics)
        metrics = []
      })
    )
  )

  const report = (error: WorkerError | ThreadStuck) =>
    Effect.suspend(() => {
      if (isStopping) return Effect.void
      const isStuck = error._tag === "ThreadStuck"
      return Effect.andThen(
        Effect.logError(
          `A thread that answers requests ${isStuck ? "does not answer" : "has died"} and is replaced`,
          error
        ),
        Metrics.httpThreadsReplaced.add({ reason: isStuck ? "stuck" : "died" })
      )
    })

  yield* live.pipe(
    Effect.tapError(report),
    Effect.retry({ schedule: respawn, while: () => !isStopping }),
    Effect.ignore,
    Effect.ensuring(Deferred.succeed(ended, undefined)),
    Effect.forkIn(scope)
  )
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isStopping = true
      return Effect.andThen(send({ _tag: "Stop" }), Deferred.await(ended)).pipe(Effect.timeoutOption(stopLimit))
    })
  )
  return { ask, metrics: () => metrics }
})

/** Starts so many threads, and provides their metrics. They end all at once. */
export const layer = (
  threads: number
): Layer.Layer<never, never, CatalogIndex | Threads.WorkerPlatform | Threads.Spawner> =>
  Layer.effect(
    ThreadMetrics.OtherThreads,
    Effect.gen(function* () {
      let ended: Snapshots = []
      const onEnd = (metrics: Snapshots) => {
        ended = ThreadMetrics.merge([ended, ThreadMetrics.afterEnd(metrics)])
      }
      const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
      const all = yield* Effect.forEach(Array.from({ length: threads }), (_, index) =>
        Effect.flatMap(Scope.fork(scope), (own) => Scope.provide(keep(index + 1, onEnd), own))
      )
      return {
        snapshots: Effect.forEach(all, ({ ask }) => ask(scrapeLimit), { concurrency: "unbounded", discard: true }).pipe(
          Effect.andThen(Effect.sync(() => [...all.map(({ metrics }) => metrics()), ended]))
        )
      }
    })
  )
