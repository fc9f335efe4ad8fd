/**
 * The threads that answer requests beside the main one (Config, `HTTP_THREADS`; D107). All listen on one port, and the kernel
 * distributes the connections. The main thread alone has the indexer and the jobs of the server; it sends what the indexer publishes
 * to the others, which share its arrays.
 *
 * A thread that dies, or does not answer for a while, is replaced. The connections that it had are lost, and no call of another.
 */
import { Cause, Clock, Deferred, Duration, Effect, Exit, Layer, Option, Schema, Scope } from "effect"
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
/** After a turn in which this thread was blocked itself, answers are handled before the other is judged. */
const secondLook = Duration.millis(250)
/** A scrape takes what a thread has told last if it does not answer within this time. */
const scrapeLimit = Duration.millis(500)
/** The drain of a server, and what its services write down afterwards. */
const stopLimit = Duration.seconds(40)
/** Between two threads: from the first, twice as long each time, and the first again after a thread that lived for a minute. */
const pauses = { first: 100, longest: 10_000, longLife: 60_000 }

/** The thread does not answer, or does not start. */
class ThreadStuck extends Schema.TaggedError<ThreadStuck>()("ThreadStuck", {}) {}
/** The system gives no thread, or something of this program is wrong. */
class ThreadFailed extends Schema.TaggedError<ThreadFailed>()("ThreadFailed", { cause: Schema.Defect() }) {}

interface Thread {
  /** Asks whether it is there. False if it does not answer in time. */
  readonly ask: (limit: Duration.Duration) => Effect.Effect<boolean>
  /** Of the running thread, at its last answer. */
  readonly metrics: () => Snapshots
}

/** One thread from its start to its end. */
interface Life {
  readonly send: (message: ToThread) => Effect.Effect<void>
  readonly asked: Map<number, Deferred.Deferred<void>>
  readonly listening: Deferred.Deferred<void>
  metrics: Snapshots
}

/** Keeps one thread running for the length of the scope. At its end the thread has some time for its calls. */
const keep = Effect.fnUntraced(function* (
  index: number,
  onEnd: (metrics: Snapshots) => void
): Effect.fn.Return<Thread, never, CatalogIndex | Threads.WorkerPlatform | Threads.Spawner | Scope.Scope> {
  const platform = yield* Threads.WorkerPlatform
  const spawner = yield* Threads.Spawner
  const catalogIndex = yield* CatalogIndex
  const scope = yield* Effect.scope
  const stopping = Deferred.makeUnsafe<void>()
  const isStopping = () => Deferred.isDoneUnsafe(stopping)
  const ended = Deferred.makeUnsafe<void>()
  let current: Life | undefined
  let lastId = 0

  const handle = (life: Life, message: FromThread): Effect.Effect<void> =>
    Effect.sync(() => {
      if (message._tag === "Listening") return void Deferred.doneUnsafe(life.listening, Exit.void)
      life.metrics = message.metrics
      const answer = life.asked.get(message.id)
      if (answer !== undefined) Deferred.doneUnsafe(answer, Exit.void)
    })

  const ask = (life: Life | undefined, limit: Duration.Duration): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      if (life === undefined || !Deferred.isDoneUnsafe(life.listening)) return Effect.succeed(false)
      const id = ++lastId
      const answer = Deferred.makeUnsafe<void>()
      life.asked.set(id, answer)
      return Effect.andThen(life.send({ _tag: "Ask", id }), Deferred.await(answer)).pipe(
        Effect.timeoutOption(limit),
        Effect.flatMap((answered) => (Option.isSome(answered) ? Effect.succeed(true) : lookAgain(answer))),
        Effect.ensuring(Effect.sync(() => void life.asked.delete(id)))
      )
    })

  const lookAgain = (answer: Deferred.Deferred<void>) =>
    Effect.map(Effect.sleep(secondLook), () => Deferred.isDoneUnsafe(answer))

  /** Fails when the thread is stuck. While it stops, {@link stopLimit} judges. */
  const watch = Effect.fnUntraced(function* (life: Life) {
    const started = yield* Effect.timeoutOption(Deferred.await(life.listening), startLimit)
    if (Option.isNone(started) && !isStopping()) return yield* new ThreadStuck()
    for (;;) {
      yield* Effect.sleep(heartbeat)
      if (!(yield* ask(life, answerLimit)) && !isStopping()) return yield* new ThreadStuck()
    }
  })

  /** Until the thread ends. Each has a spawn of its own, as messages to one that has died would reach the next one. */
  const live = Effect.gen(function* () {
    const worker = yield* platform.spawn<FromThread, ToThread>(index)
    const ownScope = yield* Effect.scope
    const encode = IndexThread.makeEncoder()
    const life: Life = {
      // A message that cannot be cloned is a defect.
      send: (message) => Effect.orDie(worker.send(message)),
      asked: new Map(),
      listening: Deferred.makeUnsafe(),
      metrics: []
    }
    current = life
    const introduce = Effect.andThen(
      catalogIndex.follow((event) => life.send({ _tag: "Index", event: encode(event) })),
      life.send({ _tag: "Listen" })
    ).pipe(Scope.provide(ownScope))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        current = undefined
        onEnd(life.metrics)
      })
    )
    return yield* Effect.raceFirst(
      worker.run((message) => handle(life, message), { onSpawn: introduce }),
      watch(life)
    )
  }).pipe(
    Effect.provideService(Threads.Spawner, spawner),
    Effect.scoped,
    Effect.catchDefect((cause) => Effect.fail(new ThreadFailed({ cause })))
  )

  const report = (error: WorkerError | ThreadStuck | ThreadFailed) =>
    Effect.suspend(() => {
      if (isStopping()) return Effect.void
      const isStuck = error._tag === "ThreadStuck"
      return Effect.andThen(
        Effect.logError(
          `A thread that answers requests ${isStuck ? "does not answer" : "has died"} and is replaced`,
          Cause.fail(error)
        ),
        Metrics.httpThreadsReplaced.add({ reason: isStuck ? "stuck" : "died" })
      )
    })

  yield* Effect.gen(function* () {
    let pause = pauses.first
    while (!isStopping()) {
      const beganAt = yield* Clock.currentTimeMillis
      yield* Effect.catch(live, report)
      if ((yield* Clock.currentTimeMillis) - beganAt > pauses.longLife) pause = pauses.first
      yield* Effect.raceFirst(Effect.sleep(pause), Deferred.await(stopping))
      pause = Math.min(pauses.longest, 2 * pause)
    }
  }).pipe(Effect.ensuring(Deferred.succeed(ended, undefined)), Effect.forkIn(scope))

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      Deferred.doneUnsafe(stopping, Exit.void)
      return Effect.andThen(current?.send({ _tag: "Stop" }) ?? Effect.void, Deferred.await(ended)).pipe(
        Effect.timeoutOrElse({
          duration: stopLimit,
          orElse: () => Effect.logError("A thread that answers requests does not stop and is ended")
        })
      )
    })
  )
  return { ask: (limit) => ask(current, limit), metrics: () => current?.metrics ?? [] }
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
