/**
 * Bitmaps of rows, 32 in each element: row `r` is bit `r & 31` of element `r >>> 5`.
 *
 * Cost: a few operations for each element, so for 32 rows; functions that take or visit single rows cost a few for each.
 *
 * Source: Warren, "Hacker's Delight", 2002; Jacobson, "Space-efficient Static Trees and Graphs", 1989.
 */

/** Number of elements for this number of rows. */
export const bitmapLength = (rows: number): number => (rows >>> 5) + 1

/** `undefined` means all rows. */
export const isSet = (bits: Uint32Array | undefined, row: number): boolean =>
  bits === undefined || ((bits[row >>> 5]! >>> (row & 31)) & 1) === 1

/** Population count, Hacker's Delight 5-1. */
export const popCount = (word: number): number => {
  let sum = word - ((word >>> 1) & 0x5555_5555)
  sum = (sum & 0x3333_3333) + ((sum >>> 2) & 0x3333_3333)
  return Math.imul((sum + (sum >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}

/** Number of set rows from `from` to `to - 1`. */
export const countBits = (bits: Uint32Array, from: number, to: number): number => {
  if (from >= to) return 0
  const first = from >>> 5
  const last = (to - 1) >>> 5
  const head = -1 << (from & 31)
  const tail = -1 >>> (31 - ((to - 1) & 31))
  if (first === last) return popCount(bits[first]! & head & tail)
  let count = popCount(bits[first]! & head) + popCount(bits[last]! & tail)
  for (let word = first + 1; word < last; word++) count += popCount(bits[word]!)
  return count
}

/** Writes the number of set rows before each element to `ranks` (Jacobson's rank directory). */
export const rankDirectory = (bits: Uint32Array, ranks: Uint32Array): Uint32Array => {
  let before = 0
  for (let word = 0; word < bits.length; word++) {
    ranks[word] = before
    before = (before + popCount(bits[word]! | 0)) | 0
  }
  return ranks
}

/** Number of set rows before `row`. */
export const rankOf = (bits: Uint32Array, ranks: Uint32Array, row: number): number => {
  const word = row >>> 5
  return ((ranks[word]! | 0) + popCount(bits[word]! & ~(-1 << (row & 31)))) | 0
}

/** Sets the rows `from` to `to - 1`. */
export const setRange = (bits: Uint32Array, from: number, to: number): void => {
  if (from >= to) return
  const first = from >>> 5
  const last = (to - 1) >>> 5
  const head = -1 << (from & 31)
  const tail = -1 >>> (31 - ((to - 1) & 31))
  if (first === last) {
    bits[first]! |= head & tail
    return
  }
  bits[first]! |= head
  bits.fill(0xffff_ffff, first + 1, last)
  bits[last]! |= tail
}

/** Sets the rows in the list at positions `from` to `to - 1`. */
export const setRows = (bits: Uint32Array, rows: Uint32Array, from = 0, to = rows.length): void => {
  for (let at = from; at < to; at++) bits[rows[at]! >>> 5]! |= 1 << (rows[at]! & 31)
}

/** The inverse of {@link setRows}. */
export const clearRows = (bits: Uint32Array, rows: Uint32Array, from: number, to: number): void => {
  for (let at = from; at < to; at++) bits[rows[at]! >>> 5]! &= ~(1 << (rows[at]! & 31))
}

/** Calls `visit` for each set row, ascending. */
export const eachBit = (bits: Uint32Array, visit: (row: number) => void): void => {
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word]!; rest !== 0; rest &= rest - 1) visit((word << 5) + 31 - Math.clz32(rest & -rest))
  }
}

/** Intersection, in place. */
export const andBits = (bits: Uint32Array, other: Uint32Array): void => {
  for (let word = 0; word < bits.length; word++) bits[word]! &= other[word]!
}

/** Union, in place. */
export const orBits = (bits: Uint32Array, other: Uint32Array): void => {
  for (let word = 0; word < bits.length; word++) bits[word]! |= other[word]!
}

/** Intersection with the union of `others`, in place. `others` is not empty, and `space` has the same length as `bits`. */
export const andAny = (bits: Uint32Array, others: ReadonlyArray<Uint32Array>, space: Uint32Array): void => {
  const [only] = others
  if (others.length === 1 && only !== undefined) return andBits(bits, only)
  space.fill(0)
  for (const other of others) orBits(space, other)
  andBits(bits, space)
}

/** Number of rows in both bitmaps. */
export const countBoth = (bits: Uint32Array, other: Uint32Array): number => {
  let count = 0
  for (let word = 0; word < bits.length; word++) count = (count + popCount(bits[word]! & other[word]!)) | 0
  return count
}
