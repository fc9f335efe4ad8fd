/** Which hosts are this machine: for addresses that secrets are sent to, for the listening address, and for browsers. */
import { Option, Result } from "effect"
import { NetAddress } from "effect/net"

const names = new Set(["localhost", "127.0.0.1", "[::1]"])

/** For a host as the URL parser writes it. Only to these are secrets sent without TLS. */
export const isLocalHost = (hostname: string): boolean => names.has(hostname)

const addressOf = (host: string) =>
  Option.map(Result.getSuccess(NetAddress.ipFromString(host)), (address) => NetAddress.toCanonical(address))

/** Whether only this machine can reach a server that listens there. Of all names, only `localhost` is certain. */
export const isListeningLocally = (host: string): boolean =>
  host === "localhost" || Option.exists(addressOf(host), (address) => NetAddress.isLoopback(address))

const localName = /^(?:[^.]+\.)*localhost\.?$/

/**
 * Hosts that browsers resolve to this machine: also names below localhost, and `0.0.0.0`. `hostname` is as the URL parser
 * writes it.
 */
export const isLocalToBrowsers = (hostname: string): boolean =>
  localName.test(hostname) ||
  Option.exists(
    addressOf(hostname.replace(/^\[(.*)\]$/, "$1")),
    (address) => NetAddress.isLoopback(address) || NetAddress.isUnspecified(address)
  )
