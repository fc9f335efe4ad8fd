#!/usr/bin/env node
/** The command line. `discovery` alone serves. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import packageJson from "../package.json" with { type: "json" }
import { accountCommand } from "./cli/AccountCommand.ts"
import { creditsCommand } from "./cli/CreditsCommand.ts"
import { demoCommand } from "./cli/DemoCommand.ts"
import { importCommand } from "./cli/ImportCommand.ts"
import { keyCommand } from "./cli/KeyCommand.ts"
import * as Live from "./cli/Live.ts"
import { migrateCommand } from "./cli/MigrateCommand.ts"
import { serve, serveCommand } from "./cli/ServeCommand.ts"
import { AppConfig } from "./Config.ts"
import * as Observability from "./services/Observability.ts"

const onDatabase = Command.provide(Live.operation.pipe(Layer.provideMerge(Live.sharedDatabase)))

const discovery = Command.make("discovery", {}, () => serve).pipe(
  Command.withDescription(packageJson.description),
  Command.withSubcommands([
    serveCommand,
    migrateCommand,
    demoCommand.pipe(onDatabase),
    importCommand.pipe(onDatabase),
    accountCommand.pipe(onDatabase),
    keyCommand.pipe(onDatabase),
    creditsCommand.pipe(onDatabase)
  ])
)

discovery.pipe(
  Command.run({ version: packageJson.version }),
  Effect.provide(Observability.layer.pipe(Layer.provideMerge(AppConfig.layer), Layer.provideMerge(NodeServices.layer))),
  NodeRuntime.runMain
)
