/** Stripe's events: the signature of a webhook's request, by the official library, and what is read of its body. */
import { Effect, Redacted, Schema } from "effect"
import type { Stripe } from "stripe"

/** The signature is wrong, or not of this time, or what is signed is no event of this time. */
export class EventRefused extends Schema.TaggedError<EventRefused>()("EventRefused", { message: Schema.String }) {}

export interface BillingEvent {
  readonly id: string
  readonly type: string
  /** Seconds since 1970. */
  readonly createdAt: number
  /** Whom it is about; `undefined` if that is nobody. */
  readonly customerId: string | undefined
}

/** Signatures are at most so much older than the clock of this server, or ahead of it. Stripe signs every attempt to deliver. */
const toleranceSeconds = 300

/**
 * The time of a signature, in seconds since 1970; `undefined` without exactly one. The library reads the beginning of the text
 * as a number, takes the last of several, and compares what is no number as if it were new.
 */
const signedAt = (signature: string): number | undefined => {
  const [time, ...others] = signature.split(",").filter((item) => /^\s*t\s*(?:=|$)/u.test(item))
  return others.length === 0 && time !== undefined && /^t=\d{1,12}$/u.test(time) ? Number(time.slice(2)) : undefined
}

const Id = Schema.String.check(Schema.isBetweenLength(1, 255))

const Event = Schema.Struct({
  id: Id,
  type: Schema.String,
  created: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  data: Schema.Struct({
    object: Schema.Struct({
      object: Schema.optionalKey(Schema.String),
      id: Schema.optionalKey(Id),
      customer: Schema.optionalKey(Schema.NullOr(Schema.Union([Id, Schema.Struct({ id: Id })])))
    })
  })
})
const decodeEvent = Schema.decodeUnknownEffect(Event)

const checkClock = "check the clock of this server."

const refusals = {
  ahead: `The event or its signature is from more than ${toleranceSeconds} seconds in the future; ${checkClock}`,
  noEvent: "The body is not an event of Stripe.",
  old: `The signature is older than ${toleranceSeconds} seconds. Stripe signs every attempt; ${checkClock}`,
  wrong: "The signature does not match. Check that STRIPE_WEBHOOK_SECRET is the secret of this endpoint."
} as const

const refused = (reason: keyof typeof refusals) => new EventRefused({ message: refusals[reason] })

/** Checks the signature and its time before it looks at the event. `nowMillis` is the time of arrival since 1970. */
export type Reader = (
  body: Uint8Array,
  signature: string,
  nowMillis: number
) => Effect.Effect<BillingEvent, EventRefused>

export const reader =
  (stripe: Stripe, webhookSecret: Redacted.Redacted): Reader =>
  (body, signature, nowMillis) =>
    Effect.gen(function* () {
      const latest = Math.floor(nowMillis / 1000) + toleranceSeconds
      const time = signedAt(signature)
      if (time === undefined) return yield* refused("wrong")
      const signed = yield* Effect.try({
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
        catch: (cause) => refused(reasonOf(stripe, cause))
      })
      if (time > latest) return yield* refused("ahead")
      const { created, data, id, type } = yield* Effect.mapError(decodeEvent(signed), () => refused("noEvent"))
      if (created > latest) return yield* refused("ahead")
      return { id, type, createdAt: created, customerId: customerOf(data.object) }
    })

const reasonOf = ({ errors }: Stripe, cause: unknown): keyof typeof refusals => {
  if (!(cause instanceof errors.StripeSignatureVerificationError)) return "noEvent"
  return cause.message.includes("tolerance") ? "old" : "wrong"
}

const customerOf = ({ customer, id, object }: (typeof Event.Type)["data"]["object"]): string | undefined => {
  if (object === "customer") return id
  return typeof customer === "object" ? customer?.id : customer
}
