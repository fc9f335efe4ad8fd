/** The balance of a period as a fold over its ledger entries (D14), which the SQL of the ledger must agree with. */
import type { Credits } from "../../src/domain/access/Account.ts"

export type Balance = Pick<Credits, "allowance" | "used">

export const entryKinds = ["grant", "charge", "refund", "adjustment"] as const

/** `amount` is what an entry adds to the remaining credits: positive or negative. */
export interface CreditEntry {
  readonly kind: (typeof entryKinds)[number]
  readonly amount: number
}

const empty: Balance = { allowance: 0, used: 0 }

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

export const fold = (entries: Iterable<CreditEntry>): Balance => {
  let balance = empty
  for (const entry of entries) balance = apply(balance, entry)
  return balance
}
