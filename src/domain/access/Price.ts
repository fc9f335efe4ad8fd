/** The price of a plan, as Stripe has it (D118): an amount for each interval. */
import { Schema } from "effect"

/** Of Stripe's object. `unit_amount` is in the smallest unit of the currency, and null for prices of another kind, such as tiers. */
export const StripePrice = Schema.Struct({
  currency: Schema.String.check(Schema.isPattern(/^[a-z]{3}$/u)),
  unit_amount: Schema.NullOr(Schema.Int),
  recurring: Schema.NullOr(
    Schema.Struct({
      interval: Schema.Literals(["day", "week", "month", "year"]),
      interval_count: Schema.Int.check(Schema.isGreaterThan(0))
    })
  )
})
type StripePrice = typeof StripePrice.Type

export interface Price {
  readonly amount: number
  /** ISO 4217. */
  readonly currency: string
  readonly interval: "day" | "week" | "month" | "year"
  /** How many intervals the amount is for. */
  readonly count: number
}

/** Currencies whose amounts Stripe does not give in hundredths. */
const digits: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" ").map((currency) => [currency, 0] as const)
  ),
  ...Object.fromEntries("bhd jod kwd omr tnd".split(" ").map((currency) => [currency, 3] as const))
}

/** `undefined` for a price that is not one amount for each interval. */
export const priceOf = ({ currency, recurring, unit_amount: units }: StripePrice): Price | undefined =>
  recurring === null || units === null
    ? undefined
    : {
        amount: units / 10 ** (digits[currency] ?? 2),
        currency: currency.toUpperCase(),
        interval: recurring.interval,
        count: recurring.interval_count
      }
