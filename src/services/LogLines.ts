/**
 * A line of log for programs: `timestamp`, `level`, `message`, the logged values, and a `cause`, as one flat JSON object or as logfmt.
 *
 * Effect's own formats nest the logged values, or put them into the message as JSON, and handle every kind of value, which is
 * slower. Every call writes a line, so common values take a fast path (bench/results/endpoint.md).
 */
import { Array, Cause, Formatter, Logger, Predicate, References } from "effect"

type Fields = Readonly<Record<string, unknown>>

const isPlain = (value: unknown): value is Fields =>
  Predicate.isObject(value) && Object.getPrototypeOf(value) === Object.prototype

const stringify = (entry: unknown): string => {
  try {
    return JSON.stringify(entry)
  } catch {
    // A cycle, or a number that JSON cannot represent.
    return Formatter.formatJson(entry)
  }
}

const textOf = (part: unknown): string => (typeof part === "string" ? part : Formatter.format(part))

/** Plain objects are fields; all else is the message. */
const fieldsOfMessage = (parts: ReadonlyArray<unknown>): Fields => {
  const [first, ...others] = parts
  if (others.length === 0) return isPlain(first) ? first : { message: textOf(first) }
  const texts = parts.filter((part) => !isPlain(part)).map(textOf)
  return Object.assign({}, ...parts.filter(isPlain), texts.length === 0 ? {} : { message: texts.join(" ") })
}

const entryOf = ({ cause, date, fiber, logLevel, message }: Logger.Options<unknown>): Fields => ({
  timestamp: date.toISOString(),
  level: logLevel.toUpperCase(),
  ...fieldsOfMessage(Array.ensure(message)),
  ...fiber.getRef(References.CurrentLogAnnotations),
  ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) })
})

export const json: Logger.Logger<unknown, string> = Logger.make((options) => stringify(entryOf(options)))

/** Objects in objects become fields up to this depth. */
const maxDepth = 4

/** Neither blanks nor what ends or quotes a value. */
const bare = /^[^\s"=\\\p{C}]+$/u

/** Characters that JSON leaves as they are, though they break a line or are invisible. */
const invisible = /[\u2028\u2029\p{C}]/gu

const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(invisible, (found) =>
    found
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join("")
  )

const valueOf = (value: unknown): string => {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value)
  const text = typeof value === "string" ? value : Array.isArray(value) ? stringify(value) : textOf(value)
  return bare.test(text) ? text : quoted(text)
}

const pairsOf = (fields: Fields, prefix: string, depth: number): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([name, value]) => {
    const key = prefix + name.replaceAll(/[\s"=\p{C}]/gu, "_")
    if (value === undefined) return []
    return isPlain(value) && depth < maxDepth ? pairsOf(value, `${key}.`, depth + 1) : [`${key}=${valueOf(value)}`]
  })

/** `key=value` pairs; a value with other than visible characters is in quotation marks, with the escapes of JSON. */
export const logfmt: Logger.Logger<unknown, string> = Logger.make((options) =>
  pairsOf(entryOf(options), "", 0).join(" ")
)

/** To standard error: what a command prints can be piped. */
export const toStandardError = (lines: Logger.Logger<unknown, string>): Logger.Logger<unknown, void> =>
  Logger.map(lines, (line) => {
    process.stderr.write(`${line}\n`)
  })
