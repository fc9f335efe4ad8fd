/**
 * Parsing of untrusted JSON (D63). The time depends on the structure more than on the bytes: 256 KiB of brackets take
 * ten times as long as 256 KiB of numbers. So the text is scanned once, and a text with more structure than any real
 * request is not parsed.
 */
import { Result } from "effect"

export const maxDepth = 64
/** Names of members, over all objects: a batch of 20 searches with every argument has 1,500. */
export const maxNames = 10_000
/** Objects and arrays. */
export const maxContainers = 2_000

export interface Limits {
  readonly names: number
  readonly containers: number
  /** Whether an object may have a name twice. The last value counts, as for JSON.parse. */
  readonly repetitions: boolean
}

/**
 * Of a file: the largest records have a fiftieth of that, and the largest page of 250 products a half. Third parties write
 * files, and one record with a name twice is no reason to refuse the others.
 */
export const ofFile: Limits = { names: 2_000_000, containers: 1_000_000, repetitions: true }

/** The sender of a request is told what is not read, and an earlier value of a name would not be (P24). */
const ofRequest: Limits = { names: maxNames, containers: maxContainers, repetitions: false }

const described = ({ containers, names }: Limits): string =>
  `more than ${maxDepth} levels, ${names} names or ${containers} objects and arrays`

export const limits = described(ofRequest)
export const limitsOfFile = described(ofFile)

/** `malformed` is not JSON; `excessive` exceeds the limits; `repeated` is a name that an object has twice. */
export type Unreadable = "malformed" | "excessive" | { readonly repeated: string }

export const parse = (text: string, limits: Limits = ofRequest): Result.Result<unknown, Unreadable> => {
  const names = namesOf(text, limits)
  if (names === undefined) return Result.fail("excessive")
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return Result.fail("malformed")
  }
  // Counting costs less than a set of names for each object, and the text is searched only when a name is missing.
  return limits.repetitions || membersOf(value) === names
    ? Result.succeed(value)
    : Result.fail({ repeated: repeatedIn(text) })
}

/** The number of members of all objects. The depth is limited. */
const membersOf = (value: unknown): number => {
  let members = 0
  if (Array.isArray(value)) {
    for (const entry of value) members += membersOf(entry)
  } else if (typeof value === "object" && value !== null) {
    for (const entry of Object.values(value)) members += 1 + membersOf(entry)
  }
  return members
}

/** The first name that its object has before, in valid JSON where there is one. Escapes make other texts of one name. */
const repeatedIn = (text: string): string => {
  const open: Array<Set<string>> = []
  let name = ""
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      name = text.slice(at, end + 1)
      at = end
    } else if (character === "{" || character === "[") open.push(new Set())
    else if (character === "}" || character === "]") open.pop()
    else if (character === ":") {
      const decoded = String(JSON.parse(name))
      if (open.at(-1)?.has(decoded) === true) return decoded
      open.at(-1)?.add(decoded)
    }
  }
  return ""
}

const quote = 0x22
const backslash = 0x5c

export const isExcessive = (text: string, limits: Limits): boolean => namesOf(text, limits) === undefined

/** The number of names of members; `undefined` beyond the limits. */
const namesOf = (text: string, limits: Limits): number | undefined => {
  let depth = 0
  let names = 0
  let containers = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      // { and [
      case 0x7b:
      case 0x5b:
        if (++depth > maxDepth || ++containers > limits.containers) return undefined
        break
      // } and ]
      case 0x7d:
      case 0x5d:
        depth--
        break
      // :
      case 0x3a:
        if (++names > limits.names) return undefined
    }
  }
  return names
}

/** The end of the string that begins at `start`. */
const endOfString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) return at
    if (unit === backslash) at++
  }
  return text.length
}
