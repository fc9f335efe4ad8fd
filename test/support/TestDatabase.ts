/**
 * A fresh, migrated database for one test file, dropped afterwards.
 *
 * Use with `layer(TestDatabase.layer, { excludeTestServices: true })`: under the TestClock no timeout of the pool ever fires.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import * as Database from "../../src/services/database/Database.ts"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"

export class TestDatabase extends Context.Service<
  TestDatabase,
  {
    /** For further pools, or servers of their own, on the same database. */
    readonly connection: EmbeddedConnection
  }
>()("test/support/TestDatabase") {
  /** The database alone, for tests that bring their own pools. */
  static readonly layerNoPool: Layer.Layer<TestDatabase, SqlError.SqlError> = Layer.effect(
    TestDatabase,
    Effect.gen(function* () {
      const server = inject("postgres")
      const name = `test_${randomBytes(8).toString("hex")}`
      const asAdministrator = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError.SqlError>) =>
        Effect.flatMap(SqlClient.SqlClient, statement).pipe(
          Effect.provide(Database.layer({ source: server, maxConnections: 1, statementTimeoutMillis: 60_000 }))
        )
      yield* Effect.acquireRelease(
        asAdministrator((sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE template_discovery STRATEGY file_copy`),
        // A database that is left behind goes with the whole server.
        () => Effect.ignore(asAdministrator((sql) => sql`DROP DATABASE ${sql(name)} WITH (FORCE)`))
      )
      return { connection: { ...server, database: name } }
    })
  )

  static readonly layer: Layer.Layer<
    TestDatabase | Layer.Success<ReturnType<typeof Database.layer>>,
    SqlError.SqlError
  > = Layer.unwrap(
    Effect.map(TestDatabase, ({ connection }) => Database.layer({ source: connection, maxConnections: 10 }))
  ).pipe(Layer.provideMerge(TestDatabase.layerNoPool))
}
