/** The command line with all of its commands. Without a subcommand it serves. */
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import manifest from "../../package.json" with { type: "json" }
import { accountCommand } from "./AccountCommand.ts"
import { appCommand } from "./AppCommand.ts"
import { billingCommand } from "./BillingCommand.ts"
import { catalogCommand } from "./CatalogCommand.ts"
import { collectCommand } from "./CollectCommand.ts"
import { creditsCommand } from "./CreditsCommand.ts"
import { demoCommand } from "./DemoCommand.ts"
import { engineCommand } from "./EngineCommand.ts"
import { importCommand, importerOf } from "./ImportCommand.ts"
import { keyCommand } from "./KeyCommand.ts"
import * as Live from "./Live.ts"
import * as Output from "./Output.ts"
import { serve, serveCommand } from "./ServeCommand.ts"
import { trackCommand } from "./TrackCommand.ts"

const operation = Live.operation.pipe(Layer.provideMerge(Live.sharedDatabase))

/** For a deployment that migrates before it starts servers. */
const migrateCommand = Command.make("migrate", {}, () =>
  Output.line("The database is at this version.").pipe(Effect.provide(Live.sharedDatabase))
).pipe(Command.withDescription("Run the migrations that are missing; every start does so too"))

export const discovery = Command.make("discovery", {}, () => serve).pipe(
  Command.withDescription(manifest.description),
  Command.withSubcommands([
    serveCommand,
    migrateCommand,
    demoCommand.pipe(Command.provide(operation)),
    importCommand.pipe(Command.provide(importerOf(operation))),
    collectCommand.pipe(Command.provide(Live.fetching)),
    catalogCommand.pipe(Command.provide(operation)),
    engineCommand.pipe(Command.provide(Live.sharedDatabase)),
    accountCommand.pipe(Command.provide(operation)),
    keyCommand.pipe(Command.provide(operation)),
    appCommand.pipe(Command.provide(operation)),
    trackCommand.pipe(Command.provide(operation)),
    creditsCommand.pipe(Command.provide(operation)),
    billingCommand.pipe(Command.provide(Live.billing.pipe(Layer.provideMerge(Live.sharedDatabase))))
  ])
)
