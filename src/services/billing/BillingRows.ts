/** The statements of billing: customers, the order in which answers of Stripe are written, and processed events. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { AccountId, SubscriptionStatus } from "../../domain/access/Account.ts"
import { dayMillis } from "../../domain/Days.ts"
import { availableToRead } from "../database/Availability.ts"
import { deleteUnlocked, firstOf, inBatches, rowOf, rowsOf } from "../database/Rows.ts"

type Sql = SqlClient.SqlClient

/** For statements here outside of a transaction. Writes may run twice as well: `ask` then only skips a number, which means nothing. */
export const retried = availableToRead

/** Stripe repeats an event for three days; by hand it can be sent again for 30. */
const eventDays = 40
const batch = 5_000

/** For so long a customer is left to the server that compares it. Then the comparison has failed, and any server may repeat it. */
const leaseMillis = 30 * 60_000

const decodeEnrolled = firstOf(Schema.Struct({ reference: Schema.String, customerId: Schema.NullOr(Schema.String) }))
const decodeCustomer = firstOf(Schema.Struct({ customerId: Schema.NullOr(Schema.String), isRunning: Schema.Boolean }))
const decodeOwners = rowsOf(Schema.Struct({ accountId: AccountId }))

const enrolledOf = (sql: Sql, accountId: AccountId) =>
  sql`
    SELECT c.reference, c.customer_id AS "customerId" FROM billing_customer c JOIN account a ON a.id = c.account_id
    WHERE c.account_id = ${accountId} AND a.closed_at IS NULL`.pipe(decodeEnrolled)

/** Makes the account's row if it has none. `undefined` for a closed account: nothing may be sold to it. */
export const enroll = Effect.fn("BillingRows.enroll")(function* (sql: Sql, accountId: AccountId, nowMillis: number) {
  yield* sql`
    INSERT INTO billing_customer (account_id, checked_at)
    SELECT id, ${new Date(nowMillis)} FROM account WHERE id = ${accountId} AND closed_at IS NULL FOR SHARE
    ON CONFLICT DO NOTHING`
  return yield* enrolledOf(sql, accountId)
})

export const find = (sql: Sql, accountId: AccountId) =>
  sql`
    SELECT customer_id AS "customerId", is_running AS "isRunning" FROM billing_customer
    WHERE account_id = ${accountId}`.pipe(decodeCustomer)

export const ownerOf = (sql: Sql, customerId: string) =>
  Effect.map(
    decodeOwners(sql`SELECT account_id AS "accountId" FROM billing_customer WHERE customer_id = ${customerId}`),
    ([owner]) => owner?.accountId
  )

const isAny = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0

/** What a request to pay was begun with. */
export interface Attempt {
  readonly accountId: AccountId
  readonly reference: string
}

/** Whether the attempt still counts. Two at once have asked Stripe with one reference, and mostly have the same customer. */
export const setCustomer = (sql: Sql, { accountId, reference }: Attempt, customerId: string) =>
  sql`
    UPDATE billing_customer SET customer_id = ${customerId}
    WHERE account_id = ${accountId} AND reference = ${reference}::uuid
      AND coalesce(customer_id, ${customerId}) = ${customerId} RETURNING 1`.pipe(Effect.map(isAny))

/** Ends an attempt, and those that were begun with the same reference. */
export const endAttempt = (sql: Sql, { accountId, reference }: Attempt) =>
  sql`
    UPDATE billing_customer SET reference = gen_random_uuid()
    WHERE account_id = ${accountId} AND reference = ${reference}::uuid`

/** Whether the attempt was not ended, nor the account closed. */
export const stillCounts = (sql: Sql, { accountId, reference }: Attempt) =>
  Effect.map(enrolledOf(sql, accountId), (enrolled) => enrolled?.reference === reference)

/** The customer is gone in Stripe. The next one has another reference. Called after {@link accept}, which locks the customer. */
export const forgetCustomer = (sql: Sql, accountId: AccountId) =>
  sql`
    UPDATE billing_customer SET customer_id = NULL, reference = gen_random_uuid(), is_running = false
    WHERE account_id = ${accountId}`

const decodeQuestion = firstOf(
  Schema.Struct({
    customerId: Schema.NullOr(Schema.String),
    number: Schema.String,
    isClosed: Schema.Boolean
  })
)

export interface Question {
  readonly accountId: AccountId
  readonly customerId: string
  readonly number: string
  /** Whether the account is closed, so that nothing may be left at Stripe. */
  readonly isClosed: boolean
}

/** Numbers a question to Stripe before it is asked. `undefined` without a customer. */
export const ask = Effect.fnUntraced(function* (
  sql: Sql,
  accountId: AccountId
): Effect.fn.Return<Question | undefined, SqlError.SqlError> {
  const question = yield* sql`
    UPDATE billing_customer c SET asked = asked + 1 FROM account a
    WHERE c.account_id = ${accountId} AND a.id = c.account_id
    RETURNING c.customer_id AS "customerId", c.asked::text AS number, a.closed_at IS NOT NULL AS "isClosed"`.pipe(
    decodeQuestion
  )
  return question === undefined || question.customerId === null
    ? undefined
    : { ...question, accountId, customerId: question.customerId }
})

