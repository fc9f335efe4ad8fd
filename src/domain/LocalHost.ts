/** What is this machine: for the addresses that secrets go to, for what the server listens on, and for browsers. */
import { Option, Result } from "effect"
import { NetAddress } from "effect/net"

const names = new Set(["localhost", "127.0.0.1", "[::1]"])

/** Of a host as the URL parser writes it: the only ones to which secrets go without TLS. */
export const isLocalHost = (hostname: string): boolean => names.has(hostname)

const addressOf = (host: string) =>
  Option.map(Result.getSuccess(NetAddress.ipFromString(host)), (address) => NetAddress.toCanonical(address))

/** Whether nobody but this machine reaches a server that listens there. Of names, only this one is known to be so. */
export const isListeningLocally = (host: string): boolean =>
  host === "localhost" || Option.exists(addressOf(host), (address) => NetAddress.isLoopback(address))

const localName = /^(?:[^.]+\.)*localhost\.?$/

/** What browsers take for this machine, of a host as the URL parser writes it: names below localhost and `0.0.0.0` as well. */
export const isLocalToBrowsers = (hostname: string): boolean =>
  localName.test(hostname) ||
  Option.exists(
    addressOf(hostname.replace(/^\[(.*)\]$/, "$1")),
    (address) => NetAddress.isLoopback(address) || NetAddress.isUnspecified(address)
  )
