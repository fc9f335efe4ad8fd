/**
 * How often the OAuth endpoints may be asked, from one address and by all together, counted by each server process
 * (oauth.md 45, 56). Wide: behind one address there may be a whole service with all its users.
 */
import { Context, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { TooManyRequests } from "../../domain/oauth/OAuthError.ts"

interface Allowance {
  /** Requests at once, and in each window on the long run. */
  readonly limit: number
  readonly window: Duration.Input
}

/** `together` stands where requests leave something behind. */
const allowances = {
  register: { each: { limit: 60, window: "10 minutes" }, together: { limit: 300, window: "10 minutes" } },
  token: { each: { limit: 600, window: "1 minute" } },
  revoke: { each: { limit: 300, window: "1 minute" } },
  authorize: { each: { limit: 120, window: "1 minute" } }
} as const satisfies Record<string, { readonly each: Allowance; readonly together?: Allowance }>

export type Endpoint = keyof typeof allowances

/** More addresses than this are forgotten all at once, and counted anew. */
export const maxAddresses = 50_000

export class EndpointRate extends Context.Service<
  EndpointRate,
  {
    /** Counts one request. */
    take(endpoint: Endpoint, address: string): Effect.Effect<void, TooManyRequests>
  }
>()("discovery/oauth/EndpointRate") {
  static readonly layer = Layer.effect(
    EndpointRate,
    Effect.gen(function* () {
      const makeStore = Effect.map(
        Layer.build(Layer.fresh(RateLimiter.layerStoreMemory)),
        Context.get(RateLimiter.RateLimiterStore)
      ).pipe(Effect.scoped)
      const overall = yield* makeStore
      let byAddress = yield* makeStore
      let addresses = new Set<string>()

      /** Seconds until the next request, or `undefined` when this one was counted. */
      const count = (store: RateLimiter.RateLimiterStore["Service"], key: string, { limit, window }: Allowance) => {
        const refillMillis = Duration.toMillis(window) / limit
        return store
          .tokenBucket({ key, tokens: 1, limit, refillRate: Duration.millis(refillMillis), allowOverflow: false })
          .pipe(
            Effect.map(([remaining, elapsedMillis]) =>
              remaining < 0 ? Math.max(1, Math.ceil((refillMillis - elapsedMillis) / 1000)) : undefined
            ),
            // A counter that fails must not close the house; the one in memory never does.
            Effect.orElseSucceed(() => undefined)
          )
      }

      const take = Effect.fnUntraced(function* (endpoint: Endpoint, address: string) {
        const allowance: { readonly each: Allowance; readonly together?: Allowance } = allowances[endpoint]
        const key = `${endpoint} ${address}`
        if (addresses.size >= maxAddresses && !addresses.has(key)) {
          addresses = new Set()
          byAddress = yield* makeStore
        }
        addresses.add(key)
        const wait =
          (yield* count(byAddress, key, allowance.each)) ??
          (allowance.together === undefined ? undefined : yield* count(overall, endpoint, allowance.together))
        if (wait !== undefined) {
          return yield* new TooManyRequests({
            message: "Too many requests in a short time. Try again later.",
            retryAfterSeconds: wait
          })
        }
      })

      return EndpointRate.of({ take })
    })
  )
}
