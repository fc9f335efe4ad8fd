/** Where an app is sent back to: what may be registered, what is the same, and how it is shown (R11, R24, R43). */
import * as LocalHost from "../LocalHost.ts"
import * as HostParts from "./HostParts.ts"

/** Longer than any real one. */
const maxCharacters = 2000

/** Printable ASCII without what parsers read differently (backslash, quotes, angle brackets) and without a fragment. */
const uriCharacters = /^[\x21-\x7e]+$/
const unwanted = /["#*<>\\^`{|}]/

/** RFC 8252, 7.3: whatever listens on this machine. In one spelling only, so that no parser takes it for another host. */
const http = /^http:\/\/(\[::1\]|[a-z0-9.]+)(?::(\d{1,5}))?((?:[/?].*)?)$/

const loopbackOf = (uri: string) => {
  const [, host = "", port, rest] = http.exec(uri) ?? []
  return LocalHost.isLocalHost(host) ? { host, port, rest } : undefined
}

/** No user info: what follows the slashes up to the next one is a host, and perhaps a port. */
const web = /^https:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?(?:[/?]|$)/i

/** RFC 8252, 7.1: `com.example.app:/callback`, and `cursor://host/path` as real apps have it. */
const app = /^([a-z][a-z0-9+.-]+):\/[^?]/i

/**
 * Apps that are known to use a scheme without a dot. Any other needs one, a domain name of its maker reversed: what has none
 * is an operating system's or a browser's own (`mailto`, `search-ms`, `intent` ...), or a program's that takes any text.
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

/** Schemes with a dot that are acted on by the system or the browser itself. */
const reserved = /^(?:ms-|moz-|chrome-|x-apple\.)/i

const isAppScheme = (scheme: string): boolean =>
  scheme.includes(".") ? !reserved.test(scheme) : knownApps.has(scheme.toLowerCase())

/** Port 0 is none. */
const isPort = (digits: string | undefined) => digits === undefined || (Number(digits) > 0 && Number(digits) <= 65_535)

/** Whether an app may register this address (R43; RFC 8252, 7.1 to 7.3). */
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
 * Whether a request's address is one that was registered: the same text, but for the port of a loopback address, which
 * the system gives to a program when it starts (R11; RFC 8252, 7.3).
 */
export const matches = (registered: string, given: string): boolean => {
  if (registered === given) return true
  const known = loopbackOf(registered)
  const asked = loopbackOf(given)
  return known !== undefined && known.host === asked?.host && known.rest === asked.rest && isPort(asked.port)
}

/** Whether the address is of the user's own machine, where any program may listen (R26). */
export const isLoopback = (uri: string): boolean => {
  const url = URL.parse(uri)
  return url !== null && /^https?:$/.test(url.protocol) && LocalHost.isLocalToBrowsers(url.hostname)
}

/** Whether a scheme of the app's own takes the answer to it: any program may claim that as well (RFC 8252, 8.6). */
export const isOwnScheme = (uri: string): boolean => !/^https?:/i.test(uri)

/** Whether the address is a web site, over TLS, of the same owner as the host that an app's document came from. */
export const isSiteOf = (publisher: string, uri: string): boolean => {
  const url = URL.parse(uri)
  return url?.protocol === "https:" && HostParts.haveOneOwner(url.host, publisher)
}

/** What a person is shown: `claude.ai`, `localhost:8787`, and for an app's own scheme `cursor:` (R24). */
export const destination = (uri: string): string => {
  const url = URL.parse(uri)
  if (url === null) return uri
  return /^https?:$/.test(url.protocol) ? url.host : url.protocol
}

/** The address with these parameters added behind its own. Nothing of it is parsed and written again. */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value)
  // A blank as %20: not every client reads + as one.
  const added = query.toString().replaceAll("+", "%20")
  if (!uri.includes("?")) return `${uri}?${added}`
  return /[?&]$/.test(uri) ? `${uri}${added}` : `${uri}&${added}`
}
