/** What rate limits guarantee over any number of servers on one database, each of which is a layer of its own (R56). */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as LeakyBucket from "../../../src/services/limits/LeakyBucket.ts"
import { leaseMillis, maxUnreported } from "../../../src/services/limits/RateBuckets.ts"
import { SharedRates } from "../../../src/services/limits/SharedRates.ts"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const minute = 60_000
/** The default of calls. */
const allowance = { limit: 1200, windowMillis: minute }

type Rates = SharedRates["Service"]

/** Another server on the database. */
const server = Effect.map(Layer.build(Layer.fresh(SharedRates.layer)), Context.get(SharedRates))
const servers = (count: number) => Effect.forEach(Array.from({ length: count }), () => server)

let keys = 0
/** A limit that nothing was counted for. */
const limitOf = (of: LeakyBucket.Allowance): LeakyBucket.Limit => ({ key: `test ${++keys}`, allowance: of })

/** How many of so many requests, some at once, are admitted. One without an answer in time is not. */
const admitted = (rates: Rates, limit: LeakyBucket.Limit, requests: number, concurrency = 8) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: requests }),
      () =>
        Effect.match(rates.take([limit]), {
          onSuccess: ({ retryAfterSeconds }) => retryAfterSeconds === 0,
          onFailure: () => false
        }),
      { concurrency }
    ),
    (results) => results.filter(Boolean).length
  )

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Services = TestDatabase.layer.pipe(
  Layer.provideMerge(SetClock.layer(start)),
  // One test takes the database away.
  Layer.provideMerge(Logger.layer([]))
)

