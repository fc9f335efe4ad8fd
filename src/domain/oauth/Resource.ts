/** The resource indicator of tokens: `{base}/mcp`, the only resource, in whatever view (R14, D69; RFC 8707, 2). */
import { Result } from "effect"
import * as View from "../mcp/View.ts"
import { InvalidTarget } from "./OAuthError.ts"

/** A hierarchical URI without user info, query and fragment, not even empty ones. */
const form = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\\\s]+)((?:\/[^?#\\\s]*)?)$/i

const defaultPorts: Readonly<Record<string, string>> = { "http:": ":80", "https:": ":443" }

/**
 * The canonical form: scheme and host in lower case, no default port, no trailing slash. `undefined` if the text is not a
 * resource URI. Dot segments and escapes of the path are not resolved.
 */
export const canonical = (text: string): string | undefined => {
  const [, scheme, authority, path] = form.exec(text) ?? []
  if (scheme === undefined || authority === undefined || path === undefined) return undefined
  const protocol = `${scheme.toLowerCase()}:`
  const port = defaultPorts[protocol]
  const host = authority.toLowerCase()
  const shortHost = port !== undefined && host.endsWith(port) ? host.slice(0, -port.length) : host
  return `${protocol}//${shortHost}${path.endsWith("/") ? path.slice(0, -1) : path}`
}

/**
 * Clients take the address that they were given for the resource, so a query that the endpoint answers makes no difference. One
 * that it refuses stays, as does a fragment.
 */
const withoutQuery = (text: string): string => {
  const mark = text.indexOf("?")
  return mark !== -1 && queryForm.test(text.slice(mark)) && Result.isSuccess(View.read(text.slice(mark + 1)))
    ? text.slice(0, mark)
    : text
}

/** Without a fragment, and without what no query has. */
const queryForm = /^\?[^#\\\s\p{Cc}]*$/u

/** The resource of a request. Every value given must be the only resource; without values, it is the default. */
export const resolve = (given: ReadonlyArray<string>, mcpUrl: string): Result.Result<string, InvalidTarget> => {
  const only = canonical(mcpUrl)
  return given.every((each) => canonical(withoutQuery(each)) === only)
    ? Result.succeed(mcpUrl)
    : Result.fail(new InvalidTarget({ message: `The only resource of this server is ${mcpUrl}` }))
}
