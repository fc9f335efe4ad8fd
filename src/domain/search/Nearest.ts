/** "Did you mean": the value of a vocabulary that is closest to what was written. */

/**
 * The candidate with the smallest edit distance (case ignored) to `text`, or `undefined` when none is within
 * `maxDistance`. Ties go to the earlier candidate.
 */
export const nearest = (
  text: string,
  candidates: Iterable<string>,
  maxDistance = Math.max(1, Math.floor(Math.min(text.length, maxLength) / 3))
): string | undefined => {
  const wanted = text.slice(0, maxLength).toLowerCase()
  let best: string | undefined
  let bestDistance = maxDistance + 1
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Longer inputs are cut: the distance is quadratic and the text comes from outside. */
const maxLength = 100

/** Levenshtein distance, or `limit` as soon as it cannot be below it. */
const editDistance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    let smallest = i
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const distance = Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1)
      current.push(distance)
      smallest = Math.min(smallest, distance)
    }
    if (smallest >= limit) return limit
    previous = current
  }
  return previous[b.length] ?? limit
}
