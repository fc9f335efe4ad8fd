/**
 * How often a signed-in account may view the pages of the catalog and of the usage, counted by each server process. Pages
 * cost no credits, so this keeps programs from reading the catalog through them instead of the tools.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { AccountId } from "../../domain/access/Account.ts"
import type { RateLimited } from "../../domain/ToolError.ts"
import * as Metrics from "../metrics/Metrics.ts"
import * as LeakyBucket from "./LeakyBucket.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"

/** More than anyone reads; a burst of opened tabs is within it. */
export const looksPerMinute = 120

const allowance = { limit: looksPerMinute, windowMillis: 60_000 }

/** Accounts that are remembered; a forgotten one starts with an empty bucket. */
const maxAccounts = 50_000

export class PageRateLimit extends Context.Service<
  PageRateLimit,
  {
    /** Counts one page view. */
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
        yield* Metrics.refused.add({ limit: "page_views" })
        return yield* ToolErrorMessages.tooManyPages(looksPerMinute, retryAfterSeconds)
      })
    })
  })
}
