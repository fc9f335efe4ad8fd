/**
 * Billing by Stripe (D70 to D75): sells a plan, leads to the customer portal, and brings the account to what the customer's
 * subscriptions say. Events of Stripe, the return of a customer and the daily check only cause the question what they say now,
 * so neither the order of events nor their contents matter.
 */
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import { decide, isRunning } from "../../domain/access/StripeSubscription.ts"
import type { PaidPlan, Standing, StripeSubscription } from "../../domain/access/StripeSubscription.ts"
import { RateLimited } from "../../domain/ToolError.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import type { AccountRecord } from "../access/AccountRecord.ts"
import { Accounts } from "../access/Accounts.ts"
import { availableOnce } from "../database/Availability.ts"
import { SharedRates } from "../limits/SharedRates.ts"
import * as Metrics from "../metrics/Metrics.ts"
import * as BillingRows from "./BillingRows.ts"
import { retried } from "./BillingRows.ts"
import * as Checkout from "./Checkout.ts"
import type { Buyer } from "./Checkout.ts"
import type { BillingUnavailable, StripeApi } from "./StripeApi.ts"
import * as Stripe from "./StripeApi.ts"
import type { EventRefused } from "./StripeEvents.ts"

/** The account before and after it was brought to what its subscriptions say. */
export interface Change {
  readonly before: AccountRecord
  readonly after: AccountRecord
}

export const differs = ({ after, before }: Change): boolean =>
  before.plan !== after.plan || before.status !== after.status

/** What became of an event. */
export type Received = "processed" | "repeated" | "ignored" | "other_customer"

type Failure = BillingUnavailable | ServiceUnavailable

export interface StripeBilling {
  /** Whether the account was a customer before, and has a subscription that may still cost money. */
  overview(
    accountId: AccountId
  ): Effect.Effect<{ readonly isCustomer: boolean; readonly isRunning: boolean }, ServiceUnavailable>
  /**
   * Returns the page to pay at; with a running subscription, that of the portal, so that nobody pays twice. `undefined` for an
   * account that was closed meanwhile.
   */
  checkout(buyer: Buyer, plan: PaidPlan): Effect.Effect<string | undefined, Failure | RateLimited>
  /** Returns the page of the portal; `undefined` for who is no customer. */
  portal(buyer: Omit<Buyer, "email">): Effect.Effect<string | undefined, Failure | RateLimited>
  /** For a customer who returns from Stripe: the event may come later. */
  returned(accountId: AccountId): Effect.Effect<void, Failure | RateLimited>
  /** Checks and processes an event as it arrived. Fails unless Stripe need not send it again. */
  receive(body: Uint8Array, signature: string): Effect.Effect<Received, EventRefused | Failure>
  /**
   * Asks Stripe and writes what it says. `undefined` if nothing decides, or a later answer is written already. Of a closed account
   * it ends every subscription, at once and without a refund, and open pages to pay at.
   */
  refresh(accountId: AccountId): Effect.Effect<Change | undefined, Failure>
  /** Compares every customer with its subscriptions, and corrects what differs. Ends at the fifth that fails. */
  readonly reconcile: Stream.Stream<Compared, Failure>
}

export type Compared =
  | { readonly accountId: AccountId; readonly change: Change | undefined }
  | { readonly accountId: AccountId; readonly failure: Failure }

const maxFailures = 5
const pageSize = 100

/** Requests of one account that lead to calls of Stripe. */
const allowance = { limit: 20, windowMillis: 10 * 60_000 }

const isAboutPaying = (type: string): boolean =>
  /^(?:customer\.subscription|checkout\.session|invoice)\./u.test(type) || type === "customer.deleted"

export class Billing extends Context.Service<
  Billing,
  {
    /** None without the variables of Stripe. */
    readonly stripe: Option.Option<StripeBilling>
  }
