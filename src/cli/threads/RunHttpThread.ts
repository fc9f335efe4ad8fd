/** The entry point of a thread that answers requests beside the main one (HttpThreads). */
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Effect, Layer, Schema } from "effect"
import * as Thread from "effect/workers/WorkerRunner"
import { workerData } from "node:worker_threads"
import { AppConfig } from "../../Config.ts"
import * as HttpThread from "../../http/HttpThread.ts"
import * as Router from "../../http/Router.ts"
import * as Server from "../../http/Server.ts"
import * as Database from "../../services/database/Database.ts"
import { releaseMemory } from "../../services/Memory.ts"
import * as Observability from "../../services/Observability.ts"
import * as Live from "../Live.ts"

const program = Effect.gen(function* () {
  const { source } = yield* Schema.decodeUnknownEffect(HttpThread.Settings)(workerData)
  const platform = yield* Thread.WorkerRunnerPlatform
  const runner = yield* platform.start<HttpThread.FromThread, HttpThread.ToThread>()
  const inbox = yield* HttpThread.makeInbox((message) => runner.send(0, message))
  const services = Layer.merge(Live.serviceOfThread(inbox.follow), Live.measuredOfThread).pipe(
    Layer.provideMerge(Live.databaseOfThread(Database.fromThread(source)))
  )
  const serve = Effect.gen(function* () {
    const context = yield* Layer.build(services)
    yield* Effect.sync(releaseMemory)
    yield* inbox.mayListen
    yield* Layer.build(Router.layer.pipe(Layer.provide(Server.layer))).pipe(Effect.provide(context))
    yield* runner.send(0, { _tag: "Listening" })
    return yield* Effect.never
  }).pipe(Effect.provideService(HttpThread.MainThread, inbox.mainThread))
  // Messages are handled until the calls have ended and everything is written down.
  yield* Effect.raceFirst(
    runner.run((_, message) => inbox.handle(message)),
    Effect.scoped(Effect.raceFirst(serve, inbox.mustStop))
  )
})

await Effect.runPromise(
  Effect.provide(
    program,
    Layer.merge(NodeWorkerRunner.layer, Observability.layer.pipe(Layer.provideMerge(AppConfig.layer)))
  )
)
