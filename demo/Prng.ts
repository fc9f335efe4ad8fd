/**
 * Reproducible pseudo-random numbers: xoshiro128** (Blackman, Vigna 2018), seeded by splitmix32 from a hash of a path.
 * Each part of the demo data has its own path, so that a change of one part leaves the others as they are.
 */

const rotate = (value: number, bits: number) => (value << bits) | (value >>> (32 - bits))

/** FNV-1a over UTF-16 units. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value
}

export class Prng {
  #a: number
  #b: number
  #c: number
  #d: number

  constructor(...path: ReadonlyArray<string | number>) {
    let state = hash(path.join("/"))
    const split = () => {
      state = (state + 0x9e3779b9) | 0
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
      return mixed ^ (mixed >>> 15)
    }
    this.#a = split()
    this.#b = split()
    this.#c = split()
    this.#d = split()
  }

  #next(): number {
    const result = Math.imul(rotate(Math.imul(this.#b, 5), 7), 9) >>> 0
    const shifted = this.#b << 9
    this.#c ^= this.#a
    this.#d ^= this.#b
    this.#b ^= this.#c
    this.#a ^= this.#d
    this.#c ^= shifted
    this.#d = rotate(this.#d, 11)
    return result
  }

  /** In [0, 1). */
  unit(): number {
    return this.#next() / 4_294_967_296
  }

  /** A whole number in [from, to]. */
  int(from: number, to: number): number {
    return from + Math.floor(this.unit() * (to - from + 1))
  }

  chance(probability: number): boolean {
    return this.unit() < probability
  }

  pick<A>(items: ReadonlyArray<A>): A {
    const item = items[Math.floor(this.unit() * items.length)]
    if (item === undefined) throw new RangeError("nothing to pick from")
    return item
  }

  weighted<A>(items: ReadonlyArray<readonly [item: A, weight: number]>): A {
    let left = this.unit() * items.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [item, weight] of items) {
      left -= weight
      if (left < 0) return item
    }
    return this.pick(items)[0]
  }

  /** At most `count` of the items, without repetition, in their order. */
  some<A>(items: ReadonlyArray<A>, count: number): ReadonlyArray<A> {
    const chosen: Array<A> = []
    for (let index = 0; index < items.length && chosen.length < count; index++) {
      const item = items[index]
      if (item !== undefined && this.unit() * (items.length - index) < count - chosen.length) chosen.push(item)
    }
    return chosen
  }

  /** Standard normal, by Box and Muller. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit())
  }

  /** `sigma` is that of the logarithm; `sigmaBelow` applies below the median. */
  logNormal(median: number, sigma: number, sigmaBelow = sigma): number {
    const z = this.normal()
    return median * Math.exp(z * (z < 0 ? sigmaBelow : sigma))
  }
}
