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

export interface Limits {
  readonly names: number
  readonly containers: number
}

/** Of a file: the largest records have a fiftieth of that, and the largest page of 250 products a half. */
export const ofFile: Limits = { names: 2_000_000, containers: 1_000_000 }

const ofRequest: Limits = { names: maxNames, containers: maxContainers }

const described = ({ containers, names }: Limits): string =>
  `more than ${maxDepth} levels, ${names} names or ${containers} objects and arrays`

export const limits = described(ofRequest)
export const limitsOfFile = described(ofFile)

/** `malformed` is not JSON; `excessive` exceeds the limits. */
export type Unreadable = "malformed" | "excessive"

export const parse = (text: string, limits: Limits = ofRequest): Result.Result<unknown, Unreadable> => {
  if (isExcessive(text, limits)) return Result.fail("excessive")
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    return Result.fail("malformed")
  }
}

const quote = 0x22
const backslash = 0x5c

export const isExcessive = (text: string, limits: Limits): boolean => {
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
        if (++depth > maxDepth || ++containers > limits.containers) return true
        break
      // } and ]
      case 0x7d:
      case 0x5d:
        depth--
        break
      // :
      case 0x3a:
        if (++names > limits.names) return true
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
