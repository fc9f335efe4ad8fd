/** What the activity log guarantees: no call waits for it, none is written twice, and it keeps what it must, so long. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Latch, Layer, Logger, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../../src/Config.ts"
import { outcomes } from "../../../src/domain/access/Activity.ts"
import type { Activity } from "../../../src/domain/access/Activity.ts"
import { ActivityLog, maxWaiting, refusals } from "../../../src/services/credits/ActivityLog.ts"
import * as ActivityRetention from "../../../src/services/retention/ActivityRetention.ts"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import * as Database from "../../../src/services/database/Database.ts"
import { lockId } from "../../../src/services/import/Importer.ts"
import { EmbeddedPostgres } from "../../../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedConnection } from "../../../src/services/database/EmbeddedPostgres.ts"
import * as FakeAccess from "../../support/FakeAccess.ts"
import * as LossyConnection from "../../support/LossyConnection.ts"
import * as PrivatePostgres from "../../support/PrivatePostgres.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const now = "2026-05-01T12:00:00.000Z"
const days = 30

const Services = Layer.mergeAll(ActivityLog.layer, ActivityRetention.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(AppConfig.layerOf({ activityDays: days })),
  Layer.provideMerge(SetClock.layer(now))
)

let callNumber = 0

const callOf = (account: number, overrides: Partial<Activity> = {}): Activity => ({
  accountId: FakeAccess.caller(account).accountId,
  credential: { kind: "api_key", id: 1 },
  tool: "search_ads",
  outcome: "ok",
  credits: 1,
  atMillis: Date.parse(now),
  durationMillis: 12,
  requestId: `call-${++callNumber}`,
  ...overrides
})

const times = (count: number) => Array.from({ length: count }, (_, index) => index)

const idsOf = Effect.fnUntraced(function* (account: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly requestId: string }>`
    SELECT request_id AS "requestId" FROM activity WHERE account_id = ${account} ORDER BY id`
  return rows.map(({ requestId }) => requestId)
})

/** The log of another server process, until the scope is closed. */
const another = (connection: EmbeddedConnection) =>
  Layer.build(
    Layer.fresh(ActivityLog.layer.pipe(Layer.provide(Database.layer({ source: connection, maxConnections: 3 }))))
  ).pipe(Effect.map((context) => Context.get(context, ActivityLog)))

const connection = Effect.map(TestDatabase, (database) => database.connection)

/** Another server that has written a batch and not committed it yet. */
const holdBatch = Effect.fnUntraced(function* (call: Activity) {
  const pool = yield* Layer.build(Layer.fresh(Database.layer({ source: yield* connection, maxConnections: 2 })))
  const sql = Context.get(pool, SqlClient.SqlClient)
  const written = Latch.makeUnsafe(false)
  const done = Latch.makeUnsafe(false)
  const entry = {
    account_id: call.accountId,
    at: now,
    tool: call.tool,
    credential_kind: call.credential.kind,
    credential_id: call.credential.id,
    outcome: call.outcome,
    credits: call.credits,
    duration_ms: call.durationMillis,
    request_id: call.requestId
  }
  const holder = yield* sql`
    SELECT record_activity(gen_random_uuid(), 1, ${JSON.stringify([entry])}::jsonb, ${now}::timestamptz)`.pipe(
    Effect.andThen(written.open),
    Effect.andThen(done.await),
    sql.withTransaction,
    Effect.forkScoped
  )
  yield* written.await
  const waiters = sql`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND query LIKE '%record_activity%'`
  return {
    waiting: Effect.repeat(waiters, { until: (rows) => rows.length > 0 }),
    release: Effect.andThen(done.open, Fiber.join(holder))
  }
})

