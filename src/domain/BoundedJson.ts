/**
 * Parsing of untrusted JSON. The time depends on the structure more than on the bytes: 256 KiB of brackets take ten times
 * as long as 256 KiB of numbers. So the text is scanned once, and a text with more structure than any real request is not
 * parsed.
 */
import { Result } from "effect"

export const maxDepth = 64
/** Names of members, over all objects: a batch of 20 searches with every argument has 1,500. */
export const maxNames = 10_000
/** Objects and arrays. */
export const maxContainers = 2_000

export const limits = `more than ${maxDepth} levels, ${maxNames} names or ${maxContainers} objects and arrays`

/** `malformed` is not JSON; `excessive` exceeds {@link limits}. */
export type Unreadable = "malformed" | "excessive"

export const parse = (text: string): Result.Result<unknown, Unreadable> => {
  if (isExcessive(text)) return Result.fail("excessive")
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    return Result.fail("malformed")
  }
}

const quote = 0x22
const backslash = 0x5c

const isExcessive = (text: string): boolean => {
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
        if (++depth > maxDepth || ++containers > maxContainers) return true
        break
      // } and ]
      case 0x7d:
      case 0x5d:
        depth--
        break
      // :
      case 0x3a:
        if (++names > maxNames) return true
    }
  }
  return false
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
