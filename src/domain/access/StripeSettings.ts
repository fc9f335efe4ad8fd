/** What the server needs to talk to Stripe (D70). */
import { Redacted, Schema } from "effect"

export const PriceId = Schema.Trim.check(
  Schema.isPattern(/^(?:price|plan)_\w{1,200}$/u, { expected: "ids of prices such as price_1Mo, separated by commas" })
)

/** The prices of a plan: the first is sold, all of them count. */
export interface StripeSettings {
  readonly secretKey: Redacted.Redacted
  readonly webhookSecret: Redacted.Redacted
  readonly prices: Readonly<Record<"growth" | "pro", ReadonlyArray<string>>>
}

/** The variables of Stripe, checked together, so that a part of them is an error, and no message shows a secret. */
export const StripeVariables = Schema.Struct({
  secretKey: Schema.Redacted(Schema.String),
  webhookSecret: Schema.Redacted(Schema.String),
  growth: Schema.Array(Schema.String),
  pro: Schema.Array(Schema.String)
}).check(
  Schema.makeFilter(({ growth, pro, secretKey, webhookSecret }) => {
    const problem = (name: string, issue: string) => ({ path: [name], issue })
    const missing = (
      [
        [Redacted.value(secretKey), "STRIPE_SECRET_KEY"],
        [Redacted.value(webhookSecret), "STRIPE_WEBHOOK_SECRET"],
        [growth, "STRIPE_PRICE_GROWTH"],
        [pro, "STRIPE_PRICE_PRO"]
      ] as const
    ).find(([value]) => value.length === 0)
    if (missing !== undefined) {
      return problem(missing[1], `${missing[1]} is missing: set all four variables of Stripe, or none of them`)
    }
    if (!/^(?:sk|rk)_\w+$/u.test(Redacted.value(secretKey))) {
      return problem("STRIPE_SECRET_KEY", "Expected a secret or restricted key of Stripe, which begins with sk_ or rk_")
    }
    if (!/^whsec_\w+$/u.test(Redacted.value(webhookSecret))) {
      return problem("STRIPE_WEBHOOK_SECRET", "Expected the signing secret of a webhook, which begins with whsec_")
    }
    return pro.some((price) => growth.includes(price))
      ? problem("STRIPE_PRICE_PRO", "Expected other prices than those of STRIPE_PRICE_GROWTH: a price has one plan")
      : undefined
  })
)
