/**
 * A search thread that the words of a search control: `forever` searches until it is canceled, `crash` ends the thread,
 * `crash once` ends it the first time. Others find as many items as threads were started.
 */
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Effect } from "effect"
import * as Thread from "effect/workers/WorkerRunner"
import { workerData } from "node:worker_threads"
import type { FromThread, Outcome, ToThread } from "../../src/services/search/runtime/SearchThread.ts"

/** `[threads started, searches begun, crashes]`, shared with the test. */
const counts = workerData as Int32Array
Atomics.add(counts, 0, 1)

const run = ({ id, job, word }: Extract<ToThread, { readonly _tag: "Run" }>): Outcome => {
  Atomics.add(counts, 1, 1)
  const words = job.kind === "search" ? job.query.words.join(" ") : ""
  if (words === "crash" || (words === "crash once" && Atomics.add(counts, 2, 1) === 0)) process.exit(1)
  if (words === "forever") {
    while (Atomics.load(word, 0) !== id);
    return { _tag: "Canceled" }
  }
  return { _tag: "Done", answer: { total: Atomics.load(counts, 0), stores: 0, page: [] } }
}

const program = Effect.gen(function* () {
  const platform = yield* Thread.WorkerRunnerPlatform
  const runner = yield* platform.start<FromThread, ToThread>()
  yield* runner.run((port, message) =>
    message._tag === "List" ? undefined : runner.send(port, { id: message.id, outcome: run(message) })
  )
})

await Effect.runPromise(Effect.provide(program, NodeWorkerRunner.layer))
