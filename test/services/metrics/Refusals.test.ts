/** That a request which a limit refuses is counted once, under the name of that limit and no other. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import { connect } from "node:net"
import { AppConfig } from "../../../src/Config.ts"
import { AccountId } from "../../../src/domain/access/Account.ts"
import * as PeerConnections from "../../../src/http/PeerConnections.ts"
import { CurrentAccount } from "../../../src/services/limits/CurrentAccount.ts"
import { PoolSize } from "../../../src/services/database/Database.ts"
import { DailyPageViews } from "../../../src/services/limits/DailyPageViews.ts"
import { EndpointRate } from "../../../src/services/limits/EndpointRate.ts"
import type { Endpoint } from "../../../src/services/limits/EndpointRate.ts"
import { FetchBudget } from "../../../src/services/limits/FetchBudget.ts"
import { PageRateLimit } from "../../../src/services/limits/PageRateLimit.ts"
import { SearchPermits } from "../../../src/services/limits/SearchPermits.ts"
import { SignInAttempts } from "../../../src/services/limits/SignInAttempts.ts"
import * as Access from "../../support/Access.ts"
import { customer, stripe } from "../../support/BillingAccounts.ts"
import * as FakeRates from "../../support/FakeRates.ts"
import { eventually } from "../../support/RunningQueries.ts"
import { StripeDouble } from "../../support/StripeDouble.ts"
import { apart, countsOf } from "../../support/SeriesCounts.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { TestServer } from "../../support/TestServer.ts"

const accountOf = Schema.decodeSync(AccountId)
const address = "203.0.113.9"

/** The refused requests by limit; limits that refused none are not in it. */
const refusals = countsOf("discovery_refused_total", "limit")

/** Repeats a request until it is refused, once. */
const untilRefused = <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.flip(Effect.forever(request))

describe("limits in memory", () => {
  it.effect.each<Endpoint>(["register", "token", "revoke", "authorize", "passkey"])(
    "%s counts what it refuses",
    (endpoint) =>
      Effect.gen(function* () {
        const rate = yield* EndpointRate
        yield* rate.take(endpoint, address)
        assert.deepStrictEqual(yield* refusals, {})
        yield* untilRefused(rate.take(endpoint, address))
        assert.deepStrictEqual(yield* refusals, { [endpoint]: 1 })
      }).pipe(Effect.provide(EndpointRate.layerNoDeps.pipe(Layer.provide(FakeRates.layer))), apart)
  )

  it.effect("page_views counts what it refuses", () =>
    Effect.gen(function* () {
      const rate = yield* PageRateLimit
      yield* untilRefused(rate.take(accountOf(1)))
      assert.deepStrictEqual(yield* refusals, { page_views: 1 })
    }).pipe(Effect.provide(PageRateLimit.layerNoDeps.pipe(Layer.provide(FakeRates.layer))), apart)
  )

  it.effect("metadata_fetches counts what it refuses, of new documents and of known ones", () =>
    Effect.gen(function* () {
      const budget = yield* FetchBudget
      const fetch = { hostname: "app.example", caller: address }
      yield* Effect.repeat(budget.within(fetch, Effect.void), { until: Option.isNone })
      assert.deepStrictEqual(yield* refusals, { metadata_fetches: 1 })
      yield* Effect.repeat(budget.again(fetch, Effect.void), { until: Option.isNone })
      assert.deepStrictEqual(yield* refusals, { metadata_fetches: 2 })
    }).pipe(Effect.provide(FetchBudget.layer), apart)
  )

  it.effect("searches_of_account counts reads that wait behind their own account, searches those behind others", () =>
    Effect.gen(function* () {
      const permits = yield* SearchPermits
      const end = Latch.makeUnsafe(false)
      const read = (account: number) =>
        permits
          .query(end.await)
          .pipe(Effect.provideService(CurrentAccount, accountOf(account)), Effect.forkChild({ startImmediately: true }))
      // Five connections have one for searches.
      const running = yield* read(1)
      const waiting = [yield* read(1), yield* read(1), yield* read(2)]
      assert.deepStrictEqual(yield* refusals, {})
      yield* TestClock.adjust("5 seconds")
      for (const fiber of waiting) yield* Effect.flip(Fiber.join(fiber))
      assert.deepStrictEqual(yield* refusals, { searches_of_account: 2, searches: 1 })
      yield* end.open
      yield* Fiber.join(running)
    }).pipe(Effect.provide(SearchPermits.layer.pipe(Layer.provide(Layer.succeed(PoolSize, 5)))), apart)
  )

  it.live.skipIf(process.platform !== "linux")("connections counts those of a peer that has as many as it may", () =>
    Effect.gen(function* () {
      const { port } = yield* TestServer
      const open = Effect.acquireRelease(
        Effect.callback<ReturnType<typeof connect>>((resume) => {
          const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" })
          // One that the server closes at once.
          socket.on("error", () => {})
          socket.once("connect", () => resume(Effect.succeed(socket)))
        }),
        (socket) => Effect.sync(() => socket.destroy())
      )
      yield* Effect.replicateEffect(open, PeerConnections.maxOfPeer, { concurrency: 100 })
      assert.deepStrictEqual(yield* refusals, {})
      yield* open
      yield* refusals.pipe(
        Effect.filterOrFail(({ connections }) => connections === 1),
        eventually
      )
    }).pipe(Effect.scoped, Effect.provide(TestServer.layer()), apart)
  )
})

const services = Layer.mergeAll(
  StripeDouble.billing(),
  SignInAttempts.layer,
  DailyPageViews.layer.pipe(Layer.provide(AppConfig.layerOf({ pageViewsPerDay: 2 })))
).pipe(
  Layer.provideMerge(Layer.merge(Access.layerUnhashed, StripeDouble.layer)),
  Layer.provideMerge(TestDatabase.layer)
)

layer(services, { excludeTestServices: true })("limits in the database", (it) => {
  it.effect("page_views_of_day counts what it refuses", () =>
    Effect.gen(function* () {
      const { caller } = yield* Access.subscriber()
      const views = yield* DailyPageViews
      yield* untilRefused(views.take(caller.accountId))
      assert.deepStrictEqual(yield* refusals, { page_views_of_day: 1 })
    }).pipe(apart)
  )

  it.effect("sign_in counts attempts and requests for mails that it refuses", () =>
    Effect.gen(function* () {
      const attempts = yield* SignInAttempts
      yield* untilRefused(attempts.take({ email: "one@discovery.test", sessionId: 1 }))
      assert.deepStrictEqual(yield* refusals, { sign_in: 1 })
      yield* untilRefused(attempts.takeMail({ mailTo: "one@discovery.test", purpose: "reset", address }))
      assert.deepStrictEqual(yield* refusals, { sign_in: 2 })
    }).pipe(apart)
  )

  it.effect("billing counts requests of an account that it refuses", () =>
    Effect.gen(function* () {
      const { accountId } = yield* customer()
      const billing = yield* stripe
      yield* untilRefused(billing.portal({ accountId, language: "en" }))
      assert.deepStrictEqual(yield* refusals, { billing: 1 })
    }).pipe(apart)
  )
})
