/**
 * Limits of the OAuth endpoints, and of challenges for passkeys, for one address, counted by all servers together (R45, R56).
 * They are wide, because a whole service with all its users may share an address. There is no limit for all addresses
 * together, which one caller could use up for everyone; ClientRetention bounds how many registrations are kept.
 */
import { Context, Effect, Layer } from "effect"
import { TooManyRequests } from "../../domain/oauth/OAuthError.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import * as Metrics from "../metrics/Metrics.ts"
import * as LeakyBucket from "./LeakyBucket.ts"
import { SharedRates } from "./SharedRates.ts"

const minute = 60_000

const allowances = {
  register: { limit: 60, windowMillis: 10 * minute },
  token: { limit: 600, windowMillis: minute },
  revoke: { limit: 300, windowMillis: minute },
  authorize: { limit: 120, windowMillis: minute },
  // Challenges, each of which is stored for five minutes.
  passkey: { limit: 120, windowMillis: minute }
} as const satisfies Record<string, LeakyBucket.Allowance>

export type Endpoint = keyof typeof allowances

export class EndpointRate extends Context.Service<
  EndpointRate,
  {
    /** Counts one request, and in the metrics one that is refused. */
    take(endpoint: Endpoint, address: string): Effect.Effect<void, TooManyRequests | ServiceUnavailable>
  }
>()("discovery/limits/EndpointRate") {
  static readonly layerNoDeps = Layer.effect(
    EndpointRate,
    Effect.gen(function* () {
      const rates = yield* SharedRates
      return EndpointRate.of({
        take: Effect.fnUntraced(function* (endpoint: Endpoint, address: string) {
          const limits = LeakyBucket.networks(address, endpoint, allowances[endpoint])
          const { retryAfterSeconds } = yield* rates.take(limits)
          if (retryAfterSeconds === 0) return
          yield* Metrics.refused.add({ limit: endpoint })
          return yield* new TooManyRequests({
            message: "Too many requests in a short time. Try again later.",
            retryAfterSeconds
          })
        })
      })
    })
  )

  static readonly layer = EndpointRate.layerNoDeps.pipe(Layer.provide(SharedRates.layer))
}
