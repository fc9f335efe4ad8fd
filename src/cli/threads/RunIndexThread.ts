/** The entry point of the thread that maintains the search index. */
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Deferred, Effect, Layer, Schema } from "effect"
import type { Cause } from "effect"
import * as Threads from "effect/workers/Worker"
import * as Thread from "effect/workers/WorkerRunner"
import { Worker, workerData } from "node:worker_threads"
import { AppConfig } from "../../Config.ts"
import * as Database from "../../services/database/Database.ts"
import * as Observability from "../../services/Observability.ts"
import type { SegmentList, SegmentView } from "../../services/search/index/Segment.ts"
import { CatalogReader } from "../../services/search/runtime/CatalogReader.ts"
import { lowerPriority, makeEncoder, Settings } from "../../services/search/runtime/IndexThread.ts"
import type { FromThread } from "../../services/search/runtime/IndexThread.ts"
import * as LocalIndex from "../../services/search/runtime/LocalIndex.ts"
import { collectGarbage, releaseMemory } from "../../services/Memory.ts"
import { Snapshots } from "../../services/search/runtime/Snapshots.ts"

const mergeThread = NodeWorker.layer(() => new Worker(new URL("./MergeThread.ts", import.meta.url)))

/** A failure is a defect: the indexer logs it and merges later. */
const mergeLarge = (list: SegmentList): Effect.Effect<SegmentView> =>
  Effect.gen(function* () {
    const platform = yield* Threads.WorkerPlatform
    const worker = yield* platform.spawn<SegmentView, SegmentList>(0)
    const merged = yield* Deferred.make<SegmentView, Cause.Cause<unknown>>()
    yield* worker
      .run((view) => Deferred.succeed(merged, view))
      .pipe(
        Effect.tapCause((cause) => Deferred.fail(merged, cause)),
        Effect.forkScoped
      )
    yield* worker.send(list)
    return yield* Deferred.await(merged)
  }).pipe(Effect.scoped, Effect.orDie, Effect.ensuring(Effect.sync(collectGarbage)), Effect.provide(mergeThread))

/** One reads, one listens, one is spare. */
const maxConnections = 3

const program = Effect.gen(function* () {
  yield* lowerPriority
  const { folder, source } = yield* Schema.decodeUnknownEffect(Settings)(workerData)
  const platform = yield* Thread.WorkerRunnerPlatform
  const runner = yield* platform.start<FromThread, never>()
  const encode = makeEncoder()
  let isFirst = true
  const emit: LocalIndex.LocalOptions["emit"] = (event) =>
    Effect.suspend(() => {
      if (event._tag !== "Published" || !isFirst) return runner.send(0, encode(event))
      isFirst = false
      return Effect.andThen(runner.send(0, encode(event)), Effect.sync(releaseMemory))
    })
  const database = Database.layer({ source: Database.fromThread(source), maxConnections })
  const keep = Effect.andThen(
    LocalIndex.follow({ emit, mergeLarge }),
    runner.run<void, never, never>(() => undefined)
  )
  yield* Effect.scoped(keep).pipe(
    Effect.provide(Layer.mergeAll(CatalogReader.layer, Snapshots.layer(folder)).pipe(Layer.provideMerge(database)))
  )
})

await Effect.runPromise(
  Effect.provide(program, Layer.merge(NodeWorkerRunner.layer, Observability.layer.pipe(Layer.provide(AppConfig.layer))))
)
