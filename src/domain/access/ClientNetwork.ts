/**
 * What a caller is counted by, where requests are limited (R56): its address, and of IPv6 the network of a site
 * around it as well. One household or one server has a /64, but some have a /56 and anyone can have a /48, which hold
 * hundreds and thousands of them.
 */

export interface Counted {
  readonly key: string
  /** How many times the limit of one address it has. */
  readonly times: number
}

/** How many times the limit of one address a whole site has. */
export const siteTimes = 8
/** Of 16 bits: a /48. */
const siteSegments = 3

/** The narrowest first. `address` is an IPv4 address, or the /64 of IPv6 in full, as `2001:db8:0:1` (http/ClientAddress.ts). */
export const countedOf = (address: string): ReadonlyArray<Counted> => {
  const segments = address.split(":")
  const own = { key: address, times: 1 }
  return segments.length <= siteSegments
    ? [own]
    : [own, { key: `${segments.slice(0, siteSegments).join(":")}::/48`, times: siteTimes }]
}
