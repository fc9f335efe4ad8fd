/** Records calls of an account as tools would: charged if they cost credits, and in the activity log. */
import { Clock, Effect } from "effect"
import type { AccountId, Caller } from "../../src/domain/access/Account.ts"
import type { Outcome } from "../../src/domain/access/Activity.ts"
import { costs } from "../../src/domain/access/Credit.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { ActivityLog } from "../../src/services/credits/ActivityLog.ts"
import { ApiKeys } from "../../src/services/credentials/ApiKeys.ts"
import { CredentialResolver } from "../../src/services/credentials/CredentialResolver.ts"

export interface MadeCall {
  readonly tool: keyof typeof costs
  readonly outcome?: Outcome
  readonly credential?: Caller["credential"]
  readonly agoMillis?: number
  readonly durationMillis?: number
}

let requestNumber = 0

/** Returns when the log is written. The ledger is not involved. */
export const record = Effect.fnUntraced(function* (caller: Caller, calls: ReadonlyArray<MadeCall>) {
  const log = yield* ActivityLog
  const now = yield* Clock.currentTimeMillis
  for (const { agoMillis = 0, credential = caller.credential, durationMillis = 12, outcome = "ok", tool } of calls) {
    log.record({
      accountId: caller.accountId,
      credential,
      tool,
      outcome,
      credits: outcome === "ok" ? costs[tool] : 0,
      atMillis: now - agoMillis,
      durationMillis,
      requestId: `${String(++requestNumber).padStart(8, "0")}-58cc-4372-a567-0e02b2c3d479`
    })
  }
  yield* Effect.orDie(log.write)
})

export const accountIdOf = (email: string): Effect.Effect<AccountId, never, Accounts> =>
  Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.find(email), ({ id }) => id)).pipe(Effect.orDie)

/** Creates an API key and returns its caller. */
export const keyOf = Effect.fnUntraced(function* (email: string, name: string) {
  const accountId = yield* accountIdOf(email)
  const { key, secret } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(accountId, name))
  const caller = yield* Effect.flatMap(CredentialResolver, (resolver) => resolver.resolve(secret))
  return { key, secret, caller }
}, Effect.orDie)
