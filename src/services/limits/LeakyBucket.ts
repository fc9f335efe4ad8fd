/**
 * Rate limits of many keys, counted in this process. The limiter of `effect` keeps every key for good and takes from one
 * bucket at a time, which is too little where anyone can make up keys.
 */
import * as ClientNetwork from "../../domain/access/ClientNetwork.ts"

/** So many requests at once, and as many in each window on the long run. */
export interface Allowance {
  readonly limit: number
  readonly windowMillis: number
}

/** A bucket after a request. */
export interface Level {
  /** Requests that still count: a fraction, because it falls evenly. */
  readonly used: number
  /** Until one is let through; 0 when this one was. */
  readonly retryAfterSeconds: number
}

interface Use {
  /** Of the last request, in milliseconds since 1970. */
  readonly at: number
  readonly used: number
}

/** A bucket: what is counted, and how much it takes. */
export interface Limit {
  readonly key: string
  readonly allowance: Allowance
}

export interface LeakyBucket {
  /**
   * Counts a request at `now` for all these limits at once. One that any of them refuses counts for none. The level is
   * that of the first.
   */
  readonly take: (limits: ReadonlyArray<Limit>, now: number) => Level
}

/** An address, and the network of a site around it, which has a wider allowance. */
export const networks = (address: string, name: string, { limit, windowMillis }: Allowance): ReadonlyArray<Limit> =>
  ClientNetwork.countedOf(address).map(({ key, times }) => ({
    key: `${name} ${key}`,
    allowance: { limit: limit * times, windowMillis }
  }))

/** What sums of fractions may be off by. */
const tolerance = 1e-6

/** Beyond `maxKeys`, the key that was not used for the longest time is forgotten. */
export const make = (maxKeys: number): LeakyBucket => {
  /** The key that was used last comes last. */
  const uses = new Map<string, Use>()

  const remember = (key: string, use: Use) => {
    uses.delete(key)
    const [oldest] = uses.size >= maxKeys ? uses.keys() : []
    if (oldest !== undefined) uses.delete(oldest)
    uses.set(key, use)
  }

  const usedBy = ({ allowance: { limit, windowMillis }, key }: Limit, now: number) => {
    const last = uses.get(key)
    // A clock that is set back gives nothing back, and takes nothing away.
    return last === undefined ? 0 : Math.max(0, last.used - (Math.max(0, now - last.at) * limit) / windowMillis)
  }

  const waitSeconds = ({ limit, windowMillis }: Allowance, used: number) =>
    used + 1 <= limit + tolerance ? 0 : Math.ceil(((used + 1 - limit - tolerance) * windowMillis) / limit / 1000)

  return {
    take: (limits, now) => {
      const levels = limits.map((limit) => ({ ...limit, used: usedBy(limit, now) }))
      let retryAfterSeconds = 0
      for (const { allowance, key, used } of levels) {
        const wait = waitSeconds(allowance, used)
        // What is refused is remembered as well, but not counted; and no new key for the sake of a network that is full.
        if (wait > 0) remember(key, { at: now, used })
        retryAfterSeconds = Math.max(retryAfterSeconds, wait)
      }
      const counts = retryAfterSeconds > 0 ? 0 : 1
      if (counts > 0) for (const { key, used } of levels) remember(key, { at: now, used: used + counts })
      return { used: (levels[0]?.used ?? 0) + counts, retryAfterSeconds }
    }
  }
}
