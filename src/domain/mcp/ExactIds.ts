/**
 * Ids that are integers beyond those that JavaScript has (P24): 9007199254740993 would be answered as 9007199254740992, so that its
 * client waits for an answer that never comes. They are read again from the text of the body, as `bigint`.
 */
import { Predicate } from "effect"

/** Longer integers are no id: converting them takes more than linear time. */
export const maxDigits = 100

const digits = new RegExp(`^-?\\d{1,${maxDigits}}$`, "u")
const allDigits = /^-?\d+$/u

/** `undefined` for what is no id. With an exponent, such as `1e20`, the number is as exact as what was sent. */
const exactOf = (id: number, text: string): bigint | undefined => {
  if (digits.test(text)) return BigInt(text)
  return Number.isInteger(id) && !allDigits.test(text) ? BigInt(id) : undefined
}

const isInexact = (id: unknown): id is number => typeof id === "number" && !Number.isSafeInteger(id)

/** The parsed body with these ids exact, where there are any. */
export const of = (value: unknown, text: string): unknown => {
  const messages: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  if (!messages.some((message) => Predicate.isObject(message) && isInexact(message["id"]))) return value
  const ids = idsOf(text, Array.isArray(value) ? 2 : 1)
  const exact = messages.map((message, at) => {
    if (!Predicate.isObject(message) || !isInexact(message["id"])) return message
    const id = exactOf(message["id"], ids.get(at) ?? "")
    return id === undefined ? message : { ...message, id }
  })
  return Array.isArray(value) ? exact : exact[0]
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"[\]{},:]+|[[\]{},:]/gu

/** The text of the last member `id` of each message, by the position of the message. Messages are at this depth. */
const idsOf = (json: string, depth: number): ReadonlyMap<number, string> => {
  const ids = new Map<number, string>()
  let open = 0
  let message = 0
  let name: string | undefined
  let last = ""
  for (const [text] of json.matchAll(token)) {
    if (text === "{" || text === "[") open++
    else if (text === "}" || text === "]") open--
    else if (text === "," && open === depth - 1) message++
    else if (text === ":" && open === depth) name = last
    else if (name !== undefined && open === depth && isId(name)) ids.set(message, text)
    if (text !== ":") name = undefined
    last = text
  }
  return ids
}

/** A name in JSON may have escapes. */
const isId = (name: string): boolean => name === '"id"' || (name.includes("\\") && JSON.parse(name) === "id")