layer(Services, { excludeTestServices: true })("the activity log", (it) => {
  it.effect("D53 has every field of a call, and nothing besides", () =>
    Effect.gen(function* () {
      const log = yield* ActivityLog
      const sql = yield* SqlClient.SqlClient
      log.record(
        callOf(1, {
          credential: { kind: "access_token", id: 42 },
          tool: "get_shop",
          outcome: "rate_limited",
          credits: 0,
          durationMillis: -3,
          requestId: "one"
        })
      )
      yield* log.write
      const rows = yield* sql`SELECT to_jsonb(a) - 'id' AS row FROM activity a WHERE account_id = 1`
      assert.deepStrictEqual(rows, [
        {
          row: {
            account_id: 1,
            at: "2026-05-01T12:00:00+00:00",
            tool: "get_shop",
            credential_kind: "access_token",
            credential_id: 42,
            outcome: "rate_limited",
            credits: 0,
            duration_ms: 0,
            request_id: "one"
          }
        }
      ])
    })
  )

  it.effect("is written in the background, in the order of the calls", () =>
    Effect.gen(function* () {
      const log = yield* ActivityLog
      const calls = times(2_345).map(() => callOf(2))
      for (const call of calls) log.record(call)
      const ids = yield* Effect.repeat(idsOf(2), { until: (ids) => ids.length === calls.length })
      assert.deepStrictEqual(
        ids,
        calls.map(({ requestId }) => requestId)
      )
    })
  )

  it.effect("is written during an import, and prevents none", () =>
    Effect.gen(function* () {
      const log = yield* ActivityLog
      const sql = yield* SqlClient.SqlClient
      const held = yield* holdBatch(callOf(31, { requestId: "before" }))
      const importer = yield* sql.reserve
      const locked = yield* importer.executeValues("SELECT pg_try_advisory_lock($1)", [lockId])
      assert.deepStrictEqual(locked, [[true]])
      yield* held.release
      log.record(callOf(31, { requestId: "during" }))
      yield* log.write
      assert.deepStrictEqual(yield* idsOf(31), ["before", "during"])
      yield* importer.executeValues("SELECT pg_advisory_unlock($1)", [lockId])
    }).pipe(Effect.scoped)
  )

  it.effect("is written to the last line when the server stops", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const log = yield* Scope.provide(another(yield* connection), scope)
      const calls = times(1_500).map(() => callOf(3))
      for (const call of calls) log.record(call)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* idsOf(3)).length, calls.length)
    })
  )

  it.effect("has a batch once, however often it is sent because its answers are lost", () =>
    Effect.gen(function* () {
      const lossy = yield* LossyConnection.make(yield* connection)
      const log = yield* another(lossy.connection)
      for (const requestId of ["first", "before"]) {
        log.record(callOf(4, { requestId }))
        yield* log.write
      }
      log.record(callOf(4, { requestId: "lost" }))
      yield* lossy.lose(1)
      yield* Effect.flip(log.write)
      yield* Effect.repeat(idsOf(4), { until: (ids) => ids.length === 3 })
      log.record(callOf(4, { requestId: "after" }))
      yield* Effect.retry(log.write, { times: 20 })
      assert.deepStrictEqual(yield* idsOf(4), ["first", "before", "lost", "after"])
      const sql = yield* SqlClient.SqlClient
      const days = yield* sql`SELECT sum(calls)::integer AS calls FROM activity_day WHERE account_id = 4`
      assert.deepStrictEqual(days, [{ calls: 4 }])
    }).pipe(Effect.scoped)
  )

  it.effect("never shows a call before all with lower ids: servers take turns", () =>
    Effect.gen(function* () {
      const log = yield* ActivityLog
      const held = yield* holdBatch(callOf(5, { requestId: "first", tool: "get_shop" }))
      log.record(callOf(5, { requestId: "second" }))
      const writing = yield* Effect.forkScoped(log.write)
      yield* held.waiting
      assert.deepStrictEqual(yield* idsOf(5), [])
      yield* held.release
      yield* Fiber.join(writing)
      assert.deepStrictEqual(yield* idsOf(5), ["first", "second"])
    }).pipe(Effect.scoped)
  )

  it.effect(
    "takes no more into memory than there is room for: who calls neither waits nor fails, and the loss is told",
    () => {
      const lines: Array<string> = []
      const logged = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
      return Effect.gen(function* () {
        const log = yield* another(yield* connection)
        const held = yield* holdBatch(callOf(6))
        const before = yield* Metrics.activityDropped.value({})
        for (let count = 0; count < maxWaiting + 7; count++) log.record(callOf(7))
        yield* held.release
        yield* Effect.repeat(log.write, { until: () => lines.some((line) => line.includes("7 calls are missing")) })
        assert.strictEqual((yield* idsOf(7)).length, maxWaiting)
        assert.strictEqual((yield* Metrics.activityDropped.value({})) - before, 7)
      }).pipe(Effect.provide(logged), Effect.scoped)
    },
    600_000
  )

  it.effect(
    "keeps so many refusals of each kind and account in a while, and every call that was answered or charged",
    () =>
      Effect.gen(function* () {
        const log = yield* another(yield* connection)
        const flood = (account: number) => {
          for (let count = 0; count < 3 * refusals.limit; count++) {
            for (const outcome of outcomes) {
              log.record(callOf(account, { outcome, credits: 0, requestId: `${outcome}-${count}` }))
            }
            log.record(callOf(account, { outcome: "not_found", credits: 1, requestId: `charged-${count}` }))
          }
        }
        flood(10)
        flood(11)
        yield* log.write
        const keptOf = (ids: ReadonlyArray<string>, kind: string) =>
          ids.filter((id) => id.startsWith(`${kind}-`)).length
        for (const account of [10, 11]) {
          const ids = yield* idsOf(account)
          for (const outcome of outcomes) {
            assert.strictEqual(keptOf(ids, outcome), outcome === "ok" ? 3 * refusals.limit : refusals.limit, outcome)
          }
          assert.strictEqual(keptOf(ids, "charged"), 3 * refusals.limit)
        }
        const later = (afterMillis: number, requestId: string) =>
          log.record(
            callOf(10, {
              outcome: "plan_upgrade_required",
              credits: 0,
              requestId,
              atMillis: Date.parse(now) + afterMillis
            })
          )
        const each = refusals.windowMillis / refusals.limit
        later(each - 1, "too early")
        later(each, "one more")
        later(each, "one too many")
        yield* log.write
        assert.deepStrictEqual((yield* idsOf(10)).slice(-1), ["one more"])
        assert.notInclude(yield* idsOf(10), "too early")
      }).pipe(Effect.scoped)
  )

  it.effect("goes on after a batch that no database takes, and says that it is missing", () => {
    const lines: Array<string> = []
    const logged = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
    return Effect.gen(function* () {
      const log = yield* another(yield* connection)
      log.record(callOf(8, { tool: "" }))
      yield* log.write
      log.record(callOf(8, { requestId: "fit" }))
      yield* log.write
      assert.deepStrictEqual(yield* idsOf(8), ["fit"])
      assert.isTrue(lines.some((line) => line.includes("1 calls are missing")))
    }).pipe(Effect.provide(logged), Effect.scoped)
  })

  it.effect.each(["UPDATE activity SET credits = 0", "DELETE FROM activity", "TRUNCATE activity"])(
    "is append-only: %s is refused",
    (statement) =>
      Effect.gen(function* () {
        const log = yield* ActivityLog
        const sql = yield* SqlClient.SqlClient
        log.record(callOf(9))
        yield* log.write
        const error = yield* Effect.flip(sql.unsafe(statement))
        assert.include(String(error.reason.cause), "append-only")
      })
  )
})

