/** What the page views of a day guarantee: so many of each account, whichever servers it asks, and nothing left of past days. */
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../../src/Config.ts"
import { DailyPageViews } from "../../../src/services/limits/DailyPageViews.ts"
import * as ActivityRetention from "../../../src/services/retention/ActivityRetention.ts"
import * as Database from "../../../src/services/database/Database.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-15T21:00:00Z"
const limit = 10
const config = AppConfig.layerOf({ pageViewsPerDay: limit })

const services = Layer.mergeAll(DailyPageViews.layer, ActivityRetention.layer).pipe(
  Layer.provideMerge(Access.layerUnhashed),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(config),
  Layer.provideMerge(SetClock.layer(start))
)

layer(services, { excludeTestServices: true })("DailyPageViews", (it) => {
  const account = Effect.gen(function* () {
    yield* (yield* SetClock).set(start)
    return (yield* Access.subscriber()).caller.accountId
  })

  it.effect("are so many of each account, counted by all servers together, however many are asked for at once", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* account, yield* account]
      const { connection } = yield* TestDatabase
      const replica = yield* Layer.build(
        Layer.fresh(DailyPageViews.layer).pipe(
          Layer.provide([Layer.fresh(Database.layer({ source: connection, maxConnections: 3 })), config])
        )
      )
      const servers = [yield* DailyPageViews, Context.get(replica, DailyPageViews)]
      const results = yield* Effect.forEach(
        Array.from({ length: 2 * limit }).flatMap(() => servers),
        (server) => Effect.match(server.take(one), { onSuccess: () => true, onFailure: () => false }),
        { concurrency: 8 }
      )
      assert.lengthOf(
        results.filter((isLet) => isLet),
        limit
      )
      for (const server of servers) yield* server.take(other)
    }).pipe(Effect.scoped)
  )

  it.effect("of an export fit the rest of the day as a whole, or are refused and not counted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const views = yield* DailyPageViews
      for (const used of [0, 1, limit - 1, limit]) {
        for (const more of [1, 2, limit - 1, limit, limit + 1]) {
          const id = yield* account
          if (used > 0) yield* views.take(id, used)
          const isTaken = yield* Effect.match(views.take(id, more), { onSuccess: () => true, onFailure: () => false })
          assert.strictEqual(isTaken, used + more <= limit, `${more} after ${used}`)
          const [row] = yield* sql<{ views: number }>`SELECT views FROM page_view WHERE account_id = ${id}`
          assert.strictEqual(row?.views ?? 0, isTaken ? used + more : used, `${more} after ${used}`)
        }
      }
    })
  )

  it.effect("come back with the next day of UTC, which the refusal names", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      const id = yield* account
      const views = yield* DailyPageViews
      for (let view = 0; view < limit; view++) yield* views.take(id)
      const refusal = yield* Effect.flip(views.take(id))
      if (refusal._tag !== "PageViewsUsedUp") return assert.fail(refusal._tag)
      assert.deepInclude(refusal, { limit, retryAfterSeconds: 3 * 3600 })
      assert.strictEqual(DateTime.formatIso(refusal.renewsAt), "2026-03-16T00:00:00.000Z")
      yield* clock.advance(3 * 3_600_000 - 1)
      assert.strictEqual((yield* Effect.flip(views.take(id)))._tag, "PageViewsUsedUp")
      yield* clock.advance(1)
      for (let view = 0; view < limit; view++) yield* views.take(id)
      assert.strictEqual((yield* Effect.flip(views.take(id)))._tag, "PageViewsUsedUp")
    })
  )

  it.effect("of days before yesterday are forgotten", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      const sql = yield* SqlClient.SqlClient
      const id = yield* account
      const views = yield* DailyPageViews
      for (let day = 0; day < 4; day++) {
        yield* views.take(id)
        if (day < 3) yield* clock.advance(86_400_000)
      }
      yield* ActivityRetention.remove
      const days = yield* sql`SELECT day::text FROM page_view WHERE account_id = ${id} ORDER BY day`
      assert.deepStrictEqual(days, [{ day: "2026-03-17" }, { day: "2026-03-18" }])
      assert.deepStrictEqual(yield* sql`SELECT FROM page_view WHERE day < '2026-03-17'`, [])
    })
  )

  it.effect("are without limit where it is 0", () =>
    Effect.gen(function* () {
      const id = yield* account
      const views = yield* DailyPageViews
      yield* Effect.forEach(Array.from({ length: 3 * limit }), () => views.take(id), { discard: true })
    }).pipe(
      Effect.provide(Layer.fresh(DailyPageViews.layer).pipe(Layer.provide(AppConfig.layerOf({ pageViewsPerDay: 0 }))))
    )
  )
})
