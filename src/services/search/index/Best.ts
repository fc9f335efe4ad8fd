/**
 * The best rows of a search across segments: a binary heap of bounded size with the worst row on top. Rows compare by key,
 * then second key, then tie, the lowest first. Ties are unique.
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

export class Best {
  readonly #capacity: number
  readonly #keys: Float64Array
  readonly #seconds: Float64Array
  readonly #ties: Float64Array
  readonly #rows: Uint32Array
  readonly #views: Uint32Array
  #size = 0
  /** Rows with a greater key are not among the best. */
  worst = Number.POSITIVE_INFINITY

  constructor(capacity: number) {
    this.#capacity = capacity
    this.#keys = new Float64Array(capacity)
    this.#seconds = new Float64Array(capacity)
    this.#ties = new Float64Array(capacity)
    this.#rows = new Uint32Array(capacity)
    this.#views = new Uint32Array(capacity)
  }

  offer(key: number, second: number, tie: number, row: number, view: number): void {
    let at: number
    if (this.#size < this.#capacity) {
      at = this.#size++
      for (let parent = (at - 1) >> 1; at > 0 && this.#isBelow(parent, key, second, tie); parent = (at - 1) >> 1) {
        this.#move(parent, at)
        at = parent
      }
    } else {
      if (this.#capacity === 0 || !this.#isAbove(0, key, second, tie)) return
      at = 0
      for (;;) {
        let child = 2 * at + 1
        if (child >= this.#size) break
        if (child + 1 < this.#size && this.#isWorse(child + 1, child)) child++
        if (!this.#isAbove(child, key, second, tie)) break
        this.#move(child, at)
        at = child
      }
    }
    this.#keys[at] = key
    this.#seconds[at] = second
    this.#ties[at] = tie
    this.#rows[at] = row
    this.#views[at] = view
    if (this.#size === this.#capacity) this.worst = this.#keys[0]!
  }

  /** Best first. */
  sorted(): Array<Ranked> {
    const all = Array.from({ length: this.#size }, (_, at) => ({
      key: this.#keys[at]!,
      second: this.#seconds[at]!,
      tie: this.#ties[at]!,
      row: this.#rows[at]!,
      view: this.#views[at]!
    }))
    // Not a subtraction: keys may be infinite, and the difference of two infinities is NaN.
    const order = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1)
    return all.sort((a, b) => order(a.key, b.key) || order(a.second, b.second) || a.tie - b.tie)
  }

  /** Whether the row at a place is worse than one with these keys. */
  #isAbove(at: number, key: number, second: number, tie: number): boolean {
    const ownKey = this.#keys[at]!
    if (ownKey !== key) return ownKey > key
    const ownSecond = this.#seconds[at]!
    return ownSecond === second ? this.#ties[at]! > tie : ownSecond > second
  }

  #isBelow(at: number, key: number, second: number, tie: number): boolean {
    return !this.#isAbove(at, key, second, tie)
  }

  #isWorse(at: number, other: number): boolean {
    return this.#isAbove(at, this.#keys[other]!, this.#seconds[other]!, this.#ties[other]!)
  }

  #move(from: number, to: number): void {
    this.#keys[to] = this.#keys[from]!
    this.#seconds[to] = this.#seconds[from]!
    this.#ties[to] = this.#ties[from]!
    this.#rows[to] = this.#rows[from]!
    this.#views[to] = this.#views[from]!
  }
}
