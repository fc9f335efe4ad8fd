/**
 * Fetches from addresses that third parties choose, and only from hosts that are public: small JSON documents (R48, R49),
 * and with limits of the caller whatever else.
 */
import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import { Dns, NetAddress } from "effect/net"
import manifest from "../../../package.json" with { type: "json" }
import { AppConfig } from "../../Config.ts"
import type { AppSettings } from "../../Config.ts"
import { isLocalHost } from "../../domain/LocalHost.ts"
import type { CacheFields } from "../../domain/oauth/Freshness.ts"
import * as SpecialUse from "../../domain/oauth/SpecialUse.ts"
import * as ContentType from "../ContentType.ts"
import { PinnedRequest, PinnedRequestFailed } from "./PinnedRequest.ts"
import type { Answer, Head, PinnedGet } from "./PinnedRequest.ts"

export const maxBodyBytes = 16_384

const deadline = "3 seconds"

/** More addresses than this of one name are not looked at, and none of them is connected to. */
const maxAddresses = 64

const lasting = ["status", "media_type", "encoding", "too_large", "not_utf8"] as const
const lastingTexts: Readonly<Record<(typeof lasting)[number], (detail: string) => string>> = {
  status: (status) => `its server answers with status ${status} instead of 200`,
  media_type: () => "its Content-Type is not application/json in UTF-8",
  encoding: () => "it is compressed, although that was not asked for",
  too_large: () => `it is larger than ${maxBodyBytes} bytes`,
  not_utf8: () => "it is not UTF-8"
}
const passing = ["no_address", "special_use_address", "connection", "busy_status", "timeout"] as const

/**
 * Why nothing was fetched. For the log alone, but for what is `seen`: told to whoever chose the address, it would let them
 * look around in our network. `detail` has no part of the body.
 */
export class FetchFailed extends Schema.TaggedError<FetchFailed>()("FetchFailed", {
  reason: Schema.Literals([...lasting, ...passing]),
  detail: Schema.String
}) {
  /**
   * Whether a server on the public internet has answered, and with something that is no document: everyone can see that.
   * All else may pass, and looks the same from outside whether the address is forbidden or there is nobody there.
   */
  get isAnswer(): boolean {
    return this.seen !== undefined
  }

  /** What is wrong with the answer, where there was one. */
  get seen(): string | undefined {
    const reason = lasting.find((each) => each === this.reason)
    return reason === undefined ? undefined : lastingTexts[reason](this.detail)
  }
}

export interface Fetched {
  readonly text: string
  readonly cacheFields: CacheFields
}

export interface SafeRequest<E> extends Omit<PinnedGet<E>, "addresses"> {
  /** For everything together: names, connection, head and body. */
  readonly within: `${number} seconds`
  /** Whether this machine may be asked as well. */
  readonly allowsLoopback: boolean
}

/** Whether this server is on loopback, where others of the same machine may be asked, also without TLS. */
export const runsLocally = ({ baseUrl, host }: Pick<AppSettings, "baseUrl" | "host">): boolean =>
  isLocalHost(new URL(baseUrl).hostname) && isLocalHost(host === "::1" ? "[::1]" : host)

export class SafeFetch extends Context.Service<
  SafeFetch,
  {
    /** Follows no redirect; what the answer is to be like is for the caller to say. */
    request<E>(options: SafeRequest<E>): Effect.Effect<Answer, E | FetchFailed>
    /** A JSON document. `url` is `https`, or `http` on a local host when the server runs locally: the caller has seen to it. */
    get(url: URL): Effect.Effect<Fetched, FetchFailed>
  }
>()("discovery/oauth/SafeFetch") {
  static readonly layerNoDeps = Layer.effect(
    SafeFetch,
    Effect.gen(function* () {
      const config = yield* AppConfig
      const dns = yield* Dns.Dns
      const pinned = yield* PinnedRequest
      const isLocal = runsLocally(config)
      const headers = {
        accept: "application/json",
        // What is not compressed cannot grow when it is unpacked.
        "accept-encoding": "identity",
        "user-agent": `${manifest.name}/${manifest.version} (+${config.baseUrl})`
      }

      /** Asked of name servers alone: a hosts file or a search list would lead into our own network. */
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
        // One is enough: who has a public and an inner address would else choose which of them is connected to.
        const forbidden = addresses.find((address) => !isAllowed(address, allowsLoopback))
        if (forbidden !== undefined) return yield* failed("special_use_address", NetAddress.formatIp(forbidden))
        return yield* Effect.mapError(pinned.get({ ...options, addresses }), (error) =>
          error instanceof PinnedRequestFailed ? failed(error.reason, error.detail) : error
        )
      })

      const request = <E>(options: SafeRequest<E>): Effect.Effect<Answer, E | FetchFailed> =>
        Effect.timeoutOrElse(connect(options), {
          duration: options.within,
          orElse: () => Effect.fail(failed("timeout", `not within ${options.within}`))
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
        const text = decodeUtf8(answer.body)
        if (Option.isNone(text)) return yield* failed("not_utf8", `${answer.body.length} bytes`)
        return {
          text: text.value,
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

  /** On node's sockets. */
  static readonly layer = SafeFetch.layerNoDeps.pipe(Layer.provide(PinnedRequest.layer))
}

const failed = (reason: FetchFailed["reason"], detail: string) => new FetchFailed({ reason, detail })

const utf8 = new TextDecoder("utf-8", { fatal: true })
const decodeUtf8 = Option.liftThrowable((bytes: Uint8Array) => utf8.decode(bytes))

/** `application/json` or a type that is written in it, in UTF-8 where it says so. */
const isJson = (header: string): boolean => {
  const contentType = ContentType.parse(header)
  return contentType?.isUtf8 === true && /^application\/(?:.+\+)?json$/.test(contentType.type)
}

/** `undefined` when the body may be read. */
const refusalOf = ({ headers, status }: Head): FetchFailed | undefined => {
  // Redirects among them: where they lead has not been checked, and the id would be another.
  if (status !== 200) return failed(isBusy(status) ? "busy_status" : "status", String(status))
  const type = headers["content-type"] ?? ""
  if (!isJson(type)) return failed("media_type", excerpt(type))
  const encoding = headers["content-encoding"] ?? "identity"
  if (encoding.toLowerCase() !== "identity") return failed("encoding", excerpt(encoding))
  const length = Number(headers["content-length"] ?? 0)
  return length > maxBodyBytes ? failed("too_large", `${length} bytes`) : undefined
}

/** Of an untrusted header, for the log. */
const excerpt = (value: string): string => value.slice(0, 60).replaceAll(/[^\x20-\x7e]/g, "?")

const isBusy = (status: number): boolean => status >= 500 || status === 408 || status === 429
