/** A store's domain, the natural key of its record, and the extension that the `domains` filter matches. */
import * as tldts from "tldts"
import { remembering } from "./Remembering.ts"

/** RFC 1035: at most 253 characters in labels of at most 63. */
const hostName = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/u

// Only the list that registries themselves keep: a store on a platform's subdomain counts by the platform's own
// extension (`.com`), as people who filter by extension expect.
const options = { allowPrivateDomains: false, extractHostname: false } as const

const ascii = /^\p{ASCII}*$/u

/**
 * Lower case, without a dot at the end, international labels as punycode, without a leading `www.`: stores are told with
 * and without it, and are the same. `www.com` keeps it, having nothing registrable after it. What is no host name stays
 * as it is.
 */
export const normalize = remembering((text) => withoutWww(hostOf(text)))

const withoutWww = (host: string): string => {
  if (!host.startsWith("www.")) return host
  const rest = host.slice(4)
  return extension(rest) === null ? host : withoutWww(rest)
}

const hostOf = (text: string): string => {
  const trimmed = text.trim().toLowerCase().replace(/\.$/u, "")
  if (ascii.test(trimmed) || /[\s/?#@:\\%[\]]/u.test(trimmed)) return trimmed
  const host = URL.parse(`http://${trimmed}`)?.hostname
  return host === undefined || host === "" ? trimmed : host
}

/**
 * The public suffix with its leading dot, such as `.com` or `.co.uk`; `null` when the normalized text is not the name of
 * a registrable domain: an address, a single label, a public suffix itself.
 */
export const extension = remembering((domain): string | null => {
  if (!hostName.test(domain)) return null
  const parsed = tldts.parse(domain, options)
  return parsed.isIp === true || parsed.domain === null || parsed.publicSuffix === null
    ? null
    : `.${parsed.publicSuffix}`
})
