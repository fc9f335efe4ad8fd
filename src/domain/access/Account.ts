/** Accounts, their plans, and who stands behind a call (D5, D7). */
import { Schema } from "effect"

export const plans = ["starter", "growth", "pro"] as const
export const Plan = Schema.Literals(plans)
export type Plan = typeof Plan.Type

export const subscriptionStatuses = ["active", "paused", "unpaid", "canceled"] as const
export const SubscriptionStatus = Schema.Literals(subscriptionStatuses)
export type SubscriptionStatus = typeof SubscriptionStatus.Type

/** An operator looks after the accounts of others; only the command line makes one. */
export const roles = ["customer", "operator"] as const
export const Role = Schema.Literals(roles)
export type Role = typeof Role.Type

export const AccountId = Schema.Int.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/** One period's allowance. `periodStart` is inclusive, `periodEnd` exclusive; both are UTC days, `YYYY-MM-DD`. */
export interface Credits {
  readonly allowance: number
  readonly used: number
  readonly periodStart: string
  readonly periodEnd: string
}

/** Who calls: what one indexed read tells of a working credential. */
export interface Caller {
  readonly accountId: AccountId
  readonly plan: Plan
  readonly status: SubscriptionStatus
  /**
   * All credentials of an account draw on one quota; the kind and id are for the log and the ledger. The id of an access
   * token is its grant's: that of the connected app.
   */
  readonly credential: { readonly kind: "api_key" | "access_token"; readonly id: number }
  readonly credits: Credits
}
