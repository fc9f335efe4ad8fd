/** Checks of what an operator enters for an account. */
import { Effect, Redacted, Schema } from "effect"
import type { Plan, SubscriptionStatus } from "../../domain/access/Account.ts"
import * as Password from "../../domain/access/Password.ts"
import { isCalendarDate } from "../../domain/Scalars.ts"

/** An e-mail address, password, day or number is not accepted; the message says what would be. */
export class InvalidAccountDetail extends Schema.TaggedError<InvalidAccountDetail>()("InvalidAccountDetail", {
  message: Schema.String
}) {}

export interface NewAccount {
  readonly email: string
  readonly plan: Plan
  readonly status: SubscriptionStatus
  readonly password: Redacted.Redacted
  /** A UTC day, today or before; today without it. Only with a paid plan. */
  readonly beganOn?: string
}

/** Without U+0000 and unpaired surrogates, which PostgreSQL refuses. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cs}]/gu, "")

export const invalid = (message: string) => new InvalidAccountDetail({ message })

export const checkPassword = (password: Redacted.Redacted, email: string) => {
  const problem = Password.problem(Redacted.value(password), email)
  return problem === undefined ? Effect.void : Effect.fail(invalid(problem))
}

/** The day from which periods are counted; none without a subscription. */
export const firstDay = (account: NewAccount, today: string) => {
  if (account.plan === "starter") {
    return account.beganOn === undefined
      ? Effect.void
      : Effect.fail(invalid("The plan Starter has no subscription, and so no first day. Set Growth or Pro."))
  }
  const day = account.beganOn ?? today
  return isDay(day) && day <= today
    ? Effect.succeed(day)
    : Effect.fail(invalid(`The first day of a subscription is a date such as ${today}, and not after today.`))
}

const isDay = (text: string): boolean => /^[12]/.test(text) && isCalendarDate(text)
