/**
 * Sends requests to the hosts of one owner: one at a time with a pause between, as robots.txt allows, with retries while a
 * server is busy, and without following redirects to another owner.
 */
import { Clock, Data, Effect, Result } from "effect"
import { promisify } from "node:util"
import * as zlib from "node:zlib"
import manifest from "../../../package.json" with { type: "json" }
import { echo } from "../../domain/ArgumentDecoder.ts"
import { haveOneOwner } from "../../domain/HostParts.ts"
import { hasUserInfo } from "../../domain/UserInfo.ts"
import type { Answer, Head } from "../fetch/PinnedRequest.ts"
import { SafeFetch } from "../fetch/SafeFetch.ts"
import type { FetchFailed } from "../fetch/SafeFetch.ts"
import * as ContentType from "../ContentType.ts"
import { NotFetched } from "./CollectError.ts"
import * as Robots from "./Robots.ts"

/** Validators for conditional requests, so that an unchanged file is not sent again. */
export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

export interface Wanted {
  readonly url: URL
  readonly accept: string
  readonly maxBytes: number
  /** The validators of the stored answer. */
  readonly validators?: Validators | undefined
}

export interface Fetched {
  /** The address after all redirects. */
  readonly url: URL
  /** Without parameters, in lower case; "" if there is none. */
  readonly mediaType: string
  readonly body: Uint8Array
  readonly validators: Validators
}

export interface PoliteFetch {
  /** Returns `undefined` for an answer that has not changed. */
  readonly get: (wanted: Wanted) => Effect.Effect<Fetched | undefined, NotFetched>
  /** Reads the host's robots.txt, unless it was read before. Returns the host that redirects lead to. */
  readonly enter: (host: string) => Effect.Effect<string, NotFetched>
}

const maxRedirects = 3
const requestTime = "60 seconds"
const maxRobotsBytes = 2 ** 21
/** The pauses before the second and the third attempt, which is the last. */
const pausesSeconds = [5, 30]
/** A request is not retried if `Retry-After` asks for a longer pause. */
const maxRetryAfterSeconds = 300
const maxCrawlDelaySeconds = 30

const product = manifest.name

/** `contact` is the e-mail or web address of the operator. */
export const userAgent = (contact: string): string => `${product}/${manifest.version} (collect; ${contact})`

/** An answer without a body to read: a redirect, an error, or 304 (Not Modified). */
class Bodiless extends Data.TaggedError("Bodiless")<{ readonly head: Head }> {}

export const make = Effect.fnUntraced(function* (options: {
  readonly contact: string
  readonly delayMillis: number
  readonly onRequest: Effect.Effect<void>
}): Effect.fn.Return<PoliteFetch, never, SafeFetch> {
  const safe = yield* SafeFetch
  const robots = new Map<string, Robots.Robots>()
  let delayMillis = options.delayMillis
  let freeAt = 0

  const once = Effect.fnUntraced(function* (wanted: Wanted) {
    const now = yield* Clock.currentTimeMillis
    if (freeAt > now) yield* Effect.sleep(freeAt - now)
    yield* options.onRequest
    const { etag, lastModified } = wanted.validators ?? { etag: null, lastModified: null }
    const answered = yield* Effect.result(
      safe.request({
        url: wanted.url,
        headers: {
          accept: wanted.accept,
          "accept-encoding": "gzip",
          "user-agent": userAgent(options.contact),
          ...(etag === null ? {} : { "if-none-match": etag }),
          ...(lastModified === null ? {} : { "if-modified-since": lastModified })
        },
        maxBodyBytes: wanted.maxBytes,
        within: requestTime,
        allowsLoopback: false,
        refuse: (head) => (head.status === 200 ? undefined : new Bodiless({ head }))
      })
    )
    freeAt = (yield* Clock.currentTimeMillis) + delayMillis
    return answered
  })

  /** Sends a request with retries. Returns the answer, or a status that is not retried. */
  const requestWithRetries = Effect.fnUntraced(function* (
    wanted: Wanted
  ): Effect.fn.Return<Answer | Bodiless, NotFetched> {
    for (const pause of [...pausesSeconds, undefined]) {
      const answered = yield* once(wanted)
      if (Result.isSuccess(answered)) return answered.success
      const { failure } = answered
      if (failure._tag === "FetchFailed" && !isRetryable(failure)) return yield* failureOf(failure, wanted)
      if (failure._tag === "Bodiless" && !isBusy(failure.head.status)) return failure
      const now = yield* Clock.currentTimeMillis
      const asked = failure._tag === "Bodiless" ? retryAfterSeconds(failure.head, now) : undefined
      if (asked !== undefined) freeAt = Math.max(freeAt, now + 1_000 * Math.min(asked, maxRetryAfterSeconds))
      if (pause === undefined || (asked ?? 0) > maxRetryAfterSeconds) return yield* failureOf(failure, wanted)
      freeAt = Math.max(freeAt, now + 1_000 * (asked ?? pause))
    }
    return yield* new NotFetched({ reason: "passing", message: "was not asked" })
  })

  const follow = Effect.fnUntraced(function* (
    wanted: Wanted,
    obeysRobots: boolean
  ): Effect.fn.Return<Fetched | undefined, NotFetched> {
    let { url } = wanted
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      if (obeysRobots) {
        yield* enter(url.host)
        const rules = robots.get(url.host) ?? Robots.allowsEverything
        if (!rules.allows(`${url.pathname}${url.search}`)) {
          return yield* new NotFetched({ reason: "disallowed", message: "is not allowed by its robots.txt" })
        }
      }
      const answer = yield* requestWithRetries({ ...wanted, url })
      if (!(answer instanceof Bodiless)) return yield* fetchedOf(answer, url, wanted.maxBytes)
      const { headers, status } = answer.head
      if (status === 304 && wanted.validators !== undefined) return undefined
      if (!redirectStatuses.has(status)) {
        const reason = status >= 400 && status < 500 ? "missing" : "no"
        return yield* new NotFetched({ reason, message: `answers with status ${status}` })
      }
      url = yield* redirectTarget(url, headers["location"] ?? "")
    }
    return yield* new NotFetched({ reason: "passing", message: `redirects more than ${maxRedirects} times` })
  })

  const enter = Effect.fnUntraced(function* (host: string): Effect.fn.Return<string, NotFetched> {
    if (robots.has(host)) return host
    const found = yield* Effect.result(
      follow(
        { url: new URL(`https://${host}/robots.txt`), accept: "text/plain, */*;q=0.1", maxBytes: maxRobotsBytes },
        false
      )
    )
    if (Result.isFailure(found) && found.failure.reason !== "missing") {
      const { message, reason } = found.failure
      // There may be rules in an answer that is not usable. It counts as one that could not be had.
      return yield* new NotFetched({ reason: reason === "no" ? "passing" : reason, message })
    }
    const answer = Result.isSuccess(found) ? found.success : undefined
    const rules =
      answer === undefined ? Robots.allowsEverything : Robots.parse(new TextDecoder().decode(answer.body), product)
    delayMillis = Math.max(delayMillis, 1_000 * Math.min(rules.crawlDelaySeconds ?? 0, maxCrawlDelaySeconds))
    freeAt = Math.max(freeAt, (yield* Clock.currentTimeMillis) + delayMillis)
    robots.set(host, rules)
    if (answer?.url.pathname !== "/robots.txt") return host
    robots.set(answer.url.host, rules)
    return answer.url.host
  })

  return { get: (wanted) => follow(wanted, true), enter }
})