>()("discovery/billing/Billing") {
  /** `times` are shorter in tests. */
  static readonly layerWith = (times?: Stripe.Times) =>
    Layer.effect(
      Billing,
      Effect.gen(function* () {
        const config = yield* AppConfig
        const sql = yield* SqlClient.SqlClient
        const accounts = yield* Accounts
        const rates = yield* SharedRates
        if (Option.isNone(config.stripe)) return { stripe: Option.none() }
        const api = yield* Stripe.make(config.stripe.value, config, times)
        return { stripe: Option.some(make(sql, accounts, rates, config.stripe.value.prices, api)) }
      })
    ).pipe(Layer.provide(SharedRates.layer))

  static readonly layer = Billing.layerWith()
}

const make = (
  sql: SqlClient.SqlClient,
  accounts: Accounts["Service"],
  rates: SharedRates["Service"],
  prices: Readonly<Record<PaidPlan, ReadonlyArray<string>>>,
  api: StripeApi
): StripeBilling => {
  const onDatabase = Effect.provideService(SqlClient.SqlClient, sql)

  const limited = Effect.fnUntraced(function* (accountId: AccountId) {
    const { retryAfterSeconds } = yield* rates.take([{ key: `billing ${accountId}`, allowance }])
    if (retryAfterSeconds === 0) return
    yield* Metrics.refused.add({ limit: "billing" })
    return yield* new RateLimited({ message: "Too many requests for billing.", retryAfterSeconds })
  })

  /** Writes the answer to a question; `found` is `undefined` for a customer that is gone. */
  const write = Effect.fn("Billing.write")(function* (
    question: BillingRows.Question,
    found: ReadonlyArray<StripeSubscription> | undefined,
    eventId: string | undefined
  ) {
    const { accountId } = question
    const now = yield* Clock.currentTimeMillis
    return yield* Effect.gen(function* () {
      if (eventId !== undefined && !(yield* BillingRows.addEvent(eventId, now))) return undefined
      const before = yield* BillingRows.accept(question, now)
      if (before === undefined) return undefined
      yield* BillingRows.staysDue(accountId, now)
      const verdict = found === undefined ? undefined : decide(found, prices, before.subscriptionId)
      const standing = verdict === undefined ? ended(before) : verdict.standing
      yield* BillingRows.setDecided(accountId, standing, (found ?? []).some(isRunning))
      if (found === undefined) yield* BillingRows.forgetCustomer(accountId, question.customerId)
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
    }).pipe(sql.withTransaction, onDatabase, availableOnce)
  })

  /** Whatever is found of a closed account is ended, so that a payment that came too late ends with its event. */
  const end = Effect.fn("Billing.end")(function* (question: BillingRows.Question) {
    const { customerId } = question
    yield* Effect.gen(function* () {
      for (const { id, isOpen } of yield* api.checkoutSessions(customerId)) if (isOpen) yield* api.expireCheckout(id)
      for (const { id, status } of yield* api.subscriptions(customerId)) {
        if (status !== "canceled" && status !== "incomplete_expired") yield* api.cancel(id)
      }
    }).pipe(Effect.catchTag("CustomerGone", () => Effect.void))
    yield* BillingRows.remove(question).pipe(onDatabase, retried)
  })

  const update = Effect.fn("Billing.update")(function* (accountId: AccountId, eventId?: string) {
    const question = yield* BillingRows.ask(accountId).pipe(onDatabase, retried)
    if (question === undefined) return { found: [], change: undefined }
    if (question.isClosed) return { found: [], change: yield* Effect.as(end(question), undefined) }
    const found = yield* api
      .subscriptions(question.customerId)
      .pipe(Effect.catchTag("CustomerGone", () => Effect.succeed(undefined)))
    const written = yield* write(question, found, eventId)
    if (written?.verdict !== undefined) yield* warn(accountId, written.verdict)
    return { found, change: written?.change }
  })

  /**
   * Forgets a customer whom Stripe has called deleted in the answer to another call. The subscriptions are not asked for, because
   * Stripe may still list them.
   */
  const gone = Effect.fnUntraced(function* (accountId: AccountId, customerId: string) {
    const question = yield* BillingRows.ask(accountId).pipe(onDatabase, retried)
    if (question?.customerId === customerId) yield* write(question, undefined, undefined)
  })

  const sell = Checkout.make(sql, api, prices, {
    gone,
    ask: (accountId) => Effect.map(update(accountId), ({ found }) => found)
  })

  const checkout: StripeBilling["checkout"] = Effect.fn("Billing.checkout")(function* (buyer, plan) {
    yield* limited(buyer.accountId)
    return yield* sell(buyer, plan)
  })

  const portal: StripeBilling["portal"] = Effect.fn("Billing.portal")(function* ({ accountId, language }) {
    yield* limited(accountId)
    const customerId = (yield* BillingRows.find(accountId).pipe(onDatabase, retried))?.customerId ?? null
    if (customerId === null) return undefined
    return yield* api
      .createPortal(customerId, language)
      .pipe(Effect.catchTag("CustomerGone", () => Effect.as(gone(accountId, customerId), undefined)))
  })

  const handle = Effect.fnUntraced(function* (
    body: Uint8Array,
    signature: string
  ): Effect.fn.Return<Received, EventRefused | Failure> {
    const { createdAt, customerId, id, type } = yield* api.event(body, signature, yield* Clock.currentTimeMillis)
    if (customerId === undefined || !isAboutPaying(type)) return "ignored"
    const { isProcessed, owner } = yield* Effect.all({
      owner: BillingRows.ownerOf(customerId),
      isProcessed: BillingRows.isProcessed(id)
    }).pipe(onDatabase, retried)
    if (owner === undefined) return "other_customer"
    if (isProcessed) return "repeated"
    const { change } = yield* update(owner, id)
    const seconds = (yield* Clock.currentTimeMillis) / 1000
    yield* Metrics.billingEventDelay.observe({}, Math.max(0, seconds - createdAt))
    yield* Metrics.billingEventProcessed.set({}, seconds)
    yield* Effect.logInfo({
      message: "A billing event was processed",
      event: id,
      type,
      account_id: owner,
      ...(change !== undefined && differs(change) ? told(change) : {})
    })
    return "processed"
  })

  const receive: StripeBilling["receive"] = Effect.fn("Billing.receive")((body, signature) =>
    handle(body, signature).pipe(
      Effect.tap((outcome) => Metrics.billingEvents.add({ outcome })),
      Effect.tapError(({ _tag }) =>
        Metrics.billingEvents.add({ outcome: _tag === "EventRefused" ? "refused" : "unavailable" })
      )
    )
  )

  const refresh: StripeBilling["refresh"] = (accountId) => Effect.map(update(accountId), ({ change }) => change)

  const customers = Stream.paginate(0, (after: number) =>
    Effect.map(BillingRows.customersAfter(after, pageSize).pipe(onDatabase, retried), (page) => [
      page,
      page.length < pageSize ? Option.none() : Option.fromNullishOr(page.at(-1))
    ])
  )

  const reconcile: StripeBilling["reconcile"] = Stream.suspend(() => {
    let failures = 0
    return Stream.mapEffect(customers, (accountId) =>
      refresh(accountId).pipe(
        Effect.map((change): Compared => ({ accountId, change })),
        Effect.catch((failure) =>
          ++failures < maxFailures ? Effect.succeed<Compared>({ accountId, failure }) : Effect.fail(failure)
        )
      )
    )
  })

  return {
    overview: (accountId) =>
      BillingRows.find(accountId).pipe(
        onDatabase,
        retried,
        Effect.map((row) => ({
          isCustomer: (row?.customerId ?? null) !== null,
          isRunning: row?.isRunning ?? false
        }))
      ),
    checkout,
    portal,
    returned: (accountId) => Effect.andThen(limited(accountId), Effect.asVoid(refresh(accountId))),
    receive,
    refresh,
    reconcile
  }
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

/** For the log: no address. */
export const told = ({ after, before }: Change) => ({
  before: `${before.plan} ${before.status}`,
  after: `${after.plan} ${after.status}`
})
