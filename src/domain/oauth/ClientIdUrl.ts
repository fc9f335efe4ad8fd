/**
 * A client id that is the address of a document about the client (R47; Client ID Metadata Documents, section 3).
 *
 * Only the canonical spelling of an address is an id: what a URL parser would change in any way (case of the host, default
 * port, dot segments, also as `%2e`, backslashes, spaces, an IPv4 address as a number) is refused, not repaired. So two
 * spellings are two clients or none, and ids are compared as strings, here and everywhere.
 */
import { isLocalHost } from "../LocalHost.ts"

/** Longer than any real one; it is kept with every grant. */
const maxCharacters = 2048

/** What RFC 3986 lets stand in an address; a fragment is refused even if it is empty. */
const uriCharacters = /^(?:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/

/** A name of two labels or more whose last one has a letter first: no address, and no name of an inner network's own. */
const publicName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Whether a client id is meant as an address; ids that were issued by registration never are (R46). */
export const isMeant = (clientId: string): boolean => /^https?:\/\//i.test(clientId)

/**
 * The address of the document; `undefined` when the id is no such address. `local` also takes `http` and `https` on
 * `localhost`, `127.0.0.1` and `[::1]`, at any port. Elsewhere it is 443, so that nobody can scan ports through us, or speak
 * to what is no web server.
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
