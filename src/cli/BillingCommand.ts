/** `discovery billing reconcile`: compares every account with its subscription in Stripe (D75). */
import { Effect, Option, Schema, Stream } from "effect"
import { Command } from "effect/cli"
import { Billing } from "../services/billing/Billing.ts"
import type { Compared } from "../services/billing/Billing.ts"
import * as SubscriptionSync from "../services/billing/SubscriptionSync.ts"
import * as Output from "./Output.ts"
import { asUserError } from "./UserErrors.ts"

class NotReconciled extends Schema.TaggedError<NotReconciled>()("NotReconciled", { message: Schema.String }) {}

/** Such as `7  ada@example.com  growth unpaid -> growth active`; nothing for an account that was right. */
const line = (compared: Compared): string | undefined => {
  if ("failure" in compared) return `${compared.accountId}  not compared: ${compared.failure.message}`
  const { change } = compared
  if (change === undefined || !SubscriptionSync.differs(change)) return undefined
  const { after, before } = change
  return `${after.id}  ${after.email}  ${before.plan} ${before.status} -> ${after.plan} ${after.status}`
}

const reconcile = Command.make("reconcile", {}, () =>
  Effect.gen(function* () {
    const { stripe } = yield* Billing
    if (Option.isNone(stripe)) {
      return yield* new NotReconciled({
        message: "Billing by Stripe is off. Set STRIPE_SECRET_KEY and the other variables of Stripe."
      })
    }
    const total = yield* stripe.value.reconcile.pipe(
      Stream.tap((compared) => {
        const text = line(compared)
        return text === undefined ? Effect.void : Output.line(text)
      }),
      Stream.runFold(
        () => ({ compared: 0, corrected: 0, failed: 0 }),
        (total, each) => {
          const isFailed = "failure" in each
          const isCorrected = !isFailed && each.change !== undefined && SubscriptionSync.differs(each.change)
          return {
            compared: total.compared + 1,
            corrected: total.corrected + Number(isCorrected),
            failed: total.failed + Number(isFailed)
          }
        }
      )
    )
    if (total.failed > 0) {
      return yield* new NotReconciled({
        message: `${total.failed} of ${total.compared} accounts could not be compared. Run the command again.`
      })
    }
    yield* Output.line(
      `${total.compared} accounts are what their subscriptions say; ${total.corrected} were corrected.`
    )
  }).pipe(asUserError)
).pipe(Command.withDescription("Compare every account with its subscription in Stripe, and correct what differs"))

export const billingCommand = Command.make("billing").pipe(
  Command.withDescription("Billing by Stripe"),
  Command.withSubcommands([reconcile])
)
