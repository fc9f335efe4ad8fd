/**
 * A program that starts an embedded PostgreSQL in the folder of its first argument, prints a line, and runs until it is
 * stopped. Before it ends it queries the database once more, as a draining server does, and prints whether it got an
 * answer.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../../src/services/database/EmbeddedPostgres.ts"

const say = (line: object) => Effect.sync(() => process.stdout.write(`${JSON.stringify(line)}\n`))

Effect.gen(function* () {
  const postgres = yield* EmbeddedPostgres.make({ dataFolder: process.argv[2] ?? "", flags: ["fsync=off"] })
  return yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`SELECT 1`
    yield* Effect.addFinalizer(() =>
      Effect.matchEffect(sql`SELECT sum(n) FROM generate_series(1, 1000000) AS n`, {
        onSuccess: () => say({ drained: true }),
        onFailure: () => say({ drained: false })
      })
    )
    yield* say(postgres.connection)
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(Database.layer({ source: postgres.connection, maxConnections: 1 })))
}).pipe(
  Effect.scoped,
  Effect.catchTag("EmbeddedPostgresError", (error) => say({ refused: error.message })),
  NodeRuntime.runMain
)
