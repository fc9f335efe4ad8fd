import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../src/services/database/Database.ts"
import { TestDatabase } from "./TestDatabase.ts"

layer(TestDatabase.layer, { excludeTestServices: true })("TestDatabase", (it) => {
  it.effect("is migrated, and apart from every other", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE mine (id int)`
      const tables = Effect.flatMap(
        SqlClient.SqlClient,
        (any) =>
          any<{ name: string }>`SELECT relname AS name FROM pg_class WHERE relname IN ('mine', 'migration') ORDER BY 1`
      )
      assert.deepStrictEqual(yield* tables, [{ name: "migration" }, { name: "mine" }])
      const elsewhere = yield* tables.pipe(Effect.provide(Layer.fresh(TestDatabase.layer)))
      assert.deepStrictEqual(elsewhere, [{ name: "migration" }])
    })
  )

  it.effect("is dropped afterwards, even with connections to it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const scope = yield* Effect.scope
      const name = yield* Effect.gen(function* () {
        const { connection } = yield* TestDatabase
        // This pool lives as long as the test, so its connection is open when the database goes.
        const pool = yield* Layer.buildWithScope(Database.layer({ source: connection }), scope)
        yield* Effect.provide(
          Effect.flatMap(SqlClient.SqlClient, (other) => other`SELECT 1`),
          pool
        )
        return connection.database
      }).pipe(Effect.provide(Layer.fresh(TestDatabase.layer)))
      assert.deepStrictEqual(yield* sql`SELECT 1 FROM pg_database WHERE datname = ${name}`, [])
    })
  )
})
