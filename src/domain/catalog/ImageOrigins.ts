/** The origins that a policy names so that the catalog's images load. */
import { getDomain } from "tldts"

/** An origin as it begins the address of an image, and how many images are there. */
export interface CountedOrigin {
  readonly origin: string
  readonly images: number
}

/** A policy is sent as a header, with each origin in up to five directives. */
const maxOrigins = 40

/** So many hosts of one domain become a wildcard, where a list would be too long. */
const manyHosts = 4

/** Nothing that could end a source or a directive of a policy. A host of digits alone is an address. */
const plainOrigin = /^https:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*(?::\d{1,5})?$/u

/** The domain under which one owner has all names: not `myshopify.com` or `cloudfront.net`. */
const ownedDomain = (origin: string): string | null =>
  getDomain(new URL(origin).hostname, { allowPrivateDomains: true })

/** At most 40, those with most images first. */
export const named = (counted: ReadonlyArray<CountedOrigin>): ReadonlyArray<string> => {
  const plain = merged(counted.filter(({ origin }) => plainOrigin.test(origin)))
  const origins = plain.length <= maxOrigins ? plain : withWildcards(plain)
  return origins
    .toSorted((one, other) => other.images - one.images || (one.origin < other.origin ? -1 : 1))
    .slice(0, maxOrigins)
    .map(({ origin }) => origin)
}

/** `https://host` and `https://host:443` are one. */
const merged = (counted: ReadonlyArray<CountedOrigin>): ReadonlyArray<CountedOrigin> => {
  const images = new Map<string, number>()
  for (const each of counted) {
    const origin = URL.parse(each.origin)?.origin
    // Such as one with a port that there is not.
    if (origin === undefined) continue
    images.set(origin, (images.get(origin) ?? 0) + each.images)
  }
  return Array.from(images, ([origin, images]) => ({ origin, images }))
}

/** Hosts with a port stay as they are: a wildcard has the default one. */
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
