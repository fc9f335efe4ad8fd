/**
 * Classes of IP addresses: public, loopback, and all other special-purpose addresses (R49; RFC 6890 and the IANA
 * registries of special-purpose addresses).
 */
import { IpNetwork, NetAddress } from "effect/net"

/** `loopback` is 127.0.0.0/8 and ::1. Every other address that is not public is `special`. */
export type AddressClass = "public" | "loopback" | "special"

const networks = (...prefixes: ReadonlyArray<string>) => prefixes.map(IpNetwork.fromStringUnsafe)

/** Addresses that are not listed are public. */
const specialIpv4 = networks(
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private use
  "100.64.0.0/10", // shared by a carrier's customers; the metadata service of one cloud
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // public by its number, but the inner services of one cloud
  "169.254.0.0/16", // link local; the metadata service of most clouds
  "172.16.0.0/12", // private use
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // automatic multicast tunnels
  "192.88.99.0/24", // relays of 6to4
  "192.168.0.0/16", // private use
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4" // reserved, and the limited broadcast
)

/**
 * Global unicast. All addresses outside are special: unspecified, loopback, link local, unique local and multicast
 * addresses, and forms that embed an IPv4 address (mapped, compatible, NAT64).
 */
const globalIpv6 = IpNetwork.fromStringUnsafe("2000::/3")

/** Special addresses within {@link globalIpv6}. */
const specialIpv6 = networks(
  "2001::/23", // protocol assignments: Teredo, which carries an IPv4 address, ORCHID, benchmarks
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4, which carries an IPv4 address
  "2620:4f:8000::/48", // AS112
  "3fff::/20" // documentation
)

const isIn = (list: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress) =>
  list.some((network) => IpNetwork.contains(network, address))

export const classify = (address: NetAddress.IpAddress): AddressClass => {
  if (NetAddress.isLoopback(address)) return "loopback"
  const special = NetAddress.isIpv4Address(address)
    ? isIn(specialIpv4, address)
    : !IpNetwork.contains(globalIpv6, address) || isIn(specialIpv6, address)
  return special ? "special" : "public"
}
