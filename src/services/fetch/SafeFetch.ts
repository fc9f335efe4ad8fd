/**
 * Fetches from addresses that third parties choose, on public hosts only: small JSON documents (R48, R49), or any content
 * within the caller's limits. Also posts to them (D114).
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { Dns, NetAddress } from "effect/net"
import manifest from "../../../package.json" with { type: "json" }
import { AppConfig } from "../../Config.ts"
import type { AppSettings } from "../../Config.ts"
import { isLocalHost } from "../../domain/LocalHost.ts"
import type { CacheFields } from "../../domain/Freshness.ts"
import * as SpecialUse from "../../domain/SpecialUse.ts"
import * as Utf8 from "../../domain/Utf8.ts"
import * as ContentType from "../ContentType.ts"
import { PinnedRequest, PinnedRequestFailed } from "./PinnedRequest.ts"
import type { Answer, Head, PinnedSend } from "./PinnedRequest.ts"

export const maxBodyBytes = 16_384

const deadline = "3 seconds"

/** A name with more addresses than this is refused. */
const maxAddresses = 64

const lasting = ["status", "media_type", "encoding", "too_large", "not_utf8"] as const
const passing = ["no_address", "special_use_address", "connection", "busy_status", "timeout"] as const

/**
 * Why a fetch failed. For the log only, except `seen`: the one who chose the address could use the rest to probe this
 * server's network. `detail` contains no part of the body.
 */
export class FetchFailed extends Schema.TaggedError<FetchFailed>()("FetchFailed", {
  reason: Schema.Literals([...lasting, ...passing]),
  detail: Schema.String
}) {
  /**
   * Whether a server on the public internet has answered with something that is not a document, which is public knowledge.
   * Every other failure may be temporary and looks the same from outside, so it does not reveal whether the address is
   * forbidden or unreachable.
   */
  get isAnswer(): boolean {
    return this.seen !== undefined
  }

  /** What is wrong with the response, if there was one. */
  get seen(): (typeof lasting)[number] | undefined {
    return lasting.find((each) => each === this.reason)
  }
}

export interface Fetched {
  readonly text: string
  readonly cacheFields: CacheFields
}

export interface SafeRequest<E> extends Omit<PinnedSend<E>, "addresses"> {
  /** Limit for the whole fetch: DNS, connection, head and body. */
  readonly within: `${number} seconds`
  /** Whether loopback addresses are allowed. */
  readonly allowsLoopback: boolean
}

/** Whether this server runs on loopback. It may then fetch from its own machine, also without TLS. */
export const runsLocally = ({ baseUrl, host }: Pick<AppSettings, "baseUrl" | "host">): boolean =>
  isLocalHost(new URL(baseUrl).hostname) && isLocalHost(host === "::1" ? "[::1]" : host)

export const userAgent = ({ baseUrl }: Pick<AppSettings, "baseUrl">): string =>
  `${manifest.name}/${manifest.version} (+${baseUrl})`

export class SafeFetch extends Context.Service<
  SafeFetch,
  {
    /** Does not follow redirects. The caller validates the response. */
    request<E>(options: SafeRequest<E>): Effect.Effect<Answer, E | FetchFailed>
    /**
     * Fetches a JSON document. The caller guarantees that `url` is `https`, or `http` on a local host if the server runs
     * locally.
     */
    get(url: URL): Effect.Effect<Fetched, FetchFailed>
  }
