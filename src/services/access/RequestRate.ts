/** How many requests an account may make per minute, counted by each server process (Config, `RATE_LIMIT_PER_MINUTE`). */
import { Context, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"

/** The account's bucket after a request: it holds `limit` and refills evenly over {@link windowSeconds}. */
export interface Rate {
  readonly limit: number
  readonly remaining: number
  /** Until the bucket is full again. */
  readonly resetSeconds: number
  /** Until the next request is let through; `undefined` when this one was. */
  readonly retryAfterSeconds: number | undefined
}

export const windowSeconds = 60

export class RequestRate extends Context.Service<
  RequestRate,
  {
    /** Counts one request; `undefined` when there is no limit. */
    take(account: AccountId): Effect.Effect<Rate | undefined>
  }
>()("discovery/access/RequestRate") {
  static readonly layerNoDeps = Layer.effect(
    RequestRate,
    Effect.gen(function* () {
      const { rateLimitPerMinute: limit } = yield* AppConfig
      // The store itself, and not the limiter before it: this is on the path of every call.
      const store = yield* RateLimiter.RateLimiterStore
      if (limit === 0) return RequestRate.of({ take: () => Effect.succeed(undefined) })
      const refillMillis = (windowSeconds * 1000) / limit
      const refillRate = Duration.millis(refillMillis)
      const secondsFor = (tokens: number, elapsedMillis: number) =>
        Math.max(0, Math.ceil((Math.ceil(tokens) * refillMillis - elapsedMillis) / 1000))
      return RequestRate.of({
        take: (account) =>
          Effect.match(
            store.tokenBucket({ key: String(account), tokens: 1, limit, refillRate, allowOverflow: false }),
            {
              onSuccess: ([remaining, elapsedMillis]): Rate =>
                remaining < 0
                  ? {
                      limit,
                      remaining: 0,
                      resetSeconds: windowSeconds,
                      retryAfterSeconds: Math.max(1, secondsFor(-remaining, elapsedMillis))
                    }
                  : {
                      limit,
                      remaining: Math.floor(remaining),
                      resetSeconds: secondsFor(limit - remaining, elapsedMillis),
                      retryAfterSeconds: undefined
                    },
              // Fail open; the store in memory never fails.
              onFailure: () => undefined
            }
          )
      })
    })
  )

  static readonly layer = RequestRate.layerNoDeps.pipe(Layer.provide(RateLimiter.layerStoreMemory))
}
