/** Accounts that are customers of the double of Stripe, and what arrives about them. */
import { Clock, Effect, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../src/domain/access/Account.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import type { NewAccount } from "../../src/services/accounts/AccountDetails.ts"
import { Billing } from "../../src/services/billing/Billing.ts"
import * as BillingRows from "../../src/services/billing/BillingRows.ts"
import type { Delivery } from "./StripeDouble.ts"
import { StripeDouble } from "./StripeDouble.ts"

let accountNumber = 0

/** The service, which the layer of the double turns on. */
export const stripe = Effect.flatMap(Billing, ({ stripe }) =>
  Option.match(stripe, { onNone: () => Effect.die(new Error("Stripe is off")), onSome: Effect.succeed })
)

/** On the plan Starter unless `options` say otherwise. */
export const account = Effect.fnUntraced(function* (options: Partial<NewAccount> = {}) {
  const accounts = yield* Accounts
  return yield* accounts.create({
    email: `payer${++accountNumber}@discovery.test`,
    plan: "starter",
    status: "active",
    password: Redacted.make("nine green whales"),
    ...options
  })
})

/** Of an account that has been to the page to pay at. */
export const customerIdOf = Effect.fnUntraced(function* (accountId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly id: string | null }>`
    SELECT customer_id AS id FROM billing_customer WHERE account_id = ${accountId}`
  return row?.id ?? undefined
})

/** An account that has been to the page to pay at, and has paid nothing yet. */
export const customer = Effect.fnUntraced(function* (options: Partial<NewAccount> = {}) {
  const { email, id } = yield* account(options)
  const billing = yield* stripe
  const page = yield* billing.checkout({ accountId: id, email, language: "en" }, "growth")
  const customerId = (yield* customerIdOf(id)) ?? ""
  return { accountId: id, email, customerId, page: page ?? "" }
})

/** What closing an account does to it, without what follows in Stripe. */
export const close = Effect.fnUntraced(
  function* (accountId: AccountId) {
    const sql = yield* SqlClient.SqlClient
    yield* BillingRows.close(sql, accountId, true, yield* Clock.currentTimeMillis)
    yield* sql`
    UPDATE account SET email = 'closed account ' || id, password_hash = NULL, status = 'canceled', closed_at = now()
    WHERE id = ${accountId}`
    yield* BillingRows.forgetNobody(sql, accountId)
  },
  (closing) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(closing))
)

/** Holds the next answer of Stripe to such a call back, until `release`. */
export const hold = Effect.fnUntraced(function* (method: string, path: string) {
  const { hooks } = yield* StripeDouble
  const release = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  hooks.beforeAnswer = async (ofPath, ofMethod) => {
    if (ofPath !== path || ofMethod !== method) return
    hooks.beforeAnswer = undefined
    asked.resolve()
    await release.promise
  }
  return { asked: Effect.promise(() => asked.promise), release: Effect.sync(release.resolve) }
})

/** Plan and status, such as `growth active`. */
export const standing = Effect.fnUntraced(function* (email: string) {
  const { plan, status } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(email))
  return `${plan} ${status}`
})

/** An event, signed by the clock of the test. */
export const eventOf = Effect.fnUntraced(function* (options: {
  readonly customer: string
  readonly type?: string
  readonly id?: string
}) {
  const double = yield* StripeDouble
  const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  return double.event({ ...options, timestamp })
})

export const deliver = ({ body, signature }: Delivery) =>
  Effect.flatMap(stripe, (billing) => billing.receive(body, signature))

/** Signs an event and delivers it. */
export const arrive = (options: { readonly customer: string; readonly type?: string; readonly id?: string }) =>
  Effect.flatMap(eventOf(options), deliver)
