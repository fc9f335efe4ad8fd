/**
 * The address that limits count a request by: that of the peer, or the one that a trusted proxy forwards (Config,
 * `TRUSTED_PROXIES`). No other forwarding header is read.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import type { AppSettings } from "../../Config.ts"
import * as RequestHeaders from "./RequestHeaders.ts"

/** More hops than any real request has. */
const maxHops = 20
/** The smallest network that a household or a server gets. ClientNetwork also counts a wider one. */
const ipv6Prefix = 64

type Trust = Pick<AppSettings, "trustedProxies">

const isTrustedBy =
  ({ trustedProxies }: Trust) =>
  (address: NetAddress.IpAddress) =>
    trustedProxies.some((network) => IpNetwork.contains(network, address))

/** For IPv6 the network, because its holder controls all addresses in it; `unknown` if there is no address. */
export const of = (trust: Trust) => {
  const isTrusted = isTrustedBy(trust)

  return (request: HttpServerRequest.HttpServerRequest): string => {
    const peer = parse(NodeHttpServerRequest.toIncomingMessage(request).socket.remoteAddress)
    if (peer === undefined) return unknown
    return counted(
      trust.trustedProxies.length === 0 ? peer : behind(peer, RequestHeaders.of(request)["x-forwarded-for"])
    )
  }

  /** Each proxy appends the address of its client: from the right, the first that is not a trusted proxy. */
  function behind(peer: NetAddress.IpAddress, forwarded: string | undefined): NetAddress.IpAddress {
    let last = peer
    for (const hop of (forwarded ?? "").split(",").slice(-maxHops).toReversed()) {
      if (!isTrusted(last)) return last
      const address = parse(hop.trim())
      if (address === undefined) return last
      last = address
    }
    return last
  }
}

/** For connections, by the address of the peer; `undefined` for a trusted proxy, which has many clients. */
export const ofPeer = (trust: Trust) => {
  const isTrusted = isTrustedBy(trust)
  return (remoteAddress: string | undefined): string | undefined => {
    const peer = parse(remoteAddress)
    if (peer === undefined) return unknown
    return isTrusted(peer) ? undefined : counted(peer)
  }
}

const unknown = "unknown"

const parse = (text: string | undefined): NetAddress.IpAddress | undefined => {
  if (text === undefined || text === "") return undefined
  const ip = NetAddress.ipFromString(text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text)
  const address = Option.orElse(Result.getSuccess(ip), (): Option.Option<NetAddress.IpAddress> =>
    Option.map(Result.getSuccess(NetAddress.inetAddressFromString(text)), (withPort) => withPort.address)
  )
  return Option.getOrUndefined(Option.map(address, (each) => NetAddress.toCanonical(each)))
}

const counted = (address: NetAddress.IpAddress): string =>
  NetAddress.isIpv4Address(address)
    ? NetAddress.formatIp(address)
    : NetAddress.ipv6ToSegments(address)
        .slice(0, ipv6Prefix / 16)
        .map((segment) => segment.toString(16))
        .join(":")
