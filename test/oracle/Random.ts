/** Reproducible randomness for catalogs and cases. */

export interface Random {
  /** In [0, 1). */
  readonly next: () => number
  readonly chance: (probability: number) => boolean
  /** A whole number in [min, max]. */
  readonly int: (min: number, max: number) => number
  readonly pick: <A>(values: ReadonlyArray<A>) => A
  /** A subset of `values`, in their order. */
  readonly some: <A>(values: ReadonlyArray<A>, min: number, max: number) => Array<A>
}

/** mulberry32 */
export const make = (seed: number): Random => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    chance: (probability) => next() < probability,
    int,
    pick: (values) => {
      const value = values[int(0, values.length - 1)]
      if (value === undefined) throw new Error("nothing to pick from")
      return value
    },
    some: (values, min, max) => {
      const wanted = Math.min(int(min, max), values.length)
      const positions = new Set<number>()
      while (positions.size < wanted) positions.add(int(0, values.length - 1))
      return values.filter((_, index) => positions.has(index))
    }
  }
}
