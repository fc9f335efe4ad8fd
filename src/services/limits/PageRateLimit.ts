/**
 * How often a signed-in account may look at the pages that the database has to work for, counted by each server process:
 * those of the catalog and of the usage. Looking is free of credits, so this is what keeps a program from reading the
 * catalog through the pages instead of the tools.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { AccountId } from "../../domain/access/Account.ts"
import type { RateLimited } from "../../domain/ToolError.ts"
import * as LeakyBucket from "./LeakyBucket.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"

/** Two a second, for minutes on end, is more than anyone reads; a burst of opened tabs passes. */
export const looksPerMinute = 120

const allowance = { limit: looksPerMinute, windowMillis: 60_000 }

/** An account that is forgotten has not looked for longer than its allowance needs to be whole again. */
const maxAccounts = 50_000

export class PageRateLimit extends Context.Service<
  PageRateLimit,
  {
    /** Counts one look. */
    take(account: AccountId): Effect.Effect<void, RateLimited>
  }
>()("discovery/limits/PageRateLimit") {
  static readonly layer = Layer.sync(PageRateLimit, () => {
    const bucket = LeakyBucket.make(maxAccounts)
    return PageRateLimit.of({
      take: Effect.fnUntraced(function* (account: AccountId) {
        const now = yield* Clock.currentTimeMillis
        const { retryAfterSeconds } = bucket.take([{ key: String(account), allowance }], now)
        if (retryAfterSeconds === 0) return
        return yield* ToolErrorMessages.tooManyPages(looksPerMinute, retryAfterSeconds)
      })
    })
  })
}
