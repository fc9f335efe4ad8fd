/** Billing over a real database and a double of Stripe's API. */
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Layer, Logger, Metric, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { AppConfig } from "../../../src/Config.ts"
import { AccountDirectory } from "../../../src/services/accounts/AccountDirectory.ts"
import { CreditLedger } from "../../../src/services/credits/CreditLedger.ts"
import { checkUnchecked } from "../../../src/services/billing/BillingUpkeep.ts"
import * as BillingRows from "../../../src/services/billing/BillingRows.ts"
import * as Database from "../../../src/services/database/Database.ts"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import * as Access from "../../support/Access.ts"
import {
  account,
  arrive,
  close,
  customer,
  customerIdOf,
  deliver,
  eventOf,
  hold,
  standing,
  stripe
} from "../../support/BillingAccounts.ts"
import * as LossyConnection from "../../support/LossyConnection.ts"
import { SetClock } from "../../support/SetClock.ts"
import { StripeDouble } from "../../support/StripeDouble.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const hours = 3_600_000
const days = 24 * hours

const logs: Array<string> = []

const Services = Layer.merge(
  StripeDouble.billing(),
  AccountDirectory.layer.pipe(Layer.provide(AppConfig.layerOf({})))
).pipe(
  Layer.provideMerge(Layer.merge(Access.layerUnhashed, StripeDouble.layer)),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start)),
  Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]))
)

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

