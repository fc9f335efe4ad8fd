/** The command line: importing this module runs it. Without a subcommand it serves. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer, Runtime } from "effect"
import { CliError, Command } from "effect/cli"
import manifest from "../../package.json" with { type: "json" }
import { accountCommand } from "./AccountCommand.ts"
import { appCommand } from "./AppCommand.ts"
import { billingCommand } from "./BillingCommand.ts"
import { catalogCommand } from "./CatalogCommand.ts"
import { collectCommand } from "./CollectCommand.ts"
import { creditsCommand } from "./CreditsCommand.ts"
import { demoCommand } from "./DemoCommand.ts"
import { importCommand, importerOf } from "./ImportCommand.ts"
import { keyCommand } from "./KeyCommand.ts"
import * as Live from "./Live.ts"
import { serve, serveCommand } from "./ServeCommand.ts"
import { explain } from "./StartErrors.ts"
import { trackCommand } from "./TrackCommand.ts"
import { AppConfig } from "../Config.ts"
import * as Observability from "../services/Observability.ts"

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
