/** That each queue is counted while its work waits, and no longer: the work is held, and then released. */
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Logger, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Worker } from "node:worker_threads"
import { AppConfig } from "../../../src/Config.ts"
import { AccountId } from "../../../src/domain/access/Account.ts"
import { ActivityLog } from "../../../src/services/credits/ActivityLog.ts"
import { CreditLedger } from "../../../src/services/credits/CreditLedger.ts"
import { CurrentAccount } from "../../../src/services/limits/CurrentAccount.ts"
import { UnansweredCharges } from "../../../src/services/credits/UnansweredCharges.ts"
import { PoolSize } from "../../../src/services/database/Database.ts"
import { SearchPermits } from "../../../src/services/limits/SearchPermits.ts"
import { SharedRates } from "../../../src/services/limits/SharedRates.ts"
import * as Outbox from "../../../src/services/mail/Outbox.ts"
import * as DatabaseMetrics from "../../../src/services/metrics/DatabaseMetrics.ts"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import { Spellings } from "../../../src/services/search/index/IndexedRecords.ts"
import { namesOf, publish } from "../../../src/services/search/runtime/IndexState.ts"
import * as SearchThreads from "../../../src/services/search/runtime/SearchThreads.ts"
import * as Access from "../../support/Access.ts"
import { apart, countsOf } from "../../support/SeriesCounts.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

type Queue = Parameters<typeof Metrics.queueLength.value>[0]["queue"]

const lengthOf = (queue: Queue) => Metrics.queueLength.value({ queue })

/** Runs until it has to wait. */
const started = Effect.forkChild({ startImmediately: true })

/** So many at once, each until it has to wait. */
const startedTimes = <A, E, R>(times: number, effect: Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: times }), () => started(effect))

const services = Layer.mergeAll(
  Access.layerUnhashed,
  ActivityLog.layer.pipe(Layer.provide(AppConfig.layerOf({}))),
  SharedRates.layer
).pipe(Layer.provideMerge(TestDatabase.layer), Layer.provideMerge(Logger.layer([])))

layer(services, { excludeTestServices: true })("work for the database", (it) => {
  it.effect("charges are counted until their batch is decided", () =>
    Effect.gen(function* () {
      const { caller } = yield* Access.subscriber()
      const ledger = yield* CreditLedger
      const lock = yield* Access.holdPeriods(caller.accountId)
      const charges = yield* startedTimes(
        2,
        Effect.suspend(() => ledger.charge(Access.chargeOf(caller)))
      )
      yield* lock.waiting(1)
      assert.strictEqual(yield* lengthOf("charges"), 2)
      yield* lock.release
      yield* Fiber.joinAll(charges)
      assert.strictEqual(yield* lengthOf("charges"), 0)
    })
  )

  it.effect("charges without an answer are counted until they are refunded, and each refund once", () =>
    Effect.gen(function* () {
      const { caller } = yield* Access.subscriber()
      const ledger = yield* CreditLedger
      const unanswered = yield* UnansweredCharges
      const charges = [Access.chargeOf(caller), Access.chargeOf(caller), Access.chargeOf(caller)]
      for (const charge of charges.slice(1)) yield* ledger.charge(charge)
      const before = yield* Metrics.chargesRefunded.value({})
      const lock = yield* Access.hold(
        (sql) => sql`SELECT FROM credit_period WHERE account_id = ${caller.accountId} FOR UPDATE`,
        "refund_unanswered"
      )
      // The first was never taken.
      yield* ledger.giveBack(charges)
      yield* lock.waiting(1)
      assert.strictEqual(yield* lengthOf("refunds"), 3)
      assert.strictEqual(yield* Metrics.chargesRefunded.value({}), before)
      yield* lock.release
      yield* unanswered.settled
      assert.strictEqual(yield* lengthOf("refunds"), 0)
      assert.strictEqual((yield* Metrics.chargesRefunded.value({})) - before, 2)
      assert.strictEqual((yield* Access.books(caller.accountId)).balance.used, 0)
    })
  )

  it.effect("calls are counted until they are in the activity log, also while they are being written", () =>
    Effect.gen(function* () {
      const { caller } = yield* Access.subscriber()
      const log = yield* ActivityLog
      const lock = yield* Access.hold((sql) => sql`LOCK TABLE activity IN ACCESS EXCLUSIVE MODE`, "record_activity")
      const record = Effect.sync(() =>
        log.record({
          accountId: caller.accountId,
          credential: caller.credential,
          tool: "get_usage",
          outcome: "ok",
          credits: 0,
          atMillis: Date.parse("2026-05-01T12:00:00Z"),
          durationMillis: 1,
          requestId: "held"
        })
      )
      yield* record
      const writing = yield* started(log.write)
      yield* lock.waiting(1)
      assert.strictEqual(yield* lengthOf("activity_log"), 1)
      yield* record
      assert.strictEqual(yield* lengthOf("activity_log"), 2)
      yield* lock.release
      yield* Fiber.join(writing)
      assert.strictEqual(yield* lengthOf("activity_log"), 0)
    })
  )

  it.effect("requests are counted until the database has counted them against a rate limit", () =>
    Effect.gen(function* () {
      const rates = yield* SharedRates
      const lock = yield* Access.hold((sql) => sql`LOCK TABLE rate_bucket IN ACCESS EXCLUSIVE MODE`, "count_rates")
      // Limits below 100 are asked for.
      const limit = { key: "held", allowance: { limit: 10, windowMillis: 60_000 } }
      const requests = yield* startedTimes(3, rates.take([limit]))
      assert.strictEqual(yield* lengthOf("rate_limits"), 3)
      yield* lock.release
      for (const { retryAfterSeconds } of yield* Fiber.joinAll(requests)) assert.strictEqual(retryAfterSeconds, 0)
      assert.strictEqual(yield* lengthOf("rate_limits"), 0)
    })
  )

  it.effect("mails are counted as long as they are in the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Outbox.put({ kind: "passwordChanged", to: "one@discovery.test" })
      yield* Outbox.put({ kind: "passwordChanged", to: "two@discovery.test" })
      yield* DatabaseMetrics.read
      assert.strictEqual(yield* lengthOf("mails"), 2)
      yield* sql`DELETE FROM mail WHERE recipient = 'one@discovery.test'`
      yield* DatabaseMetrics.read
      assert.strictEqual(yield* lengthOf("mails"), 1)
      yield* sql`DELETE FROM mail`
      yield* DatabaseMetrics.read
      assert.strictEqual(yield* lengthOf("mails"), 0)
    })
  )
})