layer(Services, { excludeTestServices: true })("billing", (it) => {
  const callsOf = (path: string) =>
    Effect.map(StripeDouble, ({ calls }) => calls.filter((call) => call.path === path).length)
  const countEvents = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly n: number }>`SELECT count(*)::integer AS n FROM billing_event`
  ).pipe(Effect.map(([row]) => row?.n ?? -1))

  describe("an event", () => {
    it.effect.each([
      { status: "active", expected: "growth active" },
      { status: "trialing", expected: "growth active" },
      { status: "past_due", expected: "growth unpaid" },
      { status: "unpaid", expected: "growth unpaid" },
      { status: "paused", expected: "growth paused" },
      { status: "canceled", expected: "growth canceled" },
      { status: "incomplete", expected: "starter active" },
      { status: "incomplete_expired", expected: "starter active" },
      { status: "a state of next year", expected: "starter active" }
    ])("D70 about a subscription that is $status makes the account $expected", ({ expected, status }) =>
      Effect.gen(function* () {
        const { customerId, email } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId, { status })
        assert.strictEqual(yield* arrive({ customer: customerId }), "processed")
        assert.strictEqual(yield* standing(email), expected)
      })
    )

    it.effect.each([
      { pausedCollection: "void", expected: "growth paused" },
      { pausedCollection: "keep_as_draft", expected: "growth active" },
      { pausedCollection: "mark_uncollectible", expected: "growth active" }
    ])(
      "D70 about one whose collection is paused with $pausedCollection makes the account $expected",
      ({ expected, pausedCollection }) =>
        Effect.gen(function* () {
          const { customerId, email } = yield* customer()
          const double = yield* StripeDouble
          double.subscribe(customerId, { pausedCollection })
          yield* arrive({ customer: customerId })
          assert.strictEqual(yield* standing(email), expected)
        })
    )

    it.effect.each([
      "customer.subscription.created",
      "customer.subscription.deleted",
      "checkout.session.completed",
      "invoice.payment_failed",
      "customer.deleted"
    ])("D71 of the type %s asks what the subscriptions say now, whatever the event says", (type) =>
      Effect.gen(function* () {
        const { customerId, email } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId, { price: "price_pro" })
        assert.strictEqual(yield* arrive({ customer: customerId, type }), "processed")
        assert.strictEqual(yield* standing(email), "pro active")
      })
    )

    it.effect("D71 that arrives again is not processed again, and asks nothing", () =>
      Effect.gen(function* () {
        const { customerId, email } = yield* customer()
        const double = yield* StripeDouble
        const subscription = double.subscribe(customerId)
        const event = yield* eventOf({ customer: customerId })
        assert.strictEqual(yield* deliver(event), "processed")
        const asked = yield* callsOf("/v1/subscriptions")
        subscription.status = "unpaid"
        assert.strictEqual(yield* deliver(event), "repeated")
        assert.strictEqual(yield* callsOf("/v1/subscriptions"), asked)
        assert.strictEqual(yield* standing(email), "growth active")
      })
    )

    it.effect("D71 that arrives on two servers at once changes the account once", () =>
      Effect.gen(function* () {
        const { accountId, customerId } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId, { price: "price_pro" })
        const event = yield* eventOf({ customer: customerId })
        yield* Effect.all(
          Array.from({ length: 6 }, () => deliver(event)),
          { concurrency: "unbounded" }
        )
        const changes = yield* Effect.flatMap(AccountDirectory, (directory) => directory.changes(accountId))
        assert.deepStrictEqual(
          changes.map(({ after, before, by, source, what }) => ({ after, before, by, source, what })),
          [{ what: "plan", before: "starter", after: "pro", by: null, source: "billing" }]
        )
      })
    )

    it.effect("about somebody who is no customer here, or about something else, is not kept and asks nothing", () =>
      Effect.gen(function* () {
        const { customerId } = yield* customer()
        const double = yield* StripeDouble
        const before = { calls: double.calls.length, events: yield* countEvents }
        assert.strictEqual(yield* arrive({ customer: "cus_foreign" }), "other_customer")
        assert.strictEqual(yield* arrive({ customer: customerId, type: "charge.succeeded" }), "ignored")
        assert.strictEqual(yield* arrive({ customer: customerId, type: "customer.updated" }), "ignored")
        assert.deepStrictEqual({ calls: double.calls.length, events: yield* countEvents }, before)
      })
    )

    it.effect("D72 that is forged, not of this time or no event is refused before anything is asked", () =>
      Effect.gen(function* () {
        const { customerId } = yield* customer()
        const double = yield* StripeDouble
        const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const good = double.event({ customer: customerId, timestamp })
        const changed = new Uint8Array(good.body)
        changed[changed.length - 2] = 32
        const before = { calls: double.calls.length, events: yield* countEvents }
        /** Signed with the right secret, but with any text as its time. */
        const signedAt = (time: string, header = `t=${time}`): typeof good => {
          const secret = double.environment["STRIPE_WEBHOOK_SECRET"] ?? ""
          const hash = createHmac("sha256", secret).update(`${time}.`).update(good.body).digest("hex")
          return { body: good.body, signature: `${header},v1=${hash}` }
        }
        const createdAt = (created: number | string) =>
          double.sign(`{"id":"evt_of_time","type":"x","created":${created},"data":{"object":{}}}`, { timestamp })
        const refused: ReadonlyArray<readonly [delivery: typeof good, because: RegExp]> = [
          ...["NaN", "-1", ""].map((time) => [signedAt(time), /does not match/u] as const),
          [signedAt("NaN", "t=later"), /does not match/u],
          [signedAt("NaN", "t"), /does not match/u],
          [signedAt(String(timestamp), `t=${timestamp}s`), /does not match/u],
          [signedAt(String(timestamp), `t=1,t=${timestamp}`), /does not match/u],
          [double.event({ customer: customerId, timestamp: timestamp + 301 }), /in the future/u],
          [double.event({ customer: customerId, timestamp: 99_999_999_999 }), /in the future/u],
          [createdAt(timestamp + 301), /in the future/u],
          ...["1e300", -1, 1.5, `"now"`, "null"].map(
            (created) => [createdAt(created), /not an event|future/u] as const
          ),
          [double.event({ customer: customerId, timestamp, secret: "whsec_another" }), /does not match/u],
          [{ ...good, body: changed }, /does not match/u],
          [{ ...good, signature: "" }, /does not match/u],
          [{ ...good, signature: "t=,v1=" }, /./u],
          [{ ...good, signature: good.signature.replace("v1=", "v0=") }, /does not match/u],
          [{ ...good, signature: "x".repeat(10_000) }, /does not match/u],
          [double.event({ customer: customerId, timestamp: timestamp - 301 }), /older than 300 seconds/u],
          [double.sign("[]", { timestamp }), /not an event/u],
          [double.sign("{", { timestamp }), /not an event/u],
          [
            double.sign(`{"id":"${"e".repeat(300)}","type":"x","created":1,"data":{"object":{}}}`, { timestamp }),
            /not an event/u
          ]
        ]
        for (const [delivery, because] of refused) {
          const error = yield* Effect.flip(deliver(delivery))
          assert.strictEqual(error._tag, "EventRefused")
          assert.match(error.message, because)
        }
        assert.deepStrictEqual({ calls: double.calls.length, events: yield* countEvents }, before)
        for (const seconds of [-300, 300]) {
          const delivery = double.event({ customer: customerId, timestamp: timestamp + seconds })
          assert.strictEqual(yield* deliver(delivery), "processed")
        }
      })
    )

    it.effect("D74 is processed when it is sent again after Stripe did not answer", () =>
      Effect.gen(function* () {
        const { customerId, email } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId)
        const event = yield* eventOf({ customer: customerId })
        double.faults.all = "error"
        const error = yield* Effect.flip(deliver(event))
        double.faults.all = undefined
        assert.strictEqual(error._tag, "BillingUnavailable")
        assert.strictEqual(yield* standing(email), "starter active")
        assert.strictEqual(yield* deliver(event), "processed")
        assert.strictEqual(yield* standing(email), "growth active")
      })
    )

    it.effect("D74 survives two failures of Stripe, and a broken connection, by itself", () =>
      Effect.gen(function* () {
        const { customerId, email } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId)
        double.faults.next.push("error", "broken")
        assert.strictEqual(yield* arrive({ customer: customerId }), "processed")
        assert.deepStrictEqual(double.faults.next, [])
        assert.strictEqual(yield* standing(email), "growth active")
      })
    )

    it.effect("D74 is processed when it is sent again after the database did not answer", () =>
      Effect.gen(function* () {
        const { connection } = yield* TestDatabase
        const { customerId, email } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId)
        const event = yield* eventOf({ customer: customerId })
        const lossy = yield* LossyConnection.make(connection)
        const elsewhere = StripeDouble.billing().pipe(
          Layer.provide(Access.layerUnhashed),
          Layer.provide(Layer.fresh(Database.layer({ source: lossy.connection, maxConnections: 2 })))
        )
        const there = yield* Layer.build(Layer.fresh(elsewhere))
        // The answer to the commit is lost: whether it was written is unknown.
        yield* lossy.lose(1_000)
        const error = yield* Effect.flip(Effect.provide(deliver(event), there))
        assert.strictEqual(error._tag, "ServiceUnavailable")
        yield* lossy.lose(0)
        yield* Effect.provide(deliver(event), there)
        assert.strictEqual(yield* standing(email), "growth active")
      })
    )
  })

  /** States of one subscription after each other; an event about each arrives once or more, after it, in any order. */
  const Run = Schema.Struct({
    states: Schema.Array(
      Schema.Struct({
        status: Schema.Literals(["active", "past_due", "unpaid", "paused", "canceled", "trialing", "incomplete"]),
        price: Schema.Literals(["price_growth", "price_pro", "price_unknown"])
      })
    ).check(Schema.isMinLength(1), Schema.isMaxLength(5)),
    /** How late each event is, and how often it is sent. */
    delays: Schema.Array(between(0, 6)).check(Schema.isMinLength(5), Schema.isMaxLength(5)),
    copies: Schema.Array(between(1, 3)).check(Schema.isMinLength(5), Schema.isMaxLength(5)),
    /** Which answers of Stripe are held back until the end. */
    held: Schema.Array(Schema.Boolean).check(Schema.isMinLength(15), Schema.isMaxLength(15))
  })

  it.effect.prop(
    "D71 in whatever order, however often and however slowly events arrive, the account is what the subscription says last",
    [Run],
    ([{ copies, delays, held, states }]) =>
      Effect.gen(function* () {
        const { customerId, email } = yield* customer()
        const double = yield* StripeDouble
        const subscription = double.subscribe(customerId, { status: "incomplete" })
        const release = Promise.withResolvers<void>()
        let asked = 0
        double.hooks.beforeAnswer = async (path) => {
          if (path === "/v1/subscriptions" && held[asked++] === true) await release.promise
        }
        const due: Array<{ readonly at: number; readonly event: Effect.Success<ReturnType<typeof eventOf>> }> = []
        const running: Array<Fiber.Fiber<unknown, unknown>> = []
        for (let step = 0; step < 12; step++) {
          const state = states[step]
          if (state !== undefined) {
            Object.assign(subscription, state)
            const event = yield* eventOf({ customer: customerId })
            for (let copy = 0; copy < (copies[step] ?? 1); copy++) {
              due.push({ at: step + (delays[step] ?? 0) * (copy + 1), event })
            }
          }
          for (const { event } of due.filter(({ at }) => at === step)) {
            running.push(yield* Effect.forkChild(deliver(event)))
          }
        }
        for (const { event } of due.filter(({ at }) => at >= 12)) running.push(yield* Effect.forkChild(deliver(event)))
        release.resolve()
        for (const fiber of running) yield* Fiber.join(fiber)
        double.hooks.beforeAnswer = undefined

        const found = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(email))
        const last = states.at(-1)
        const expected = {
          active: "active",
          trialing: "active",
          past_due: "unpaid",
          unpaid: "unpaid",
          paused: "paused",
          canceled: "canceled",
          incomplete: undefined
        } as const
        const status = last === undefined ? undefined : expected[last.status]
        // A price that is not known decides nothing until the subscription has decided something.
        if (last?.price !== "price_unknown" && status !== undefined) {
          assert.strictEqual(found.status, status)
          assert.strictEqual(found.plan, last?.price === "price_pro" ? "pro" : "growth")
        }
        // The same as asking now.
        const { status: before, plan } = found
        yield* Effect.flatMap(stripe, (billing) => billing.refresh(found.id))
        const after = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(email))
        assert.deepStrictEqual([after.plan, after.status], [plan, before])
      }),
    { arbitrary: { runs: 60 } }
  )

  it.effect("D71 an answer of Stripe that comes after a later one is not written", () =>
    Effect.gen(function* () {
      const { customerId, email } = yield* customer()
      const double = yield* StripeDouble
      const subscription = double.subscribe(customerId)
      const held = yield* hold("GET", "/v1/subscriptions")
      const early = yield* Effect.forkChild(arrive({ customer: customerId }))
      yield* held.asked
      subscription.status = "unpaid"
      yield* arrive({ customer: customerId })
      yield* held.release
      assert.strictEqual(yield* Fiber.join(early), "processed")
      assert.strictEqual(yield* standing(email), "growth unpaid")
    })
  )

  describe("a subscription", () => {
    it.effect("D70 with an older price of a plan has that plan", () =>
      Effect.gen(function* () {
        const { customerId, email } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId, { price: "price_growth2019" })
        yield* arrive({ customer: customerId })
        assert.strictEqual(yield* standing(email), "growth active")
      })
    )

    it.effect("D73 with an unknown price gives nothing, and a warning names it", () =>
      Effect.gen(function* () {
        const { customerId, email } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId, { price: "price_unknown" })
        assert.strictEqual(yield* arrive({ customer: customerId }), "processed")
        assert.strictEqual(yield* standing(email), "starter active")
        assert.include(logs.at(-2) ?? "", "price_unknown")
      })
    )

    it.effect("D73 whose price becomes unknown keeps the plan, and still ends it", () =>
      Effect.gen(function* () {
        const { customerId, email } = yield* customer()
        const double = yield* StripeDouble
        const subscription = double.subscribe(customerId, { price: "price_pro" })
        yield* arrive({ customer: customerId })
        subscription.price = "price_unknown"
        yield* arrive({ customer: customerId })
        assert.strictEqual(yield* standing(email), "pro active")
        subscription.status = "past_due"
        yield* arrive({ customer: customerId })
        assert.strictEqual(yield* standing(email), "pro unpaid")
      })
    )

    it.effect(
      "D73 beside another: the better one decides, a warning says that both are paid for, and no third is sold",
      () =>
        Effect.gen(function* () {
          const { accountId, customerId, email } = yield* customer()
          const double = yield* StripeDouble
          const pro = double.subscribe(customerId, { price: "price_pro" })
          const growth = double.subscribe(customerId)
          yield* arrive({ customer: customerId })
          assert.strictEqual(yield* standing(email), "pro active")
          assert.isTrue(logs.some((line) => line.includes("more than one subscription")))
          const page = yield* Effect.flatMap(stripe, (billing) =>
            billing.checkout({ accountId, email, language: "de" }, "growth")
          )
          assert.match(page ?? "", /\/p\/bps_/u)
          pro.status = "canceled"
          yield* arrive({ customer: customerId })
          assert.strictEqual(yield* standing(email), "growth active")
          growth.status = "canceled"
          yield* arrive({ customer: customerId })
          assert.strictEqual(yield* standing(email), "growth canceled")
        })
    )

    it.effect("D73 that has ended counts once: what an operator gives afterwards stays", () =>
      Effect.gen(function* () {
        const { customerId, email } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId, { status: "canceled" })
        yield* arrive({ customer: customerId })
        assert.strictEqual(yield* standing(email), "growth canceled")
        yield* Effect.flatMap(Accounts, (accounts) => accounts.setStatus(email, "active"))
        yield* arrive({ customer: customerId })
        assert.strictEqual(yield* standing(email), "growth active")
      })
    )

    it.effect("D73 that has ended counts, also after another one that has ended, and that of another customer", () =>
      Effect.gen(function* () {
        const { accountId, customerId, email } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId, { status: "canceled" })
        yield* arrive({ customer: customerId })
        double.subscribe(customerId, { status: "canceled", price: "price_pro", created: 2_000_000_000 })
        yield* arrive({ customer: customerId })
        assert.strictEqual(yield* standing(email), "pro canceled")
        double.deleteCustomer(customerId)
        yield* arrive({ customer: customerId, type: "customer.deleted" })
        const billing = yield* stripe
        yield* billing.checkout({ accountId, email, language: "en" }, "growth")
        const next = (yield* customerIdOf(accountId)) ?? ""
        double.subscribe(next, { status: "canceled" })
        yield* arrive({ customer: next })
        assert.strictEqual(yield* standing(email), "growth canceled")
      })
    )

    it.effect("stays, when an answer about the customer before comes once there is another one", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { accountId } = yield* customer()
        const question = yield* BillingRows.ask(sql, accountId)
        assert(question !== undefined)
        yield* BillingRows.forgetCustomer(sql, accountId)
        yield* sql`UPDATE billing_customer SET customer_id = 'cus_the_next' WHERE account_id = ${accountId}`
        const now = yield* Clock.currentTimeMillis
        assert.isUndefined(yield* BillingRows.accept(sql, question, now))
        assert.isDefined(yield* BillingRows.accept(sql, { ...question, customerId: "cus_the_next" }, now))
        assert.isUndefined(yield* BillingRows.accept(sql, { ...question, customerId: "cus_the_next" }, now))
        // Stripe has no such customer: each later check would ask again.
        yield* BillingRows.forgetCustomer(sql, accountId)
      })
    )

    it.effect("stays, when an answer to an earlier call says that the customer before is gone", () =>
      Effect.gen(function* () {
        const { accountId, customerId, email } = yield* customer()
        const double = yield* StripeDouble
        const billing = yield* stripe
        double.subscribe(customerId)
        yield* arrive({ customer: customerId })
        double.deleteCustomer(customerId)
        const held = yield* hold("POST", "/v1/billing_portal/sessions")
        const late = yield* Effect.forkChild(billing.portal({ accountId, language: "en" }))
        yield* held.asked
        yield* arrive({ customer: customerId, type: "customer.deleted" })
        yield* billing.checkout({ accountId, email, language: "en" }, "pro")
        const next = (yield* customerIdOf(accountId)) ?? ""
        double.subscribe(next, { price: "price_pro" })
        yield* arrive({ customer: next })
        yield* held.release
        yield* Fiber.join(late)
        assert.strictEqual(yield* standing(email), "pro active")
        assert.strictEqual(yield* customerIdOf(accountId), next)
      })
    )

    it.effect.each([
      { by: "its event", find: (customer: string) => Effect.asVoid(arrive({ customer, type: "customer.deleted" })) },
      {
        by: "the way to the portal",
        find: (_: string, accountId: AccountId) =>
          Effect.flatMap(stripe, (billing) => billing.portal({ accountId, language: "en" })).pipe(
            Effect.map((page) => assert.isUndefined(page))
          )
      }
    ])(
      "of a customer who is deleted in Stripe has ended, as found by $by; the next purchase makes another",
      ({ find }) =>
        Effect.gen(function* () {
          const { accountId, customerId, email } = yield* customer()
          const double = yield* StripeDouble
          double.subscribe(customerId)
          yield* arrive({ customer: customerId })
          double.deleteCustomer(customerId)
          yield* find(customerId, accountId)
          assert.strictEqual(yield* standing(email), "growth canceled")
          const billing = yield* stripe
          assert.isUndefined(yield* billing.portal({ accountId, language: "en" }))
          const page = yield* billing.checkout({ accountId, email, language: "en" }, "pro")
          assert.match(page ?? "", /\/c\/pay\/cs_/u)
          assert.notStrictEqual(yield* customerIdOf(accountId), customerId)
        })
    )

    it.effect("of a customer who is unknown to the key, as of another account or mode, stays as it is", () =>
      Effect.gen(function* () {
        const { accountId, customerId, email } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId)
        yield* arrive({ customer: customerId })
        double.customers.delete(customerId)
        const billing = yield* stripe
        const errors = [
          yield* Effect.flip(arrive({ customer: customerId })),
          yield* Effect.flip(billing.refresh(accountId)),
          yield* Effect.flip(billing.portal({ accountId, language: "en" })),
          yield* Effect.flip(billing.checkout({ accountId, email, language: "en" }, "pro"))
        ]
        for (const error of errors) {
          assert.deepInclude(error, {
            _tag: "BillingUnavailable",
            message: "Stripe, customer: STRIPE_SECRET_KEY does not know it"
          })
        }
        assert.strictEqual(yield* standing(email), "growth active")
        assert.strictEqual(yield* customerIdOf(accountId), customerId)
        double.customers.set(customerId, { id: customerId, email })
      })
    )
  })

  describe("credits", () => {
    const balance = (accountId: number) => Effect.map(Access.books(accountId), ({ balance }) => balance)
    const spend = Effect.fnUntraced(function* (
      accountId: Parameters<typeof Access.chargeOf>[0]["accountId"],
      cost: number
    ) {
      const ledger = yield* CreditLedger
      const credits = { allowance: 0, used: 0, periodStart: "2026-03-10", periodEnd: "2026-04-10" }
      const caller = {
        accountId,
        plan: "growth",
        status: "active",
        credential: { kind: "api_key", id: 1 },
        credits
      } as const
      yield* ledger.charge(Access.chargeOf(caller, { cost }))
    })

    it.effect("D7 begin on the day that the first subscription started", () =>
      Effect.gen(function* () {
        const { accountId, customerId, email } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId, { created: Date.parse("2026-03-07T23:59:59Z") / 1000 })
        yield* arrive({ customer: customerId })
        const { beganOn } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(email))
        assert.strictEqual(beganOn, "2026-03-07")
        assert.deepStrictEqual(yield* balance(accountId), { allowance: Access.allowances.growth, used: 0 })
      })
    )

    it.effect("D7 of an upgrade in the middle of a period are those of the new plan, less what is used", () =>
      Effect.gen(function* () {
        const { accountId, customerId } = yield* customer()
        const double = yield* StripeDouble
        const subscription = double.subscribe(customerId)
        yield* arrive({ customer: customerId })
        yield* spend(accountId, 15)
        subscription.price = "price_pro"
        yield* arrive({ customer: customerId })
        assert.deepStrictEqual(yield* balance(accountId), { allowance: Access.allowances.pro, used: 15 })
      })
    )

    it.effect(
      "D7 of a downgrade in the middle of a period are never below what is used, and renewing changes nothing",
      () =>
        Effect.gen(function* () {
          const { accountId, customerId } = yield* customer()
          const double = yield* StripeDouble
          const subscription = double.subscribe(customerId, { price: "price_pro" })
          yield* arrive({ customer: customerId })
          yield* spend(accountId, 60)
          subscription.price = "price_growth"
          yield* arrive({ customer: customerId })
          assert.deepStrictEqual(yield* balance(accountId), { allowance: 60, used: 60 })
          yield* arrive({ customer: customerId, type: "invoice.paid" })
          assert.deepStrictEqual(yield* balance(accountId), { allowance: 60, used: 60 })
        })
    )

    it.effect("D7 of a period are not renewed by ending a subscription and buying another", () =>
      Effect.gen(function* () {
        const { accountId, customerId } = yield* customer()
        const double = yield* StripeDouble
        const first = double.subscribe(customerId)
        yield* arrive({ customer: customerId })
        yield* spend(accountId, 20)
        first.status = "canceled"
        yield* arrive({ customer: customerId })
        double.subscribe(customerId)
        yield* arrive({ customer: customerId })
        assert.deepStrictEqual(yield* balance(accountId), { allowance: 20, used: 20 })
        assert.deepStrictEqual(yield* Access.disagreements, [])
      })
    )
  })

  describe("the page to pay at", () => {
    it.effect("D75 is one, however many tabs ask for it, at once or after each other", () =>
      Effect.gen(function* () {
        const { email, id: accountId } = yield* account()
        const double = yield* StripeDouble
        const billing = yield* stripe
        const ask = billing.checkout({ accountId, email, language: "en" }, "growth")
        // All of them find no page before one makes it.
        const allHaveAsked = Promise.withResolvers<void>()
        let asked = 0
        double.hooks.beforeAnswer = async (path) => {
          if (path !== "/v1/checkout/sessions") return
          if (++asked === 4) allHaveAsked.resolve()
          await allHaveAsked.promise
        }
        const atOnce = yield* Effect.all([ask, ask, ask, ask], { concurrency: "unbounded" })
        double.hooks.beforeAnswer = undefined
        const pages = new Set([...atOnce, yield* ask])
        assert.strictEqual(pages.size, 1)
        const customers = Array.from(double.customers.values()).filter((each) => each.email === email)
        assert.lengthOf(customers, 1)
        assert.lengthOf(
          double.sessions.filter(({ customer }) => customer === customers[0]?.id),
          1
        )
      })
    )

    it.effect("D75 is another one, when the last one has expired", () =>
      Effect.gen(function* () {
        const { accountId, customerId, email, page } = yield* customer()
        const double = yield* StripeDouble
        const billing = yield* stripe
        const sessions = () => double.sessions.filter((session) => session.customer === customerId)
        const pages = [page]
        for (let time = 0; time < 2; time++) {
          for (const session of sessions()) session.status = "expired"
          pages.push((yield* billing.checkout({ accountId, email, language: "en" }, "growth")) ?? "")
          assert.deepStrictEqual(
            sessions().flatMap(({ id, status }) => (status === "open" ? [pages.at(-1)?.includes(id)] : [])),
            [true]
          )
        }
        assert.strictEqual(new Set(pages).size, 3)
      })
    )

    it.effect("D75 of another plan closes the one before", () =>
      Effect.gen(function* () {
        const { accountId, customerId, email, page } = yield* customer()
        const double = yield* StripeDouble
        const billing = yield* stripe
        const other = yield* billing.checkout({ accountId, email, language: "en" }, "pro")
        assert.notStrictEqual(other, page)
        assert.deepStrictEqual(
          double.sessions
            .filter((session) => session.customer === customerId)
            .map(({ price, status }) => [price, status]),
          [
            ["price_pro", "open"],
            ["price_growth", "expired"]
          ]
        )
        // And back: the one that was closed is not used again.
        const again = yield* billing.checkout({ accountId, email, language: "en" }, "growth")
        assert.notInclude([page, other], again)
      })
    )

    it.effect("D75 is one, when two plans are chosen at once", () =>
      Effect.gen(function* () {
        const { email, id: accountId } = yield* account()
        const double = yield* StripeDouble
        const billing = yield* stripe
        const bothHaveAsked = Promise.withResolvers<void>()
        let asked = 0
        double.hooks.beforeAnswer = async (path, method) => {
          if (path !== "/v1/checkout/sessions" || method !== "GET") return
          if (++asked === 2) bothHaveAsked.resolve()
          await bothHaveAsked.promise
        }
        const ask = (plan: "growth" | "pro") => billing.checkout({ accountId, email, language: "en" }, plan)
        const open = Effect.map(customerIdOf(accountId), (id) =>
          double.sessions.filter(({ customer, status }) => customer === id && status === "open")
        )
        // Either may be asked to try again.
        yield* Effect.all([Effect.exit(ask("growth")), Effect.exit(ask("pro"))], { concurrency: "unbounded" })
        double.hooks.beforeAnswer = undefined
        assert.isAtMost((yield* open).length, 1)
        yield* ask("growth")
        assert.lengthOf(yield* open, 1)
        // What was refused says nothing about the customer.
        assert.lengthOf(
          Array.from(double.customers.values()).filter((each) => each.email === email),
          1
        )
      })
    )

    it.effect("D75 is for the customer whose events count, when the address changes meanwhile", () =>
      Effect.gen(function* () {
        const { email, id: accountId } = yield* account()
        const double = yield* StripeDouble
        const billing = yield* stripe
        const held = yield* hold("POST", "/v1/customers")
        const early = yield* Effect.forkChild(billing.checkout({ accountId, email, language: "en" }, "growth"))
        yield* held.asked
        yield* billing.checkout({ accountId, email: `new-${email}`, language: "en" }, "growth")
        yield* held.release
        yield* Fiber.join(early)
        const customerId = yield* customerIdOf(accountId)
        const made = Array.from(double.customers.values()).filter((each) => each.email.endsWith(email))
        assert.lengthOf(made, 2)
        for (const { id } of made) {
          const open = double.sessions.filter(({ customer, status }) => customer === id && status === "open")
          assert.lengthOf(open, id === customerId ? 1 : 0)
        }
      })
    )

    it.effect.each(["growth", "pro"] as const)(
      "D75 leads who has paid in another tab meanwhile to the portal, if %s is chosen",
      (plan) =>
        Effect.gen(function* () {
          const { accountId, customerId, email } = yield* customer()
          const double = yield* StripeDouble
          const billing = yield* stripe
          const held = yield* hold("GET", "/v1/checkout/sessions")
          const asked = yield* Effect.forkChild(billing.checkout({ accountId, email, language: "en" }, plan))
          yield* held.asked
          for (const session of double.sessions) if (session.customer === customerId) session.status = "complete"
          double.subscribe(customerId)
          yield* held.release
          assert.match((yield* Fiber.join(asked)) ?? "", /\/p\/bps_/u)
          assert.strictEqual(yield* standing(email), "growth active")
        })
    )

    it.effect.each(
      (
        [
          ["POST", "/v1/customers"],
          ["GET", "/v1/checkout/sessions"],
          ["GET", "/v1/subscriptions"],
          ["POST", "/v1/checkout/sessions"]
        ] as const
      ).flatMap(([method, path]) => [
        { method, path, isEnded: true, when: "closed, with what it has at Stripe," },
        { method, path, isEnded: false, when: "closed" }
      ])
    )("D75 is none for an account that is $when before Stripe answers to $method $path", ({ isEnded, method, path }) =>
      Effect.gen(function* () {
        const { email, id: accountId } = yield* account()
        const double = yield* StripeDouble
        const billing = yield* stripe
        const held = yield* hold(method, path)
        const asked = yield* Effect.forkChild(billing.checkout({ accountId, email, language: "en" }, "growth"))
        yield* held.asked
        yield* close(accountId)
        if (isEnded) yield* billing.refresh(accountId)
        yield* held.release
        assert.isUndefined(yield* Fiber.join(asked))
        const own = Array.from(double.customers.values()).filter((each) => each.email === email)
        const open = double.sessions.filter(
          ({ customer, status }) => status === "open" && own.some(({ id }) => id === customer)
        )
        assert.lengthOf(open, 0)
        assert.isUndefined(yield* billing.checkout({ accountId, email, language: "en" }, "growth"))
        yield* billing.refresh(accountId)
        assert.isUndefined(yield* customerIdOf(accountId))
      })
    )

    it.effect.each(["/v1/customers", "/v1/checkout/sessions"])(
      "is made by another request when Stripe keeps to a failure of POST %s",
      (path) =>
        Effect.gen(function* () {
          const { email, id: accountId } = yield* account()
          const double = yield* StripeDouble
          const billing = yield* stripe
          double.hooks.beforeCall = (call) => {
            if (call.path !== path || call.method !== "POST") return
            double.hooks.beforeCall = undefined
            double.faults.next.push("kept error")
          }
          const page = yield* billing.checkout({ accountId, email, language: "en" }, "growth")
          assert.match(page ?? "", /\/c\/pay\/cs_/u)
        })
    )

    it.effect("D75 is no page for who has a running subscription that has not arrived here yet", () =>
      Effect.gen(function* () {
        const { accountId, customerId, email } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId, { status: "past_due" })
        const billing = yield* stripe
        const page = yield* billing.checkout({ accountId, email, language: "en" }, "growth")
        assert.match(page ?? "", /\/p\/bps_/u)
        assert.strictEqual(yield* standing(email), "growth unpaid")
      })
    )

    it.effect("names the account to Stripe by a random text, and every creation has an idempotency key", () =>
      Effect.gen(function* () {
        const double = yield* StripeDouble
        const before = double.calls.length
        const { email } = yield* customer()
        const created = double.calls.slice(before).filter(({ method }) => method === "POST")
        assert.deepStrictEqual(
          created.map(({ path }) => path),
          ["/v1/customers", "/v1/checkout/sessions"]
        )
        for (const { idempotencyKey } of created) assert.match(idempotencyKey ?? "", /^[0-9a-f]{64}$/u)
        const [made, session] = created
        assert.strictEqual(made?.params.get("email"), email)
        const reference = made?.params.get("metadata[discovery_account]") ?? ""
        assert.match(reference, /^[0-9a-f-]{36}$/u)
        assert.strictEqual(session?.params.get("client_reference_id"), reference)
        assert.strictEqual(session?.params.get("subscription_data[metadata][discovery_account]"), reference)
      })
    )

    it.effect("and the portal are asked for at most 20 times in 10 minutes, on all servers together", () =>
      Effect.gen(function* () {
        const { accountId } = yield* customer()
        const ask = Effect.flatMap(stripe, (billing) => billing.portal({ accountId, language: "fr" }))
        const elsewhere = yield* Layer.build(Layer.fresh(StripeDouble.billing()))
        for (let times = 1; times < 20; times++) yield* times % 2 === 0 ? ask : Effect.provide(ask, elsewhere)
        const error = yield* Effect.flip(ask)
        assert.strictEqual(error._tag, "RateLimited")
      })
    )
  })

  it.effect("D74 a Stripe that never answers is given up, and errors have nothing of what it says", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const { accountId } = yield* customer()
      const quick = StripeDouble.billing({ attempt: Duration.seconds(30), call: Duration.millis(50) })
      const impatient = yield* Layer.build(Layer.fresh(quick))
      double.faults.all = "silent"
      const silent = yield* Effect.flip(
        Effect.provide(
          Effect.flatMap(stripe, (billing) => billing.refresh(accountId)),
          impatient
        )
      )
      double.faults.all = "error"
      const error = yield* Effect.flip(Effect.flatMap(stripe, (billing) => billing.refresh(accountId)))
      double.faults.all = undefined
      assert.deepInclude(silent, { _tag: "BillingUnavailable", message: "Stripe, subscriptions: no answer in time" })
      assert.strictEqual(error._tag, "BillingUnavailable")
      assert.match(error.message, /^Stripe, subscriptions: StripeAPIError 500 req_\d+$/u)
    })
  )

  describe("a closed account", () => {
    const left = Effect.fnUntraced(function* (id: string) {
      const { sessions, subscriptions } = yield* StripeDouble
      return [
        ...subscriptions.filter((each) => each.customer === id && each.status !== "canceled"),
        ...sessions.filter((each) => each.customer === id && each.status === "open")
      ]
    })

    it.effect("has no subscription and no page to pay at any more; ending them may be repeated", () =>
      Effect.gen(function* () {
        const { accountId, customerId } = yield* customer()
        const other = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId)
        double.subscribe(customerId, { status: "incomplete" })
        double.subscribe(other.customerId)
        yield* arrive({ customer: customerId })
        const billing = yield* stripe
        yield* close(accountId)
        double.faults.all = "error"
        assert.strictEqual((yield* Effect.flip(billing.refresh(accountId)))._tag, "BillingUnavailable")
        double.faults.all = undefined
        yield* billing.refresh(accountId)
        yield* billing.refresh(accountId)
        yield* billing.refresh((yield* account()).id)
        assert.lengthOf(yield* left(customerId), 0)
        assert.lengthOf(yield* left(other.customerId), 2)
        assert.strictEqual(yield* arrive({ customer: customerId }), "other_customer")
      })
    )

    it.effect("whose subscription could not be ended is due at once, and a payment that comes later ends as well", () =>
      Effect.gen(function* () {
        const [due, paid] = [yield* customer(), yield* customer()]
        const double = yield* StripeDouble
        for (const { accountId } of [due, paid]) yield* close(accountId)
        double.subscribe(paid.customerId)
        assert.strictEqual(yield* arrive({ customer: paid.customerId }), "processed")
        assert.lengthOf(yield* left(paid.customerId), 0)
        assert.lengthOf(yield* left(due.customerId), 1)
        yield* checkUnchecked(yield* stripe)
        assert.lengthOf(yield* left(due.customerId), 0)
        assert.isUndefined(yield* customerIdOf(due.accountId))
      })
    )

    /** Closes the account while an event about its customer waits for Stripe. */
    const closeMeanwhile = Effect.fnUntraced(function* (accountId: AccountId, customerId: string) {
      const held = yield* hold("GET", "/v1/subscriptions")
      const event = yield* Effect.forkChild(arrive({ customer: customerId }))
      yield* held.asked
      yield* close(accountId)
      yield* held.release
      assert.strictEqual(yield* Fiber.join(event), "processed")
    })

    it.effect("that is being closed when it asks for a page to pay at becomes no customer", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* account()
        const closing = yield* Access.hold(
          (other) =>
            other`UPDATE account SET password_hash = NULL, status = 'canceled', closed_at = now() WHERE id = ${id}`
        )
        const enrolled = BillingRows.enroll(sql, id, yield* Clock.currentTimeMillis)
        assert.isUndefined(yield* Access.afterWaiting(closing, enrolled))
        assert.deepStrictEqual(yield* sql`SELECT FROM billing_customer WHERE account_id = ${id}`, [])
      })
    )

    it.effect("that is closed while an event about it is processed is left alone by the event", () =>
      Effect.gen(function* () {
        const { accountId, customerId } = yield* customer()
        const double = yield* StripeDouble
        double.subscribe(customerId)
        yield* closeMeanwhile(accountId, customerId)
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql`SELECT plan, status FROM account WHERE id = ${accountId}`
        assert.deepStrictEqual(row, { plan: "starter", status: "canceled" })
      })
    )

    it.effect.each([{ has: "a subscription" }, { has: "only a page to pay at" }])(
      "with $has is due at once although an event about it was processed meanwhile",
      ({ has }) =>
        Effect.gen(function* () {
          const { accountId, customerId } = yield* customer()
          const double = yield* StripeDouble
          if (has === "a subscription") double.subscribe(customerId)
          yield* closeMeanwhile(accountId, customerId)
          assert.lengthOf(yield* left(customerId), has === "a subscription" ? 2 : 1)
          yield* checkUnchecked(yield* stripe)
          assert.lengthOf(yield* left(customerId), 0)
          assert.isUndefined(yield* customerIdOf(accountId))
        })
    )
  })

  describe("events that were missed", () => {
    it.effect("D76 are made up for by reconciling, which tells what it corrected and goes on after a failure", () =>
      Effect.gen(function* () {
        const [right, missed, failing] = [yield* customer(), yield* customer(), yield* customer()]
        const double = yield* StripeDouble
        double.subscribe(right.customerId)
        yield* arrive({ customer: right.customerId })
        double.subscribe(missed.customerId, { price: "price_pro" })
        const billing = yield* stripe
        const compared = yield* Stream.runCollect(billing.reconcile)
        const of = (accountId: number) => Array.from(compared).find((each) => each.accountId === accountId)
        assert.isDefined(of(failing.accountId))
        const corrected = of(missed.accountId)
        assert.isTrue(corrected !== undefined && "change" in corrected && corrected.change?.after.plan === "pro")
        assert.strictEqual(yield* standing(missed.email), "pro active")
        double.faults.all = "error"
        const error = yield* Effect.flip(Stream.runDrain(billing.reconcile))
        double.faults.all = undefined
        assert.strictEqual(error._tag, "BillingUnavailable")
      })
    )

    it.effect("D76 are made up for within a day, by one server for each customer, after failures as well", () =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const double = yield* StripeDouble
        const billing = yield* stripe
        const { customerId, email } = yield* customer()
        const subscription = double.subscribe(customerId)
        const check = checkUnchecked(billing)
        // All customers of the tests before, too.
        yield* clock.advance(2 * days)
        yield* check
        assert.strictEqual(yield* standing(email), "growth active")
        const asked = yield* callsOf("/v1/subscriptions")
        yield* clock.advance(23 * hours)
        yield* check
        assert.strictEqual(yield* callsOf("/v1/subscriptions"), asked)
        subscription.status = "unpaid"
        yield* clock.advance(2 * hours)
        double.faults.all = "error"
        yield* check
        double.faults.all = undefined
        assert.strictEqual(yield* standing(email), "growth active")
        yield* clock.advance(hours / 2)
        yield* Effect.all([check, check], { concurrency: 2 })
        assert.strictEqual(yield* standing(email), "growth unpaid")
        assert.isTrue(logs.some((line) => line.includes("was an event missed?")))
        yield* clock.set(start)
      })
    )

    it.effect("D76 are looked for by one server for each customer, and none waits for another", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [one, other] = [yield* customer(), yield* customer()]
        const now = yield* Clock.currentTimeMillis
        yield* sql`UPDATE billing_customer SET checked_at = ${new Date(now - 2 * days)} WHERE account_id = ANY(${[one.accountId, other.accountId]}::int[])`
        const taken = yield* Access.hold(
          (held) => held`SELECT FROM billing_customer WHERE account_id = ${one.accountId} FOR UPDATE`
        )
        const found = yield* Access.withoutWaiting(taken, BillingRows.takeUnchecked(sql, now, 100))
        assert.include(found, other.accountId)
        assert.notInclude(found, one.accountId)
      })
    )

    it.effect("D76 and processed ones are forgotten after 40 days", () =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const { customerId } = yield* customer()
        yield* arrive({ customer: customerId })
        const sql = yield* SqlClient.SqlClient
        const forget = Effect.flatMap(Clock.currentTimeMillis, (now) => BillingRows.forgetOldEvents(sql, now))
        yield* clock.advance(39 * days)
        yield* forget
        assert.isAbove(yield* countEvents, 0)
        yield* clock.advance(2 * days)
        yield* forget
        assert.strictEqual(yield* countEvents, 0)
        yield* clock.set(start)
      })
    )
  })

  it.effect("events and comparisons are counted by outcome, with the time that an event took", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      const double = yield* StripeDouble
      const { customerId } = yield* customer()
      double.subscribe(customerId)
      const event = yield* eventOf({ customer: customerId })
      yield* clock.advance(60_000)
      yield* deliver(event)
      yield* deliver(event)
      yield* arrive({ customer: "cus_foreign" })
      yield* arrive({ customer: customerId, type: "charge.succeeded" })
      yield* Effect.flip(deliver({ ...event, signature: "" }))
      double.faults.all = "error"
      yield* Effect.flip(arrive({ customer: customerId }))
      double.faults.all = undefined
      for (const outcome of ["processed", "repeated", "other_customer", "ignored", "refused", "unavailable"] as const) {
        assert.strictEqual(yield* Metrics.billingEvents.value({ outcome }), 1, outcome)
      }
      assert.strictEqual(yield* Metrics.billingEventProcessed.value({}), (Date.parse(start) + 60_000) / 1000)
      const delays = (yield* Metric.snapshot).find(({ id }) => id === "discovery_billing_event_delay_seconds")
      assert.deepInclude(delays?.state, { count: 1, sum: 60 })
      for (const subscription of double.subscriptions) subscription.status = "unpaid"
      const unknown = yield* customer()
      double.customers.delete(unknown.customerId)
      yield* clock.advance(2 * days)
      yield* checkUnchecked(yield* stripe)
      assert.isAbove(yield* Metrics.billingCompared.value({ outcome: "corrected" }), 0)
      assert.isAbove(yield* Metrics.billingCompared.value({ outcome: "same" }), 0)
      assert.isAbove(yield* Metrics.billingCompared.value({ outcome: "failed" }), 0)
      yield* clock.set(start)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("nothing that is secret or personal is in the log", () =>
    Effect.sync(() => {
      assert.isAbove(logs.length, 20)
      for (const line of logs) assert.notMatch(line, /@|sk_test|whsec|nine green whales/u)
    })
  )
})