const redirectStatuses = new Set([301, 302, 303, 307, 308])

const isBusy = (status: number): boolean => status >= 500 || status === 408 || status === 429

const isRetryable = ({ reason }: FetchFailed): boolean => reason === "connection" || reason === "timeout"

const retryAfterSeconds = ({ headers }: Head, now: number): number | undefined => {
  const text = headers["retry-after"]?.trim() ?? ""
  if (/^\d{1,9}$/u.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isFinite(at) ? Math.max(0, Math.ceil((at - now) / 1_000)) : undefined
}

const failureOf = (failure: Bodiless | FetchFailed, { maxBytes }: Wanted): NotFetched => {
  if (failure._tag === "Bodiless") {
    const after = failure.head.headers["retry-after"]
    return new NotFetched({
      reason: "passing",
      message:
        `answers with status ${failure.head.status}` +
        (after === undefined ? "" : ` and asks to be left alone (Retry-After: ${echo(after)})`)
    })
  }
  switch (failure.reason) {
    case "no_address":
      return new NotFetched({ reason: "no_name", message: "has a name without address" })
    case "special_use_address":
      return new NotFetched({ reason: "elsewhere", message: `has an address that is not public (${failure.detail})` })
    case "too_large":
      return new NotFetched({ reason: "passing", message: `is larger than ${maxBytes} bytes` })
    case "timeout":
      return new NotFetched({ reason: "passing", message: `does not answer within ${requestTime}` })
    default:
      return new NotFetched({ reason: "passing", message: `cannot be connected to (${failure.detail})` })
  }
}

const redirectTarget = (from: URL, location: string): Effect.Effect<URL, NotFetched> => {
  const no = (reason: NotFetched["reason"], message: string) => Effect.fail(new NotFetched({ reason, message }))
  const to = URL.parse(location, from)
  if (to === null) return no("no", "redirects to no address")
  if (!haveOneOwner(from.hostname, to.hostname)) {
    return no("elsewhere", `leads to ${to.hostname.slice(0, 253)}, another domain`)
  }
  if (to.protocol !== "https:" || to.port !== "" || hasUserInfo(to.href)) {
    return no("no", `redirects to ${to.protocol}//${to.host}, where it is not followed`)
  }
  return Effect.succeed(to)
}

/** A validator is sent back unchanged, so it must be valid in a header. */
export const isValidator = /^[\x20-\x7e]{1,500}$/u

const validator = (value: string | undefined): string | null =>
  value !== undefined && isValidator.test(value) ? value : null

const gunzip = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.gunzip)

const fetchedOf = Effect.fnUntraced(function* ({ body, headers }: Answer, url: URL, maxBytes: number) {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
  if (encoding !== "identity" && encoding !== "gzip") {
    return yield* new NotFetched({ reason: "no", message: "is packed in a way that was not asked for" })
  }
  const unpacked =
    encoding === "identity"
      ? body
      : yield* Effect.tryPromise({
          // The limit of the body also applies to the decompressed body.
          try: () => gunzip(body, { maxOutputLength: maxBytes }),
          catch: () =>
            new NotFetched({ reason: "passing", message: `does not unpack, or to more than ${maxBytes} bytes` })
        })
  const fetched: Fetched = {
    url,
    mediaType: ContentType.parse(headers["content-type"])?.type ?? "",
    body: unpacked,
    validators: { etag: validator(headers["etag"]), lastModified: validator(headers["last-modified"]) }
  }
  return fetched
})
