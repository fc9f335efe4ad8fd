/**
 * Bounds on the fetches that unauthenticated requests cause: of all hosts and of one, within a minute and at once (R51,
 * R56). They keep this process from flooding a host, bound the number of sockets, and leave one caller a small share.
 */
import { Clock, Context, Effect, Layer, Option, Semaphore } from "effect"
import * as ClientNetwork from "../../domain/access/ClientNetwork.ts"
import * as HostParts from "../../domain/oauth/HostParts.ts"

export const windowMillis = 60_000
export const maxInWindow = 600
export const maxOfHostInWindow = 60
/** Few, so that it takes many callers to use up what a host has. */
export const maxOfCallerInWindow = 5
export const maxAtOnce = 64

interface Fetch {
  readonly hostname: string
  /** The address that it is for. */
  readonly caller: string
}

interface FetchAgain {
  readonly hostname: string
  readonly caller?: string
}

export class FetchBudget extends Context.Service<
  FetchBudget,
  {
    /**
     * None when there is no budget left: the effect was not begun, and nothing is counted. Subdomains of one registered
     * name count as one host.
     */
    within<A, E, R>(fetch: Fetch, effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R>
    /**
     * For a document that was fetched before or is in use, so that its host is known to be genuine: counted apart from the
     * other fetches of its host. With a `caller`, counted for the caller as well.
     */
    again<A, E, R>(fetch: FetchAgain, effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R>
  }
>()("discovery/oauth/FetchBudget") {
  static readonly layer = Layer.effect(
    FetchBudget,
    Effect.gen(function* () {
      const places = yield* Semaphore.make(maxAtOnce)
      let window = Number.NEGATIVE_INFINITY
      let total = 0
      /** Of this window: of each fetch three at most. */
      const counts = new Map<string, number>()

      const begin = (nowMillis: number) => {
        const current = Math.floor(nowMillis / windowMillis)
        if (current === window) return
        window = current
        total = 0
        counts.clear()
      }
      const limitsOf = (kind: "new" | "known", { caller, hostname }: FetchAgain) => [
        // Wildcard records would make every subdomain another host.
        { key: `${kind} host ${HostParts.of(hostname).owner}`, max: maxOfHostInWindow },
        ...(caller === undefined ? [] : ClientNetwork.countedOf(caller)).map(({ key, times }) => ({
          key: `${kind} caller ${key}`,
          max: maxOfCallerInWindow * times
        }))
      ]
      const count = (limits: ReturnType<typeof limitsOf>): boolean => {
        if (limits.some(({ key, max }) => (counts.get(key) ?? 0) >= max)) return false
        for (const { key } of limits) counts.set(key, (counts.get(key) ?? 0) + 1)
        return true
      }

      const isOpen = (fetch: Fetch, nowMillis: number): boolean => {
        begin(nowMillis)
        if (total >= maxInWindow || !count(limitsOf("new", fetch))) return false
        total++
        return true
      }

      const isOpenAgain = (fetch: FetchAgain, nowMillis: number): boolean => {
        begin(nowMillis)
        return count(limitsOf("known", fetch))
      }

      /** Judged once there is a place, so that only fetches that begin are counted. */
      const when =
        (isAllowed: (nowMillis: number) => boolean) =>
        <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            isAllowed(now) ? Effect.asSome(effect) : Effect.succeedNone
          )

      return FetchBudget.of({
        within: (fetch, effect) =>
          Effect.map(places.withPermitsIfAvailable(1)(when((now) => isOpen(fetch, now))(effect)), Option.flatten),
        again: (fetch, effect) => when((now) => isOpenAgain(fetch, now))(effect)
      })
    })
  )
}
