/**
 * Leads an account to the page to pay at (D75). Nothing is locked while Stripe is asked: an attempt has the reference that the
 * account's row had at its beginning, and gives its page away only if the row still has it.
 *
 * So a customer has one open page. With one reference, one session is made after each newest session, and who makes it has
 * closed those before. An attempt that ends the reference does so before it looks at sessions: it finds what an earlier one
 * has made, or the earlier one finds the reference changed, and closes its page itself.
 */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import { isRunning } from "../../domain/access/StripeSubscription.ts"
import type { PaidPlan, StripeSubscription } from "../../domain/access/StripeSubscription.ts"
import type { Language } from "../../domain/Messages.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import * as BillingRows from "./BillingRows.ts"
import { retried } from "./BillingRows.ts"
import { BillingUnavailable } from "./StripeApi.ts"
import type { StripeApi } from "./StripeApi.ts"

export interface Buyer {
  readonly accountId: AccountId
  readonly email: string
  readonly language: Language
}

/** The attempt does not count any more. The next one begins again. */
class AttemptOver extends Schema.TaggedError<AttemptOver>()("AttemptOver", { message: Schema.String }) {}

const overtaken = new AttemptOver({ message: "Stripe: another attempt to pay has begun" })

export const make = (
  sql: SqlClient.SqlClient,
  api: StripeApi,
  prices: Readonly<Record<PaidPlan, ReadonlyArray<string>>>,
  billing: {
    /** Asks for the account's subscriptions; none of a customer who is gone. */
    readonly ask: (
      accountId: AccountId
    ) => Effect.Effect<ReadonlyArray<StripeSubscription> | undefined, BillingUnavailable | ServiceUnavailable>
    readonly gone: (accountId: AccountId, customerId: string) => Effect.Effect<void, ServiceUnavailable>
  }
) => {
  const attempt = Effect.fnUntraced(function* ({ accountId, email, language }: Buyer, plan: PaidPlan) {
    const enrolled = yield* BillingRows.enroll(sql, accountId, yield* Clock.currentTimeMillis).pipe(retried)
    if (enrolled === undefined) return undefined
    const { reference } = enrolled
    const customer = { accountId, reference }

    /** Stripe would give the same answer again. What it has made nevertheless, the next attempt finds. */
    const refused = Effect.fnUntraced(function* (error: BillingUnavailable) {
      if (error.status === undefined) return yield* error
      yield* BillingRows.endAttempt(sql, customer).pipe(retried)
      return yield* new AttemptOver({ message: error.message })
    })

    const newCustomer = Effect.gen(function* () {
      const created = yield* Effect.catchTag(api.createCustomer({ reference, email }), "BillingUnavailable", refused)
      return (yield* BillingRows.setCustomer(sql, customer, created).pipe(retried)) ? created : yield* overtaken
    })
    const customerId = enrolled.customerId ?? (yield* newCustomer)

    return yield* Effect.gen(function* () {
      const price = prices[plan][0] ?? ""
      const sessions = yield* api.checkoutSessions(customerId)
      const open = sessions.filter(({ isOpen }) => isOpen)
      const same = open.find((session) => session.price === price && session.url !== null)
      for (const { id } of open) if (id !== same?.id) yield* api.expireCheckout(id)
      // Later than the sessions: whoever has paid at one of them has the subscription by now.
      const subscriptions = yield* billing.ask(accountId)
      if (subscriptions === undefined) return yield* overtaken
      if (subscriptions.some(isRunning)) {
        if (same !== undefined) yield* api.expireCheckout(same.id)
        return yield* api.createPortal(customerId, language)
      }
      const page = same?.url ?? undefined
      if (page !== undefined) return page
      const after = sessions[0]?.id
      const order = { customerId, reference, price, language, after }
      const { id, url } = yield* Effect.catchTag(api.createCheckout(order), "BillingUnavailable", refused)
      if (yield* BillingRows.stillCounts(sql, customer).pipe(retried)) return url
      yield* api.expireCheckout(id)
      return yield* overtaken
    }).pipe(
      Effect.catchTag("CustomerGone", () => Effect.andThen(billing.gone(accountId, customerId), Effect.fail(overtaken)))
    )
  })

  /** `undefined` for a closed account. */
  return (buyer: Buyer, plan: PaidPlan) =>
    attempt(buyer, plan).pipe(
      Effect.retry({ times: 1, while: ({ _tag }) => _tag === "AttemptOver" }),
      Effect.catchTag("AttemptOver", ({ message }) =>
        Effect.fail(new BillingUnavailable({ message, retryAfterSeconds: 10 }))
      )
    )
}
