/** `discovery migrate`: brings the database to this version, for a deployment that does so before it starts servers. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as Live from "./Live.ts"

export const migrateCommand = Command.make("migrate", {}, () =>
  Console.log("The database is at this version.").pipe(Effect.provide(Live.sharedDatabase))
).pipe(Command.withDescription("Run the migrations that are missing; every start does so too"))
