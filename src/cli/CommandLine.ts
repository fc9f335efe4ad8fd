/**
 * Importing this module runs the command line.
 *
 * Read next: ServeCommand, the command that is run without a name; Live, where the layers of the server are put together;
 * Output, the only file that prints. A command that could do only a part of what it was asked says so and does not exit with 0.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Layer, Runtime } from "effect"
import { CliError, Command } from "effect/cli"
import manifest from "../../package.json" with { type: "json" }
import { AppConfig } from "../Config.ts"
import * as Observability from "../services/Observability.ts"
import { discovery } from "./Discovery.ts"
import * as Output from "./Output.ts"
import { explain } from "./StartErrors.ts"

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
  Effect.tapError((error) => (CliError.isCliError(error) ? Effect.void : Output.note(`\n${explain(error)}\n`))),
  Output.guard,
  NodeRuntime.runMain({ disableErrorReporting: true, teardown })
)
