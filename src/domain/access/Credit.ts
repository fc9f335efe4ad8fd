/** Credits (S6): the costs of calls, and the balance of a period (D17). */
import type { Credits } from "./Account.ts"

/** Credits of one successful call, by tool. */
export const costs = {
  get_usage: 0,
  list_filter_options: 0,
  list_saved_searches: 0,
  search_ads: 1,
  search_products: 1,
  search_shops: 1,
  compare_markets: 1,
  compare_ads: 1,
  list_changes: 1,
  get_shop: 1,
  get_product: 1,
  run_saved_search: 1
} as const

/** Never below 0: the database keeps `used` within `allowance`. */
export const remaining = ({ allowance, used }: Pick<Credits, "allowance" | "used">): number => allowance - used

/**
 * The allowance after a change of plan: that of the plan and the credit grants, but never less than what is used. It
 * does not depend on the old plan, so that changing back and forth gains nothing.
 */
export const allowanceOnPlan = (planAllowance: number, grantedBesides: number, used: number): number =>
  Math.max(planAllowance + grantedBesides, used)
