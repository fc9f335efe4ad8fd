/**
 * How many requests an account may make per minute, counted by all servers together (D33;
 * Config, `RATE_LIMIT_PER_MINUTE`).
 */
import { Context, Effect, Layer } from "effect"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import type { RateLimited, ServiceUnavailable } from "../../domain/ToolError.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"
import { SharedRates } from "./SharedRates.ts"

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

export class RequestRate extends Context.Service<
  RequestRate,
  {
    /** Counts one request; `undefined` when there is no limit. */
    take(account: AccountId): Effect.Effect<Rate | undefined, ServiceUnavailable>
  }
>()("discovery/limits/RequestRate") {
  static readonly layerNoDeps = Layer.effect(
    RequestRate,
    Effect.gen(function* () {
      const { rateLimitPerMinute: limit } = yield* AppConfig
      if (limit === 0) return RequestRate.of({ take: () => Effect.succeed(undefined) })
      const rates = yield* SharedRates
      const allowance = { limit, windowMillis: windowSeconds * 1000 }
      return RequestRate.of({
        take: (account) =>
          Effect.map(rates.take([{ key: `account ${account}`, allowance }]), ({ retryAfterSeconds, used }): Rate => ({
            limit,
            remaining: Math.floor(Math.max(0, limit - used)),
            resetSeconds: Math.ceil((used * windowSeconds) / limit),
            refusal: retryAfterSeconds === 0 ? undefined : ToolErrorMessages.tooManyRequests(limit, retryAfterSeconds)
          }))
      })
    })
  )

  static readonly layer = RequestRate.layerNoDeps.pipe(Layer.provide(SharedRates.layer))
}
