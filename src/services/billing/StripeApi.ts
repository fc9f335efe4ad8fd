/**
 * The calls of Stripe's API that billing makes, by the official library, with their answers decoded. Errors name the call and
 * Stripe's code and request id only: its messages may contain what a customer entered.
 */
import { Duration, Effect, Option, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import type { AppSettings } from "../../Config.ts"
import { billingPath } from "../../Config.ts"
import type { Language } from "../../domain/Messages.ts"
import { priceOf, StripePrice } from "../../domain/access/Price.ts"
import type { Price } from "../../domain/access/Price.ts"
import type { StripeSettings } from "../../domain/access/StripeSettings.ts"
import type { StripeSubscription } from "../../domain/access/StripeSubscription.ts"
import * as StripeEvents from "./StripeEvents.ts"

/** Stripe does not answer, or not as expected. Without `status` nothing is known about what it has done. */
export class BillingUnavailable extends Schema.TaggedError<BillingUnavailable>()("BillingUnavailable", {
  message: Schema.String,
  retryAfterSeconds: Schema.Int,
  /** Of Stripe's answer. It gives the same one to the same idempotency key for a day. */
  status: Schema.optional(Schema.Int)
}) {}

/** Somebody deleted the customer in Stripe, which says so. A customer that it does not know is a failure. */
export class CustomerGone extends Schema.TaggedError<CustomerGone>()("CustomerGone", {}) {}

interface CheckoutSession {
  readonly id: string
  /** The page to pay at, while the session is open. */
  readonly url: string | null
  readonly isOpen: boolean
  readonly price: string | undefined
}

export interface CheckoutPage {
  readonly id: string
  readonly url: string
}

type StripeCall<A> = Effect.Effect<A, BillingUnavailable>
type CustomerCall<A> = Effect.Effect<A, BillingUnavailable | CustomerGone>

export interface StripeApi {
  /** Returns the id. The same reference and address give the same customer for a day. */
  createCustomer(customer: { readonly reference: string; readonly email: string }): StripeCall<string>
  /** In any state, the newest first, at most 300. */
  subscriptions(customerId: string): CustomerCall<ReadonlyArray<StripeSubscription>>
  /** Ends it at once, without a refund or another invoice. Does nothing if it has ended. */
  cancel(subscriptionId: string): StripeCall<void>
  /** The newest first, at most 20. */
  checkoutSessions(customerId: string): CustomerCall<ReadonlyArray<CheckoutSession>>
  /**
   * Returns the page to pay at. `after` is the newest session until now: with one reference only one is made after it, and a
   * request that differs is refused.
   */
  createCheckout(order: {
    readonly customerId: string
    readonly reference: string
    readonly price: string
    readonly language: Language
    readonly after: string | undefined
  }): CustomerCall<CheckoutPage>
  /** Nobody can pay at its page any more. Does nothing if that is so already. */
  expireCheckout(sessionId: string): StripeCall<void>
  /** Returns the page of the customer portal. */
  createPortal(customerId: string, language: Language): CustomerCall<string>
  /** `undefined` for a price that is not one amount for each interval. */
  price(priceId: string): StripeCall<Price | undefined>
  readonly event: StripeEvents.Reader
}

export interface Times {
  /** For one attempt. */
  readonly attempt: Duration.Duration
  /** For a call with its repetitions; shorter than Stripe waits for the answer to a webhook. */
  readonly call: Duration.Duration
}

const defaultTimes: Times = { attempt: Duration.seconds(5), call: Duration.seconds(15) }
const maxRetries = 2
const maxSubscriptions = 300
const maxSessions = 20

/** The path that the browser returns to, with whether it was to pay. */
export const returnPath = `${billingPath}/return` as const
const from = (place: "checkout" | "portal") => `${returnPath}?from=${place}`

const Id = Schema.String.check(Schema.isBetweenLength(1, 255))
const WebUrl = Schema.String.check(
  Schema.makeFilter((text: string) => /^https?:$/u.test(URL.parse(text)?.protocol ?? ""), { expected: "a web address" })
)

const Customer = Schema.Struct({ id: Id })
const Deletable = Schema.Struct({ deleted: Schema.optionalKey(Schema.Boolean) })

const Subscription = Schema.Struct({
  id: Id,
  status: Schema.String,
  created: Schema.Finite,
  start_date: Schema.Finite,
  items: Schema.Struct({ data: Schema.Array(Schema.Struct({ price: Schema.Struct({ id: Schema.String }) })) }),
  pause_collection: Schema.optionalKey(Schema.NullOr(Schema.Struct({ behavior: Schema.String })))
})

const Session = Schema.Struct({
  id: Id,
  status: Schema.NullOr(Schema.String),
  url: Schema.optionalKey(Schema.NullOr(WebUrl)),
  metadata: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String)))
})

