/**
 * A line of log as one flat JSON object: `timestamp`, `level`, `message`, the logged values, and a `cause`.
 *
 * Effect's own JSON format nests the logged values and handles every kind of value, which is slower. Every call writes a
 * line, so common values take a fast path (docs/benchmarks.md).
 */
import { Array, Cause, Formatter, Logger, Predicate, References } from "effect"

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && Object.getPrototypeOf(value) === Object.prototype

const stringify = (entry: Readonly<Record<string, unknown>>): string => {
  try {
    return JSON.stringify(entry)
  } catch {
    // A cycle, or a number that JSON cannot represent.
    return Formatter.formatJson(entry)
  }
}

export const format: Logger.Logger<unknown, string> = Logger.make(({ cause, date, fiber, logLevel, message }) => {
  const parts = Array.ensure(message)
  const [only] = parts
  return stringify({
    timestamp: date.toISOString(),
    level: logLevel.toUpperCase(),
    ...(parts.length === 1 && isPlain(only)
      ? only
      : { message: parts.map((part) => (typeof part === "string" ? part : Formatter.format(part))).join(" ") }),
    ...fiber.getRef(References.CurrentLogAnnotations),
    ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) })
  })
})

/** To standard error: what a command prints can be piped. */
export const logger: Logger.Logger<unknown, void> = Logger.map(format, (line) => {
  process.stderr.write(`${line}\n`)
})
