/** "Did you mean": the value of a vocabulary that is closest to a text. */

import { Effect } from "effect"

/** Longer texts are cut: the distance takes quadratic time, and texts are untrusted. */
const maxLength = 100

/** The default maximum distance: a third of the text. */
const distanceFor = (text: string): number => Math.max(1, Math.floor(Math.min(text.length, maxLength) / 3))

const fold = (text: string): string => text.slice(0, maxLength).toLowerCase()

/**
 * The candidate with the smallest edit distance to `text`, ignoring case, or `undefined` if none is within
 * `maxDistance`. Of equal ones, the first. Compares with each candidate: for closed vocabularies.
 */
export const nearest = (
  text: string,
  candidates: Iterable<string>,
  maxDistance = distanceFor(text)
): string | undefined => {
  const wanted = fold(text)
  let best: string | undefined
  let bestDistance = maxDistance + 1
  for (const candidate of candidates) {
    const distance = editDistance(wanted, fold(candidate), bestDistance)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Postings that are counted at most, rarest pairs first. */
export const maxCounted = 10_000

/** Names that are compared at most: those with most pairs in common. */
export const maxCompared = 32

export interface NearNames {
  /** Builds what {@link NearNames.find} needs, in steps; otherwise the first call of `find` builds it at once. */
  readonly prepare: Effect.Effect<void>
  /** The names within the distance, closest first, up to `count`; of equal ones, the first. */
  readonly find: (text: string, count: number) => ReadonlyArray<string>
}

/** Names that are prepared before other fibers run. */
const atOnce = 250

/**
 * As {@link nearest}, for the many names of an open vocabulary. It is built once, and compares only names with most
 * character pairs in common with the text. From three characters on, every name within the distance has a pair in
 * common.
 */
export const nearestOf = (names: ReadonlyArray<string>): NearNames => {
  const folded: Array<string> = []
  const byPair = new Map<number, Array<number>>()
  const prepareTo = (end: number) => {
    for (let place = folded.length; place < Math.min(end, names.length); place++) {
      const name = fold(names[place] ?? "")
      folded.push(name)
      for (const pair of pairsOf(name)) byPair.getOrInsertComputed(pair, () => []).push(place)
    }
  }

  const prepare = Effect.gen(function* () {
    while (folded.length < names.length) {
      prepareTo(folded.length + atOnce)
      yield* Effect.yieldNow
    }
  })

  const find = (text: string, count: number): ReadonlyArray<string> => {
    prepareTo(names.length)
    const wanted = fold(text)
    const maxDistance = distanceFor(text)
    const rarestFirst = Array.from(pairsOf(wanted), (pair) => byPair.get(pair) ?? []).toSorted(
      (one, other) => one.length - other.length
    )
    const inCommon = new Uint8Array(names.length)
    /** Positions by number of pairs in common. */
    const byCount: Array<Array<number>> = []
    let counted = 0
    for (const places of rarestFirst) {
      for (const place of places) {
        if (counted++ >= maxCounted) break
        if (Math.abs((folded[place]?.length ?? 0) - wanted.length) > maxDistance) continue
        const count = (inCommon[place] ?? 0) + 1
        inCommon[place] = count
        ;(byCount[count] ??= []).push(place)
      }
    }
    const most = new Set<number>()
    for (let count = byCount.length - 1; count > 0 && most.size < maxCompared; count--) {
      // Positions with more pairs are listed here as well.
      for (const place of byCount[count] ?? []) if (most.size < maxCompared) most.add(place)
    }
    const candidates = Array.from(most).sort((one, other) => one - other)
    return candidates
      .map((place) => ({ place, distance: editDistance(wanted, folded[place] ?? "", maxDistance + 1) }))
      .filter(({ distance }) => distance <= maxDistance)
      .toSorted((one, other) => one.distance - other.distance)
      .slice(0, count)
      .flatMap(({ place }) => names[place] ?? [])
  }

  return { prepare, find }
}

/** Pairs of adjacent characters, and of the first and the last character with the edge. */
const pairsOf = (text: string): ReadonlySet<number> => {
  const pairs = new Set<number>()
  let before = 0
  for (let at = 0; at <= text.length; at++) {
    const unit = at < text.length ? text.charCodeAt(at) : 0
    pairs.add(before * 0x1_0000 + unit)
    before = unit
  }
  return pairs
}

/** Buffers of {@link editDistance}, which is synchronous. */
let previous = new Uint16Array(maxLength + 1)
let current = new Uint16Array(maxLength + 1)

/** Levenshtein distance, or `limit` as soon as it is known to be at least that. */
const editDistance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) >= limit) return limit
  for (let j = 0; j <= b.length; j++) previous[j] = j
  for (let i = 1; i <= a.length; i++) {
    const unit = a.charCodeAt(i - 1)
    let left = i
    let smallest = i
    current[0] = i
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (unit === b.charCodeAt(j - 1) ? 0 : 1)
      left = Math.min(substitution, (previous[j] ?? 0) + 1, left + 1)
      current[j] = left
      if (left < smallest) smallest = left
    }
    if (smallest >= limit) return limit
    ;[previous, current] = [current, previous]
  }
  return previous[b.length] ?? limit
}
