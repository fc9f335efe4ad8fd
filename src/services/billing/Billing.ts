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
import type { Language } from "../../domain/Messages.ts"
import { RateLimited } from "../../domain/ToolError.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import type { AccountRecord } from "../access/AccountRecord.ts"
import { Accounts } from "../access/Accounts.ts"
import { available, availableOnce } from "../database/Availability.ts"
import * as LeakyBucket from "../limits/LeakyBucket.ts"
import * as BillingRows from "./BillingRows.ts"
import { BillingUnavailable, CustomerGone } from "./StripeApi.ts"
import type { EventRefused, StripeApi } from "./StripeApi.ts"
import * as Stripe from "./StripeApi.ts"

export interface Buyer {
  readonly accountId: AccountId
  readonly email: string
  readonly language: Language
}

/** The account before and after it was brought to what its subscriptions say. */
export interface Change {
  readonly before: AccountRecord
  readonly after: AccountRecord
}

export const differs = ({ after, before }: Change): boolean =>
  before.plan !== after.plan || before.status !== after.status

/** What became of an event. */
export type Received = "processed" | "repeated" | "ignored" | "of another customer"

type Failure = BillingUnavailable | ServiceUnavailable

export interface StripeBilling {
  /** Whether the account was a customer before, and has a subscription that may still cost money. */
  overview(
    accountId: AccountId
  ): Effect.Effect<{ readonly isCustomer: boolean; readonly isRunning: boolean }, ServiceUnavailable>
  /** Returns the page to pay at; with a running subscription, that of the portal, so that nobody pays twice. */
  checkout(buyer: Buyer, plan: PaidPlan): Effect.Effect<string, Failure | RateLimited>
  /** Returns the page of the portal; `undefined` for who is no customer. */
  portal(buyer: Omit<Buyer, "email">): Effect.Effect<string | undefined, Failure | RateLimited>
  /** For a customer who returns from Stripe: the event may come later. */
  returned(accountId: AccountId): Effect.Effect<void, Failure | RateLimited>
  /** Checks and processes an event as it arrived. Fails unless Stripe need not send it again. */
  receive(body: Uint8Array, signature: string): Effect.Effect<Received, EventRefused | Failure>
  /** Asks Stripe and writes what it says. `undefined` if nothing decides, or a later answer is written already. */
  refresh(accountId: AccountId): Effect.Effect<Change | undefined, Failure>
  /** Compares every customer with its subscriptions, and corrects what differs. Ends at the fifth that fails. */
  readonly reconcile: Stream.Stream<Compared, Failure>
}

export type Compared =
  | { readonly accountId: AccountId; readonly change: Change | undefined }
  | { readonly accountId: AccountId; readonly failure: Failure }

const maxFailures = 5
const pageSize = 100

/** Requests of one account that lead to calls of Stripe, counted by each server process. */
const allowance = { limit: 20, windowMillis: 10 * 60_000 }
const maxAccounts = 10_000

/** May run again: a number that is not used means nothing. */
const retried = available({ retries: 2, deadline: "7 seconds" })

const isAboutPaying = (type: string): boolean =>
  /^(?:customer\.subscription|checkout\.session|invoice)\./u.test(type) || type === "customer.deleted"

export class Billing extends Context.Service<
  Billing,
  {
    /** None without the variables of Stripe. */
    readonly stripe: Option.Option<StripeBilling>
    /**
     * Ends every subscription of an account that is closed, at once and without a refund, and pages to pay at that are open.
     * Does nothing without Stripe, or for who is no customer. May be repeated after a failure.
     */
    cancel(accountId: AccountId): Effect.Effect<void, Failure>
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
        if (Option.isNone(config.stripe)) return { stripe: Option.none(), cancel: () => Effect.void }
        const api = yield* Stripe.make(config.stripe.value, config, times)
        const { cancel, ...stripe } = make(sql, accounts, config.stripe.value.prices, api)
        return { stripe: Option.some(stripe), cancel }
      })
    )

  static readonly layer = Billing.layerWith()
}

