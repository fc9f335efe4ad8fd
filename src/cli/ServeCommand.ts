/** `discovery serve`, the default: prepares the data, serves, and prints how to connect. */
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { Effect, Layer, Option, Schedule } from "effect"
import { Command } from "effect/cli"
import { Worker } from "node:worker_threads"
import { AppConfig } from "../Config.ts"
import type * as HttpThread from "../http/HttpThread.ts"
import * as HttpThreads from "../http/HttpThreads.ts"
import * as MetricsServer from "../http/MetricsServer.ts"
import * as Router from "../http/Router.ts"
import * as Server from "../http/Server.ts"
import * as DemoAccounts from "../services/accounts/DemoAccounts.ts"
import * as Database from "../services/database/Database.ts"
import * as ServerAddress from "../services/database/ServerAddress.ts"
import { releaseMemory } from "../services/Memory.ts"
import * as Observability from "../services/Observability.ts"
import * as Mailer from "../services/mail/Mailer.ts"
import { CatalogSearch } from "../services/search/CatalogSearch.ts"
import { loadDemoOnce } from "./DemoCommand.ts"
import * as Live from "./Live.ts"
import * as Output from "./Output.ts"
import { welcome } from "./Welcome.ts"

/** Only the embedded PostgreSQL gets demo data and demo accounts. */
const demo = Effect.gen(function* () {
  const { databaseUrl, demoSize } = yield* AppConfig
  if (Option.isSome(databaseUrl)) {
    return Option.isSome(demoSize)
      ? yield* Output.line(`DEMO_SIZE=${demoSize.value} has no effect with DATABASE_URL.`)
      : undefined
  }
  yield* loadDemoOnce
  return yield* DemoAccounts.ensure
})

/** The demo prints a search to paste, so it waits for the index, which takes a second or two. */
const searchable = Effect.gen(function* () {
  const index = yield* CatalogSearch
  yield* index.current.pipe(
    Effect.retry({ schedule: Schedule.spaced("50 millis") }),
    Effect.timeoutOption("1 minute"),
    Effect.ignore
  )
})

/** Less memory than by default, for no more CPU a call (bench/results/search-index.md). */
const resourceLimits = { maxYoungGenerationSizeMb: 24 }

/** The threads that answer requests beside this one. */
const otherThreads = Effect.gen(function* () {
  const config = yield* AppConfig
  if (config.httpThreads === 1) return Layer.empty
  const source = Database.forThread(yield* Database.DatabaseSource)
  const spawner = NodeWorker.layer((number) => {
    const workerData: HttpThread.Settings = { source, number }
    // A thread has no terminal, by which it could choose the format of its log.
    const env = { ...process.env, LOG_FORMAT: Observability.formatOf(config) }
    return new Worker(new URL("./threads/RunHttpThread.ts", import.meta.url), { workerData, env, resourceLimits })
  })
  return HttpThreads.layer(config.httpThreads - 1).pipe(Layer.provide(spawner))
})

/** Prepares the data, serves, and prints the addresses. When interrupted, it ends after the running calls. */
const prepareAndServe = Effect.gen(function* () {
  const { baseUrl, dataDir, mcpUrl, smtpUrl } = yield* AppConfig
  const access = yield* demo.pipe(Effect.provide(Live.operation))
  const welcomeText = welcome({
    address: baseUrl,
    mcpUrl,
    ...(Option.isNone(smtpUrl) ? { mailFolder: Mailer.folderIn(dataDir) } : {}),
    ...(access === undefined ? {} : { demo: access })
  })
  const greeting = Layer.effectDiscard(
    Effect.all(
      [
        ServerAddress.note(baseUrl),
        access === undefined ? Effect.void : searchable,
        Output.lines(welcomeText.split("\n"))
      ],
      {
        discard: true
      }
    )
  )
  const metrics = Layer.merge(MetricsServer.layer, Live.measured).pipe(Layer.provide(yield* otherThreads))
  const server = greeting.pipe(
    Layer.provideMerge(Router.layer),
    Layer.provide(Server.layer.pipe(Layer.provide(Layer.effectDiscard(Effect.sync(releaseMemory))))),
    Layer.merge(metrics),
    Layer.provide(Live.service)
  )
  return yield* Layer.launch(server)
}).pipe(Effect.provide(Live.serverDatabase))

/** Checks the addresses first, so that no database is started and filled for a server that cannot listen. */
export const serve = Server.claimAddress.pipe(
  Effect.andThen(MetricsServer.checkAddress),
  Effect.andThen(prepareAndServe),
  Effect.scoped
)

export const serveCommand = Command.make("serve", {}, () => serve).pipe(
  Command.withDescription("Serve the MCP endpoint (the default)")
)
