/**
 * How long a fetched document may be used without asking again (R51; RFC 9111, sections 4.2 and 5). The package
 * http-cache-semantics (4.3.0) does not give what R51 says: it misses `Max-Age=600` for its capitals, takes the last of
 * `max-age=600, max-age=9000`, and either refuses `private` or ignores `s-maxage`.
 */

/** The header fields of an answer that decide; a field that was sent more than once is joined by commas. */
export interface CacheFields {
  readonly cacheControl: string | undefined
  readonly age: string | undefined
  readonly date: string | undefined
  readonly expires: string | undefined
}

export interface Freshness {
  readonly seconds: number
  /** Whether the publisher lets an old copy stand in while it cannot be asked. */
  readonly mayBeStale: boolean
}

export const minSeconds = 60
export const maxSeconds = 86_400

/** Of an answer that says nothing. */
const defaultSeconds = 300

/** Directives that ask for every use to be checked first. We do so as often as {@link minSeconds} lets us. */
const checkFirst = ["no-store", "no-cache", "must-revalidate", "proxy-revalidate"]

export const of = ({ age, cacheControl, date, expires }: CacheFields, nowMillis: number): Freshness => {
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
    mayBeStale: !checkFirst.some((name) => directives.has(name))
  }
}

/** Names in lower case; of a directive that stands there twice, the first counts. */
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

/** A directive that is there without a number is taken as already over (RFC 9111, 4.2.1). */
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
