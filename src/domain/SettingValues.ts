/** Forms of the values of settings, each with what is expected instead of an invalid one. */
import { Option, Result, Schema, SchemaTransformation } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { isListeningLocally, isLocalHost } from "./LocalHost.ts"
import { hasUserInfo } from "./UserInfo.ts"

/** http(s), lower case, without path, query, fragment or trailing slash. */
export const Origin = Schema.Trim.check(
  Schema.makeFilter(
    (text: string) => {
      const url = URL.parse(text)
      return url !== null && /^https?:$/u.test(url.protocol) && url.origin === text
    },
    {
      expected: "an http(s) origin in lower case such as https://discovery.example.com, without path or trailing slash"
    }
  )
)

/** Plain http only for this machine: passwords, codes and tokens are sent there (R7). */
export const PublicOrigin = Origin.check(
  Schema.makeFilter(
    (text: string) => {
      const url = URL.parse(text)
      return url?.protocol !== "http:" || isLocalHost(url.hostname)
    },
    { expected: "https: unless the host is localhost, 127.0.0.1 or [::1]; let a proxy in front of the server end TLS" }
  )
)

const hasScheme = (text: string, ...schemes: ReadonlyArray<string>) => schemes.includes(URL.parse(text)?.protocol ?? "")

/** Shown to customers, as text and on pages. */
export const Link = Schema.String.check(
  Schema.makeFilter((text: string) => hasScheme(text, "http:", "https:", "mailto:") && !hasUserInfo(text), {
    expected:
      "an address such as https://example.com/billing or mailto:support@example.com, without a password before the host"
  })
)

/** Goes into a header. */
export const Contact = Schema.Trim.check(
  Schema.makeFilter(
    (text: string) =>
      /^[\x21-\x7e]{3,200}$/u.test(text) &&
      (/^[^@()<>,;:"/]+@[^@()<>,;:"/]+\.[^@()<>,;:"/]+$/u.test(text) ||
        (hasScheme(text, "http:", "https:", "mailto:") && !hasUserInfo(text) && !/[()]/u.test(text))),
    { expected: "an e-mail address, or a web address such as https://example.com/about-our-crawler" }
  )
)

export const Endpoint = Schema.String.check(
  Schema.makeFilter((text: string) => hasScheme(text, "http:", "https:"), {
    expected: "an http(s) address such as http://localhost:4318"
  })
)

export const whole = (minimum: number, maximum: number) => {
  const annotations = { expected: `a whole number from ${minimum} to ${maximum}` }
  // Digits only: JavaScript also takes 0x10 and 3e3 for numbers.
  return Schema.String.check(Schema.isPattern(/^\d{1,10}$/u, annotations)).pipe(
    Schema.decodeTo(
      Schema.Finite.check(Schema.makeFilter((value: number) => value >= minimum && value <= maximum, annotations)),
      SchemaTransformation.numberFromString
    )
  )
}

/** An IP address, or a network such as `10.0.0.0/8`. */
export const Network = Schema.Trim.check(
  Schema.makeFilter((text: string) => Option.isSome(networkOf(text)), {
    expected: "an IP address or a network such as 10.0.0.0/8"
  })
)

export function networkOf(text: string): Option.Option<IpNetwork.IpNetwork> {
  if (text.includes("/")) return Result.getSuccess(IpNetwork.fromString(text))
  return Option.map(Result.getSuccess(NetAddress.ipFromString(text)), (address) =>
    IpNetwork.fromStringUnsafe(`${NetAddress.formatIp(address)}/${NetAddress.isIpv4Address(address) ? 32 : 128}`)
  )
}

/** Passwords, keys and tokens are sent over this connection. `baseUrl` is the address that clients are given. */
export const Listening = Schema.Struct({ host: Schema.String, baseUrl: Schema.String }).check(
  Schema.makeFilter(({ baseUrl, host }) =>
    isListeningLocally(host) || !baseUrl.startsWith("http:")
      ? undefined
      : {
          path: ["HOST"],
          issue:
            `HOST=${host} lets other machines send passwords, keys and tokens without TLS to ${baseUrl}. ` +
            "Set BASE_URL to the https:// address of the proxy that ends TLS in front of this server, or HOST to 127.0.0.1"
        }
  )
)

/** On the same port the metrics would be public, or the server could not start. */
export const Ports = Schema.Struct({ port: Schema.Int, metricsPort: Schema.Option(Schema.Int) }).check(
  Schema.makeFilter(({ metricsPort, port }) =>
    Option.contains(metricsPort, port)
      ? { path: ["METRICS_PORT"], issue: `METRICS_PORT=${port} is the PORT of the server. Set it to another number` }
      : undefined
  )
)

/** Threads share out the connections. Only Linux distributes the connections of clients over threads that listen on one port. */
export const Threads = Schema.Struct({
  databaseMaxConnections: Schema.Int,
  httpThreads: Schema.Int,
  platform: Schema.String
}).check(
  Schema.makeFilter(({ databaseMaxConnections, httpThreads, platform }) => {
    if (httpThreads === 1) return undefined
    if (platform !== "linux") {
      return { path: ["HTTP_THREADS"], issue: `HTTP_THREADS=${httpThreads} needs Linux. Leave it out, or set it to 1` }
    }
    if (databaseMaxConnections >= 2 * httpThreads) return undefined
    const issue =
      `HTTP_THREADS=${httpThreads} leaves a thread less than 2 of DATABASE_MAX_CONNECTIONS=${databaseMaxConnections}. ` +
      `Set HTTP_THREADS to at most ${Math.floor(databaseMaxConnections / 2)}, or DATABASE_MAX_CONNECTIONS to at least ${2 * httpThreads}`
    return { path: ["HTTP_THREADS"], issue }
  })
)
