import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Availability from "../../../src/services/database/Availability.ts"
import * as Database from "../../../src/services/database/Database.ts"
import { runs } from "../../support/RunningQueries.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const smallPool = (options: Omit<Database.DatabaseOptions, "source">) =>
  Effect.map(TestDatabase, ({ connection }) => Database.layer({ source: connection, ...options }))

const pools = Layer.unwrap(smallPool({})).pipe(Layer.provideMerge(TestDatabase.layerNoPool))

layer(pools, { excludeTestServices: true })("Database", (it) => {
  it.effect("opens every connection with the limits and settings that the design counts on", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`
        SELECT name, current_setting(name) AS value FROM pg_settings WHERE name IN (
          'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'application_name',
          'jit', 'work_mem', 'random_page_cost', 'TimeZone'
        ) ORDER BY name`
      assert.deepStrictEqual(
        rows.map((row) => [row.name, row.value]),
        [
          ["TimeZone", "UTC"],
          ["application_name", "discovery"],
          ["idle_in_transaction_session_timeout", "10s"],
          ["jit", "off"],
          ["lock_timeout", "3s"],
          ["random_page_cost", "2"],
          ["statement_timeout", "5s"],
          ["work_mem", "64MB"]
        ]
      )
    })
  )

  it.effect("connects by URL as well", () =>
    Effect.gen(function* () {
      const { connection } = yield* TestDatabase
      const url = `postgres:///${connection.database}?host=${encodeURIComponent(connection.host)}&user=${connection.username}`
      const rows = yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT current_database() AS name`).pipe(
        Effect.provide(Database.layer({ source: Redacted.make(url) }))
      )
      assert.deepStrictEqual(rows, [{ name: connection.database }])
    })
  )

  it.effect("stops the query at the server when its fiber is interrupted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const fiber = yield* Effect.forkChild(Availability.query(sql`SELECT pg_sleep(30) /* interrupted */`))
      yield* runs("interrupted", 1)
      yield* Fiber.interrupt(fiber)
      yield* runs("interrupted", 0)
    })
  )

  it.effect("rolls back a transaction whose fiber is interrupted, and gives its connection back", () =>
    Effect.gen(function* () {
      const pool = yield* smallPool({ maxConnections: 1 })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE rolled (id int)`
        const fiber = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.andThen(sql`INSERT INTO rolled VALUES (1)`, sql`SELECT pg_sleep(30) /* rolled back */`)
          )
        )
        const outside = yield* TestDatabase
        yield* runs("rolled back", 1).pipe(Effect.provide(Database.layer({ source: outside.connection })))
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* sql`SELECT * FROM rolled`, [])
      }).pipe(Effect.provide(pool))
    })
  )

  it.effect("does not wait for a lock forever", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE locked (id int)`
      const error = yield* Effect.scoped(
        Effect.gen(function* () {
          const holder = yield* Effect.forkScoped(
            sql.withTransaction(Effect.andThen(sql`LOCK TABLE locked`, sql`SELECT pg_sleep(30) /* lock holder */`))
          )
          yield* runs("lock holder", 1)
          const waiting = sql.withTransaction(
            Effect.andThen(sql`SET LOCAL lock_timeout = '50ms'`, sql`SELECT * FROM locked`)
          )
          const failed = yield* Effect.flip(Availability.query(waiting))
          yield* Fiber.interrupt(holder)
          return failed
        })
      )
      assert.strictEqual(error._tag, "ServiceUnavailable")
    })
  )
})
