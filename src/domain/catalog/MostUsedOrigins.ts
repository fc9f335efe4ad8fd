/** Selects the image origins that a content security policy lists. */
import { getDomain } from "tldts"

/** The origin of image addresses, and its number of images. */
export interface CountedOrigin {
  readonly origin: string
  readonly images: number
}

/** A policy is a header, with each origin in up to five directives. */
const maxOrigins = 40

/** This many hosts of one domain are replaced by a wildcard if the list would be too long. */
const manyHosts = 4

/** No character that could end a source or a directive of a policy. A host of digits alone is an IP address. */
const plainOrigin = /^https:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*(?::\d{1,5})?$/u

/** The registrable domain, whose names all have one owner: not `myshopify.com` or `cloudfront.net`. */
const ownedDomain = (origin: string): string | null =>
  getDomain(new URL(origin).hostname, { allowPrivateDomains: true })

/** At most 40, most images first. */
export const named = (counted: ReadonlyArray<CountedOrigin>): ReadonlyArray<string> => {
  const plain = merged(counted.filter(({ origin }) => plainOrigin.test(origin)))
  const origins = plain.length <= maxOrigins ? plain : withWildcards(plain)
  return origins
    .toSorted((one, other) => other.images - one.images || (one.origin < other.origin ? -1 : 1))
    .slice(0, maxOrigins)
    .map(({ origin }) => origin)
}

/** `https://host` and `https://host:443` are equal. */
const merged = (counted: ReadonlyArray<CountedOrigin>): ReadonlyArray<CountedOrigin> => {
  const images = new Map<string, number>()
  for (const each of counted) {
    const origin = URL.parse(each.origin)?.origin
    // For example, with an invalid port.
    if (origin === undefined) continue
    images.set(origin, (images.get(origin) ?? 0) + each.images)
  }
  return Array.from(images, ([origin, images]) => ({ origin, images }))
}

/** Hosts with a port are unchanged: a wildcard has the default port. */
const withWildcards = (origins: ReadonlyArray<CountedOrigin>): ReadonlyArray<CountedOrigin> => {
  const byDomain = Map.groupBy(origins, ({ origin }) => {
    const domain = ownedDomain(origin)
    // A wildcard does not match the domain itself.
    return domain === null || origin === `https://${domain}` || /:\d+$/u.test(origin) ? "" : domain
  })
  return Array.from(byDomain).flatMap(([domain, hosts]) =>
    domain === "" || hosts.length < manyHosts
      ? hosts
      : [{ origin: `https://*.${domain}`, images: hosts.reduce((sum, { images }) => sum + images, 0) }]
  )
}
