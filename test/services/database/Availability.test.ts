/** What a caller is told of a database that is slow, busy, broken or gone. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema } from "effect"
import { SqlClient, SqlError, Statement } from "effect/sql"
import * as Availability from "../../../src/services/database/Availability.ts"
import * as Database from "../../../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../../../src/services/database/EmbeddedPostgres.ts"
import * as PrivatePostgres from "../../support/PrivatePostgres.ts"
import { eventually, runs } from "../../support/RunningQueries.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

/** Shorter than any server stops a statement. */
const limits = { statement: "20 millis", deadline: "100 millis" } as const
/** For what the server has to stop, however long the connection takes. */
const patient = { ...limits, deadline: "10 seconds" } as const

class Missing extends Schema.TaggedError<Missing>()("Missing", {}) {}

const smallPool = (options: Omit<Database.DatabaseOptions, "source">) =>
  Effect.map(TestDatabase, ({ connection }) => Database.layer({ source: connection, ...options }))

layer(TestDatabase.layer, { excludeTestServices: true })("Availability", (it) => {
  it.effect("answers a statement that is too slow with search_timeout", () =>
    Effect.gen(function* () {
      const pool = yield* smallPool({ statementTimeoutMillis: 50 })
      const error = yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.flip(Availability.query(sql`SELECT pg_sleep(30) /* slow */`, patient, () => "Ask for less."))
      ).pipe(Effect.provide(pool))
      assert.deepInclude(error, { _tag: "SearchTimeout", hint: "Ask for less." })
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
        const error = yield* Effect.flip(Availability.query(sql`SELECT 1`, limits))
        assert.strictEqual(error._tag, "ServiceUnavailable")
        yield* Fiber.interrupt(holder)
        // The one who gave up waiting has not taken the connection with it.
        assert.lengthOf(yield* Availability.query(sql`SELECT 1`), 1)
      }).pipe(Effect.provide(pool))
    })
  )

  it.effect("statements that use up the time together are too slow as well, and the last one is stopped", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const one = sql`SELECT pg_sleep(0.04) /* one of many */`
      const error = yield* Effect.flip(
        Availability.query(Effect.forever(one), { statement: "5 seconds", deadline: "100 millis" })
      )
      assert.strictEqual(error._tag, "SearchTimeout")
      yield* runs("one of many", 0)
    })
  )

  it.effect("a statement that runs on although the server should have stopped it is an outage", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(Availability.query(sql`SELECT pg_sleep(30) /* runs on */`, limits))
      assert.strictEqual(error._tag, "ServiceUnavailable")
      yield* runs("runs on", 0)
    })
  )

  it.effect("a deadline that is reached without any statement is an outage", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Availability.query(Effect.never, limits))
      assert.strictEqual(error._tag, "ServiceUnavailable")
    })
  )

  it.effect("keeps the statement transformer of its caller", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let seen = 0
      yield* Effect.provideService(Availability.query(sql`SELECT 1`), Statement.CurrentTransformer, (statement) =>
        Effect.sync(() => {
          seen++
          return statement
        })
      )
      assert.strictEqual(seen, 1)
    })
  )

  it.effect("a value that PostgreSQL refuses is never an outage, and no statement is repeated for it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const statements = [
        sql`SELECT ${"a\u0000"}::text`,
        sql`SELECT ${'{"a":"\\u0000"}'}::jsonb`,
        sql`SELECT ${"x"}::text::integer`,
        sql`SELECT ${"99999999999"}::text::integer`,
        sql`SELECT ${"2026-99-99"}::text::date`,
        sql.withTransaction(sql`SELECT ${"a\u0000"}::text`)
      ]
      for (const bound of [Availability.availableToRead, Availability.availableOnce, Availability.query]) {
        for (const statement of statements) {
          let times = 0
          const counted = Effect.andThen(
            Effect.sync(() => times++),
            statement
          )
          const exit = yield* Effect.exit(bound(counted))
          assert.isTrue(Exit.hasDies(exit))
          assert.isTrue(Exit.isFailure(exit) && (yield* Availability.isRefusedValue(exit.cause)))
          assert.strictEqual(times, 1)
        }
      }
      const other = yield* Effect.exit(Availability.availableOnce(Effect.die(new Error("a defect"))))
      assert.isFalse(Exit.isFailure(other) && (yield* Availability.isRefusedValue(other.cause)))
    })
  )

  it.effect("answers any other failure of the database with service_unavailable, and keeps the cause for the log", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(Availability.query(sql`SELECT nonsense`))
      assert.strictEqual(error._tag, "ServiceUnavailable")
      const cause = error._tag === "ServiceUnavailable" ? error.cause : undefined
      assert.include(SqlError.isSqlError(cause) ? String(cause.reason.cause) : "", "nonsense")
      assert.notInclude(error.message, "nonsense")
    })
  )

  it.effect(
    "answers a transaction whose connection breaks with service_unavailable, and keeps the cause for the log",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const broken = sql.withTransaction(sql`SELECT pg_terminate_backend(pg_backend_pid())`)
        const error = yield* Effect.flip(Availability.availableOnce(broken))
        assert.strictEqual(error._tag, "ServiceUnavailable")
        assert.isTrue(SqlError.isSqlError(error.cause))
      })
  )

  it.effect("answers service_unavailable for its own errors, too, when the connection breaks before the rollback", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const breaks = sql`SELECT pg_terminate_backend(pg_backend_pid())`
      const failures: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        Availability.availableOnce(breaks),
        Effect.andThen(Effect.ignore(breaks), new Missing())
      ]
      for (const failure of failures) {
        const error = yield* Effect.flip(Availability.availableOnce(sql.withTransaction(failure)))
        assert.propertyVal(error, "_tag", "ServiceUnavailable")
      }
      const defect = Effect.andThen(Effect.ignore(breaks), Effect.die(new TypeError("broken")))
      const exit = yield* Effect.exit(Availability.availableOnce(sql.withTransaction(defect)))
      assert.isTrue(Exit.hasDies(exit))
    })
  )

  it.effect("leaves the effect's own errors and answers as they are", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(Availability.query(new Missing())))._tag, "Missing")
      assert.strictEqual(yield* Availability.query(Effect.succeed(1)), 1)
    })
  )
})

layer(PrivatePostgres.layer, { excludeTestServices: true })("Availability of a database whose server fails", (it) => {
  it.effect("answers service_unavailable while the server is away, and works again when it is back", () =>
    Effect.gen(function* () {
      const postgres = yield* EmbeddedPostgres
      const sql = yield* SqlClient.SqlClient
      const ask = Availability.query(sql<{ one: number }>`SELECT 1 AS one`)
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
      const fiber = yield* Effect.forkChild(Effect.flip(Availability.query(sql`SELECT pg_sleep(30) /* cut off */`)))
      yield* runs("cut off", 1)
      yield* postgres.kill
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "ServiceUnavailable")
      yield* postgres.start
      assert.lengthOf(yield* eventually(Availability.query(sql`SELECT 1`)), 1)
    })
  )
})
