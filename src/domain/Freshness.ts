/**
 * How long a fetched document may be used without a new request (R51; RFC 9111, sections 4.2 and 5). The package
 * http-cache-semantics (4.3.0) does not meet R51: it ignores `Max-Age=600` because of the capitals, takes the last of
 * `max-age=600, max-age=9000`, and either refuses `private` or ignores `s-maxage`.
 */

/** The header fields that decide. Values of a repeated field are joined by commas. */
export interface CacheFields {
  readonly cacheControl: string | undefined
  readonly age: string | undefined
  readonly date: string | undefined
  readonly expires: string | undefined
}

export const minSeconds = 60
export const maxSeconds = 86_400

/** For a response without any of these fields. */
const defaultSeconds = 300

/** Directives that ask for validation before every use. They get the minimum of {@link minSeconds}. */
const checkFirst = ["no-store", "no-cache", "must-revalidate", "proxy-revalidate"]

export const of = ({ age, cacheControl, date, expires }: CacheFields, nowMillis: number) => {
  const directives = parse(cacheControl)
  const lifetime =
    directives.has("no-store") || directives.has("no-cache")
      ? 0
      : (seconds(directives.get("s-maxage")) ??
        seconds(directives.get("max-age")) ??
        untilExpiry(expires, date, nowMillis) ??
        defaultSeconds)
  const left = lifetime - (digits.test(age ?? "") ? Number(age) : 0)
  return {
    seconds: Math.min(Math.max(left, minSeconds), maxSeconds),
    /** Whether the publisher allows a stale copy while its server does not answer. */
    mayBeStale: !checkFirst.some((name) => directives.has(name))
  }
}

/** Names in lower case. The first of repeated directives counts. */
const parse = (cacheControl: string | undefined): ReadonlyMap<string, string> => {
  const directives = new Map<string, string>()
  for (const part of (cacheControl ?? "").split(",")) {
    const [name = "", value = ""] = part.split("=", 2)
    const key = name.trim().toLowerCase()
    if (!directives.has(key)) directives.set(key, value.trim().replaceAll('"', ""))
  }
  return directives
}

const digits = /^\d{1,10}$/

/** A directive without a valid number counts as expired (RFC 9111, 4.2.1). */
const seconds = (value: string | undefined): number | undefined => {
  if (value === undefined) return undefined
  return digits.test(value) ? Number(value) : 0
}

const untilExpiry = (expires: string | undefined, date: string | undefined, nowMillis: number): number | undefined => {
  if (expires === undefined) return undefined
  const sentAt = Date.parse(date ?? "")
  const millis = Date.parse(expires) - (Number.isNaN(sentAt) ? nowMillis : sentAt)
  return Number.isNaN(millis) ? 0 : Math.floor(millis / 1000)
}
