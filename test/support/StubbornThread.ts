/**
 * A search thread that the words of a search control: `forever` searches until it is canceled, `crash` ends the thread,
 * `crash once` ends it the first time, `freeze` and `spin` keep it from everything, and `freeze after` does once it has answered.
 * Others, and `crash once` the second time, find all stores.
 */
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Effect } from "effect"
import * as Thread from "effect/workers/WorkerRunner"
import { workerData } from "node:worker_threads"
import { makeHandler } from "../../src/services/search/runtime/SearchThread.ts"
import type { FromThread, Outcome, ToThread } from "../../src/services/search/runtime/SearchThread.ts"

/** `[threads started, searches begun, crashes, threads that are to freeze before they are up]`, shared with the test. */
const counts = workerData as Int32Array
Atomics.add(counts, 0, 1)

const freeze = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
if (Atomics.sub(counts, 3, 1) > 0) freeze()

const handle = makeHandler()
let isLastAnswer = false

const run = (message: Extract<ToThread, { readonly _tag: "Run" }>): Outcome => {
  const { id, job, word } = message
  Atomics.add(counts, 1, 1)
  const words = job.kind === "search" ? job.query.words.join(" ") : ""
  if (words === "crash" || (words === "crash once" && Atomics.add(counts, 2, 1) === 0)) process.exit(1)
  if (words === "freeze") freeze()
  // Without an end: only the end of the thread ends it.
  if (words === "spin") for (;;) Atomics.load(word, 0)
  if (words === "freeze after") isLastAnswer = true
  if (words === "forever") {
    while (Atomics.load(word, 0) !== id);
    return { _tag: "Canceled" }
  }
  const query = job.kind === "search" ? { ...job.query, words: [] } : undefined
  const answer = handle(query === undefined ? message : { ...message, job: { kind: "search", query } })
  return answer?.outcome ?? { _tag: "Failed", error: new Error("a search has an outcome") }
}

const answerTo = (message: Exclude<ToThread, { readonly _tag: "List" }>): FromThread =>
  message._tag === "Ping" ? { id: 0, outcome: { _tag: "Canceled" } } : { id: message.id, outcome: run(message) }

const program = Effect.gen(function* () {
  const platform = yield* Thread.WorkerRunnerPlatform
  const runner = yield* platform.start<FromThread, ToThread>()
  yield* runner.run((port, message) =>
    message._tag === "List"
      ? void handle(message)
      : Effect.andThen(
          runner.send(port, answerTo(message)),
          // At once: a message that came meanwhile must not be answered.
          Effect.sync(() => (isLastAnswer ? freeze() : undefined))
        )
  )
})

await Effect.runPromise(Effect.provide(program, NodeWorkerRunner.layer))
