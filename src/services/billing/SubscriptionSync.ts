/**
 * Brings an account to what the customer's subscriptions say (D70 to D75): asks Stripe, and writes the answer unless that of a
 * later question is written already. Of a closed account it ends every subscription.
 */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import { decide, isRunning } from "../../domain/access/StripeSubscription.ts"
import type { PaidPlan, Standing, StripeSubscription } from "../../domain/access/StripeSubscription.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import type { AccountRecord } from "../accounts/AccountRecord.ts"
import type { Accounts } from "../accounts/Accounts.ts"
import { availableOnce } from "../database/Availability.ts"
import * as BillingRows from "./BillingRows.ts"
import { retried } from "./BillingRows.ts"
import type { BillingUnavailable, StripeApi } from "./StripeApi.ts"

/** The account before and after it was brought to what its subscriptions say. */
export interface Change {
  readonly before: AccountRecord
  readonly after: AccountRecord
}

export const differs = ({ after, before }: Change): boolean =>
  before.plan !== after.plan || before.status !== after.status

/** For the log: no address. */
export const logFieldsOf = ({ after, before }: Change) => ({
  before: `${before.plan} ${before.status}`,
  after: `${after.plan} ${after.status}`
})

export interface SubscriptionSync {
  /**
   * Returns the subscriptions and, if something decided, what became of the account. An event is remembered with its answer, so
   * that it counts once.
   */
  readonly update: (
    accountId: AccountId,
    eventId?: string
  ) => Effect.Effect<
    { readonly found: ReadonlyArray<StripeSubscription> | undefined; readonly change: Change | undefined },
    BillingUnavailable | ServiceUnavailable
  >
  /**
   * Forgets a customer whom Stripe has called deleted in the answer to another call. The subscriptions are not asked for, because
   * Stripe may still list them.
   */
  readonly gone: (accountId: AccountId, customerId: string) => Effect.Effect<void, ServiceUnavailable>
}

export const make = (
  sql: SqlClient.SqlClient,
  accounts: Accounts["Service"],
  prices: Readonly<Record<PaidPlan, ReadonlyArray<string>>>,
  api: StripeApi
): SubscriptionSync => {
  /** Writes the answer to a question; `found` is `undefined` for a customer that is gone. */
  const write = Effect.fn("SubscriptionSync.write")(function* (
    question: BillingRows.Question,
    found: ReadonlyArray<StripeSubscription> | undefined,
    eventId: string | undefined
  ) {
    const { accountId } = question
    const now = yield* Clock.currentTimeMillis
    return yield* Effect.gen(function* () {
      if (eventId !== undefined && !(yield* BillingRows.addEvent(sql, eventId, now))) return undefined
      const before = yield* BillingRows.accept(sql, question, now)
      if (before === undefined) return undefined
      yield* BillingRows.staysDue(sql, accountId, now)
      const verdict = found === undefined ? undefined : decide(found, prices, before.subscriptionId)
      const standing = verdict === undefined ? ended(before) : verdict.standing
      yield* BillingRows.setDecided(sql, accountId, standing, (found ?? []).some(isRunning))
      if (found === undefined) yield* BillingRows.forgetCustomer(sql, accountId)
      // The end of a subscription counts once: what an operator sets for the account later stays.
      const isOldEnd =
        standing?.status === "canceled" &&
        before.status === "canceled" &&
        standing.subscriptionId === before.subscriptionId
      if (standing === undefined || isOldEnd) return { verdict, change: undefined }
      const change = yield* accounts
        .setSubscription(accountId, {
          plan: standing.plan,
          status: standing.status,
          startedAtMillis: standing.startedAt * 1000
        })
        // Closed meanwhile, which ends what it has.
        .pipe(Effect.catchTag("AccountNotFound", () => Effect.succeed(undefined)))
      return { verdict, change }
    }).pipe(sql.withTransaction, availableOnce)
  })

  /** Whatever is found of a closed account is ended, so that a payment that came too late ends with its event. */
  const end = Effect.fn("SubscriptionSync.end")(function* (question: BillingRows.Question) {
    const { customerId } = question
    yield* Effect.gen(function* () {
      for (const { id, isOpen } of yield* api.checkoutSessions(customerId)) if (isOpen) yield* api.expireCheckout(id)
      for (const { id, status } of yield* api.subscriptions(customerId)) {
        if (status !== "canceled" && status !== "incomplete_expired") yield* api.cancel(id)
      }
    }).pipe(Effect.catchTag("CustomerGone", () => Effect.void))
    yield* BillingRows.remove(sql, question).pipe(retried)
  })

  const update = Effect.fn("SubscriptionSync.update")(function* (accountId: AccountId, eventId?: string) {
    const question = yield* BillingRows.ask(sql, accountId).pipe(retried)
    if (question === undefined) return { found: [], change: undefined }
    if (question.isClosed) return { found: [], change: yield* Effect.as(end(question), undefined) }
    const found = yield* api
      .subscriptions(question.customerId)
      .pipe(Effect.catchTag("CustomerGone", () => Effect.succeed(undefined)))
    const written = yield* write(question, found, eventId)
    if (written?.verdict !== undefined) yield* warn(accountId, written.verdict)
    return { found, change: written?.change }
  })

  const gone = Effect.fnUntraced(function* (accountId: AccountId, customerId: string) {
    const question = yield* BillingRows.ask(sql, accountId).pipe(retried)
    if (question?.customerId === customerId) yield* write(question, undefined, undefined)
  })

  return { update, gone }
}

/** For a customer that was deleted in Stripe: all subscriptions have ended. `undefined` if none had decided. */
const ended = (before: BillingRows.Decided): Standing | undefined =>
  before.subscriptionId === null
    ? undefined
    : { subscriptionId: before.subscriptionId, plan: undefined, status: "canceled", startedAt: 0 }

const warn = Effect.fnUntraced(function* (accountId: AccountId, { paid, unknown }: ReturnType<typeof decide>) {
  if (paid.length > 1) {
    yield* Effect.logWarning({
      message: "A customer pays for more than one subscription: end and refund all but one in Stripe",
      account_id: accountId,
      subscriptions: paid.map(({ id }) => id).join(" ")
    })
  }
  for (const { id, prices, status } of unknown) {
    yield* Effect.logWarning({
      message: "A subscription has a price or a state that is not known here: it gives no plan",
      account_id: accountId,
      subscription: id,
      status,
      prices: prices.join(" ")
    })
  }
})