layer(Services, { excludeTestServices: true })("old activity", (it) => {
  it.effect(
    "goes when it is as old as configured, to the millisecond, and the count of its day when no page shows it any more",
    () =>
      Effect.gen(function* () {
        const log = yield* ActivityLog
        const sql = yield* SqlClient.SqlClient
        const horizon = Date.parse(now) - days * 86_400_000
        const lastDayCounted = Date.parse("2026-03-30T00:00:00Z")
        for (const [requestId, atMillis] of [
          ["long ago", 0],
          ["too old, but counted", lastDayCounted],
          ["no longer counted", lastDayCounted - 1],
          ["just now too old", horizon],
          ["still young", horizon + 1],
          ["new", Date.parse(now)]
        ] as const) {
          log.record(callOf(1, { requestId, atMillis }))
        }
        yield* log.write
        const { remove } = ActivityRetention
        assert.strictEqual(yield* remove, 4)
        assert.deepStrictEqual(yield* idsOf(1), ["still young", "new"])
        const kept = yield* sql`SELECT day::text, calls FROM activity_day WHERE account_id = 1 ORDER BY day`
        assert.deepStrictEqual(kept, [
          { day: "2026-03-30", calls: 1 },
          { day: "2026-04-01", calls: 2 },
          { day: "2026-05-01", calls: 1 }
        ])
        const clock = yield* SetClock
        yield* clock.advance(1)
        assert.strictEqual(yield* remove, 1)
        assert.deepStrictEqual(yield* idsOf(1), ["new"])
        const error = yield* Effect.flip(sql`DELETE FROM activity`)
        assert.include(String(error.reason.cause), "append-only")
      })
  )

  it.effect("is all that may be removed, also later in the same transaction", () =>
    Effect.gen(function* () {
      const log = yield* ActivityLog
      const sql = yield* SqlClient.SqlClient
      log.record(callOf(3, { requestId: "kept" }))
      yield* log.write
      const { remove } = ActivityRetention
      const error = yield* Effect.andThen(remove, sql`DELETE FROM activity`).pipe(sql.withTransaction, Effect.flip)
      assert.include(String(error.reason.cause), "append-only")
      assert.deepStrictEqual(yield* idsOf(3), ["kept"])
    })
  )

  it.effect("is removed as fast as a few accounts can make it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // In the ten minutes between two removals, at the rate that each has if nothing else is said.
      const made = 4 * 10 * 1_200
      yield* sql`
        INSERT INTO activity (account_id, at, tool, credential_kind, credential_id, outcome, credits, duration_ms, request_id)
        SELECT 4, to_timestamp(0), 'get_usage', 'api_key', 1, 'ok', 0, 1, n::text FROM generate_series(1, ${made}::int) n`
      const { remove } = ActivityRetention
      assert.strictEqual(yield* remove, made)
    })
  )

  it.effect("is removed in steps, all of it, by a role that is no superuser", () =>
    Effect.gen(function* () {
      const log = yield* ActivityLog
      const sql = yield* SqlClient.SqlClient
      for (const _ of times(2_500)) log.record(callOf(2, { atMillis: 0 }))
      yield* log.write
      const { remove } = ActivityRetention
      const role = `plain_${process.pid}_${Date.now()}`
      yield* sql`CREATE ROLE ${sql(role)}`
      yield* Effect.gen(function* () {
        yield* sql`GRANT ALL ON activity, activity_day, activity_writer, notice_day, page_view TO ${sql(role)}`
        yield* sql`SET LOCAL ROLE ${sql(role)}`
        assert.strictEqual(yield* remove, 2_500)
        yield* sql`RESET ROLE`
        yield* sql`DROP OWNED BY ${sql(role)}`
        yield* sql`DROP ROLE ${sql(role)}`
      }).pipe(sql.withTransaction)
      assert.deepStrictEqual(yield* idsOf(2), [])
    })
  )
})

