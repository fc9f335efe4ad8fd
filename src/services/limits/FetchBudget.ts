/**
 * Bounds on the fetches that unauthenticated requests cause: of all hosts and of one, within a minute and at once (R51,
 * R56). They keep this process from flooding a host, bound the number of sockets, and leave one caller a small share. Per
 * process, because each one has sockets and documents of its own: N servers have to fetch each document N times.
 */
import { Clock, Context, Effect, Layer, Option, Semaphore } from "effect"
import * as HostParts from "../../domain/HostParts.ts"
import * as Metrics from "../metrics/Metrics.ts"
import * as LeakyBucket from "./LeakyBucket.ts"

const windowMillis = 60_000
export const maxInWindow = 600
export const maxOfHostInWindow = 60
/** Few, so that only many callers together can use up the share of a host. */
export const maxOfCallerInWindow = 5
export const maxAtOnce = 64

const allowances = {
  all: { limit: maxInWindow, windowMillis },
  host: { limit: maxOfHostInWindow, windowMillis },
  caller: { limit: maxOfCallerInWindow, windowMillis }
}

/** Hosts and callers of many windows. */
const maxKeys = 50_000

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
     * None if the budget is used up: then the effect does not start, and nothing is counted. Subdomains of one registered
     * name count as one host.
     */
    within<A, E, R>(fetch: Fetch, effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R>
    /**
     * For a document that was fetched before or is in use, which proves that its host is genuine. Counted apart from the
     * other fetches of its host, and for `caller` too if there is one.
     */
    again<A, E, R>(fetch: FetchAgain, effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R>
  }
>()("discovery/limits/FetchBudget") {
  static readonly layer = Layer.effect(
    FetchBudget,
    Effect.gen(function* () {
      const places = yield* Semaphore.make(maxAtOnce)
      const bucket = LeakyBucket.make(maxKeys)

      const hostAndCaller = (kind: "new" | "known", { caller, hostname }: FetchAgain) => [
        // By registrable domain, because a wildcard DNS record makes any number of subdomains.
        { key: `${kind} host ${HostParts.of(hostname).owner}`, allowance: allowances.host },
        ...(caller === undefined ? [] : LeakyBucket.networks(caller, `${kind} caller`, allowances.caller))
      ]
      const all = { key: "all", allowance: allowances.all }

      /** Counts the fetch when it gets its turn, so that only fetches that start are counted. */
      const start = <A, E, R>(limits: ReadonlyArray<LeakyBucket.Limit>, effect: Effect.Effect<A, E, R>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          bucket.take(limits, now).retryAfterSeconds === 0 ? Effect.asSome(effect) : Effect.succeedNone
        )

      const counted = <A, E, R>(fetched: Effect.Effect<Option.Option<A>, E, R>) =>
        Effect.tap(fetched, (result) =>
          Option.isNone(result) ? Metrics.refused.add({ limit: "metadata_fetches" }) : Effect.void
        )

      return FetchBudget.of({
        within: (fetch, effect) =>
          start([all, ...hostAndCaller("new", fetch)], effect).pipe(
            places.withPermitsIfAvailable(1),
            Effect.map(Option.flatten),
            counted
          ),
        again: (fetch, effect) => counted(start(hostAndCaller("known", fetch), effect))
      })
    })
  )
}
