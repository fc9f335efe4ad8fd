/**
 * How often the OAuth endpoints may be asked from one address, counted by each server process (R45, R56). Wide: behind
 * one address there may be a whole service with all its users. There is no count of all together, with which one caller
 * could shut out everyone: what registrations leave behind is bounded by ClientRetention.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import * as ClientNetwork from "../../domain/access/ClientNetwork.ts"
import { TooManyRequests } from "../../domain/oauth/OAuthError.ts"
import * as LeakyBucket from "../access/LeakyBucket.ts"

interface Allowance {
  /** Requests at once, and in each window on the long run. */
  readonly limit: number
  readonly window: Duration.Input
}

const allowances = {
  register: { limit: 60, window: "10 minutes" },
  token: { limit: 600, window: "1 minute" },
  revoke: { limit: 300, window: "1 minute" },
  authorize: { limit: 120, window: "1 minute" }
} as const satisfies Record<string, Allowance>

export type Endpoint = keyof typeof allowances

/** Beyond these, the address that has not asked for the longest time is forgotten. */
export const maxAddresses = 50_000

export class EndpointRate extends Context.Service<
  EndpointRate,
  {
    /** Counts one request. */
    take(endpoint: Endpoint, address: string): Effect.Effect<void, TooManyRequests>
  }
>()("discovery/oauth/EndpointRate") {
  static readonly layer = Layer.sync(EndpointRate, () => {
    const counter = LeakyBucket.make(maxAddresses)

    const take = Effect.fnUntraced(function* (endpoint: Endpoint, address: string) {
      const { limit, window } = allowances[endpoint]
      const windowMillis = Duration.toMillis(window)
      const askers = ClientNetwork.countedOf(address).map(({ key, times }) => ({
        key: `${endpoint} ${key}`,
        allowance: { limit: limit * times, windowMillis }
      }))
      const waitMillis = counter.takeOfAll(askers, yield* Clock.currentTimeMillis)
      if (waitMillis > 0) {
        return yield* new TooManyRequests({
          message: "Too many requests in a short time. Try again later.",
          retryAfterSeconds: Math.ceil(waitMillis / 1000)
        })
      }
    })

    return EndpointRate.of({ take })
  })
}
