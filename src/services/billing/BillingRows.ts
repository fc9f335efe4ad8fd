/** The statements of billing: customers, the order in which answers of Stripe are written, and processed events. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { AccountId, SubscriptionStatus } from "../../domain/access/Account.ts"
import { rowOf, rowsOf } from "../database/Rows.ts"

/** Stripe repeats an event for three days; by hand it can be sent again for 30. */
const eventDays = 40
const maxForgotten = 5_000

const dayMillis = 86_400_000

const Customer = Schema.Struct({
  reference: Schema.String,
  customerId: Schema.NullOr(Schema.String),
  isRunning: Schema.Boolean
})

const decodeCustomer = rowOf(Customer)
const decodeCustomers = rowsOf(Customer)
const decodeOwners = rowsOf(Schema.Struct({ accountId: AccountId }))

/** Makes the account's row if it has none. */
export const enroll = Effect.fn("BillingRows.enroll")(function* (accountId: AccountId, nowMillis: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO billing_customer (account_id, checked_at) VALUES (${accountId}, ${new Date(nowMillis)})
    ON CONFLICT DO NOTHING`
  return yield* decodeCustomer(
    yield* sql`
      SELECT reference, customer_id AS "customerId", is_running AS "isRunning" FROM billing_customer
      WHERE account_id = ${accountId}`
  )
})

export const find = Effect.fnUntraced(function* (accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    SELECT reference, customer_id AS "customerId", is_running AS "isRunning" FROM billing_customer
    WHERE account_id = ${accountId}`
  return (yield* decodeCustomers(rows))[0]
})

export const ownerOf = Effect.fnUntraced(function* (customerId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT account_id AS "accountId" FROM billing_customer WHERE customer_id = ${customerId}`
  return (yield* decodeOwners(rows))[0]?.accountId
})

/** Two requests at once have asked Stripe with one reference, and have the same customer. */
export const setCustomer = Effect.fnUntraced(function* (accountId: AccountId, reference: string, customerId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE billing_customer SET customer_id = ${customerId}
    WHERE account_id = ${accountId} AND reference = ${reference}::uuid`
})

/** The customer is gone in Stripe. The next one has another reference. */
export const forgetCustomer = Effect.fnUntraced(function* (accountId: AccountId, customerId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE billing_customer SET customer_id = NULL, reference = gen_random_uuid(), is_running = false
    WHERE account_id = ${accountId} AND customer_id = ${customerId}`
})

const decodeQuestions = rowsOf(
  Schema.Struct({
    customerId: Schema.NullOr(Schema.String),
    number: Schema.String
  })
)

export interface Question {
  readonly accountId: AccountId
  readonly customerId: string
  readonly number: string
}

/** Numbers a question to Stripe before it is asked. `undefined` without a customer. */
export const ask = Effect.fnUntraced(function* (
  accountId: AccountId
): Effect.fn.Return<Question | undefined, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    UPDATE billing_customer SET asked = asked + 1 WHERE account_id = ${accountId}
    RETURNING customer_id AS "customerId", asked::text AS number`
  const [question] = yield* decodeQuestions(rows)
  return question === undefined || question.customerId === null
    ? undefined
    : { accountId, customerId: question.customerId, number: question.number }
})

/** What a customer's subscriptions decided before. */
const Decided = Schema.Struct({
  subscriptionId: Schema.NullOr(Schema.String),
  status: Schema.NullOr(SubscriptionStatus)
})
export type Decided = typeof Decided.Type
const decodeDecided = rowsOf(Decided)

/**
 * Locks the customer for the answer to a question, and returns what was decided before; `undefined` if the answer to a later
 * question is written, or the customer is another one by now.
 */
export const accept = Effect.fnUntraced(function* (question: Question, nowMillis: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    UPDATE billing_customer SET written = ${question.number}::bigint, checked_at = ${new Date(nowMillis)}
    WHERE account_id = ${question.accountId} AND customer_id = ${question.customerId}
      AND written < ${question.number}::bigint
    RETURNING subscription_id AS "subscriptionId", status`
  return (yield* decodeDecided(rows))[0]
})

export const setDecided = Effect.fnUntraced(function* (
  accountId: AccountId,
  decided: { readonly subscriptionId: string; readonly status: SubscriptionStatus } | undefined,
  isRunning: boolean
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE billing_customer SET is_running = ${isRunning},
      subscription_id = coalesce(${decided?.subscriptionId ?? null}::text, subscription_id),
      status = coalesce(${decided?.status ?? null}::text, status)
    WHERE account_id = ${accountId}`
})

const decodeCounts = rowOf(Schema.Struct({ count: Schema.Int }))

export const isProcessed = Effect.fnUntraced(function* (eventId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT count(*)::integer AS count FROM billing_event WHERE id = ${eventId}`
  return (yield* decodeCounts(rows)).count > 0
})

/** Whether it was not processed before. Waits for another server that is processing it. */
export const addEvent = Effect.fnUntraced(function* (eventId: string, nowMillis: number) {
  const sql = yield* SqlClient.SqlClient
  const added = yield* sql`
    INSERT INTO billing_event (id, received_at) VALUES (${eventId}, ${new Date(nowMillis)})
    ON CONFLICT DO NOTHING RETURNING 1`
  return added.length > 0
})

/** In batches. */
export const forgetOldEvents = Effect.fn("BillingRows.forgetOldEvents")(function* (
  nowMillis: number
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const forgetSome = sql`
    DELETE FROM billing_event WHERE id IN (
      SELECT id FROM billing_event WHERE received_at < ${new Date(nowMillis - eventDays * dayMillis)}
      ORDER BY received_at LIMIT ${maxForgotten} FOR UPDATE SKIP LOCKED) RETURNING 1`
  yield* Effect.repeat(forgetSome, { until: (forgotten) => forgotten.length < maxForgotten })
})

/** Customers after an account id, in the order of ids. */
export const customersAfter = Effect.fnUntraced(function* (after: number, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    SELECT account_id AS "accountId" FROM billing_customer
    WHERE customer_id IS NOT NULL AND account_id > ${after} ORDER BY account_id LIMIT ${limit}`
  return (yield* decodeOwners(rows)).map(({ accountId }) => accountId)
})

/** Takes customers that were not checked for a day, so that no other server takes them for another day. */
export const takeUnchecked = Effect.fnUntraced(function* (nowMillis: number, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    UPDATE billing_customer SET checked_at = ${new Date(nowMillis)} WHERE account_id IN (
      SELECT account_id FROM billing_customer
      WHERE customer_id IS NOT NULL AND checked_at <= ${new Date(nowMillis - dayMillis)}
      ORDER BY checked_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING account_id AS "accountId"`
  return (yield* decodeOwners(rows)).map(({ accountId }) => accountId)
})

/** For those that could not be checked: the next round takes them again. */
export const leaveUnchecked = Effect.fnUntraced(function* (accountIds: ReadonlyArray<AccountId>, nowMillis: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE billing_customer SET checked_at = ${new Date(nowMillis - dayMillis)}
    WHERE account_id = ANY(${accountIds}::integer[]) AND checked_at = ${new Date(nowMillis)}`
})
