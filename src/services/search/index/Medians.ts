/**
 * Exact medians of groups of stores, from a column of values.
 *
 * Few values are collected, and the middle one is selected. Of many, a histogram finds the bucket of the middle one, and
 * only the values in this bucket are collected. A bucket is the highest 16 bits of a double, so that 16 buckets cover a
 * factor of two: one step of a radix selection. The cost is two reads of each value; if most values are in one bucket, it is
 * that of the selection.
 */
import { stepsBetweenChecks } from "./Run.ts"
import type { Cancel } from "./Run.ts"
import { quickselect } from "./Quickselect.ts"

/** The bucket of each value, numbered in the order of values without gaps. Unknown values are in the last one. */
interface Buckets {
  readonly codes: Uint16Array
  readonly counts: Uint32Array
}

export interface Median {
  /** Number of known values. */
  readonly known: number
  /** NaN if there is none. */
  readonly median: number
}

const none: Median = { known: 0, median: Number.NaN }

export class Medians {
  readonly #values: Float64Array<ArrayBuffer>
  readonly #few: number
  readonly #cancel: Cancel
  #buckets: Buckets | undefined
  #space: Float64Array<ArrayBuffer>

  /** Unknown values are NaN. Up to `few` values are selected from without a histogram. */
  constructor(values: Float64Array<ArrayBuffer>, few: number, cancel: Cancel) {
    this.#values = values
    this.#few = few
    this.#cancel = cancel
    this.#space = new Float64Array(Math.min(few, values.length))
  }

  /** Of the known values at these positions. */
  of(positions: Uint32Array): Median {
    return positions.length <= this.#few ? this.#select(positions) : this.#count(positions)
  }

  #select(positions: Uint32Array): Median {
    const values = this.#values
    const space = this.#space
    let length = 0
    for (let at = 0; at < positions.length; at++) {
      const value = values[positions[at]!]!
      space[length] = value
      length += +!Number.isNaN(value)
    }
    return this.#middle(length, 0, length)
  }

  #count(positions: Uint32Array): Median {
    const { codes, counts } = (this.#buckets ??= bucketsOf(this.#values, this.#cancel))
    counts.fill(0)
    for (let at = 0; at < positions.length; at++) {
      if ((at & (stepsBetweenChecks - 1)) === 0) this.#cancel.check()
      counts[codes[positions[at]!]!]!++
    }
    const known = positions.length - counts[counts.length - 1]!
    if (known === 0) return none
    // The bucket of the last value of the lower half, and that of the first one of the upper half.
    let first = 0
    let before = 0
    for (; before + counts[first]! <= (known - 1) >>> 1; first++) before += counts[first]!
    let last = first
    for (let end = before + counts[last]!; end <= known >>> 1; end += counts[last]!) last++
    const inside = counts[first]! + (last === first ? 0 : counts[last]!)
    if (this.#space.length < inside) this.#space = new Float64Array(inside)
    const space = this.#space
    let length = 0
    for (let at = 0; at < positions.length; at++) {
      if ((at & (stepsBetweenChecks - 1)) === 0) this.#cancel.check()
      const position = positions[at]!
      const code = codes[position]!
      if (code >= first && code <= last) space[length++] = this.#values[position]!
    }
    return this.#middle(length, before, known)
  }

  /**
   * The middle value of `known` values, or the mean of the two middle ones. The first `length` elements of the space contain
   * these, and `before` of the others are lower.
   */
  #middle(length: number, before: number, known: number): Median {
    if (known === 0) return none
    const values = this.#space.subarray(0, length)
    const upper = (known >>> 1) - before
    quickselect(values, upper, this.#cancel)
    if (known % 2 === 1) return { known, median: values[upper]! }
    // All values before it are at most as high.
    let lower = values[0]!
    for (let at = 1; at < upper; at++) lower = Math.max(lower, values[at]!)
    return { known, median: (lower + values[upper]!) / 2 }
  }
}

const keys = 2 ** 16

const bucketsOf = (values: Float64Array<ArrayBuffer>, cancel: Cancel): Buckets => {
  const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
  const codes = new Uint16Array(values.length)
  const codeOf = new Uint16Array(keys)
  for (let at = 0; at < values.length; at++) {
    if ((at & (stepsBetweenChecks - 1)) === 0) cancel.check()
    const high = halves[2 * at + 1]! | 0
    // Ascends with the value: all bits of negative numbers are inverted, of others the sign. NaN is above all.
    const key = Number.isNaN(values[at]!) ? keys - 1 : (high ^ ((high >> 31) | 0x8000_0000)) >>> 16
    codes[at] = key
    codeOf[key] = 1
  }
  let next = 0
  for (let key = 0; key < keys; key++) if (codeOf[key] === 1 || key === keys - 1) codeOf[key] = next++
  for (let at = 0; at < values.length; at++) codes[at] = codeOf[codes[at]!]!
  return { codes, counts: new Uint32Array(next) }
}