describe("a server without its database", () => {
  it.live("records calls all the same, and stops in time", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const log = yield* Scope.provide(another({ host: "/nowhere", username: "nobody", database: "none" }), scope)
      for (const _ of times(10)) log.record(callOf(1))
      yield* Scope.close(scope, Exit.void)
    })
  )
})

layer(ActivityLog.layer.pipe(Layer.provideMerge(PrivatePostgres.layer)), {
  excludeTestServices: true
})("the activity log of a database that goes away", (it) => {
  it.effect("loses no call, and catches up when it is back", () =>
    Effect.gen(function* () {
      const { kill, start } = yield* EmbeddedPostgres
      const log = yield* ActivityLog
      const calls = times(2_500).map(() => callOf(1))
      for (const call of calls.slice(0, 500)) log.record(call)
      yield* log.write
      // Killed while it writes: what it has of the batch is unknown.
      for (const call of calls.slice(500, 2_000)) log.record(call)
      const writing = yield* Effect.forkScoped(Effect.exit(log.write))
      yield* kill
      yield* Fiber.join(writing)
      // A backend that is busy outlives its server for a moment.
      yield* Effect.retry(Effect.flip(idsOf(1)), Schedule.spaced("10 millis"))
      for (const call of calls.slice(2_000)) log.record(call)
      yield* Effect.flip(log.write)
      yield* start
      const ids = yield* Effect.repeat(Effect.retry(idsOf(1), Schedule.spaced("100 millis")), {
        until: (ids) => ids.length >= calls.length
      })
      assert.deepStrictEqual(
        ids,
        calls.map(({ requestId }) => requestId)
      )
    }).pipe(Effect.scoped)
  )
})
