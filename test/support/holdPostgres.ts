/** A program that starts an embedded PostgreSQL on the folder of its first argument, says so, and stays until stopped. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { EmbeddedPostgres } from "../../src/services/database/EmbeddedPostgres.ts"

Effect.gen(function* () {
  const postgres = yield* EmbeddedPostgres.make({ dataFolder: process.argv[2] ?? "", flags: ["fsync=off"] })
  process.stdout.write(`${JSON.stringify(postgres.connection)}\n`)
  return yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.catch((error) => Effect.sync(() => process.stdout.write(`${JSON.stringify({ refused: error.message })}\n`))),
  NodeRuntime.runMain
)