layer(Services, { excludeTestServices: true })("SharedRates", (it) => {
  const underWay = (statements: number) =>
    Effect.repeat(Metrics.databaseOperations.value({}), { until: (count) => count === statements })
  /** Waits for statements first: each has the time at which it was sent, so a late one would set the database's clock back. */
  const advance = (millis: number) =>
    Effect.andThen(
      underWay(0),
      Effect.flatMap(SetClock, (clock) => clock.advance(millis))
    )

  describe("one server", () => {
    it.effect("admits the whole limit at once and no more, and then one as each has drained", () =>
      Effect.gen(function* () {
        const one = yield* server
        for (const of of [{ limit: 6, windowMillis: minute }, { limit: 60, windowMillis: 10 * minute }, allowance]) {
          const limit = limitOf(of)
          assert.strictEqual(yield* admitted(one, limit, of.limit + 50), of.limit)
          const refused = yield* one.take([limit])
          const wait = of.windowMillis / of.limit
          assert.deepStrictEqual(refused, { used: of.limit, retryAfterSeconds: Math.ceil(wait / 1000) })
          yield* advance(wait - 1)
          assert.strictEqual(yield* admitted(one, limit, 1), 0)
          yield* advance(1)
          assert.strictEqual(yield* admitted(one, limit, 2), 1)
          yield* advance(of.windowMillis / 2)
          assert.strictEqual(yield* admitted(one, limit, of.limit), Math.floor(of.limit / 2))
        }
      })
    )

    it.effect.prop(
      "admits what a bucket in its memory would, however often it reports",
      [
        Schema.Literals([1, 7, 99, 100, 250]),
        Schema.Array(
          Schema.Struct({
            millis: Schema.Literals([0, 1, 50, 2_345, 30_000, 2 * minute]),
            requests: between(1, 120),
            reports: Schema.Boolean
          })
        ).check(Schema.isMaxLength(12))
      ],
      ([of, steps]) =>
        Effect.gen(function* () {
          const one = yield* server
          const limit = limitOf({ limit: of, windowMillis: minute })
          let level = 0
          for (const { millis, reports, requests } of steps) {
            // A request counts from its report on, and what is leased is given back by the next.
            if (millis > 0) yield* Effect.andThen(one.report, one.report)
            yield* advance(millis)
            level = LeakyBucket.drained(limit.allowance, level, millis)
            const count = yield* admitted(one, limit, requests)
            const room = of - level
            // Where a fraction meets the edge, either is right.
            const expected = [room - 1e-3, room + 1e-3].map((space) => Math.min(requests, Math.floor(space)))
            assert.include(expected, count)
            level += count
            if (reports) yield* one.report
          }
        }).pipe(Effect.scoped),
      { arbitrary: { runs: 25 } }
    )

    it.effect("loses of a lease whose report is late only what has drained since", () =>
      Effect.gen(function* () {
        const one = yield* server
        for (const late of [100, 1_000]) {
          const limit = limitOf(allowance)
          yield* admitted(one, limit, 20, 1)
          yield* advance(leaseMillis + late)
          assert.isAtLeast(yield* admitted(one, limit, 1200), 1200 - (late * 1200) / minute)
        }
      })
    )

    it.effect("tells how much is used", () =>
      Effect.gen(function* () {
        const one = yield* server
        const limit = limitOf(allowance)
        for (const used of [1, 2, 3]) assert.strictEqual((yield* one.take([limit])).used, used)
        yield* one.report
        assert.strictEqual((yield* one.take([limit])).used, 4)
        yield* advance(100)
        assert.strictEqual((yield* one.take([limit])).used, 3)
      })
    )

    it.effect("counts a request that one limit refuses for none of its limits", () =>
      Effect.gen(function* () {
        const one = yield* server
        const [narrow, wide] = [
          limitOf({ limit: 2, windowMillis: minute }),
          limitOf({ limit: 20, windowMillis: minute })
        ]
        const both = yield* Effect.forEach(Array.from({ length: 15 }), () => one.take([narrow, wide]), {
          concurrency: 5
        })
        assert.lengthOf(
          both.filter(({ retryAfterSeconds }) => retryAfterSeconds === 0),
          2
        )
        yield* one.report
        assert.strictEqual(yield* admitted(yield* server, wide, 20), 18)
      })
    )
  })

  describe("D33 ten servers", () => {
    const count = 10
    /** What each server has not reported, and what leaks out of leases before they are used. */
    const slack = (of: LeakyBucket.Allowance) =>
      count * maxUnreported(of) + (maxUnreported(of) === 0 ? 0 : (of.limit * leaseMillis) / of.windowMillis)

    it.effect("admit at most a hundredth more for each, when all ask at once", () =>
      Effect.gen(function* () {
        const all = yield* servers(count)
        const limit = limitOf(allowance)
        const each = yield* Effect.forEach(all, (one) => admitted(one, limit, allowance.limit), { concurrency: count })
        const total = each.reduce((sum, some) => sum + some, 0)
        assert.isAtLeast(total, allowance.limit)
        assert.isAtMost(total, allowance.limit + slack(allowance))
      })
    )

    it.effect("admit no more when nine that knew of an empty bucket come after one that has filled it", () =>
      Effect.gen(function* () {
        const [first, ...others] = yield* servers(count)
        assert.isDefined(first)
        const limit = limitOf(allowance)
        for (const one of others) {
          yield* one.take([limit])
          yield* one.report
        }
        let total = others.length + (yield* admitted(first, limit, allowance.limit))
        assert.strictEqual(total, allowance.limit)
        for (const one of others) {
          const late = yield* admitted(one, limit, allowance.limit)
          assert.isAtMost(late, maxUnreported(allowance))
          total += late
        }
        assert.isAtMost(total, allowance.limit + slack(allowance))
        // What was too much is waited for as well.
        for (const one of others) yield* one.report
        const { retryAfterSeconds } = yield* first.take([limit])
        assert.strictEqual(retryAfterSeconds, 1)
        yield* advance(minute)
        let again = 0
        for (const one of [first, ...others]) again += yield* admitted(one, limit, allowance.limit)
        assert.isAtMost(total + again, 2 * allowance.limit + slack(allowance))
      })
    )

    it.effect("admit nothing from a lease that arrives when it has lapsed", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [slow, other] = [yield* server, yield* server]
        const limit = limitOf(allowance)
        const ahead = maxUnreported(allowance)
        const late = yield* Effect.gen(function* () {
          yield* sql`LOCK TABLE rate_bucket IN ACCESS EXCLUSIVE MODE`
          yield* admitted(slow, limit, ahead)
          const first = yield* Effect.forkScoped(admitted(slow, limit, 1), { startImmediately: true })
          yield* underWay(1)
          const waiting = yield* Effect.forkScoped(admitted(slow, limit, 200, 200), { startImmediately: true })
          yield* Effect.flatMap(SetClock, (clock) => clock.advance(minute))
          return [first, waiting]
        }).pipe(sql.withTransaction)
        let total = 0
        for (const fiber of late) total += yield* Fiber.join(fiber)
        yield* Effect.andThen(slow.report, slow.report)
        total += yield* admitted(other, limit, allowance.limit)
        assert.isAtLeast(total, allowance.limit)
        assert.isAtMost(total, allowance.limit + 2 * ahead)
      })
    )

    it.effect("admit exactly the limit where it is below 100", () =>
      Effect.gen(function* () {
        const all = yield* servers(count)
        const limit = limitOf({ limit: 60, windowMillis: minute })
        const each = yield* Effect.forEach(all, (one) => admitted(one, limit, 60), { concurrency: count })
        assert.strictEqual(
          each.reduce((sum, some) => sum + some, 0),
          60
        )
      })
    )

    const Step = Schema.Struct({
      server: between(0, count - 1),
      millis: Schema.Literals([0, 0, 1, 50, 999, 5_000, minute]),
      requests: between(1, 150),
      reports: Schema.Boolean
    })

    it.effect.prop(
      "never admit more in any time than the limit, what drains in it, and a hundredth for each",
      [Schema.Literals([40, 100, 300, 1200]), Schema.Array(Step).check(Schema.isMinLength(20), Schema.isMaxLength(60))],
      ([of, steps]) =>
        Effect.gen(function* () {
          const all = yield* servers(count)
          const limit = limitOf({ limit: of, windowMillis: minute })
          // The level that a bucket of all has is never higher exactly if that holds for every interval.
          let level = 0
          for (const { millis, reports, requests, server: index } of steps) {
            const one = all[index]
            assert.isDefined(one)
            yield* advance(millis)
            level = LeakyBucket.drained(limit.allowance, level, millis) + (yield* admitted(one, limit, requests))
            assert.isAtMost(level, of + slack(limit.allowance) + 1e-3)
            // A report that fails must not admit more either.
            if (reports) yield* Effect.ignore(one.report)
          }
        }).pipe(Effect.scoped),
      { arbitrary: { runs: 15 } }
    )
  })

  it.effect("a server that stops reports what it has admitted", () =>
    Effect.gen(function* () {
      const limit = limitOf(allowance)
      yield* Effect.scoped(Effect.flatMap(server, (one) => admitted(one, limit, 5)))
      const next = yield* server
      yield* next.take([limit])
      yield* next.report
      assert.strictEqual((yield* next.take([limit])).used, 7)
    })
  )

  it.effect("a clock that is set back neither refills nor fills a bucket, and nobody waits longer", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* server, yield* server]
      const [full, used] = [limitOf(allowance), limitOf(allowance)]
      const narrow = limitOf({ limit: 60, windowMillis: minute })
      yield* admitted(one, narrow, 60)
      yield* admitted(one, full, 1200)
      yield* admitted(one, used, 200)
      yield* one.report
      yield* advance(-60 * minute)
      assert.strictEqual(yield* admitted(one, full, 1), 0)
      assert.strictEqual(yield* admitted(one, used, 1200), 1000)
      // One drains in a second, for the server that asks the database and for the one that knows of the full bucket.
      for (const server of [one, other]) assert.strictEqual(yield* admitted(server, narrow, 1), 0)
      for (const server of [other, one]) {
        yield* advance(1_000)
        assert.strictEqual(yield* admitted(server, narrow, 2), 1)
      }
      yield* advance(minute)
      assert.strictEqual(yield* admitted(other, used, 1300), 1200)
    })
  )

  it.effect(
    "without the database, admits a hundredth of the limit, then is unavailable, and counts all once it is back",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const one = yield* server
        const limit = limitOf({ limit: 200, windowMillis: minute })
        yield* admitted(one, limit, 1)
        yield* Effect.andThen(one.report, one.report)
        const taken = yield* Effect.gen(function* () {
          yield* sql`LOCK TABLE rate_bucket IN ACCESS EXCLUSIVE MODE`
          const outcomes = yield* Effect.forEach(
            Array.from({ length: 6 }),
            () => Effect.match(one.take([limit]), { onSuccess: () => "taken", onFailure: ({ _tag }) => _tag }),
            { concurrency: 6 }
          )
          assert.includeMembers(outcomes, ["taken", "ServiceUnavailable"])
          const count = outcomes.filter((outcome) => outcome === "taken").length
          assert.isAtMost(count, maxUnreported(limit.allowance))
          return count
        }).pipe(sql.withTransaction)
        assert.strictEqual(yield* admitted(one, limit, 250), 199 - taken)
      })
  )

  it.effect("forgets buckets that are empty again, and stores no readable key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* advance(24 * 60 * minute)
      const one = yield* server
      const address = "203.0.113.77"
      const [soon, late] = [
        limitOf({ limit: 60, windowMillis: minute }),
        limitOf({ limit: 60, windowMillis: 60 * minute })
      ]
      yield* one.take([{ ...soon, key: `register ${address}` }])
      yield* one.take([late])
      const stored = yield* sql`SELECT encode(key, 'escape') AS key FROM rate_bucket`
      assert.notInclude(JSON.stringify(stored), address)
      yield* one.forget
      const rows = sql`SELECT used FROM rate_bucket`
      assert.lengthOf(yield* rows, 2)
      yield* advance(1_000)
      yield* one.forget
      assert.deepStrictEqual(yield* rows, [{ used: 1 }])
      yield* advance(minute)
      yield* one.forget
      assert.deepStrictEqual(yield* rows, [])
    })
  )

  it.effect("servers that count the same keys in other orders do not wait for each other in a circle", () =>
    Effect.gen(function* () {
      const limits = Array.from({ length: 40 }, () => limitOf({ limit: 50, windowMillis: minute }))
      const levels = yield* Effect.forEach(
        [limits, limits.toReversed(), limits, limits.toReversed()],
        (of) =>
          Effect.flatMap(server, (one) =>
            Effect.forEach(of, (limit) => one.take([limit]), { concurrency: "unbounded" })
          ),
        { concurrency: 4 }
      )
      assert.lengthOf(
        levels.flat().filter(({ retryAfterSeconds }) => retryAfterSeconds === 0),
        160
      )
    })
  )
})
