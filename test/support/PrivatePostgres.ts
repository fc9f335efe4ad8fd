/**
 * A PostgreSQL of one test file, for tests that stop, kill and restart it.
 *
 * Commits survive a kill of the server, but not a crash of the machine.
 */
import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import * as Database from "../../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../../src/services/database/EmbeddedPostgres.ts"
import * as Migrations from "../../src/services/database/Migrations.ts"
import { TestDatabase } from "./TestDatabase.ts"

/** A folder that is removed with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(os.tmpdir(), "discovery-test-"))),
  (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
)

const server = Layer.effect(
  EmbeddedPostgres,
  Effect.flatMap(temporaryFolder, (folder) =>
    EmbeddedPostgres.make({
      dataFolder: path.join(folder, "data"),
      flags: ["fsync=off", "full_page_writes=off", "max_connections=200"]
    })
  )
)

const connection = Layer.effect(
  TestDatabase,
  Effect.map(EmbeddedPostgres, (postgres) => ({ connection: postgres.connection }))
)

const pool = Layer.unwrap(
  Effect.map(TestDatabase, (database) => Database.layer({ source: database.connection, maxConnections: 10 }))
)

/** The server, its connection details as `TestDatabase`, and a pool on it; migrated. */
export const layer: Layer.Layer<
  EmbeddedPostgres | TestDatabase | PgClient.PgClient | SqlClient.SqlClient,
  Layer.Error<typeof server> | Layer.Error<typeof pool> | Layer.Error<typeof Migrations.layer>
> = Migrations.layer.pipe(Layer.provideMerge(pool), Layer.provideMerge(connection), Layer.provideMerge(server))
