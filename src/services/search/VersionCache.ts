/** What earlier searches have found out, kept as long as the catalogue stands still. In process, bounded. */

export interface VersionCache<A> {
  get(version: number, key: string): A | undefined
  set(version: number, key: string, value: A): void
}

/** Least recently used go first. */
export const make = <A>(maxEntries: number): VersionCache<A> => {
  let current = -1
  const entries = new Map<string, A>()
  const at = (version: number) => {
    if (version !== current) entries.clear()
    current = version
  }
  return {
    get: (version, key) => {
      at(version)
      const found = entries.get(key)
      if (found !== undefined) {
        entries.delete(key)
        entries.set(key, found)
      }
      return found
    },
    set: (version, key, value) => {
      at(version)
      entries.set(key, value)
      const [oldest] = entries.keys()
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
    }
  }
}
