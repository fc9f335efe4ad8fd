/** What has been worked out of a text is kept for the next time: in a file of records the same ones come again and again. */

/** Cleared when full: what is asked often is soon there again. */
const maxEntries = 4_096
/** Longer texts hardly come again. */
const maxLength = 300

/** For pure functions of a text. */
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
