/** A cache for pure functions of a text. Import files repeat the same texts many times. */

/** Cleared when full; frequent texts are soon cached again. */
const maxEntries = 4_096
/** Longer texts rarely repeat. */
const maxLength = 300

export const remembering = <A extends {} | null>(f: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  // Consecutive records often have the same text, which is quicker to compare than to find.
  let last: string | undefined
  let lastResult: A | undefined
  return (text) => {
    if (text === last && lastResult !== undefined) return lastResult
    const found = known.get(text)
    const result = found === undefined ? f(text) : found
    if (found === undefined && text.length <= maxLength) {
      if (known.size >= maxEntries) known.clear()
      known.set(text, result)
    }
    last = text
    lastResult = result
    return result
  }
}
