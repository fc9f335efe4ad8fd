/**
 * Client ids that are the address of a metadata document (R47; Client ID Metadata Documents, section 3).
 *
 * Only the canonical spelling of an address is an id. An address that a URL parser would change (case of the host, default
 * port, dot segments, also as `%2e`, backslashes, spaces, an IPv4 address as a number) is refused, so ids can be compared
 * as strings.
 */
import { isLocalHost } from "../LocalHost.ts"

/** Longer than any real id. The id is stored with every grant. */
const maxCharacters = 2048

/** The characters of RFC 3986 without `#`: even an empty fragment is refused. */
const uriCharacters = /^(?:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/

/**
 * A name of two or more labels, the last of which begins with a letter. It excludes IP addresses and single-label names of
 * internal networks.
 */
const publicName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Whether a client id is an address, valid or not. Ids issued by registration never are (R46). */
export const isAddress = (clientId: string): boolean => /^https?:/i.test(clientId)

/**
 * The address of the document; `undefined` if the id is not such an address. With `local`, `http` and `https` on
 * `localhost`, `127.0.0.1` and `[::1]` are accepted at any port. All other addresses use port 443, so that this server
 * cannot be made to scan ports or to talk to other kinds of servers.
 */
export const parse = (clientId: string, { local }: { readonly local: boolean }): URL | undefined => {
  if (clientId.length > maxCharacters || !uriCharacters.test(clientId)) return undefined
  const url = URL.parse(clientId)
  if (url === null || url.href !== clientId) return undefined
  if (url.username !== "" || url.password !== "" || url.pathname === "/") return undefined
  const allowed =
    local && isLocalHost(url.hostname)
      ? url.protocol === "https:" || url.protocol === "http:"
      : url.protocol === "https:" && url.port === "" && publicName.test(url.hostname)
  return allowed ? url : undefined
}
