/** What a customer's subscriptions in Stripe make of the account (D70 to D73). */
import type { Plan, SubscriptionStatus } from "./Account.ts"

/** A subscription as Stripe has it now. */
export interface StripeSubscription {
  readonly id: string
  /** A state that this version does not know decides nothing. */
  readonly status: string
  readonly prices: ReadonlyArray<string>
  /** How Stripe treats invoices while their collection is paused; `null` if it is not. */
  readonly pausedCollection: string | null
  /** Seconds since 1970. */
  readonly createdAt: number
  readonly startedAt: number
}

export type PaidPlan = Exclude<Plan, "starter">

/** The ids of each plan's prices. */
export type Prices = Readonly<Record<PaidPlan, ReadonlyArray<string>>>

/** States of Stripe that decide the account's; the others are in {@link undecided}. A table of docs/operations.md. */
const statuses: ReadonlyMap<string, SubscriptionStatus> = new Map([
  ["active", "active"],
  ["trialing", "active"],
  ["past_due", "unpaid"],
  ["unpaid", "unpaid"],
  ["paused", "paused"],
  ["canceled", "canceled"]
])

/** The first payment is open, or was never made: nothing was bought. */
const undecided: ReadonlySet<string> = new Set(["incomplete", "incomplete_expired"])

/** The best first: a customer with two subscriptions has what the better one gives. */
const order: ReadonlyArray<SubscriptionStatus> = ["active", "unpaid", "paused", "canceled"]

const statusOf = ({ pausedCollection, status }: StripeSubscription): SubscriptionStatus | undefined => {
  const decided = statuses.get(status)
  // Stripe keeps such a subscription active. `void` is its word for a service that is not provided meanwhile.
  return decided === "active" && pausedCollection === "void" ? "paused" : decided
}

/** Whether it may still cost the customer money, so that another one must not be sold. */
export const isRunning = (subscription: StripeSubscription): boolean => {
  const status = statusOf(subscription)
  return status !== undefined && status !== "canceled"
}

export interface Standing {
  readonly subscriptionId: string
  /** `undefined` leaves the account's plan as it is. */
  readonly plan: PaidPlan | undefined
  readonly status: SubscriptionStatus
  /** The UTC second since 1970 that it started. */
  readonly startedAt: number
}

export interface Verdict {
  /** `undefined` if no subscription decides anything: the account stays as it is. */
  readonly standing: Standing | undefined
  /** Subscriptions that give access; more than one are paid for twice. */
  readonly paid: ReadonlyArray<StripeSubscription>
  /** Subscriptions that have not ended, with a price or a state that is not known here. */
  readonly unknown: ReadonlyArray<StripeSubscription>
}

/**
 * The verdict on all subscriptions of a customer. `decidedBefore` is the subscription that decided last: if its price is not
 * known any more, its state still counts and the plan stays. No other subscription of an unknown price gives anything.
 */
export const decide = (
  subscriptions: ReadonlyArray<StripeSubscription>,
  prices: Prices,
  decidedBefore: string | null
): Verdict => {
  const planOf = (subscription: StripeSubscription): PaidPlan | undefined =>
    (["pro", "growth"] as const).find((plan) => subscription.prices.some((price) => prices[plan].includes(price)))
  const deciding = subscriptions.flatMap((subscription) => {
    const status = statusOf(subscription)
    const plan = planOf(subscription)
    if (status === undefined || (plan === undefined && subscription.id !== decidedBefore)) return []
    return [{ subscription, status, plan }]
  })
  const [best] = deciding.toSorted(
    (one, other) =>
      order.indexOf(one.status) - order.indexOf(other.status) ||
      // Of those that have ended, the newest: an account keeps the plan that it had last.
      (one.status === "canceled" ? 0 : rank(other.plan) - rank(one.plan)) ||
      other.subscription.createdAt - one.subscription.createdAt ||
      (one.subscription.id < other.subscription.id ? -1 : 1)
  )
  return {
    standing:
      best === undefined
        ? undefined
        : {
            subscriptionId: best.subscription.id,
            plan: best.plan,
            status: best.status,
            startedAt: best.subscription.startedAt
          },
    paid: deciding.flatMap(({ status, subscription }) => (status === "active" ? [subscription] : [])),
    unknown: subscriptions.filter(
      (subscription) =>
        !undecided.has(subscription.status) &&
        subscription.status !== "canceled" &&
        (statusOf(subscription) === undefined || planOf(subscription) === undefined)
    )
  }
}

const rank = (plan: PaidPlan | undefined): number => (plan === "pro" ? 2 : plan === "growth" ? 1 : 0)
