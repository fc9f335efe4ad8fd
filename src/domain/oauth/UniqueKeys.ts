/** Whether the objects of a JSON text name each of their members once: `JSON.parse` keeps the last and tells nothing. */

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** Of text that is JSON. Names that are spelled differently, as `"a"` and `"\u0061"`, are the same. */
export const hasUniqueKeys = (json: string): boolean => {
  /** What is open around the token: the names of an object so far, or an array. */
  const open: Array<Set<string> | undefined> = []
  let last = ""
  for (const [found] of json.matchAll(token)) {
    if (found === "{") open.push(new Set())
    else if (found === "[") open.push(undefined)
    else if (found === "}" || found === "]") open.pop()
    else if (found === ":") {
      const name: unknown = JSON.parse(last)
      const names = open.at(-1)
      if (names?.has(String(name)) === true) return false
      names?.add(String(name))
    }
    last = found
  }
  return true
}
