/** Stripe's events: the signature of a webhook's request, by the official library, and what is read of its body. */
import { Effect, Redacted, Schema } from "effect"
import type { Stripe } from "stripe"

/** The signature is wrong or too old, or what is signed is no event. */
export class EventRefused extends Schema.TaggedError<EventRefused>()("EventRefused", { message: Schema.String }) {}

export interface BillingEvent {
  readonly id: string
  readonly type: string
  /** Seconds since 1970. */
  readonly createdAt: number
  /** Whom it is about; `undefined` if that is nobody. */
  readonly customerId: string | undefined
}

/** Older signatures are refused. Stripe signs every attempt to deliver an event. */
const toleranceSeconds = 300

const Id = Schema.String.check(Schema.isBetweenLength(1, 255))

const Event = Schema.Struct({
  id: Id,
  type: Schema.String,
  created: Schema.Finite,
  data: Schema.Struct({
    object: Schema.Struct({
      object: Schema.optionalKey(Schema.String),
      id: Schema.optionalKey(Id),
      customer: Schema.optionalKey(Schema.NullOr(Schema.Union([Id, Schema.Struct({ id: Id })])))
    })
  })
})
const decodeEvent = Schema.decodeUnknownEffect(Event)

const refusals = {
  noEvent: "The body is not an event of Stripe.",
  old: `The signature is older than ${toleranceSeconds} seconds. Stripe signs every attempt; check the clock of this server.`,
  wrong: "The signature does not match. Check that STRIPE_WEBHOOK_SECRET is the secret of this endpoint."
} as const

/** Checks the signature and its age before it looks at the event. `nowMillis` is the time of arrival since 1970. */
export type Reader = (
  body: Uint8Array,
  signature: string,
  nowMillis: number
) => Effect.Effect<BillingEvent, EventRefused>

export const reader =
  (stripe: Stripe, webhookSecret: Redacted.Redacted): Reader =>
  (body, signature, nowMillis) =>
    Effect.try({
      // The library compares signature and age before it parses the event. It throws for everything that it refuses.
      try: () =>
        stripe.webhooks.constructEvent(
          body,
          signature,
          Redacted.value(webhookSecret),
          toleranceSeconds,
          undefined,
          nowMillis
        ),
      catch: (cause) => new EventRefused({ message: refusalOf(stripe, cause) })
    }).pipe(
      Effect.flatMap((event) =>
        Effect.mapError(decodeEvent(event), () => new EventRefused({ message: refusals.noEvent }))
      ),
      Effect.map(({ created, data, id, type }) => ({
        id,
        type,
        createdAt: created,
        customerId: customerOf(data.object)
      }))
    )

const refusalOf = ({ errors }: Stripe, cause: unknown): string => {
  if (!(cause instanceof errors.StripeSignatureVerificationError)) return refusals.noEvent
  return cause.message.includes("tolerance") ? refusals.old : refusals.wrong
}

const customerOf = ({ customer, id, object }: (typeof Event.Type)["data"]["object"]): string | undefined => {
  if (object === "customer") return id
  return typeof customer === "object" ? customer?.id : customer
}
