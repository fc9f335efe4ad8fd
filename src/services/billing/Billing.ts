/**
 * Billing by Stripe (D70 to D75): sells a plan, leads to the customer portal, and receives events. Events of Stripe, the return of
 * a customer and the daily check only cause the question what the customer's subscriptions say now (SubscriptionSync.ts), so
 * neither the order of events nor their contents matter.
 */
import { Clock, Context, Effect, Exit, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import type { Price } from "../../domain/access/Price.ts"
import type { PaidPlan } from "../../domain/access/StripeSubscription.ts"
import { RateLimited } from "../../domain/ToolError.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { SharedRates } from "../limits/SharedRates.ts"
import * as Metrics from "../metrics/Metrics.ts"
import * as BillingRows from "./BillingRows.ts"
import { retried } from "./BillingRows.ts"
import * as Checkout from "./Checkout.ts"
import type { Buyer } from "./Checkout.ts"
import type { BillingUnavailable, StripeApi } from "./StripeApi.ts"
import * as Stripe from "./StripeApi.ts"
import type { EventRefused } from "./StripeEvents.ts"
import * as SubscriptionSync from "./SubscriptionSync.ts"

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
  refresh(accountId: AccountId): Effect.Effect<SubscriptionSync.Change | undefined, Failure>
  /** What the plans cost, of those whose price Stripe tells within two seconds. Asked at most once in a minute by each server. */
  readonly prices: Effect.Effect<Readonly<Partial<Record<PaidPlan, Price>>>>
  /** Compares every customer with its subscriptions, and corrects what differs. Ends at the fifth that fails. */
  readonly reconcile: Stream.Stream<Compared, Failure>
}

export type Compared =
  | { readonly accountId: AccountId; readonly change: SubscriptionSync.Change | undefined }
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
        const billing = make(sql, accounts, rates, config.stripe.value.prices, api)
        return { stripe: Option.some({ ...billing, prices: yield* pricesOf(config.stripe.value.prices, api) }) }
      })
    ).pipe(Layer.provide(SharedRates.layer))

  static readonly layer = Billing.layerWith()
}

const longestPrice = "2 seconds"

/** Kept for an hour, and for a minute if one is missing: a page that anyone may open must not lead to a call of Stripe each time. */
const pricesOf = (prices: Readonly<Record<PaidPlan, ReadonlyArray<string>>>, api: StripeApi) => {
  const priceOf = (ids: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      // The first is sold.
      const [sold] = ids
      return sold === undefined ? Effect.undefined : api.price(sold)
    }).pipe(
      Effect.timeoutOption(longestPrice),
      Effect.map(Option.getOrUndefined),
      Effect.catch((error) => Effect.as(Effect.logWarning("Stripe does not tell a price", error), undefined))
    )
  return Effect.all({ growth: priceOf(prices.growth), pro: priceOf(prices.pro) }, { concurrency: 2 }).pipe(
    Effect.map(({ growth, pro }) => ({
      ...(growth === undefined ? {} : { growth }),
      ...(pro === undefined ? {} : { pro })
    })),
    Effect.cachedWithTTL((exit) =>
      Exit.isFailure(exit) ? 0 : Object.keys(exit.value).length === 2 ? "1 hour" : "1 minute"
    )
  )
}

const make = (
  sql: SqlClient.SqlClient,
  accounts: Accounts["Service"],
  rates: SharedRates["Service"],
  prices: Readonly<Record<PaidPlan, ReadonlyArray<string>>>,
  api: StripeApi
): Omit<StripeBilling, "prices"> => {
  const limited = Effect.fnUntraced(function* (accountId: AccountId) {
    const { retryAfterSeconds } = yield* rates.take([{ key: `billing ${accountId}`, allowance }])
    if (retryAfterSeconds === 0) return
    yield* Metrics.refused.add({ limit: "billing" })
    return yield* new RateLimited({ message: "Too many requests for billing.", retryAfterSeconds })
  })

  const { gone, update } = SubscriptionSync.make(sql, accounts, prices, api)

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
    const customerId = (yield* BillingRows.find(sql, accountId).pipe(retried))?.customerId ?? null
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
      owner: BillingRows.ownerOf(sql, customerId),
      isProcessed: BillingRows.isProcessed(sql, id)
    }).pipe(retried)
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
      ...(change !== undefined && SubscriptionSync.differs(change) ? SubscriptionSync.logFieldsOf(change) : {})
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
    Effect.map(BillingRows.customersAfter(sql, after, pageSize).pipe(retried), (page) => [
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
      BillingRows.find(sql, accountId).pipe(
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
