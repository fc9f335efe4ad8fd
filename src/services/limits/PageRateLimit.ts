/**
 * How often a signed-in account may view the pages of the catalog and of the usage, counted by all servers together. Pages
 * cost no credits, so this keeps programs from reading the catalog through them instead of the tools.
 */
import { Context, Effect, Layer } from "effect"
import type { AccountId } from "../../domain/access/Account.ts"
import type { RateLimited, ServiceUnavailable } from "../../domain/ToolError.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"
import * as Metrics from "../metrics/Metrics.ts"
import { SharedRates } from "./SharedRates.ts"

/** More than anyone reads; a burst of opened tabs is within it. */
export const viewsPerMinute = 120

const allowance = { limit: viewsPerMinute, windowMillis: 60_000 }

export class PageRateLimit extends Context.Service<
  PageRateLimit,
  {
    /** Counts one page view. */
    take(account: AccountId): Effect.Effect<void, RateLimited | ServiceUnavailable>
  }
>()("discovery/limits/PageRateLimit") {
  static readonly layerNoDeps = Layer.effect(
    PageRateLimit,
    Effect.gen(function* () {
      const rates = yield* SharedRates
      return PageRateLimit.of({
        take: Effect.fnUntraced(function* (account: AccountId) {
          const { retryAfterSeconds } = yield* rates.take([{ key: `pages ${account}`, allowance }])
          if (retryAfterSeconds === 0) return
          yield* Metrics.refused.add({ limit: "page_views" })
          return yield* ToolErrorMessages.tooManyPages(viewsPerMinute, retryAfterSeconds)
        })
      })
    })
  )

  static readonly layer = PageRateLimit.layerNoDeps.pipe(Layer.provide(SharedRates.layer))
}
