/** What a token is for: `{base}/mcp`, the only resource there is (R14; RFC 8707, 2). */
import { Result } from "effect"
import { InvalidTarget } from "./OAuthError.ts"

/** A hierarchical address without user info, query and fragment, also an empty one. */
const form = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\\\s]+)((?:\/[^?#\\\s]*)?)$/i

const defaultPorts: Readonly<Record<string, string>> = { "http:": ":80", "https:": ":443" }

/**
 * With scheme and host in lower case, without default port and without a slash at the end; `undefined` for what is no
 * address of a resource. The path is compared as it was written: dot segments and escapes are not resolved.
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

/** The resource of a request, of which every value must be the one there is; without any, it is that one. */
export const resolve = (given: ReadonlyArray<string>, mcpUrl: string): Result.Result<string, InvalidTarget> => {
  const own = canonical(mcpUrl)
  return given.every((each) => canonical(each) === own)
    ? Result.succeed(mcpUrl)
    : Result.fail(new InvalidTarget({ message: `The only resource of this server is ${mcpUrl}` }))
}