const Linked = Schema.Struct({ url: WebUrl })
const Payable = Schema.Struct({ id: Id, url: WebUrl })

const Failure = Schema.Struct({
  type: Schema.String,
  code: Schema.optional(Schema.String),
  statusCode: Schema.optional(Schema.Int),
  requestId: Schema.optional(Schema.String)
})
const decodeFailure = Schema.decodeUnknownOption(Failure)

const unavailable = (call: string, reason: string, status?: number) =>
  new BillingUnavailable({ message: `Stripe, ${call}: ${reason}`, retryAfterSeconds: 10, status })

const failureOf = (call: string, cause: unknown): BillingUnavailable => {
  const failure = Option.getOrUndefined(decodeFailure(cause))
  if (failure === undefined) return unavailable(call, "the call failed")
  const { code, requestId, statusCode, type } = failure
  const parts = [type, statusCode, code, requestId].filter((part) => part !== undefined)
  return unavailable(call, parts.join(" "), statusCode)
}

const isAnswer =
  (...statuses: ReadonlyArray<number>) =>
  ({ status }: BillingUnavailable) =>
    status !== undefined && statuses.includes(status)

/** The same parts give the same key, so that what is asked for twice is made once. */
const keyOf = (...parts: ReadonlyArray<string>): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex")

