/**
 * A bounded queue in which owners take turns, and the items of one owner keep their order (D57). One owner gets at most
 * half of the places, so that others always find one.
 */
export interface FairQueue<Owner, Item> {
  add(owner: Owner, item: Item): "added" | "full" | "share_full"
  /** Puts an item before all others, beyond the bounds: for an item that had its turn already. */
  addFirst(item: Item): void
  take(): Item | undefined
  /** Removes a waiting item. False if it was not waiting. */
  remove(owner: Owner, item: Item): boolean
  readonly size: number
}

export const make = <Owner, Item>(places: number): FairQueue<Owner, Item> => {
  const share = Math.max(1, Math.floor(places / 2))
  /** Ordered by turn; every owner has at least one item. */
  const waiting = new Map<Owner, Array<Item>>()
  const first: Array<Item> = []
  let size = 0
  return {
    get size() {
      return size + first.length
    },
    add: (owner, item) => {
      if (size >= places) return "full"
      const own = waiting.getOrInsert(owner, [])
      if (own.length >= share) return "share_full"
      own.push(item)
      size++
      return "added"
    },
    addFirst: (item) => {
      first.push(item)
    },
    take: () => {
      const early = first.shift()
      if (early !== undefined) return early
      const [next] = waiting
      if (next === undefined) return undefined
      const [owner, own] = next
      const item = own.shift()
      waiting.delete(owner)
      if (own.length > 0) waiting.set(owner, own)
      size--
      return item
    },
    remove: (owner, item) => {
      const early = first.indexOf(item)
      if (early >= 0) {
        first.splice(early, 1)
        return true
      }
      const own = waiting.get(owner)
      const at = own?.indexOf(item) ?? -1
      if (own === undefined || at < 0) return false
      own.splice(at, 1)
      if (own.length === 0) waiting.delete(owner)
      size--
      return true
    }
  }
}
