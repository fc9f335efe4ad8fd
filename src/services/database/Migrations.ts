/** Brings the database to the version of the code: `migrations/*`, each once, in order, all or nothing. */
import { Effect, Layer } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { migrations } from "../../../migrations/index.ts"
import * as Database from "./Database.ts"

/** Any number, as long as it is always the same: every starter of this service waits on it. */
const lockId = 7_236_201

const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: "migration" })

/**
 * Runs what is missing and returns it. Any number of processes may start at once on one database: they take turns, and
 * all but the first find nothing to do.
 */
export const run: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* Database.longLimits
      yield* sql`SELECT pg_advisory_xact_lock(${lockId})`
      return yield* migrate
    })
  )
}).pipe(Effect.withSpan("Migrations.run"))

export const layer: Layer.Layer<never, Migrator.MigrationError | SqlError.SqlError, SqlClient.SqlClient> =
  Layer.effectDiscard(run)
