/** Access to the tools (S36, P31, R9): an active Growth or Pro subscription (S8, D6). */
import type { PlanUpgradeRequired } from "../ToolError.ts"
import { planUpgradeRequired } from "../ToolErrorMessages.ts"
import type { Plan, SubscriptionStatus } from "./Account.ts"

/** Credits of one period, by plan. */
export type Allowances = Readonly<Record<Plan, number>>

export interface Subscription {
  readonly plan: Plan
  readonly status: SubscriptionStatus
}

export const titles: Readonly<Record<Plan, string>> = { starter: "Starter", growth: "Growth", pro: "Pro" }

/** A new plan does not compile until it is listed here. */
const includesTools: Readonly<Record<Plan, boolean>> = { starter: false, growth: true, pro: true }

/** What the customer can do at the billing page; `undefined` if nothing is needed. */
const remedies: Readonly<Record<SubscriptionStatus, string | undefined>> = {
  active: undefined,
  paused: "resume the subscription",
  unpaid: "pay the open invoice",
  canceled: "start the subscription again"
}

export const mayCallTools = ({ plan, status }: Subscription): boolean =>
  includesTools[plan] && remedies[status] === undefined

/** The error for an account without access to the tools: what is missing, plan or status, and what to do. */
export const missing = (subscription: Subscription, billingUrl: string): PlanUpgradeRequired | undefined => {
  const { plan, status } = subscription
  const remedy = remedies[status]
  const upgrade = includesTools[plan] ? undefined : "upgrade to Growth or Pro"
  const problems = [
    ...(upgrade === undefined ? [] : [`plan is ${titles[plan]}`]),
    ...(remedy === undefined ? [] : [`subscription is ${status}`])
  ]
  if (problems.length === 0) return undefined
  const steps = [upgrade, remedy].filter((step) => step !== undefined).join(" and ")
  return planUpgradeRequired({ problems, steps, billingUrl })
}
