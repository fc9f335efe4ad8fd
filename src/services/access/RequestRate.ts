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
      const limiter = yield* RateLimiter.RateLimiter
      if (limit === 0) return RequestRate.of({ take: () => Effect.succeed(undefined) })
      const window = Duration.seconds(windowSeconds)
      return RequestRate.of({
        take: (account) =>
          Effect.matchEager(limiter.consume({ algorithm: "token-bucket", window, limit, key: String(account) }), {
            onSuccess: ({ remaining, resetAfter }): Rate => ({
              limit,
              remaining: Math.floor(remaining),
              resetSeconds: seconds(resetAfter),
              retryAfterSeconds: undefined
            }),
            onFailure: ({ reason }): Rate | undefined =>
              reason._tag === "RateLimitExceeded"
                ? {
                    limit,
                    remaining: 0,
                    resetSeconds: windowSeconds,
                    retryAfterSeconds: Math.max(1, seconds(reason.retryAfter))
                  }
                : // A counter that fails must not close the house; the one in memory never does.
                  undefined
          })
      })
    })
  )

  static readonly layer = RequestRate.layerNoDeps.pipe(
    Layer.provide(RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory)))
  )
}

const seconds = (duration: Duration.Duration): number => Math.ceil(Duration.toMillis(duration) / 1000)
