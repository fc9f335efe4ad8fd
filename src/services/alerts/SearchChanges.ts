/** Counts the changes of the stores of a saved search, for its alert (D113). */
import { Effect } from "effect"
import type { AccountId } from "../../domain/access/Account.ts"
import type { SearchNews } from "../../domain/search/SearchAlert.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"

export const countChanges = (
  _accountId: AccountId,
  _search: { readonly query: string; readonly change: number }
): Effect.Effect<SearchNews["changes"], SearchFailure> => Effect.succeed([])
