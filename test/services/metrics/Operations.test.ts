/** What is counted of the work at the database: while it is under way, why it failed, and the wait for a connection. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Availability from "../../../src/services/database/Availability.ts"
import * as Database from "../../../src/services/database/Database.ts"
import { Readiness } from "../../../src/services/database/Readiness.ts"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import { apart, countsOf } from "../../support/SeriesCounts.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const underWay = Metrics.databaseOperations.value({})

/** The failures by reason; reasons that did not occur are not in it. */
const failures = countsOf("discovery_database_failures_total", "reason")

const forked = Effect.forkChild({ startImmediately: true })

describe("an operation at the database", () => {
  it.effect("is counted while it is under way, also when it fails or is given up", () =>
    Effect.gen(function* () {
      const first = yield* Deferred.make<void>()
      const second = yield* Deferred.make<void, "no">()
      const operation = Availability.available({ retries: 0, deadline: "1 second" })
      const fibers = [yield* forked(operation(Deferred.await(first))), yield* forked(operation(Effect.never))]
      const failing = yield* forked(Effect.flip(operation(Deferred.await(second))))
      assert.strictEqual(yield* underWay, 3)
      yield* Deferred.succeed(first, undefined)
      yield* Fiber.join(fibers[0] ?? assert.fail("no fiber"))
      assert.strictEqual(yield* underWay, 2)
      yield* Deferred.fail(second, "no")
      yield* Fiber.join(failing)
      assert.strictEqual(yield* underWay, 1)
      assert.deepStrictEqual(yield* failures, {})
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* underWay, 0)
      assert.deepStrictEqual(yield* failures, { deadline: 1 })
    }).pipe(apart)
  )
})

layer(TestDatabase.layer, { excludeTestServices: true })("work at a real database", (it) => {
  const pool = (options: Omit<Database.DatabaseOptions, "source">) =>
    Effect.map(TestDatabase, ({ connection }) => Database.layer({ source: connection, ...options }))

  it.effect("is counted as unavailable once, after its retries", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let attempts = 0
      const breaks = Effect.suspend(() => {
        attempts++
        return sql`SELECT pg_terminate_backend(pg_backend_pid())`
      })
      yield* Effect.flip(Availability.available({ retries: 2, deadline: "1 minute" })(breaks))
      assert.strictEqual(attempts, 3)
      assert.deepStrictEqual(yield* failures, { unavailable: 1 })
    }).pipe(apart)
  )

  it.effect("is counted as stopped when a statement takes longer than the server allows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.flip(
        Availability.query(sql`SELECT pg_sleep(600)`, { statement: "50 millis", deadline: "1 minute" })
      )
      assert.deepStrictEqual(yield* failures, { statement_timeout: 1 })
    }).pipe(
      (effect) => Effect.flatMap(pool({ statementTimeoutMillis: 50 }), (one) => Effect.provide(effect, one)),
      apart
    )
  )

  const acquired = Effect.map(Metric.snapshot, (all) =>
    all.flatMap(({ id, state }) => (id === "discovery_database_acquire_seconds" && "sum" in state ? [state] : []))
  )

  it.effect("has its wait for a connection measured once it has one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { check } = yield* Readiness
      const held = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      const holder = yield* sql.reserve.pipe(
        Effect.andThen(Deferred.succeed(held, undefined)),
        Effect.andThen(Deferred.await(done)),
        Effect.scoped,
        forked
      )
      yield* Deferred.await(held)
      const began = yield* Clock.monotonicTimeNanos
      const checking = yield* forked(check)
      assert.deepStrictEqual(yield* acquired, [])
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(holder)
      yield* Fiber.join(checking)
      const [state, ...others] = yield* acquired
      assert.isEmpty(others)
      assert.strictEqual(state?.count, 1)
      assert.isAbove(state?.sum ?? 0, 0)
      assert.isAtMost(state?.sum ?? 0, Number((yield* Clock.monotonicTimeNanos) - began) / 1e9)
    }).pipe(
      Effect.provide(Readiness.layer),
      (effect) => Effect.flatMap(pool({ maxConnections: 1 }), (one) => Effect.provide(effect, one)),
      apart
    )
  )
})