const accountOf = Schema.decodeSync(AccountId)

/** The refused requests by limit; limits that refused none are not in it. */
const refusals = countsOf("discovery_refused_total", "limit")

describe("searches", () => {
  it.effect("that read records are counted until they have a connection", () =>
    Effect.gen(function* () {
      const permits = yield* SearchPermits
      const end = Latch.makeUnsafe(false)
      const reads = yield* startedTimes(3, permits.query(end.await))
      // Five connections have one for searches.
      assert.strictEqual(yield* lengthOf("reads"), 2)
      yield* end.open
      yield* Fiber.joinAll(reads)
      assert.strictEqual(yield* lengthOf("reads"), 0)
    }).pipe(Effect.provide(SearchPermits.layer.pipe(Layer.provide(Layer.succeed(PoolSize, 5)))), apart)
  )

  /** Lets threads go on, which are not on the test's clock. */
  const realTurn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

  /** Real turns until a fiber is done. */
  const settled = <A, E>(fiber: Fiber.Fiber<A, E>) =>
    Effect.andThen(Effect.repeat(realTurn, { until: () => fiber.pollUnsafe() !== undefined }), Fiber.await(fiber))

  it.effect("are counted until they have a thread; those that find no place are counted as refused", () =>
    Effect.gen(function* () {
      const counts = new Int32Array(new SharedArrayBuffer(16))
      const spawn = () =>
        new Worker(new URL("../../support/StubbornThread.ts", import.meta.url), { workerData: counts, execArgv: [] })
      const searcher = yield* SearchThreads.onThreads({ threads: 1, places: 2 }).pipe(
        Effect.provide(NodeWorker.layer(spawn))
      )
      const spellings = new Spellings()
      const identity = { catalogId: "a", version: 1, token: "b" }
      yield* searcher.show(
        publish({ identity, niches: [], spellings: namesOf(spellings), bases: 0, list: [] }, spellings)
      )
      const search = (account: number, word: string) =>
        searcher
          .run({
            kind: "search",
            query: { subject: "stores", stores: [], words: [[word]], order: { _tag: "Grouped" }, offset: 0, limit: 25 }
          })
          .pipe(Effect.provideService(CurrentAccount, accountOf(account)), started)

      const running = yield* search(1, "forever")
      yield* Effect.repeat(realTurn, { until: () => Atomics.load(counts, 1) === 1 })
      assert.strictEqual(yield* lengthOf("searches"), 0)
      const waiting = [yield* search(1, "soap")]
      assert.strictEqual(yield* lengthOf("searches"), 1)
      for (const each of [1, 2]) {
        yield* settled(yield* search(1, "soap"))
        assert.deepStrictEqual(yield* refusals, { searches_of_account: each })
      }
      waiting.push(yield* search(2, "soap"))
      assert.strictEqual(yield* lengthOf("searches"), 2)
      yield* settled(yield* search(3, "soap"))
      assert.deepStrictEqual(yield* refusals, { searches: 1, searches_of_account: 2 })
      yield* Fiber.interrupt(running)
      for (const fiber of waiting) yield* settled(fiber)
      assert.strictEqual(yield* lengthOf("searches"), 0)
    }).pipe(Effect.scoped, apart)
  )
})