/** Loads the library, which has some hundred modules, only for servers that use it. Connects with the first call. */
export const make = Effect.fn("StripeApi.make")(function* (
  { secretKey, webhookSecret }: StripeSettings,
  { baseUrl, stripeApiUrl }: Pick<AppSettings, "baseUrl" | "stripeApiUrl">,
  times: Times = defaultTimes
): Effect.fn.Return<StripeApi> {
  const { hostname, port, protocol } = new URL(stripeApiUrl)
  const library = yield* Effect.promise(() => import("stripe"))
  const stripe = new library.Stripe(Redacted.value(secretKey), {
    host: hostname,
    port: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port),
    protocol: protocol === "http:" ? "http" : "https",
    timeout: Duration.toMillis(times.attempt),
    maxNetworkRetries: maxRetries,
    // The library would otherwise send figures about this process, and write an id to the home folder.
    telemetry: false,
    appInfo: { name: "discovery" }
  })

  const ask = <S extends Schema.ConstraintDecoder<unknown>>(name: string, schema: S, call: () => Promise<unknown>) => {
    const decode = Schema.decodeUnknownEffect(schema)
    return Effect.tryPromise({ try: call, catch: (cause) => failureOf(name, cause) }).pipe(
      Effect.timeoutOrElse({
        duration: times.call,
        orElse: () => Effect.fail(unavailable(name, "no answer in time"))
      }),
      Effect.flatMap((answer) => Effect.mapError(decode(answer), () => unavailable(name, "an answer of another form"))),
      Effect.withSpan(`Stripe.${name}`)
    )
  }

  /**
   * Finds out why a call about a customer was refused. Only a customer that Stripe calls deleted is gone. One that Stripe does
   * not know is a failure: the key may belong to another account or mode, which knows none of the customers.
   */
  const orGone =
    (customer: string) =>
    <A>(asked: StripeCall<A>): CustomerCall<A> =>
      Effect.catchIf(asked, isAnswer(400, 404), (refusal) =>
        ask("customer", Deletable, () => stripe.customers.retrieve(customer)).pipe(
          Effect.catchIf(isAnswer(404), () =>
            Effect.fail(unavailable("customer", "STRIPE_SECRET_KEY does not know it"))
          ),
          Effect.flatMap(({ deleted }) => Effect.fail(deleted === true ? new CustomerGone() : refusal))
        )
      )

  return {
    createCustomer: ({ email, reference }) =>
      ask("createCustomer", Customer, () =>
        stripe.customers.create(
          { email, metadata: { discovery_account: reference } },
          { idempotencyKey: keyOf("customer", reference, email) }
        )
      ).pipe(Effect.map(({ id }) => id)),

    subscriptions: (customer) =>
      ask("subscriptions", Schema.Array(Subscription), () =>
        stripe.subscriptions
          .list({ customer, status: "all", limit: 100 })
          .autoPagingToArray({ limit: maxSubscriptions })
      ).pipe(
        orGone(customer),
        Effect.map((found) =>
          found.map(({ created, id, items, pause_collection, start_date, status }) => ({
            id,
            status,
            prices: items.data.map(({ price }) => price.id),
            pausedCollection: pause_collection?.behavior ?? null,
            createdAt: created,
            startedAt: start_date
          }))
        )
      ),

    cancel: (subscriptionId) =>
      ask("cancel", Schema.Unknown, () => stripe.subscriptions.cancel(subscriptionId)).pipe(
        Effect.catchIf(isAnswer(404), () => Effect.void),
        Effect.asVoid
      ),

    checkoutSessions: (customer) =>
      ask("checkoutSessions", Schema.Struct({ data: Schema.Array(Session) }), () =>
        stripe.checkout.sessions.list({ customer, limit: maxSessions })
      ).pipe(
        orGone(customer),
        Effect.map(({ data }) =>
          data.map(({ id, metadata, status, url }) => ({
            id,
            url: url ?? null,
            isOpen: status === "open",
            price: metadata?.["discovery_price"]
          }))
        )
      ),

    createCheckout: ({ after, customerId, language, price, reference }) =>
      ask("createCheckout", Payable, () =>
        stripe.checkout.sessions.create(
          {
            mode: "subscription",
            customer: customerId,
            client_reference_id: reference,
            line_items: [{ price, quantity: 1 }],
            metadata: { discovery_price: price },
            subscription_data: { metadata: { discovery_account: reference } },
            locale: language,
            success_url: `${baseUrl}${from("checkout")}`,
            cancel_url: `${baseUrl}${billingPath}`
          },
          // Not the price: of two plans that are chosen at once, one is refused.
          { idempotencyKey: keyOf("checkout", customerId, reference, after ?? "") }
        )
      ).pipe(orGone(customerId)),

    expireCheckout: (sessionId) =>
      ask("expireCheckout", Schema.Unknown, () => stripe.checkout.sessions.expire(sessionId)).pipe(
        Effect.catchIf(isAnswer(400), () => Effect.void),
        Effect.asVoid
      ),

    createPortal: (customer, language) =>
      ask("createPortal", Linked, () =>
        stripe.billingPortal.sessions.create({
          customer,
          locale: language,
          return_url: `${baseUrl}${from("portal")}`
        })
      ).pipe(
        Effect.map(({ url }) => url),
        orGone(customer)
      ),

    price: (id) =>
      Effect.map(
        ask("price", StripePrice, () => stripe.prices.retrieve(id)),
        priceOf
      ),

    event: StripeEvents.reader(stripe, webhookSecret)
  }
})
