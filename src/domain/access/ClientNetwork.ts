/**
 * The keys by which requests are rate limited (R56): the address, and for IPv6 also the /48 around it. A household or a
 * server has a /64, but anyone can get a /48, which holds 65,536 of them.
 */

export interface NetworkKey {
  readonly key: string
  /** The limit, as a multiple of that of one address. */
  readonly times: number
}

/** The limit of a /48, as a multiple of that of one address. */
export const siteTimes = 8
/** A segment has 16 bits: three are a /48. */
const siteSegments = 3

/** `address` is an IPv4 address, or the /64 of an IPv6 address such as `2001:db8:0:1` (http/shared/ClientAddress.ts). */
export const countedOf = (address: string): ReadonlyArray<NetworkKey> => {
  const segments = address.split(":")
  const own = { key: address, times: 1 }
  return segments.length <= siteSegments
    ? [own]
    : [own, { key: `${segments.slice(0, siteSegments).join(":")}::/48`, times: siteTimes }]
}
