/** One subscription from its purchase to its end: changes that are still to come, and its events in any order, twice and late. */
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Logger, Schema } from "effect"
import * as fs from "node:fs/promises"
import type { Stripe } from "stripe"
import * as Access from "../../support/Access.ts"
import { arrive, customer, deliver, standing, stripe } from "../../support/BillingAccounts.ts"
import { SetClock } from "../../support/SetClock.ts"
import { StripeDouble } from "../../support/StripeDouble.ts"
import { daySeconds, lifeOf } from "../../support/StripeLife.ts"
import { newSubscription } from "../../support/StripeObjects.ts"
import type { Subscription } from "../../support/StripeObjects.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"

const Services = StripeDouble.billing().pipe(
  Layer.provideMerge(Layer.merge(Access.layerUnhashed, StripeDouble.layer)),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start)),
  Layer.provideMerge(Logger.layer([]))
)

/** The table of docs/operations.md, of the states that this life has; `incomplete` leaves the account as it was. */
const statuses: Readonly<Record<string, string>> = {
  active: "active",
  trialing: "active",
  past_due: "unpaid",
  unpaid: "unpaid",
  paused: "paused",
  canceled: "canceled"
}

/** Of a new account on the plan Starter. */
const expectedOf = ({ pausedCollection, price, status }: Subscription): string =>
  status === "incomplete"
    ? "starter active"
    : `${price === "price_pro" ? "pro" : "growth"} ${pausedCollection === "void" ? "paused" : statuses[status]}`

const isAboutPaying = ({ type }: Stripe.Event) => !type.startsWith("subscription_schedule.")

/** Every order of the numbers below `length`. */
const ordersOf = (length: number): ReadonlyArray<ReadonlyArray<number>> =>
  length === 0
    ? [[]]
    : ordersOf(length - 1).flatMap((order) =>
        Array.from({ length }, (_, place) => [...order.slice(0, place), length - 1, ...order.slice(place)])
      )

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

