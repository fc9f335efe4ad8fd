/** The entry point of a thread that merges segments and ends, so that its memory is freed at once. */
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Effect } from "effect"
import * as Thread from "effect/workers/WorkerRunner"
import { merge } from "../../services/search/index/Merge.ts"
import type { SegmentList, SegmentView } from "../../services/search/index/Segment.ts"

const program = Effect.gen(function* () {
  const platform = yield* Thread.WorkerRunnerPlatform
  const runner = yield* platform.start<SegmentView, SegmentList>()
  yield* runner.run((port, list) => runner.send(port, merge(list)))
})

await Effect.runPromise(Effect.provide(program, NodeWorkerRunner.layer))
