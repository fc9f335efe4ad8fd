/**
 * A thread that answers requests, without them: it listens, and answers what it is asked. The test tells it to end with an error, or to
 * freeze, at its next message.
 */
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Deferred, Effect, Metric } from "effect"
import * as Thread from "effect/workers/WorkerRunner"
import { workerData } from "node:worker_threads"
import type { FromThread, ToThread } from "../../src/http/HttpThread.ts"

/** `[threads started, questions, events of the index, what to do next: 1 to end, 2 to freeze, told to stop, may end, threads that have ended]` */
const words = workerData as Int32Array
Atomics.add(words, 0, 1)

const calls = Metric.counter("test_calls", { incremental: true })
const waiting = Metric.gauge("test_waiting")

const program = Effect.gen(function* () {
  const platform = yield* Thread.WorkerRunnerPlatform
  const runner = yield* platform.start<FromThread, ToThread>()
  const stopped = yield* Deferred.make<void>()
  yield* Metric.update(calls, 5)
  yield* Metric.update(waiting, 3)
  const handle = (message: ToThread): Effect.Effect<unknown> => {
    const order = message._tag === "Ask" ? Atomics.exchange(words, 3, 0) : 0
    if (order === 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    switch (message._tag) {
      case "Index":
        return Effect.sync(() => Atomics.add(words, 2, 1))
      case "Listen":
        return runner.send(0, { _tag: "Listening" })
      case "Stop":
        return Effect.andThen(
          Effect.sync(() => Atomics.add(words, 4, 1)),
          Deferred.succeed(stopped, undefined)
        )
      case "Ask":
        return Effect.gen(function* () {
          Atomics.add(words, 1, 1)
          yield* runner.send(0, { _tag: "Answer", id: message.id, metrics: yield* Metric.snapshot })
          // The answer must be on its way.
          if (order === 1) yield* Effect.sync(() => setTimeout(() => process.exit(1)))
        })
    }
  }
  /** Its calls go on until the test lets them end. */
  const drained = Effect.callback<void>((resume) => {
    const timer = setInterval(() => {
      if (Atomics.load(words, 5) === 0) return
      clearInterval(timer)
      resume(Effect.void)
    }, 5)
    return Effect.sync(() => clearInterval(timer))
  })
  yield* Effect.raceFirst(
    runner.run((_, message) => handle(message)),
    Effect.andThen(Deferred.await(stopped), drained)
  )
  Atomics.add(words, 6, 1)
})

await Effect.runPromise(Effect.provide(program, NodeWorkerRunner.layer))