/** What a customer's subscriptions decided before. */
const Decided = Schema.Struct({
  subscriptionId: Schema.NullOr(Schema.String),
  status: Schema.NullOr(SubscriptionStatus)
})
export type Decided = typeof Decided.Type
const decodeDecided = firstOf(Decided)

/**
 * Locks the customer for the answer to a question, and returns what was decided before; `undefined` if the answer to a later
 * question is written, or the customer is another one by now.
 */
export const accept = (sql: Sql, question: Question, nowMillis: number) =>
  sql`
    UPDATE billing_customer SET written = ${question.number}::bigint, checked_at = ${new Date(nowMillis)}
    WHERE account_id = ${question.accountId} AND customer_id = ${question.customerId}
      AND written < ${question.number}::bigint
    RETURNING subscription_id AS "subscriptionId", status`.pipe(decodeDecided)

export const setDecided = (
  sql: Sql,
  accountId: AccountId,
  decided: { readonly subscriptionId: string; readonly status: SubscriptionStatus } | undefined,
  isRunning: boolean
) =>
  sql`
    UPDATE billing_customer SET is_running = ${isRunning},
      subscription_id = coalesce(${decided?.subscriptionId ?? null}::text, subscription_id),
      status = coalesce(${decided?.status ?? null}::text, status)
    WHERE account_id = ${accountId}`

export const isProcessed = (sql: Sql, eventId: string) =>
  Effect.map(sql`SELECT FROM billing_event WHERE id = ${eventId}`, isAny)

/** Whether it was not processed before. Waits for another server that is processing it. */
export const addEvent = (sql: Sql, eventId: string, nowMillis: number) =>
  sql`
    INSERT INTO billing_event (id, received_at) VALUES (${eventId}, ${new Date(nowMillis)})
    ON CONFLICT DO NOTHING RETURNING 1`.pipe(Effect.map(isAny))

export const forgetOldEvents = Effect.fn("BillingRows.forgetOldEvents")((sql: Sql, nowMillis: number) => {
  const deleteOld = deleteUnlocked(sql, "billing_event", "id")
  const old = sql`received_at < ${new Date(nowMillis - eventDays * dayMillis)}`
  return deleteOld(sql`${old} ORDER BY received_at LIMIT ${batch}`).pipe(inBatches(batch))
})

const idsOf = (owners: ReadonlyArray<{ readonly accountId: AccountId }>) => owners.map(({ accountId }) => accountId)

/** Customers after an account id, in the order of ids. */
export const customersAfter = (sql: Sql, after: number, limit: number) =>
  sql`
    SELECT account_id AS "accountId" FROM billing_customer
    WHERE customer_id IS NOT NULL AND account_id > ${after} ORDER BY account_id LIMIT ${limit}`.pipe(
    decodeOwners,
    Effect.map(idsOf)
  )

/**
 * Takes customers that were not checked for a day, those that wait for longest first. They are due again in half an hour
 * unless an answer is written: after a failure, or when the server was killed.
 */
export const takeUnchecked = (sql: Sql, nowMillis: number, limit: number) =>
  sql`
    UPDATE billing_customer SET checked_at = ${new Date(nowMillis - dayMillis + leaseMillis)} WHERE account_id IN (
      SELECT account_id FROM billing_customer
      WHERE customer_id IS NOT NULL AND checked_at <= ${new Date(nowMillis - dayMillis)}
      ORDER BY checked_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING account_id AS "accountId"`.pipe(decodeOwners, Effect.map(idsOf))

/**
 * Called within the transaction that closes the account, before the account's row is locked: events lock in the same order.
 * Subscriptions can be ended in Stripe only after the transaction. The customer is kept until then, and its check is due at
 * once. Without billing by Stripe there is no such check, so the customer is deleted.
 */
export const close = (sql: Sql, accountId: AccountId, withStripe: boolean, nowMillis: number) =>
  withStripe
    ? sql`UPDATE billing_customer SET checked_at = ${new Date(nowMillis - dayMillis)} WHERE account_id = ${accountId}`
    : sql`DELETE FROM billing_customer WHERE account_id = ${accountId}`

/**
 * Once an answer is written: of an account that was closed since the question, everything is still to be ended. The closing locks
 * the customer first, as `accept` does, so it is seen here, or makes the customer due afterwards.
 */
export const staysDue = (sql: Sql, accountId: AccountId, nowMillis: number) =>
  sql`
    UPDATE billing_customer c SET checked_at = ${new Date(nowMillis - dayMillis)} FROM account a
    WHERE c.account_id = ${accountId} AND a.id = c.account_id AND a.closed_at IS NOT NULL`

/** Of a closed account that has bought nothing. */
export const forgetNobody = (sql: Sql, accountId: AccountId) =>
  sql`DELETE FROM billing_customer WHERE account_id = ${accountId} AND customer_id IS NULL`

/** Once nothing is left at Stripe. */
export const remove = (sql: Sql, { accountId, customerId }: Question) =>
  sql`DELETE FROM billing_customer WHERE account_id = ${accountId} AND customer_id = ${customerId}`

const decodeTimes = rowOf(Schema.Struct({ at: Schema.NullOr(Schema.Date) }))

/** When the newest event was processed, in milliseconds since 1970, by any server. */
export const newestEvent = (sql: Sql) =>
  Effect.map(decodeTimes(sql`SELECT max(received_at) AS at FROM billing_event`), ({ at }) => at?.getTime())
