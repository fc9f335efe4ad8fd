/**
 * A typed array that doubles when it is full (dynamic array). Appending is amortized O(1); while it grows, old and new values
 * are in memory. The result is a copy in shared memory.
 */
import { constructors, sharedCopy } from "./Segment.ts"
import type { ArrayKind, Arrays, TypedArray } from "./Segment.ts"

export class Growing<K extends ArrayKind> {
  readonly #kind: K
  #values: TypedArray
  length = 0

  constructor(kind: K, capacity = 1_024) {
    this.#kind = kind
    this.#values = new constructors[kind](capacity)
  }

  push(value: number): void {
    if (this.length === this.#values.length) this.#grow(this.length + 1)
    this.#values[this.length++] = value
  }

  /** The values so far. Valid until the next push. */
  view(): Arrays[K] {
    // The compiler cannot see that the constructor of kind K made the array.
    return this.#values.subarray(0, this.length) as Arrays[K]
  }

  /** A copy in shared memory. */
  finish(): Arrays[K] {
    return sharedCopy(this.#kind, this.view())
  }

  #grow(least: number): void {
    const wider = new constructors[this.#kind](Math.max(least, this.#values.length * 2))
    wider.set(this.#values)
    this.#values = wider
  }
}