const make = (
  sql: SqlClient.SqlClient,
  accounts: Accounts["Service"],
  prices: Readonly<Record<PaidPlan, ReadonlyArray<string>>>,
  api: StripeApi
): StripeBilling & Pick<Billing["Service"], "cancel"> => {
  const onDatabase = Effect.provideService(SqlClient.SqlClient, sql)
  const bucket = LeakyBucket.make(maxAccounts)

  const limited = Effect.fnUntraced(function* (accountId: AccountId) {
    const { retryAfterSeconds } = bucket.take([{ key: String(accountId), allowance }], yield* Clock.currentTimeMillis)
    if (retryAfterSeconds === 0) return
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
      const verdict = found === undefined ? undefined : decide(found, prices, before.subscriptionId)
      const standing = verdict === undefined ? ended(before) : verdict.standing
      yield* BillingRows.setDecided(accountId, standing, (found ?? []).some(isRunning))
      if (found === undefined) yield* BillingRows.forgetCustomer(accountId, question.customerId)
      // An end counts once: afterwards the account is whatever an operator makes of it.
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
        // The customer's row refers to the account.
        .pipe(Effect.catchTag("AccountNotFound", Effect.die))
      return { verdict, change }
    }).pipe(sql.withTransaction, onDatabase, availableOnce)
  })

  const update = Effect.fn("Billing.update")(function* (accountId: AccountId, eventId?: string) {
    const question = yield* BillingRows.ask(accountId).pipe(onDatabase, retried)
    if (question === undefined) return { found: [], change: undefined }
    const found = yield* api
      .subscriptions(question.customerId)
      .pipe(Effect.catchTag("CustomerGone", () => Effect.succeed(undefined)))
    const written = yield* write(question, found, eventId)
    if (written?.verdict !== undefined) yield* warn(accountId, written.verdict)
    return { found, change: written?.change }
  })

  const customerOf = Effect.fnUntraced(function* ({ accountId, email }: Buyer) {
    const now = yield* Clock.currentTimeMillis
    const { customerId, reference } = yield* BillingRows.enroll(accountId, now).pipe(onDatabase, retried)
    if (customerId !== null) return { customerId, reference }
    const created = yield* api.createCustomer({ reference, email })
    yield* BillingRows.setCustomer(accountId, reference, created).pipe(onDatabase, retried)
    return { customerId: created, reference }
  })

  const sell = Effect.fnUntraced(function* (buyer: Buyer, plan: PaidPlan) {
    const { accountId, language } = buyer
    const { customerId, reference } = yield* customerOf(buyer)
    return yield* Effect.gen(function* () {
      const { found } = yield* update(accountId)
      if (found === undefined) return yield* new CustomerGone()
      if (found.some(isRunning)) return yield* api.createPortal(customerId, language)
      const price = prices[plan][0] ?? ""
      const sessions = yield* api.checkoutSessions(customerId)
      const open = sessions.filter(({ isOpen }) => isOpen)
      const same = open.find((session) => session.price === price && session.url !== null)
      // One page to pay at, however many tabs ask for it.
      for (const { id } of open) if (id !== same?.id) yield* api.expireCheckout(id)
      const after = sessions[0]?.id
      return same?.url ?? (yield* api.createCheckout({ customerId, reference, price, language, after }))
    }).pipe(Effect.tapErrorTag("CustomerGone", () => forget(accountId, customerId)))
  })

  const forget = (accountId: AccountId, customerId: string) =>
    BillingRows.forgetCustomer(accountId, customerId).pipe(onDatabase, retried)

  const checkout: StripeBilling["checkout"] = Effect.fn("Billing.checkout")(function* (buyer, plan) {
    yield* limited(buyer.accountId)
    return yield* sell(buyer, plan).pipe(
      Effect.retry({ times: 1, while: ({ _tag }) => _tag === "CustomerGone" }),
      // One that was made a moment ago.
      Effect.catchTag("CustomerGone", () =>
        Effect.fail(new BillingUnavailable({ message: "Stripe does not know its own customer", retryAfterSeconds: 10 }))
      )
    )
  })

  const portal: StripeBilling["portal"] = Effect.fn("Billing.portal")(function* ({ accountId, language }) {
    yield* limited(accountId)
    const customerId = (yield* BillingRows.find(accountId).pipe(onDatabase, retried))?.customerId ?? null
    if (customerId === null) return undefined
    return yield* api
      .createPortal(customerId, language)
      .pipe(Effect.catchTag("CustomerGone", () => Effect.as(forget(accountId, customerId), undefined)))
  })

  const receive: StripeBilling["receive"] = Effect.fn("Billing.receive")(function* (body, signature) {
    const { customerId, id, type } = yield* api.event(body, signature, yield* Clock.currentTimeMillis)
    if (customerId === undefined || !isAboutPaying(type)) return "ignored"
    const { isProcessed, owner } = yield* Effect.all({
      owner: BillingRows.ownerOf(customerId),
      isProcessed: BillingRows.isProcessed(id)
    }).pipe(onDatabase, retried)
    if (owner === undefined) return "of another customer"
    if (isProcessed) return "repeated"
    const { change } = yield* update(owner, id)
    yield* Effect.logInfo({
      message: "A billing event was processed",
      event: id,
      type,
      account_id: owner,
      ...(change !== undefined && differs(change) ? told(change) : {})
    })
    return "processed"
  })

  const cancel: Billing["Service"]["cancel"] = Effect.fn("Billing.cancel")(function* (accountId) {
    const customerId = (yield* BillingRows.find(accountId).pipe(onDatabase, retried))?.customerId ?? null
    if (customerId === null) return
    yield* Effect.gen(function* () {
      const sessions = yield* api.checkoutSessions(customerId)
      for (const { id, isOpen } of sessions) if (isOpen) yield* api.expireCheckout(id)
      for (const { id, status } of yield* api.subscriptions(customerId)) {
        if (status !== "canceled" && status !== "incomplete_expired") yield* api.cancel(id)
      }
    }).pipe(Effect.catchTag("CustomerGone", () => Effect.void))
    yield* update(accountId)
  })

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
    reconcile,
    cancel
  }
}

/** Of a customer who is gone, with every subscription. */
const ended = (before: BillingRows.Decided): Standing | undefined =>
  before.subscriptionId === null
    ? undefined
    : { subscriptionId: before.subscriptionId, plan: undefined, status: "canceled", startedAt: 0 }

const warn = Effect.fnUntraced(function* (accountId: AccountId, { paid, unknown }: ReturnType<typeof decide>) {
  if (paid > 1) {
    yield* Effect.logWarning({
      message: "A customer pays for more than one subscription: end and refund all but one in Stripe",
      account_id: accountId,
      subscriptions: paid
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
