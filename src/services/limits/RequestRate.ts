/** How many requests an account may make per minute, counted by each server process (Config, `RATE_LIMIT_PER_MINUTE`). */
import { Clock, Context, Effect, Layer } from "effect"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import type { RateLimited } from "../../domain/ToolError.ts"
import * as LeakyBucket from "./LeakyBucket.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"

/** The account's bucket after a request: it holds `limit` and refills evenly over {@link windowSeconds}. */
export interface Rate {
  readonly limit: number
  readonly remaining: number
  /** Until the bucket is full again. */
  readonly resetSeconds: number
  /** `undefined` if the request was accepted. */
  readonly refusal: RateLimited | undefined
}

export const windowSeconds = 60

/** Accounts that are remembered; a forgotten one starts with an empty bucket. */
const maxAccounts = 100_000

export class RequestRate extends Context.Service<
  RequestRate,
  {
    /** Counts one request; `undefined` when there is no limit. */
    take(account: AccountId): Effect.Effect<Rate | undefined>
  }
>()("discovery/limits/RequestRate") {
  static readonly layer = Layer.effect(
    RequestRate,
    Effect.gen(function* () {
      const { rateLimitPerMinute: limit } = yield* AppConfig
      if (limit === 0) return RequestRate.of({ take: () => Effect.succeed(undefined) })
      const bucket = LeakyBucket.make(maxAccounts)
      const allowance = { limit, windowMillis: windowSeconds * 1000 }
      return RequestRate.of({
        take: (account) =>
          Effect.map(Clock.currentTimeMillis, (now): Rate => {
            const { retryAfterSeconds, used } = bucket.take([{ key: String(account), allowance }], now)
            return {
              limit,
              remaining: Math.floor(Math.max(0, limit - used)),
              resetSeconds: Math.ceil((used * windowSeconds) / limit),
              refusal: retryAfterSeconds === 0 ? undefined : ToolErrorMessages.tooManyRequests(limit, retryAfterSeconds)
            }
          })
      })
    })
  )
}
