import { assert, describe, expect, it, layer } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as fs from "node:fs"
import { migrations } from "../../../migrations/index.ts"
import * as Database from "../../../src/services/database/Database.ts"
import * as Migrations from "../../../src/services/database/Migrations.ts"
import * as SchemaDump from "../../support/SchemaDump.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const names = Object.keys(migrations)

const schemaHead = `-- The schema of a migrated database, without its comments: those are in migrations/.
-- Written by a test: npm test -- test/services/database/Migrations.test.ts -u`

/** A database without any table, on the server of the run; further pools of it stand for further starters. */
const emptyDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { connection } = yield* TestDatabase
  const name = `${connection.database}_empty`
  yield* Effect.acquireRelease(sql`CREATE DATABASE ${sql(name)}`, () =>
    Effect.ignore(sql`DROP DATABASE ${sql(name)} WITH (FORCE)`)
  )
  const source = { ...connection, database: name }
  return { slow: Database.layer({ source }), quick: Database.layer({ source, statementTimeoutMillis: 50 }) }
})

/** Until the query finds a row. */
const eventually = (query: Effect.Effect<ReadonlyArray<object>, SqlError.SqlError>) =>
  query.pipe(
    Effect.filterOrFail((rows) => rows.length > 0),
    Effect.retry({ schedule: Schedule.spaced("10 millis") })
  )

describe("the list of migrations", () => {
  it("names every file, each with a number of its own, in order", () => {
    const files = fs.readdirSync("migrations").filter((file) => /^\d/.test(file))
    assert.deepStrictEqual(
      names.map((name) => `${name}.ts`),
      files.toSorted()
    )
    assert.lengthOf(new Set(names.map((name) => Number.parseInt(name, 10))), names.length)
  })
})

layer(TestDatabase.layer, { excludeTestServices: true })("Migrations", (it) => {
  it.effect("leave nothing to run on a migrated database", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Migrations.run, [])
    })
  )

  it.effect(
    "make the tables, constraints, indexes and functions that docs/schema.sql shows, and it makes the same",
    () =>
      Effect.gen(function* () {
        const { slow } = yield* emptyDatabase
        const schema = yield* SchemaDump.statements
        const page = [
          schemaHead,
          ...schema.map((each) => each.replace(/^CREATE (?:TABLE|UNLOGGED|OR)/u, "\n$&")),
          ""
        ].join("\n")
        yield* Effect.promise(() => expect(page).toMatchFileSnapshot("../../../docs/schema.sql"))
        const again = yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (const statement of schema) yield* sql.unsafe(statement)
          return yield* SchemaDump.statements
        }).pipe(Effect.provide(slow))
        assert.deepStrictEqual(again, schema)
      })
  )

  it.effect("refuse a database that other migrations of the same numbers have made, and leave it as it is", () =>
    Effect.gen(function* () {
      const { slow } = yield* emptyDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE migration (migration_id integer PRIMARY KEY, created_at timestamptz, name text)`
        yield* sql`INSERT INTO migration (migration_id, name) VALUES (1, 'access'), (2, 'catalog')`
        const error = yield* Effect.flip(Migrations.run)
        assert.strictEqual(error._tag, "MigrationError")
        assert.include(error.message, "0001_access where this one has 0001_accounts")
        assert.deepStrictEqual(yield* sql`SELECT relname FROM pg_class WHERE relname = 'account'`, [])
        yield* sql`UPDATE migration SET migration_id = 900 + migration_id`
        assert.deepStrictEqual(yield* Migrations.run, [])
      }).pipe(Effect.provide(slow))
    })
  )

  it.effect("D86 store the domains of addresses in their one spelling, unless another account has it", () =>
    Effect.gen(function* () {
      const { slow } = yield* emptyDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Migrations.run
        const emails = ["Ada@example.com", "Eve@BÜCHER.example", "bob@ｅxample.com", "ADA@ｅxample.com", "x@100%.com"]
        for (const email of emails) {
          yield* sql`INSERT INTO account (email, plan, status, created_at) VALUES (${email}, 'starter', 'active', now())`
        }
        yield* migrations["0011_mail_domains"] ?? assert.fail("it is not listed")
        assert.deepStrictEqual(
          (yield* sql<{ readonly email: string }>`SELECT email FROM account ORDER BY id`).map(({ email }) => email),
          ["Ada@example.com", "Eve@xn--bcher-kva.example", "bob@example.com", "ADA@ｅxample.com", "x@100%.com"]
        )
      }).pipe(Effect.provide(slow))
    })
  )

  it.effect("run each once when several processes start at once on an empty database", () =>
    Effect.gen(function* () {
      const { slow } = yield* emptyDatabase
      const starters = Array.from({ length: 4 }, () => Migrations.run.pipe(Effect.provide(slow, { local: true })))
      const results = yield* Effect.all(starters, { concurrency: "unbounded" })
      const ran = results.filter((result) => result.length > 0)
      assert.lengthOf(ran, 1)
      assert.lengthOf(ran[0] ?? [], names.length)
    })
  )

  it.effect("wait for one another, longer than the pool's limit of other statements", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { slow, quick } = yield* emptyDatabase
      // As a starter that is still at work: it holds the lock that all take.
      const first = yield* Effect.forkChild(
        Effect.gen(function* () {
          const own = yield* SqlClient.SqlClient
          yield* own.withTransaction(Effect.andThen(Migrations.run, own`SELECT pg_sleep(30) /* still at work */`))
        }).pipe(Effect.provide(slow))
      )
      yield* eventually(sql`SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%still at work */'`)
      const ran = yield* Effect.gen(function* () {
        const own = yield* SqlClient.SqlClient
        const second = yield* Effect.forkChild(Migrations.run)
        yield* eventually(sql`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory'`)
        // This statement began after the second began to wait, and has the pool's limit.
        const limited = yield* Effect.flip(own`SELECT pg_sleep(30)`)
        assert.strictEqual(limited.reason._tag, "StatementTimeoutError")
        yield* Fiber.interrupt(first)
        return yield* Fiber.join(second)
      }).pipe(Effect.provide(quick))
      // The first was rolled back, so that the second has everything to do.
      assert.lengthOf(ran, names.length)
    })
  )

  it.effect("leave the pool's own limits as they were", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const limits = sql`
        SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`
      const before = yield* limits
      yield* Migrations.run
      assert.deepStrictEqual(yield* limits, before)
      assert.deepStrictEqual(before, [{ statement: "1min", lock: "1min" }])
    })
  )
})
