/** `discovery serve`, the default: prepares the data, serves, and prints how to connect. */
import { Effect, Layer, Option, Schedule } from "effect"
import { Command } from "effect/cli"
import { AppConfig } from "../Config.ts"
import * as MetricsServer from "../http/MetricsServer.ts"
import * as Router from "../http/Router.ts"
import * as Server from "../http/Server.ts"
import * as DemoAccounts from "../services/accounts/DemoAccounts.ts"
import * as ServerAddress from "../services/database/ServerAddress.ts"
import * as Mailer from "../services/mail/Mailer.ts"
import { CatalogIndex } from "../services/search/runtime/CatalogIndex.ts"
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
  const index = yield* CatalogIndex
  yield* index.current.pipe(
    Effect.retry({ schedule: Schedule.spaced("50 millis") }),
    Effect.timeoutOption("1 minute"),
    Effect.ignore
  )
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
  const server = greeting.pipe(
    Layer.provideMerge(Router.layer),
    Layer.provide(Server.layer),
    Layer.merge(Layer.merge(MetricsServer.layer, Live.measured)),
    Layer.provide(Live.service)
  )
  return yield* Layer.launch(server)
}).pipe(Effect.provide(Live.ownDatabase))

/** Checks the addresses first, so that no database is started and filled for a server that cannot listen. */
export const serve = Server.checkAddress.pipe(
  Effect.andThen(MetricsServer.checkAddress),
  Effect.andThen(prepareAndServe)
)

export const serveCommand = Command.make("serve", {}, () => serve).pipe(
  Command.withDescription("Serve the MCP endpoint (the default)")
)
