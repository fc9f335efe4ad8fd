/**
 * The domain of a store, the natural key of its record, and the extension that the filter `domains` matches (D36, D98).
 */
import * as tldts from "tldts"
import { percentDecoded } from "../Utf8.ts"
import * as DemoPages from "./DemoPages.ts"
import { remembering } from "./Remembering.ts"

/** RFC 1035: at most 253 characters in labels of at most 63. */
const hostName = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/u

// Suffixes of registries only: a store on the subdomain of a platform has the extension of the platform (`.com`).
const options = { allowPrivateDomains: false, extractHostname: false } as const

const ascii = /^\p{ASCII}*$/u

/**
 * Lower case, without a trailing dot and a leading `www.`, international labels in punycode. `www.com` keeps its
 * `www.`, because nothing registrable follows. Text that is not a host name is returned unchanged.
 */
export const normalize = (text: string): string => known(text).normal

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
 * The public suffix with its leading dot, such as `.com` or `.co.uk`; `null` for a name without a registrable domain:
 * an IP address, a single label, a public suffix.
 */
export const extension = (domain: string): string | null => known(domain).extension

/** Both at once, because every record of a store needs both. */
const known = remembering((text) => ({ normal: withoutWww(hostOf(text)), extension: extensionOf(text) }))

const extensionOf = (domain: string): string | null => {
  if (!hostName.test(domain)) return null
  const parsed = tldts.parse(domain, options)
  return parsed.isIp === true || parsed.domain === null || parsed.publicSuffix === null
    ? null
    : `.${parsed.publicSuffix}`
}

/** The registrable domain of a normalized host, where a subdomain of a platform counts as one; `null` when there is none. */
export const registrable = remembering((host): string | null =>
  hostName.test(host) ? (tldts.parse(host, { ...options, allowPrivateDomains: true }).domain ?? null) : null
)

/** An address, which may lack its scheme; `null` for other text. */
export const addressOf = (text: string): URL | null => {
  const address = text.trim()
  return URL.parse(/^[a-z][a-z0-9+.-]*:\/\//iu.test(address) ? address : `http://${address}`)
}

/**
 * The domains that a store may be known by, of a domain or the address of any page: the host itself, then the registrable
 * domain above it.
 */
export const candidates = (text: string): ReadonlyArray<string> => {
  const address = text.trim()
  const url = addressOf(address)
  const demo = url === null ? undefined : DemoPages.domainOf(url)
  if (demo !== undefined) return candidates(demo)
  const host = normalize(url === null || url.hostname === "" ? address : url.hostname)
  const above = registrable(host)
  return above === null || above === host ? [host] : [host, above]
}

/** An address within another one, whose marks may be percent-encoded several times. */
const innerAddress = /https?(?::|%(?:25)*3A)(?:\/|%(?:25)*2F){2}[^\s&]+/giu
const mostInner = 5
const mostEncodings = 3

/** The addresses behind the first character, each with those that it carries itself. */
const innerAddresses = (text: string, depth: number): ReadonlyArray<string> =>
  depth === 0
    ? []
    : Array.from(text.slice(1).matchAll(innerAddress)).flatMap(([inner]) => {
        let address = inner
        for (let time = 0; time < mostEncodings && /^https?%/iu.test(address); time++) address = percentDecoded(address)
        return [address, ...innerAddresses(address, depth - 1)]
      })

/**
 * The domains of the addresses that an address carries, as those of redirectors do
 * (`l.facebook.com/l.php?u=https%3A%2F%2F...`), the outermost first; of at most five addresses, within each other up to three.
 */
export const carried = (text: string): ReadonlyArray<string> =>
  innerAddresses(text.trim(), 3).slice(0, mostInner).flatMap(candidates)

/** Platforms and the hosts of their images, on which no store is. */
const platforms: ReadonlySet<string> = new Set([
  "akamaihd.net",
  "amazonaws.com",
  "cdn.shopify.com",
  "cdninstagram.com",
  "cloudfront.net",
  "facebook.com",
  "fb.com",
  "fb.me",
  "fbcdn.net",
  "fbsbx.com",
  "google.com",
  "googleapis.com",
  "googleusercontent.com",
  "gstatic.com",
  "instagram.com",
  "licdn.com",
  "linkedin.com",
  "m.me",
  "messenger.com",
  "pinimg.com",
  "pinterest.com",
  "snapchat.com",
  "tiktok.com",
  "tiktokcdn.com",
  "twimg.com",
  "twitter.com",
  "wa.me",
  "whatsapp.com",
  "x.com",
  "youtu.be",
  "youtube.com",
  "ytimg.com"
])

/** Whether a normalized domain is that of a platform, or below one. */
export const isOfPlatform = (domain: string): boolean => {
  for (let name = domain, at = 0; at >= 0; name = name.slice(at + 1)) {
    if (platforms.has(name)) return true
    at = name.indexOf(".")
  }
  return false
}

/** Whether a normalized text is a domain below a public suffix. File names rarely are. */
export const isPublic = (domain: string): boolean =>
  extension(domain) !== null && tldts.parse(domain, options).isIcann === true
