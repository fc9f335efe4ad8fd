#!/usr/bin/env node
/** The command line. Without a subcommand it serves. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer, Runtime } from "effect"
import { CliError, Command } from "effect/cli"
import manifest from "../package.json" with { type: "json" }
import { accountCommand } from "./cli/AccountCommand.ts"
import { appCommand } from "./cli/AppCommand.ts"
import { billingCommand } from "./cli/BillingCommand.ts"
import { catalogCommand } from "./cli/CatalogCommand.ts"
import { collectCommand } from "./cli/CollectCommand.ts"
import { creditsCommand } from "./cli/CreditsCommand.ts"
import { demoCommand } from "./cli/DemoCommand.ts"
import { importCommand, importerOf } from "./cli/ImportCommand.ts"
import { keyCommand } from "./cli/KeyCommand.ts"
import * as Live from "./cli/Live.ts"
import { serve, serveCommand } from "./cli/ServeCommand.ts"
import { explain } from "./cli/StartErrors.ts"
import { trackCommand } from "./cli/TrackCommand.ts"
import { AppConfig } from "./Config.ts"
import * as Observability from "./services/Observability.ts"

const operation = Live.operation.pipe(Layer.provideMerge(Live.sharedDatabase))

/** For a deployment that migrates before it starts servers. */
const migrateCommand = Command.make("migrate", {}, () =>
  Console.log("The database is at this version.").pipe(Effect.provide(Live.sharedDatabase))
).pipe(Command.withDescription("Run the migrations that are missing; every start does so too"))

const discovery = Command.make("discovery", {}, () => serve).pipe(
  Command.withDescription(manifest.description),
  Command.withSubcommands([
    serveCommand,
    migrateCommand,
    demoCommand.pipe(Command.provide(operation)),
    importCommand.pipe(Command.provide(importerOf(operation))),
    collectCommand.pipe(Command.provide(Live.fetching)),
    catalogCommand.pipe(Command.provide(operation)),
    accountCommand.pipe(Command.provide(operation)),
    keyCommand.pipe(Command.provide(operation)),
    appCommand.pipe(Command.provide(operation)),
    trackCommand.pipe(Command.provide(operation)),
    creditsCommand.pipe(Command.provide(operation)),
    billingCommand.pipe(Command.provide(Live.billing.pipe(Layer.provideMerge(Live.sharedDatabase))))
  ])
)

/** A server that is interrupted exits with 0; an interrupted command has failed. */
const teardown: Runtime.Teardown = (exit, onExit) => {
  const [command = "serve"] = process.argv.slice(2)
  return command === "serve" && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? onExit(0)
    : Runtime.defaultTeardown(exit, onExit)
}

discovery.pipe(
  Command.run({ version: manifest.version }),
  Effect.provide(Observability.layer.pipe(Layer.provideMerge(AppConfig.layer), Layer.provideMerge(NodeServices.layer))),
  // The command line has printed its own errors.
  Effect.tapError((error) => (CliError.isCliError(error) ? Effect.void : Console.error(`\n${explain(error)}\n`))),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown })
)