>()("discovery/fetch/SafeFetch") {
  static readonly layerNoDeps = Layer.effect(
    SafeFetch,
    Effect.gen(function* () {
      const config = yield* AppConfig
      const dns = yield* Dns.Dns
      const pinned = yield* PinnedRequest
      const isLocal = runsLocally(config)
      const headers = {
        accept: "application/json",
        // Without compression, so that a small body cannot expand.
        "accept-encoding": "identity",
        "user-agent": userAgent(config)
      }

      /** Asks DNS servers only: a hosts file or a search list could lead into this server's network. */
      const records = (name: string, type: "A" | "AAAA") =>
        dns.resolve(name, type).pipe(
          Effect.map((found) => found.map(({ address }): NetAddress.IpAddress => address)),
          Effect.result
        )

      const resolve = Effect.fnUntraced(function* (hostname: string, allowsLoopback: boolean) {
        if (allowsLoopback && hostname === "localhost") return NetAddress.loopbackAddresses
        const literal = NetAddress.ipFromString(hostname.replaceAll(/[[\]]/g, ""))
        if (Result.isSuccess(literal)) return [literal.success]
        const found = yield* Effect.all([records(hostname, "A"), records(hostname, "AAAA")], { concurrency: 2 })
        const addresses = found.flatMap((result) => (Result.isSuccess(result) ? result.success : []))
        if (addresses.length > 0) return addresses
        const [failure] = found.flatMap((result) => (Result.isFailure(result) ? [result.failure.reason] : []))
        return yield* failed("no_address", failure ?? "NotFound")
      })

      const isAllowed = (address: NetAddress.IpAddress, allowsLoopback: boolean) => {
        const found = SpecialUse.classify(address)
        return found === "public" || (allowsLoopback && found === "loopback")
      }

      const connect = Effect.fnUntraced(function* <E>(
        options: SafeRequest<E>
      ): Effect.fn.Return<Answer, E | FetchFailed> {
        const { allowsLoopback, url } = options
        const addresses: ReadonlyArray<NetAddress.IpAddress> = yield* resolve(url.hostname, allowsLoopback)
        if (addresses.length > maxAddresses) return yield* failed("no_address", `${addresses.length} of them`)
        // One forbidden address refuses the name: otherwise its owner could choose the address that is connected to.
        const forbidden = addresses.find((address) => !isAllowed(address, allowsLoopback))
        if (forbidden !== undefined) return yield* failed("special_use_address", NetAddress.formatIp(forbidden))
        return yield* Effect.mapError(pinned.send({ ...options, addresses }), (error) =>
          error instanceof PinnedRequestFailed ? failed(error.reason, error.detail) : error
        )
      })

      const request = <E>(options: SafeRequest<E>): Effect.Effect<Answer, E | FetchFailed> =>
        Effect.timeoutOrElse(connect(options), {
          duration: options.within,
          orElse: () => Effect.fail(failed("timeout", `no answer within ${options.within}`))
        })

      const get = Effect.fnUntraced(function* (url: URL) {
        const answer = yield* request({
          url,
          headers,
          maxBodyBytes,
          within: deadline,
          allowsLoopback: isLocal,
          refuse: refusalOf
        })
        const text = Utf8.decode(answer.body)
        if (text === undefined) return yield* failed("not_utf8", `${answer.body.length} bytes`)
        return {
          text,
          cacheFields: {
            cacheControl: answer.headers["cache-control"],
            age: answer.headers["age"],
            date: answer.headers["date"],
            expires: answer.headers["expires"]
          }
        }
      })

      return SafeFetch.of({ request, get })
    })
  )

  /** With the sockets of Node. */
  static readonly layer = SafeFetch.layerNoDeps.pipe(Layer.provide(PinnedRequest.layer))
}

const failed = (reason: FetchFailed["reason"], detail: string) => new FetchFailed({ reason, detail })

/** `application/json` or a `+json` type, and UTF-8 if it names a charset. */
const isJson = (header: string): boolean => {
  const contentType = ContentType.parse(header)
  return contentType?.isUtf8 === true && /^application\/(?:.+\+)?json$/.test(contentType.type)
}

/** Why the body is not read; `undefined` if it may be read. */
const refusalOf = ({ headers, status }: Head): FetchFailed | undefined => {
  // This includes redirects: their target is unchecked, and it would be another client id.
  if (status !== 200) return failed(isBusy(status) ? "busy_status" : "status", String(status))
  const type = headers["content-type"] ?? ""
  if (!isJson(type)) return failed("media_type", excerpt(type))
  const encoding = headers["content-encoding"] ?? "identity"
  if (encoding.toLowerCase() !== "identity") return failed("encoding", excerpt(encoding))
  const length = Number(headers["content-length"] ?? 0)
  return length > maxBodyBytes ? failed("too_large", `${length} bytes`) : undefined
}

/** Makes an untrusted header safe to log. */
const excerpt = (value: string): string => value.slice(0, 60).replaceAll(/[^\x20-\x7e]/g, "?")

const isBusy = (status: number): boolean => status >= 500 || status === 408 || status === 429
