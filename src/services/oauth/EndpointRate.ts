/**
 * How often the OAuth endpoints may be asked from one address, counted by each server process (oauth.md 45, 56). Wide: behind
 * one address there may be a whole service with all its users. There is no count of all together, with which one caller
 * could shut out everyone: what registrations leave behind is bounded by UnusedClients.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import * as Networks from "../../domain/access/Networks.ts"
import type { Counted } from "../../domain/access/Networks.ts"
import { TooManyRequests } from "../../domain/oauth/OAuthError.ts"

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

interface Use {
  /** Of the last request, in milliseconds since 1970. */
  readonly at: number
  /** How long it takes from then until the allowance is whole again: at most the window. */
  readonly usedMillis: number
}

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
    /** Who asked last comes last. */
    const uses = new Map<string, Use>()

    const remember = (key: string, use: Use) => {
      uses.delete(key)
      const [oldest] = uses.size >= maxAddresses ? uses.keys() : []
      if (oldest !== undefined) uses.delete(oldest)
      uses.set(key, use)
    }

    const judge = (endpoint: Endpoint, { key, times }: Counted, now: number) => {
      const { limit, window } = allowances[endpoint]
      const windowMillis = Duration.toMillis(window)
      const last = uses.get(`${endpoint} ${key}`)
      // A clock that is set back gives nothing back, and takes nothing away.
      const used = last === undefined ? 0 : Math.max(0, last.usedMillis - Math.max(0, now - last.at))
      const next = used + windowMillis / (limit * times)
      return { key: `${endpoint} ${key}`, used, next, waitMillis: next - windowMillis }
    }

    const take = Effect.fnUntraced(function* (endpoint: Endpoint, address: string) {
      const now = yield* Clock.currentTimeMillis
      const judged = Networks.countedOf(address).map((counted) => judge(endpoint, counted, now))
      const full = judged.filter(({ waitMillis }) => waitMillis > 0)
      if (full.length === 0) {
        for (const { key, next } of judged) remember(key, { at: now, usedMillis: next })
        return
      }
      // Who is refused is remembered as well, but not counted; and of a full network no more addresses are.
      for (const { key, used } of full) remember(key, { at: now, usedMillis: used })
      return yield* new TooManyRequests({
        message: "Too many requests in a short time. Try again later.",
        retryAfterSeconds: Math.ceil(Math.max(...full.map(({ waitMillis }) => waitMillis)) / 1000)
      })
    })

    return EndpointRate.of({ take })
  })
}
