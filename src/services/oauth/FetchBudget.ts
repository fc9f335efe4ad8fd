/**
 * How many fetches strangers can make this process do: of all hosts and of one, within a minute and at once (oauth.md 51
 * and 56). Nobody is flooded through us, and a flood holds a bounded number of sockets. What one caller
 * can use up is a small part of it: the others are still served.
 */
import { Clock, Context, Effect, Layer, Option, Semaphore } from "effect"
import * as tldts from "tldts"

export const windowMillis = 60_000
export const maxInWindow = 600
export const maxOfHostInWindow = 60
export const maxOfCallerInWindow = 20
export const maxAtOnce = 64

export class FetchBudget extends Context.Service<
  FetchBudget,
  {
    /**
     * None when there is no budget left: the effect was not begun, and nothing is counted. Subdomains of one registered
     * name count as one host.
     */
    within<A, E, R>(
      fetch: { readonly hostname: string; readonly caller: string },
      effect: Effect.Effect<A, E, R>
    ): Effect.Effect<Option.Option<A>, E, R>
    /** For what was fetched before, on which no stranger decides: the host alone is spared, apart from its others. */
    again<A, E, R>(hostname: string, effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R>
  }
>()("discovery/oauth/FetchBudget") {
  static readonly layer = Layer.effect(
    FetchBudget,
    Effect.gen(function* () {
      const places = yield* Semaphore.make(maxAtOnce)
      let window = Number.NEGATIVE_INFINITY
      let total = 0
      /** Of this window: never more of them than fetches. */
      const counts = new Map<string, number>()

      const begin = (nowMillis: number) => {
        const current = Math.floor(nowMillis / windowMillis)
        if (current === window) return
        window = current
        total = 0
        counts.clear()
      }
      const isFull = (key: string, max: number) => (counts.get(key) ?? 0) >= max
      const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

      const isOpen = (hostname: string, caller: string, nowMillis: number): boolean => {
        begin(nowMillis)
        const [host, from] = [`host ${hostOf(hostname)}`, `caller ${caller}`]
        if (total >= maxInWindow || isFull(host, maxOfHostInWindow) || isFull(from, maxOfCallerInWindow)) return false
        total++
        count(host)
        count(from)
        return true
      }

      const isOpenAgain = (hostname: string, nowMillis: number): boolean => {
        begin(nowMillis)
        const host = `known ${hostOf(hostname)}`
        if (isFull(host, maxOfHostInWindow)) return false
        count(host)
        return true
      }

      /** Judged once there is a place, so that only fetches that begin are counted. */
      const when =
        (isAllowed: (nowMillis: number) => boolean) =>
        <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            isAllowed(now) ? Effect.asSome(effect) : Effect.succeedNone
          )

      return FetchBudget.of({
        within: ({ caller, hostname }, effect) =>
          Effect.map(
            places.withPermitsIfAvailable(1)(when((now) => isOpen(hostname, caller, now))(effect)),
            Option.flatten
          ),
        again: (hostname, effect) => when((now) => isOpenAgain(hostname, now))(effect)
      })
    })
  )
}

/** Wildcard records would make every subdomain another host. */
const hostOf = (hostname: string): string => tldts.getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
