/**
 * How many fetches strangers can make this process do: of all hosts and of one, within a minute and at once (oauth.md 51
 * and 56). Nobody is flooded through us, and a flood holds a bounded number of sockets.
 */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import type { Option } from "effect"
import * as tldts from "tldts"

export const windowMillis = 60_000
export const maxInWindow = 600
export const maxOfHostInWindow = 60
export const maxAtOnce = 64

export class FetchBudget extends Context.Service<
  FetchBudget,
  {
    /** None when there is no budget left: the effect was not begun. Subdomains of one registered name count as one host. */
    within<A, E, R>(hostname: string, effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R>
  }
>()("discovery/oauth/FetchBudget") {
  static readonly layer = Layer.effect(
    FetchBudget,
    Effect.gen(function* () {
      const places = yield* Semaphore.make(maxAtOnce)
      let window = Number.NEGATIVE_INFINITY
      let total = 0
      /** Of this window: never more of them than fetches. */
      const ofHost = new Map<string, number>()

      const isOpen = (hostname: string, nowMillis: number): boolean => {
        const current = Math.floor(nowMillis / windowMillis)
        if (current !== window) {
          window = current
          total = 0
          ofHost.clear()
        }
        // Wildcard records would make every subdomain another host.
        const host = tldts.getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
        const count = ofHost.get(host) ?? 0
        if (total >= maxInWindow || count >= maxOfHostInWindow) return false
        total++
        ofHost.set(host, count + 1)
        return true
      }

      return FetchBudget.of({
        within: (hostname, effect) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            isOpen(hostname, now) ? places.withPermitsIfAvailable(1)(effect) : Effect.succeedNone
          )
      })
    })
  )
}
