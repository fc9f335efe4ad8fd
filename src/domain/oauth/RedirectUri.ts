/** Redirect URIs: which may be registered, when two are equal, and how they are displayed (R11, R24, R43). */
import * as LocalHost from "../LocalHost.ts"
import * as HostParts from "../HostParts.ts"

/** Longer than any real redirect URI. */
const maxCharacters = 2000

/** Printable ASCII without characters that parsers read differently (backslash, quotes, angle brackets) and without `#`. */
const uriCharacters = /^[\x21-\x7e]+$/
const unwanted = /["#*<>\\^`{|}]/

/** Loopback addresses (RFC 8252, 7.3). Only one spelling is accepted, so that no parser reads another host. */
const http = /^http:\/\/(\[::1\]|[a-z0-9.]+)(?::(\d{1,5}))?((?:[/?].*)?)$/

/** `rest` is the path, where an empty one is `/` (RFC 3986, 6.2.3), with the query. */
const loopbackOf = (uri: string) => {
  const [, host = "", port, rest = ""] = http.exec(uri) ?? []
  return LocalHost.isLocalHost(host) ? { host, port, rest: rest.startsWith("/") ? rest : `/${rest}` } : undefined
}

/** Without user info: after `//` comes a host and optionally a port. */
const web = /^https:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?(?:[/?]|$)/i

/** Private-use schemes (RFC 8252, 7.1): `com.example.app:/callback`, and `cursor://host/path` as real apps use. */
const app = /^([a-z][a-z0-9+.-]+):\/[^?]/i

/**
 * Known apps whose scheme has no dot. All others need a reversed domain name: schemes without a dot belong to operating
 * systems and browsers (`mailto`, `search-ms`, `intent` ...), or to programs that accept any text.
 */
const knownApps = new Set([
  "antigravity",
  "claude",
  "code-oss",
  "cursor",
  "goose",
  "jetbrains",
  "kiro",
  "raycast",
  "trae",
  "vscode",
  "vscode-insiders",
  "vscodium",
  "warp",
  "windsurf",
  "windsurf-next",
  "zed"
])

/** Schemes with a dot that the operating system or the browser handles itself. */
const reserved = /^(?:ms-|moz-|chrome-|x-apple\.)/i

const isAppScheme = (scheme: string): boolean =>
  scheme.includes(".") ? !reserved.test(scheme) : knownApps.has(scheme.toLowerCase())

const isPort = (digits: string | undefined) => digits === undefined || Number(digits) <= 65_535

/** Port 0 stands for any port where an app registers it, and is none that an answer could be sent to. */
const isReachable = (digits: string | undefined) => isPort(digits) && Number(digits ?? 80) > 0

/** Whether an app may register this redirect URI (R43; RFC 8252, 7.1 to 7.3). */
export const isRegistrable = (uri: string): boolean => {
  if (uri.length > maxCharacters || !uriCharacters.test(uri) || unwanted.test(uri) || !URL.canParse(uri)) return false
  if (web.test(uri)) return true
  const local = loopbackOf(uri)
  if (local !== undefined) return isPort(local.port)
  const scheme = app.exec(uri)?.[1]
  if (scheme === undefined || !isAppScheme(scheme)) return false
  const url = URL.parse(uri)
  return url !== null && url.username === "" && url.password === ""
}

/**
 * Whether a request's redirect URI equals a registered one. Loopback addresses may differ in the port, which the operating
 * system assigns when a program starts (R11; RFC 8252, 7.3).
 */
export const matches = (registered: string, given: string): boolean => {
  const asked = loopbackOf(given)
  if (asked === undefined) return registered === given
  const known = loopbackOf(registered)
  return known?.host === asked.host && known.rest === asked.rest && isReachable(asked.port)
}

/** Whether an exchange names the redirect URI of its authorization request (R35). */
export const areSame = (asked: string, exchanged: string): boolean =>
  asked === exchanged || (matches(asked, exchanged) && loopbackOf(asked)?.port === loopbackOf(exchanged)?.port)

/** Whether the address is on the user's own machine, where any program may listen (R26). */
export const isLoopback = (uri: string): boolean => {
  const url = URL.parse(uri)
  return url !== null && /^https?:$/.test(url.protocol) && LocalHost.isLocalToBrowsers(url.hostname)
}

/** Whether the URI has a private-use scheme, which any other program may claim too (RFC 8252, 8.6). */
export const isOwnScheme = (uri: string): boolean => !/^https?:/i.test(uri)

/** Whether the URI is an `https` address with the same registrable domain as the publisher of the app. */
export const isSiteOf = (publisher: string, uri: string): boolean => {
  const url = URL.parse(uri)
  return url?.protocol === "https:" && HostParts.haveOneOwner(url.host, publisher)
}

/** The destination as displayed to people: `claude.ai`, `localhost:8787`, or `cursor:` for a private-use scheme (R24). */
export const destination = (uri: string): string => {
  const url = URL.parse(uri)
  if (url === null) return uri
  return /^https?:$/.test(url.protocol) ? url.host : url.protocol
}

/** Appends parameters. The rest of the URI stays byte for byte, because it is not parsed and serialized. */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value)
  // Spaces as %20: some clients do not decode + as a space.
  const added = query.toString().replaceAll("+", "%20")
  if (!uri.includes("?")) return `${uri}?${added}`
  return /[?&]$/.test(uri) ? `${uri}${added}` : `${uri}&${added}`
}
