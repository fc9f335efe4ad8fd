/**
 * One GET or POST to IP addresses that were checked before. The host name is not resolved again; it is used only for TLS and the
 * header `Host`.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { NetAddress } from "effect/net"
import * as http from "node:http"
import * as https from "node:https"
import { isIP } from "node:net"
import type { LookupFunction } from "node:net"

/** Limit of the response head: Node's default, written down because it is a limit. */
const maxHeaderBytes = 16_384

/** `detail` is for the log, such as `ECONNREFUSED`. */
export class PinnedRequestFailed extends Schema.TaggedError<PinnedRequestFailed>()("PinnedRequestFailed", {
  reason: Schema.Literals(["connection", "too_large"]),
  detail: Schema.String
}) {}

export interface Head {
  readonly status: number
  /** By lower-case name. Headers whose repeated values Node keeps in an array are left out. */
  readonly headers: Readonly<Record<string, string>>
}

export interface PinnedSend<E> {
  readonly url: URL
  /** In the order of preference. */
  readonly addresses: ReadonlyArray<NetAddress.IpAddress>
  readonly headers: Readonly<Record<string, string>>
  /** With one, it is a POST. */
  readonly post?: string
  readonly maxBodyBytes: number
  /** Returns why a response with this head is refused. Its body is then not read. */
  readonly refuse: (head: Head) => E | undefined
}

export interface Answer extends Head {
  readonly body: Uint8Array
}

export class PinnedRequest extends Context.Service<
  PinnedRequest,
  {
    /** Does not follow redirects and does not decompress. The connection is closed at the end, also by interruption. */
    send<E>(options: PinnedSend<E>): Effect.Effect<Answer, E | PinnedRequestFailed>
  }
>()("discovery/fetch/PinnedRequest") {
  /** With `ca` (PEM), only certificates that it signed are trusted. */
  static readonly layerWith = ({ ca }: { readonly ca?: string }): Layer.Layer<PinnedRequest> =>
    Layer.succeed(PinnedRequest, {
      send: <E>({ addresses, headers, maxBodyBytes, post, refuse, url }: PinnedSend<E>) =>
        Effect.callback<Answer, E | PinnedRequestFailed>((resume) => {
          const end = (error: E | PinnedRequestFailed) => {
            resume(Effect.fail(error))
            request.destroy()
          }
          const fail = (reason: PinnedRequestFailed["reason"], detail: string) =>
            end(new PinnedRequestFailed({ reason, detail }))
          const isTls = url.protocol === "https:"
          const name = url.hostname.replaceAll(/[[\]]/g, "")
          const pinned = addresses.map(NetAddress.formatIp)
          const request = (isTls ? https : http).request({
            method: post === undefined ? "GET" : "POST",
            // For a literal IP address there is no lookup.
            host: isIP(name) === 0 ? name : (pinned[0] ?? ""),
            port: url.port === "" ? (isTls ? 443 : 80) : Number(url.port),
            path: `${url.pathname}${url.search}`,
            headers: {
              ...headers,
              ...(post === undefined ? {} : { "content-length": Buffer.byteLength(post) }),
              host: url.host
            },
            lookup: lookupOf(pinned),
            // A new agent: connections are neither shared nor kept, and no proxy from the environment resolves the name
            // again.
            agent: false,
            maxHeaderSize: maxHeaderBytes,
            rejectUnauthorized: true,
            ...(ca === undefined ? {} : { ca })
          })
          request.on("error", (error) => fail("connection", codeOf(error)))
          // Emitted last in every case; later calls of `resume` are ignored.
          request.on("close", () => fail("connection", "closed"))
          request.on("response", (incoming) => {
            const head = headOf(incoming)
            const refusal = refuse(head)
            if (refusal !== undefined) return end(refusal)
            const chunks: Array<Buffer> = []
            let size = 0
            incoming.on("error", (error) => fail("connection", codeOf(error)))
            incoming.on("data", (chunk: Buffer) => {
              size += chunk.length
              if (size > maxBodyBytes) fail("too_large", `more than ${maxBodyBytes} bytes`)
              else chunks.push(chunk)
            })
            // Not emitted for a truncated body.
            incoming.on("end", () => resume(Effect.succeed({ ...head, body: Buffer.concat(chunks) })))
          })
          request.end(post)
          return Effect.sync(() => request.destroy())
        })
    })

  static readonly layer = PinnedRequest.layerWith({})
}

/** A `lookup` for sockets that always returns the checked addresses. */
const lookupOf = (pinned: ReadonlyArray<string>): LookupFunction => {
  const all = pinned.map((address) => ({ address, family: isIP(address) }))
  const [first] = all
  return (hostname, options, callback) => {
    if (first === undefined) callback(new Error(`${hostname} has no allowed address`), "")
    else if (options.all === true) callback(null, all)
    else callback(null, first.address, first.family)
  }
}

const headOf = (incoming: http.IncomingMessage): Head => ({
  status: incoming.statusCode ?? 0,
  headers: Object.fromEntries(
    Object.entries(incoming.headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  )
})

const codeOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" ? error.code : "the connection failed"
