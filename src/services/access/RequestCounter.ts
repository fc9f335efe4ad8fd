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

export interface RequestCounter {
  /** Counts a request at `now`; milliseconds until one is let through, 0 when this one was. */
  readonly take: (asker: string, allowance: Allowance, now: number) => number
}

/** Beyond `maxAskers`, the one that has not asked for the longest time is forgotten. */
export const make = (maxAskers: number): RequestCounter => {
  /** Who asked last comes last. */
  const uses = new Map<string, Use>()

  const remember = (asker: string, use: Use) => {
    uses.delete(asker)
    const [oldest] = uses.size >= maxAskers ? uses.keys() : []
    if (oldest !== undefined) uses.delete(oldest)
    uses.set(asker, use)
  }

  return {
    take: (asker, { limit, windowMillis }, now) => {
      const last = uses.get(asker)
      // A clock that is set back gives nothing back, and takes nothing away.
      const used = last === undefined ? 0 : Math.max(0, last.usedMillis - Math.max(0, now - last.at))
      const next = used + windowMillis / limit
      const waitMillis = Math.max(0, next - windowMillis)
      // Who is refused is remembered as well, but not counted.
      remember(asker, { at: now, usedMillis: waitMillis > 0 ? used : next })
      return waitMillis
    }
  }
}
