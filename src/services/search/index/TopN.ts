/**
 * The best rows of a search across segments (D39): a binary heap of bounded size with the worst row on top. Rows
 * compare by key, then second key, then tie, the lowest first. Ties are unique.
 *
 * Cost: one comparison for a row that is not among the best, O(log capacity) for one that is, one sort at the end.
 *
 * Source: Williams, "Algorithm 232: Heapsort", 1964.
 */
export interface Ranked {
  readonly key: number
  readonly second: number
  readonly tie: number
  readonly row: number
  /** Position of the segment in the list. */
  readonly view: number
}

export class TopN {
  readonly #capacity: number
  readonly #heap: Array<Ranked> = []
  /** Rows with a greater key are not among the best. */
  worst = Number.POSITIVE_INFINITY

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  offer(key: number, second: number, tie: number, row: number, view: number): void {
    const heap = this.#heap
    let at = 0
    if (heap.length < this.#capacity) {
      at = heap.length
      for (let parent = (at - 1) >> 1; at > 0 && !isWorse(heap[parent]!, key, second, tie); parent = (at - 1) >> 1) {
        heap[at] = heap[parent]!
        at = parent
      }
    } else {
      if (this.#capacity === 0 || !isWorse(heap[0]!, key, second, tie)) return
      for (;;) {
        let child = 2 * at + 1
        if (child >= heap.length) break
        if (child + 1 < heap.length && compare(heap[child + 1]!, heap[child]!) > 0) child++
        if (!isWorse(heap[child]!, key, second, tie)) break
        heap[at] = heap[child]!
        at = child
      }
    }
    heap[at] = { key, second, tie, row, view }
    if (heap.length === this.#capacity) this.worst = heap[0]!.key
  }

  /** TopN first. */
  sorted(): Array<Ranked> {
    return this.#heap.toSorted(compare)
  }
}

const isWorse = (one: Ranked, key: number, second: number, tie: number): boolean => {
  if (one.key !== key) return one.key > key
  return one.second === second ? one.tie > tie : one.second > second
}

/** By rank, the best first. */
export const compare = (one: Ranked, other: Ranked): number =>
  isWorse(one, other.key, other.second, other.tie) ? 1 : -1
