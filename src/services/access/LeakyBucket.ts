/** Counts the requests of many askers, each against an allowance: so many at once, and as many in each window on the long run. */

export interface Allowance {
  readonly limit: number
  readonly windowMillis: number
}

interface Use {
  /** Of the last request, in milliseconds since 1970. */
  readonly at: number
  /** How long it takes from then until the allowance is whole again: at most the window. */
  readonly usedMillis: number
}

export interface Asker {
  readonly key: string
  readonly allowance: Allowance
}

export interface LeakyBucket {
  /** Counts a request at `now`; milliseconds until one is let through, 0 when this one was. */
  readonly take: (asker: string, allowance: Allowance, now: number) => number
  /** As {@link take}, of all these at once: a request that one of them refuses counts for none. */
  readonly takeOfAll: (askers: ReadonlyArray<Asker>, now: number) => number
}

/** Beyond `maxAskers`, the one that has not asked for the longest time is forgotten. */
export const make = (maxAskers: number): LeakyBucket => {
  /** Who asked last comes last. */
  const uses = new Map<string, Use>()

  const remember = (asker: string, use: Use) => {
    uses.delete(asker)
    const [oldest] = uses.size >= maxAskers ? uses.keys() : []
    if (oldest !== undefined) uses.delete(oldest)
    uses.set(asker, use)
  }

  const judge = ({ allowance: { limit, windowMillis }, key }: Asker, now: number) => {
    const last = uses.get(key)
    // A clock that is set back gives nothing back, and takes nothing away.
    const used = last === undefined ? 0 : Math.max(0, last.usedMillis - Math.max(0, now - last.at))
    const next = used + windowMillis / limit
    return { key, used, next, waitMillis: next - windowMillis }
  }

  const takeOfAll = (askers: ReadonlyArray<Asker>, now: number): number => {
    const judged = askers.map((asker) => judge(asker, now))
    const full = judged.filter(({ waitMillis }) => waitMillis > 0)
    if (full.length === 0) for (const { key, next } of judged) remember(key, { at: now, usedMillis: next })
    // Who is refused is remembered as well, but not counted; and nobody new for the sake of a network that is full.
    else for (const { key, used } of full) remember(key, { at: now, usedMillis: used })
    return Math.max(0, ...full.map(({ waitMillis }) => waitMillis))
  }

  return { take: (key, allowance, now) => takeOfAll([{ key, allowance }], now), takeOfAll }
}
