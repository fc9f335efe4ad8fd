/** The account that the running fiber works for, read by bulkheads. It decides no answer. */
import { Context } from "effect"
import type { AccountId } from "../../domain/access/Account.ts"

/** `undefined` for the command line and background work. */
export const CurrentAccount = Context.Reference<AccountId | undefined>("discovery/limits/CurrentAccount", {
  defaultValue: () => undefined
})
