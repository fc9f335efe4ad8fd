/** `discovery serve`, and `discovery` alone: everything that a start does, in order, and what it prints. */
import { Console, Effect, Layer, Option, Schedule } from "effect"
import { Command } from "effect/cli"
import { AppConfig } from "../Config.ts"
import * as Router from "../http/Router.ts"
import * as Server from "../http/Server.ts"
import { DemoAccounts } from "../services/access/DemoAccounts.ts"
import { CatalogIndex } from "../services/search/runtime/CatalogIndex.ts"
import { loadDemoOnce } from "./DemoCommand.ts"
import * as Live from "./Live.ts"
import { welcome } from "./Welcome.ts"

/**
 * The demo belongs to the embedded PostgreSQL alone: a database of one's own gets neither its data nor its accounts.
 */
const demo = Effect.gen(function* () {
  const { databaseUrl } = yield* AppConfig
  if (Option.isSome(databaseUrl)) return undefined
  yield* loadDemoOnce
  const accounts = yield* DemoAccounts
  return yield* accounts.ensure
})

/** The demo prints a search to paste: it waits for the index, which its small catalog has within a second or two. */
const searchable = Effect.gen(function* () {
  const index = yield* CatalogIndex
  yield* index.current.pipe(
    Effect.retry({ schedule: Schedule.spaced("50 millis") }),
    Effect.timeoutOption("1 minute"),
    Effect.ignore
  )
})

/** Prepares the data, then listens, then says so; ends when it is interrupted, after the calls under way. */
const prepareAndServe = Effect.gen(function* () {
  const { baseUrl, mcpUrl } = yield* AppConfig
  const access = yield* demo.pipe(Effect.provide(Live.demoAccounts.pipe(Layer.provideMerge(Live.operation))))
  const greeting = Layer.effectDiscard(
    access === undefined
      ? Console.log(welcome({ address: baseUrl, mcpUrl }))
      : Effect.andThen(searchable, Console.log(welcome({ address: baseUrl, mcpUrl, demo: access })))
  )
  const server = greeting.pipe(
    Layer.provideMerge(Router.layer),
    Layer.provide(Server.layer),
    Layer.provide(Live.service)
  )
  return yield* Layer.launch(server)
}).pipe(Effect.provide(Live.ownDatabase))

/** A database is not started, migrated and filled for a server that cannot listen. */
export const serve = Effect.andThen(Server.checkAddress, prepareAndServe)

export const serveCommand = Command.make("serve", {}, () => serve).pipe(
  Command.withDescription("Serve the MCP endpoint (the default)")
)
