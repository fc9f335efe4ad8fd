/**
 * Selects the value at a position of the ascending order, without sorting.
 *
 * Source: Hoare, "Algorithm 65: Find", 1961; Floyd, Rivest, "Algorithm 489: SELECT", 1975, without its sampling.
 */
import { stepsBetweenChecks } from "./Run.ts"
import type { Cancel } from "./Run.ts"

/** Partitions up to this length are sorted. */
const few = 32

/**
 * Afterwards `values[place]` is the value at that position of the ascending order, and no value before it is higher. NaN
 * is not allowed.
 */
export const quickselect = (values: Float64Array, place: number, cancel: Cancel): void => {
  let low = 0
  let high = values.length - 1
  // Bounds the cost of bad pivots to that of a sort.
  let budget = 8 * values.length
  while (high - low >= few && budget > 0) {
    if (high - low >= stepsBetweenChecks) cancel.check()
    budget -= high - low
    const pivot = middle(values[low]!, values[(low + high) >>> 1]!, values[high]!)
    let left = low
    let right = high
    while (left <= right) {
      while (values[left]! < pivot) left++
      while (values[right]! > pivot) right--
      if (left > right) break
      const value = values[left]!
      values[left++] = values[right]!
      values[right--] = value
    }
    if (place <= right) high = right
    else if (place >= left) low = left
    else return
  }
  values.subarray(low, high + 1).sort()
}

const middle = (one: number, other: number, third: number): number =>
  Math.max(Math.min(one, other), Math.min(Math.max(one, other), third))
