/**
 * Limits of the OAuth endpoints for one address, counted by each server process (R45, R56). They are wide, because a whole
 * service with all its users may share an address. There is no limit for all addresses together, which one caller could use
 * up for everyone; ClientRetention bounds how many registrations are kept.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { TooManyRequests } from "../../domain/oauth/OAuthError.ts"
import * as LeakyBucket from "./LeakyBucket.ts"

const minute = 60_000

const allowances = {
  register: { limit: 60, windowMillis: 10 * minute },
  token: { limit: 600, windowMillis: minute },
  revoke: { limit: 300, windowMillis: minute },
  authorize: { limit: 120, windowMillis: minute }
} as const satisfies Record<string, LeakyBucket.Allowance>

export type Endpoint = keyof typeof allowances

/** Addresses that are remembered; a forgotten one starts with an empty bucket. */
export const maxAddresses = 50_000

export class EndpointRate extends Context.Service<
  EndpointRate,
  {
    /** Counts one request. */
    take(endpoint: Endpoint, address: string): Effect.Effect<void, TooManyRequests>
  }
>()("discovery/limits/EndpointRate") {
  static readonly layer = Layer.sync(EndpointRate, () => {
    const bucket = LeakyBucket.make(maxAddresses)
    return EndpointRate.of({
      take: Effect.fnUntraced(function* (endpoint: Endpoint, address: string) {
        const limits = LeakyBucket.networks(address, endpoint, allowances[endpoint])
        const { retryAfterSeconds } = bucket.take(limits, yield* Clock.currentTimeMillis)
        if (retryAfterSeconds === 0) return
        return yield* new TooManyRequests({
          message: "Too many requests in a short time. Try again later.",
          retryAfterSeconds
        })
      })
    })
  })
}
