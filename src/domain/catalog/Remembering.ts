/** A cache for pure functions of a text. Import files repeat the same texts many times. */

/** Cleared when full; frequent texts are soon cached again. */
const maxEntries = 4_096
/** Longer texts rarely repeat. */
const maxLength = 300

export const remembering = <A extends {} | null>(f: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const result = f(text)
    if (text.length <= maxLength) {
      if (known.size >= maxEntries) known.clear()
      known.set(text, result)
    }
    return result
  }
}
