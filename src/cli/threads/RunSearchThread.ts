/** The entry point of a search thread. */
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Effect } from "effect"
import * as Thread from "effect/workers/WorkerRunner"
import { makeHandler } from "../../services/search/runtime/SearchThread.ts"
import type { FromThread, ToThread } from "../../services/search/runtime/SearchThread.ts"

const program = Effect.gen(function* () {
  const platform = yield* Thread.WorkerRunnerPlatform
  const runner = yield* platform.start<FromThread, ToThread>()
  const handle = makeHandler()
  yield* runner.run((port, message) => {
    const answer = handle(message)
    return answer === undefined ? undefined : runner.send(port, answer)
  })
})

await Effect.runPromise(Effect.provide(program, NodeWorkerRunner.layer))
