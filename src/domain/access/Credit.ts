/** Credits: what a call costs, and the ledger as a fold over its entries (D14, D17). */

/** Credits of one successful call, by tool. The one table: the tools, their descriptions and the docs read it. */
export const costs = {
  get_usage: 0,
  list_filter_options: 0,
  search_ads: 1,
  search_products: 1,
  search_shops: 1,
  get_shop: 1,
  get_product: 1
} as const

export const entryKinds = ["grant", "charge", "refund", "adjustment"] as const
export type EntryKind = (typeof entryKinds)[number]

/**
 * One line of the append-only ledger, within an account and period. `amount` is what it adds to the credits that remain:
 * a grant at least 0, a charge below 0, a refund above 0, an adjustment of the allowance either way.
 */
export interface CreditEntry {
  readonly kind: EntryKind
  readonly amount: number
}

/** Whole credits, with `0 <= used <= allowance`. */
export interface Balance {
  readonly allowance: number
  readonly used: number
}

export const empty: Balance = { allowance: 0, used: 0 }

/** Grants and adjustments move the allowance, charges and refunds what is used of it. */
export const apply = (balance: Balance, entry: CreditEntry): Balance => {
  switch (entry.kind) {
    case "grant":
    case "adjustment":
      return { ...balance, allowance: balance.allowance + entry.amount }
    case "charge":
    case "refund":
      return { ...balance, used: balance.used - entry.amount }
  }
}

/** What the ledger says the balance is. */
export const fold = (entries: Iterable<CreditEntry>): Balance => {
  let balance = empty
  for (const entry of entries) balance = apply(balance, entry)
  return balance
}

export const remaining = ({ allowance, used }: Balance): number => allowance - used

/** No charge, however small, may go past the allowance. */
export const fits = (balance: Balance, cost: number): boolean => cost <= remaining(balance)

/**
 * The allowance after a change of plan: what the plan gives and what was granted besides, but never less than what is
 * used already. It depends on the new plan alone, so changing back and forth gains nothing.
 */
export const allowanceOnPlan = (planAllowance: number, grantedBesides: number, used: number): number =>
  Math.max(planAllowance + grantedBesides, used)
