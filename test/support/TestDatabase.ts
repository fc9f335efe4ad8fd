/**
 * A new, migrated database for one test file, dropped afterwards.
 *
 * Use `layer(TestDatabase.layer, { excludeTestServices: true })`: with the TestClock, timeouts of the pool never fire.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import * as Database from "../../src/services/database/Database.ts"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"

/** Tests of other things must not fail at the limits of the pool when the machine is busy. */
const patientPool = { statementTimeoutMillis: 60_000, lockTimeoutMillis: 60_000 }

export class TestDatabase extends Context.Service<
  TestDatabase,
  {
    /** For further pools and servers on the same database. */
    readonly connection: EmbeddedConnection
  }
>()("test/support/TestDatabase") {
  /** Without a pool, for tests with their own pools. */
  static readonly layerNoPool: Layer.Layer<TestDatabase, SqlError.SqlError> = Layer.effect(
    TestDatabase,
    Effect.gen(function* () {
      const server = inject("postgres")
      const name = `test_${randomBytes(8).toString("hex")}`
      const asAdministrator = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError.SqlError>) =>
        Effect.flatMap(SqlClient.SqlClient, statement).pipe(
          Effect.provide(Database.layer({ source: server, maxConnections: 1, ...patientPool }))
        )
      yield* Effect.acquireRelease(
        asAdministrator((sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE template_discovery STRATEGY file_copy`),
        // A database that remains is removed with the whole server.
        () => Effect.ignore(asAdministrator((sql) => sql`DROP DATABASE ${sql(name)} WITH (FORCE)`))
      )
      return { connection: { ...server, database: name } }
    })
  )

  /** For the limits of the pool, open one with `connection`. */
  static readonly layer: Layer.Layer<
    TestDatabase | Layer.Success<ReturnType<typeof Database.layer>>,
    SqlError.SqlError
  > = Layer.unwrap(
    Effect.map(TestDatabase, ({ connection }) =>
      Database.layer({ source: connection, maxConnections: 10, ...patientPool })
    )
  ).pipe(Layer.provideMerge(TestDatabase.layerNoPool))

  /**
   * As {@link layer}, without reading by indexes: rows come in the order in which they were inserted, unless a statement orders them.
   */
  static readonly layerUnordered: typeof TestDatabase.layer = Layer.unwrap(
    Effect.gen(function* () {
      const { connection } = yield* TestDatabase
      const setAll = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const way of ["indexscan", "indexonlyscan", "bitmapscan"]) {
          yield* sql`ALTER DATABASE ${sql(connection.database)} SET ${sql.literal(`enable_${way}`)} = off`
        }
      })
      yield* Effect.provide(setAll, Database.layer({ source: connection, maxConnections: 1, ...patientPool }))
      return Database.layer({ source: connection, maxConnections: 10, ...patientPool })
    })
  ).pipe(Layer.provideMerge(TestDatabase.layerNoPool))
}
