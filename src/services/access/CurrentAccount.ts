/** For whom the running fiber works. Who shares something out among the accounts reads it; it decides no answer. */
import { Context } from "effect"
import type { AccountId } from "../../domain/access/Account.ts"

/** `undefined` for the command line, and whatever else is nobody's call. */
export const CurrentAccount = Context.Reference<AccountId | undefined>("discovery/access/CurrentAccount", {
  defaultValue: () => undefined
})
