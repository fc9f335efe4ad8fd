/** Exact counts of earlier searches, kept as long as the catalogue stands still. In process, bounded. */
import type { SearchRequest } from "./SearchRequest.ts"

export interface Counted {
  readonly total: number
  /** Stores with a matching item; only counted for grouped searches. */
  readonly stores: number
}

const maxEntries = 2_000

export interface CountCache {
  get(version: number, request: SearchRequest): Counted | undefined
  set(version: number, request: SearchRequest, counted: Counted): void
}

/** Order and window do not matter, except that only a grouped search counts stores. Days are in the criteria. */
const keyOf = ({ items, order, store, words }: SearchRequest): string =>
  JSON.stringify([order._tag === "Grouped", items, store, words])

/** Least recently used go first. */
export const make = (): CountCache => {
  let current = -1
  const entries = new Map<string, Counted>()
  const at = (version: number) => {
    if (version !== current) entries.clear()
    current = version
  }
  return {
    get: (version, request) => {
      at(version)
      const key = keyOf(request)
      const found = entries.get(key)
      if (found !== undefined) {
        entries.delete(key)
        entries.set(key, found)
      }
      return found
    },
    set: (version, request, counted) => {
      at(version)
      entries.set(keyOf(request), counted)
      const [oldest] = entries.keys()
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
    }
  }
}