layer(Services, { excludeTestServices: true })("a subscription", (it) => {
  /** An account whose subscription has begun as in a life, which it then follows. */
  const begin = Effect.gen(function* () {
    const { customerId, email } = yield* customer()
    const double = yield* StripeDouble
    const subscription = double.subscribe(customerId)
    const life = lifeOf(subscription, Math.floor((yield* Clock.currentTimeMillis) / 1000))
    const delivered = new Set<string>()

    /** Delivers an event as it is now: signed at its arrival, whenever it was made. */
    const receive = Effect.fnUntraced(function* (event: Stripe.Event) {
      const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const received = yield* deliver(double.sign(JSON.stringify(event), { timestamp }))
      const first = isAboutPaying(event) ? "processed" : "ignored"
      assert.strictEqual(received, delivered.has(event.id) && first === "processed" ? "repeated" : first, event.type)
      delivered.add(event.id)
      if (received === "processed") assert.strictEqual(yield* standing(email), expectedOf(subscription), event.type)
    })
    return { email, life, receive, subscription }
  })

  describe("that is to change", () => {
    it.effect.each([
      {
        what: "a scheduled downgrade",
        now: { price: "price_pro" },
        planned: { scheduledPrice: "price_growth" },
        changed: { price: "price_growth" }
      },
      {
        what: "a scheduled downgrade, and a renewal that was not paid,",
        now: { price: "price_pro", status: "past_due" },
        planned: { scheduledPrice: "price_growth" },
        changed: { price: "price_growth" }
      },
      {
        what: "a scheduled upgrade",
        now: { price: "price_growth" },
        planned: { scheduledPrice: "price_pro" },
        changed: { price: "price_pro" }
      },
      {
        what: "a scheduled price that is not known",
        now: { price: "price_pro" },
        planned: { scheduledPrice: "price_unknown" },
        changed: { price: "price_growth" }
      },
      {
        what: "an upgrade that waits for its payment",
        now: { price: "price_growth" },
        planned: { pendingPrice: "price_pro" },
        changed: { price: "price_pro", pendingPrice: null }
      },
      {
        what: "an end with its period",
        now: { price: "price_pro" },
        planned: { endsWithPeriod: true },
        changed: { status: "canceled" }
      }
    ])("D70 by $what has the plan and the status of now, until it has changed", ({ changed, now, planned }) =>
      Effect.gen(function* () {
        const { accountId, customerId, email } = yield* customer()
        const double = yield* StripeDouble
        const billing = yield* stripe
        const subscription = double.subscribe(customerId, now)
        const before = expectedOf(subscription)
        yield* arrive({ customer: customerId })
        assert.strictEqual(yield* standing(email), before)
        Object.assign(subscription, planned)
        for (const type of ["customer.subscription.updated", "invoice.paid", "checkout.session.completed"]) {
          assert.strictEqual(yield* arrive({ customer: customerId, type }), "processed")
          assert.strictEqual(yield* standing(email), before)
        }
        assert.strictEqual(yield* arrive({ customer: customerId, type: "subscription_schedule.created" }), "ignored")
        yield* billing.refresh(accountId)
        assert.strictEqual(yield* standing(email), before)
        Object.assign(subscription, changed)
        const after = expectedOf(subscription)
        assert.notStrictEqual(after, before)
        yield* arrive({ customer: customerId })
        assert.strictEqual(yield* standing(email), after)
        // Without a schedule, too, the price of now decides.
        Object.assign(subscription, { scheduledPrice: null })
        yield* arrive({ customer: customerId })
        assert.strictEqual(yield* standing(email), after)
      })
    )
  })

  describe("and its events", () => {
    it.effect("D71 are of every type that docs/operations.md asks for, but the end of the customer", () =>
      Effect.gen(function* () {
        const text = yield* Effect.promise(() => fs.readFile("docs/operations.md", "utf8"))
        const [, named = ""] = /for the events ([^;]*?), in any API version/u.exec(text) ?? []
        const asked = Array.from(named.matchAll(/`([\w.*]+)`/gu), ([, name = ""]) => name)
        assert.isAbove(asked.length, 3)
        const types = lifeOf(newSubscription("cus_any"), 0).flatMap(({ events }) => events.map(({ type }) => type))
        for (const name of asked.filter((each) => each !== "customer.deleted")) {
          const isNamed = (type: string) => (name.endsWith("*") ? type.startsWith(name.slice(0, -1)) : type === name)
          assert.isTrue(types.some(isNamed), name)
        }
      })
    )

    it.effect("D71 one after the other make the account what each says", () =>
      Effect.gen(function* () {
        const { email, life, receive, subscription } = yield* begin
        const clock = yield* SetClock
        for (const { events, state } of life) {
          Object.assign(subscription, state)
          for (const event of events) yield* receive(event)
          assert.strictEqual(yield* standing(email), expectedOf(state))
          yield* clock.advance(daySeconds * 1000)
        }
        assert.strictEqual(yield* standing(email), "pro canceled")
      })
    )

    /** A purchase, a scheduled downgrade, what it changes, a renewal that is not paid, and the end: moments of the life. */
    const five = [
      [1, "invoice.paid"],
      [2, "customer.subscription.updated"],
      [3, "customer.subscription.updated"],
      [5, "invoice.payment_failed"],
      [18, "customer.subscription.deleted"]
    ] as const

    it.effect("D71 in every order of five of them, each twice, end with what the subscription is", () =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const oneOrder = Effect.fnUntraced(function* (
          order: ReadonlyArray<number>,
          { email, life, receive, subscription }: Effect.Success<typeof begin>
        ) {
          const all = five.flatMap(([moment, type]) => {
            const state = life[moment]?.state
            const event = life[moment]?.events.find((each) => each.type === type)
            return state === undefined || event === undefined ? [] : [{ event, state }]
          })
          assert.lengthOf(all, order.length)
          let latest = 0
          for (const at of [...order, ...order]) {
            const next = all[at]
            if (next === undefined) continue
            // No event arrives before what it tells.
            latest = Math.max(latest, at)
            Object.assign(subscription, all[latest]?.state)
            yield* receive(next.event)
          }
          assert.strictEqual(yield* standing(email), expectedOf(subscription))
          assert.strictEqual(subscription.status, "canceled")
        })
        const orders = ordersOf(5)
        assert.lengthOf(new Set(orders.map(String)), 120)
        const begun = yield* Effect.forEach(orders, (order) => Effect.map(begin, (own) => ({ order, own })), {
          concurrency: 4
        })
        // No event is of the future.
        yield* clock.advance(365 * daySeconds * 1000)
        yield* Effect.forEach(begun, ({ order, own }) => oneOrder(order, own), { concurrency: 4, discard: true })
        yield* clock.set(start)
      })
    )

    const Run = Schema.Struct({
      /** How far the life goes. */
      moments: between(1, 19),
      /** For each delivery of an event: how many days late it is, and its turn on its day. */
      deliveries: Schema.Array(Schema.Struct({ late: between(0, 8), turn: between(0, 1_000) })).check(
        Schema.isMinLength(70),
        Schema.isMaxLength(70)
      )
    })

    it.effect.prop(
      "D71 in any order, each twice and days late, end with what the subscription is",
      [Run],
      ([{ deliveries, moments }]) =>
        Effect.gen(function* () {
          const clock = yield* SetClock
          yield* clock.set(start)
          const { email, life, receive, subscription } = yield* begin
          assert.lengthOf(life, 19)
          const lived = life.slice(0, moments)
          const due = lived
            .flatMap(({ events }, moment) =>
              events.flatMap((event) => [event, event].map((event) => ({ event, moment })))
            )
            .map(({ event, moment }, index) => {
              const { late = 0, turn = 0 } = deliveries[index] ?? {}
              return { day: moment + late, event, turn }
            })
            .toSorted((one, other) => one.day - other.day || one.turn - other.turn)
          assert.isAtMost(due.length, deliveries.length)
          let day = 0
          for (const { state } of lived) {
            Object.assign(subscription, state)
            for (const each of due) if (each.day === day) yield* receive(each.event)
            yield* clock.advance(daySeconds * 1000)
            day++
          }
          // The life stands still from here on, and the rest arrives.
          for (const each of due) if (each.day >= day) yield* receive(each.event)
          assert.strictEqual(yield* standing(email), expectedOf(subscription))
        }),
      { arbitrary: { runs: 40 } }
    )
  })
})
