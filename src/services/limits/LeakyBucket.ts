/**
 * Rate limits of many keys, counted in this process; SharedRates has those that all servers count together. Memory is
 * bounded by forgetting the key that is unused for longest. The limiter of `effect` keeps every key and takes from one
 * bucket at a time, so callers that invent keys could exhaust memory.
 */
import * as ClientNetwork from "../../domain/access/ClientNetwork.ts"
import { remember } from "./RecentlyUsed.ts"

/** `limit` requests at once, and on average as many in each window. */
export interface Allowance {
  readonly limit: number
  readonly windowMillis: number
}

/** The state of a bucket after a request. */
export interface Level {
  /** Requests that still count. A fraction, because it falls continuously. */
  readonly used: number
  /** Seconds until a request is accepted; 0 if this one was. */
  readonly retryAfterSeconds: number
}

interface Use {
  /** Time of the last request, in milliseconds since 1970. */
  readonly at: number
  readonly used: number
}

/** One bucket to take from: its key and its allowance. */
export interface Limit {
  readonly key: string
  readonly allowance: Allowance
}

export interface LeakyBucket {
  /**
   * Counts a request at `now` for all limits at once. If any limit refuses it, it counts for none. Returns the level of
   * the first limit.
   */
  readonly take: (limits: ReadonlyArray<Limit>, now: number) => Level
}

/** The limits of an address and of its surrounding /48, which has a wider allowance (ClientNetwork). */
export const networks = (address: string, name: string, { limit, windowMillis }: Allowance): ReadonlyArray<Limit> =>
  ClientNetwork.countedOf(address).map(({ key, times }) => ({
    key: `${name} ${key}`,
    allowance: { limit: limit * times, windowMillis }
  }))

/** Rounding error of sums of fractions. */
const tolerance = 1e-6

/** What still counts of a level after some time. If the clock is set back, the level stays. */
export const drained = ({ limit, windowMillis }: Allowance, used: number, millis: number): number =>
  Math.max(0, used - (Math.max(0, millis) * limit) / windowMillis)

/** Seconds until another request is accepted at this level; 0 if it is. */
export const waitSeconds = ({ limit, windowMillis }: Allowance, used: number): number =>
  used + 1 <= limit + tolerance ? 0 : Math.ceil(((used + 1 - limit - tolerance) * windowMillis) / limit / 1000)

/** Beyond `maxKeys`, the least recently used key is forgotten. */
export const make = (maxKeys: number): LeakyBucket => {
  const uses = new Map<string, Use>()

  const usedBy = ({ allowance, key }: Limit, now: number) => {
    const last = uses.get(key)
    return last === undefined ? 0 : drained(allowance, last.used, now - last.at)
  }

  return {
    take: (limits, now) => {
      const levels = limits.map((limit) => ({ ...limit, used: usedBy(limit, now) }))
      let retryAfterSeconds = 0
      for (const { allowance, key, used } of levels) {
        const wait = waitSeconds(allowance, used)
        // A refused request refreshes its keys without counting. It creates no key, so that a full network cannot displace
        // the keys of others.
        if (wait > 0) remember(uses, maxKeys, key, { at: now, used })
        retryAfterSeconds = Math.max(retryAfterSeconds, wait)
      }
      const counts = retryAfterSeconds > 0 ? 0 : 1
      if (counts > 0) for (const { key, used } of levels) remember(uses, maxKeys, key, { at: now, used: used + counts })
      return { used: (levels[0]?.used ?? 0) + counts, retryAfterSeconds }
    }
  }
}
