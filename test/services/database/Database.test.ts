import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schedule, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Database from "../../../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../../../src/services/database/EmbeddedPostgres.ts"
import * as PrivatePostgres from "../../support/PrivatePostgres.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

class Missing extends Schema.TaggedError<Missing>()("Missing", {}) {}

/** Until the effect succeeds, for ten seconds at most. */
const eventually = Effect.retry({ schedule: Schedule.spaced("10 millis"), times: 1_000 })

/** The queries that run at the server and carry the mark. */
const running = (mark: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ count: number }>`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE ${`%${mark}%`}`
    return rows[0]?.count
  })

const runs = (mark: string, count: number) =>
  running(mark).pipe(
    Effect.filterOrFail((found) => found === count),
    eventually
  )

const smallPool = (options: Omit<Database.DatabaseOptions, "source">) =>
  Effect.map(TestDatabase, ({ connection }) => Database.layer({ source: connection, ...options }))

layer(TestDatabase.layer, { excludeTestServices: true })("Database", (it) => {
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
          ["random_page_cost", "1.1"],
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
      const fiber = yield* Effect.forkChild(Database.query(sql`SELECT pg_sleep(30) /* interrupted */`))
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

  it.effect("answers a statement that is too slow with search_timeout", () =>
    Effect.gen(function* () {
      const pool = yield* smallPool({ statementTimeoutMillis: 50 })
      const error = yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.flip(Database.query(sql`SELECT pg_sleep(30) /* slow */`))
      ).pipe(Effect.provide(pool))
      assert.strictEqual(error._tag, "SearchTimeout")
      yield* runs("slow */", 0)
    })
  )

  it.effect("bounds the wait for a connection, and answers it with service_unavailable", () =>
    Effect.gen(function* () {
      const pool = yield* smallPool({ maxConnections: 1 })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const holder = yield* Effect.forkChild(sql`SELECT pg_sleep(30) /* holder */`)
        const { connection } = yield* TestDatabase
        yield* runs("holder", 1).pipe(Effect.provide(Database.layer({ source: connection })))
        const error = yield* Effect.flip(Database.query(sql`SELECT 1`, "50 millis"))
        assert.strictEqual(error._tag, "ServiceUnavailable")
        yield* Fiber.interrupt(holder)
        // The one who gave up waiting has not taken the connection with it.
        assert.lengthOf(yield* Database.query(sql`SELECT 1`), 1)
      }).pipe(Effect.provide(pool))
    })
  )

  it.effect("stops what still runs when the whole has taken too long", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(Database.query(sql`SELECT pg_sleep(30) /* deadline */`, "50 millis"))
      assert.strictEqual(error._tag, "ServiceUnavailable")
      yield* runs("deadline", 0)
    })
  )

  it.effect("answers any other failure of the database with service_unavailable, and keeps the cause for the log", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(Database.query(sql`SELECT nonsense`))
      assert.strictEqual(error._tag, "ServiceUnavailable")
      const cause = error._tag === "ServiceUnavailable" ? error.cause : undefined
      assert.include(SqlError.isSqlError(cause) ? String(cause.reason.cause) : "", "nonsense")
      assert.notInclude(error.message, "nonsense")
    })
  )

  it.effect("does not wait for a lock for ever", () =>
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
          const failed = yield* Effect.flip(Database.query(waiting))
          yield* Fiber.interrupt(holder)
          return failed
        })
      )
      assert.strictEqual(error._tag, "ServiceUnavailable")
    })
  )

  it.effect("leaves the effect's own errors and answers as they are", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(Database.query(new Missing())))._tag, "Missing")
      assert.strictEqual(yield* Database.query(Effect.succeed(1)), 1)
    })
  )
})

layer(PrivatePostgres.layer, { excludeTestServices: true })("Database whose server fails", (it) => {
  it.effect("answers service_unavailable while the server is away, and works again when it is back", () =>
    Effect.gen(function* () {
      const postgres = yield* EmbeddedPostgres
      const sql = yield* SqlClient.SqlClient
      const ask = Database.query(sql<{ one: number }>`SELECT 1 AS one`)
      yield* ask
      yield* postgres.stop
      assert.strictEqual((yield* Effect.flip(ask))._tag, "ServiceUnavailable")
      yield* postgres.start
      assert.deepStrictEqual(yield* eventually(ask), [{ one: 1 }])
    })
  )

  it.effect("answers a query that was running when the server was killed", () =>
    Effect.gen(function* () {
      const postgres = yield* EmbeddedPostgres
      const sql = yield* SqlClient.SqlClient
      const fiber = yield* Effect.forkChild(
        Effect.flip(Database.query(sql`SELECT pg_sleep(30) /* cut off */`, "20 seconds"))
      )
      yield* runs("cut off", 1)
      yield* postgres.kill
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "ServiceUnavailable")
      yield* postgres.start
      assert.lengthOf(yield* eventually(Database.query(sql`SELECT 1`)), 1)
    })
  )
})
