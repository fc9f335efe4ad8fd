/**
 * Accounts, their plans, and the caller of a tool (D5, D7).
 *
 * Read next: Plan, who may use what; Credit and CreditPeriod, what calls cost and when credits renew; Credential, the secrets that
 * callers send.
 */
import { Schema } from "effect"

export const plans = ["starter", "growth", "pro"] as const
export const Plan = Schema.Literals(plans)
export type Plan = typeof Plan.Type

export const subscriptionStatuses = ["active", "paused", "unpaid", "canceled"] as const
export const SubscriptionStatus = Schema.Literals(subscriptionStatuses)
export type SubscriptionStatus = typeof SubscriptionStatus.Type

/** Operators manage the accounts of others; only the command line makes one. */
export const roles = ["customer", "operator"] as const
export const Role = Schema.Literals(roles)
export type Role = typeof Role.Type

export const AccountId = Schema.Int.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/** The credits of one period. `periodStart` is inclusive, `periodEnd` exclusive; both are UTC days, `YYYY-MM-DD`. */
export const Credits = Schema.Struct({
  allowance: Schema.Int,
  used: Schema.Int,
  periodStart: Schema.String,
  periodEnd: Schema.String
})
export type Credits = typeof Credits.Type

/** The account and the credential of a call, read in one indexed query. */
export interface Caller {
  readonly accountId: AccountId
  readonly plan: Plan
  readonly status: SubscriptionStatus
  /**
   * All credentials of an account share its credits; kind and id are for the log and the ledger. The id of an access
   * token is that of its grant.
   */
  readonly credential: { readonly kind: "api_key" | "access_token"; readonly id: number }
  readonly credits: Credits
}
