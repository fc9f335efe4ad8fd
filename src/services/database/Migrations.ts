/** Runs the missing migrations in order, all in one transaction. */
import { Effect, Layer, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { migrations } from "../../../migrations/index.ts"
import * as Database from "./Database.ts"
import { rowOf, rowsOf } from "./Rows.ts"

/** Arbitrary, and no other of the database's keys of advisory locks (Importer, record_activity). */
const lockId = 7_236_201
const table = "migration"

const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })

const decodeHas = rowOf(Schema.Struct({ has: Schema.Boolean }))
const decodeRan = rowsOf(Schema.Struct({ id: Schema.Int, name: Schema.String }))

/** The migrator compares only numbers, so it would accept other migrations with the same numbers. */
const refuseForeign = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { has } = yield* decodeHas(sql`SELECT to_regclass(${table}) IS NOT NULL AS has`)
  if (!has) return
  const names = new Map(Object.keys(migrations).map((name) => [Number.parseInt(name, 10), name]))
  for (const { id, name } of yield* decodeRan(sql`SELECT migration_id AS id, name FROM ${sql(table)} ORDER BY 1`)) {
    const ran = `${String(id).padStart(4, "0")}_${name}`
    const own = names.get(id)
    if (own === undefined || own === ran) continue
    return yield* new Migrator.MigrationError({
      kind: "BadState",
      message:
        `another version has made it, with the migration ${ran} where this one has ${own}. Nothing was changed. ` +
        "Use that version, or start with an empty database (DATABASE_URL), or without one an empty folder (DATA_DIR)."
    })
  }
})

/**
 * Returns the migrations that ran. If several processes start on one database, they take turns, and only the first has
 * migrations to run.
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
      yield* refuseForeign
      return yield* migrate
    })
  )
}).pipe(Effect.withSpan("Migrations.run"))

export const layer: Layer.Layer<never, Migrator.MigrationError | SqlError.SqlError, SqlClient.SqlClient> =
  Layer.effectDiscard(run)
