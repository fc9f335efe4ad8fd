/**
 * The one cookie of the pages (oauth.md 29). It holds the secret of a session or, before someone signs in, a secret of no
 * session, so that the form of the sign-in is bound to the browser it was shown to.
 */
import { Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import type { AppSettings } from "../../../Config.ts"
import { maxAgeMillis } from "../../../services/access/Sessions.ts"

const pattern = /^[A-Za-z0-9_-]{43}$/

export const of = ({ baseUrl }: Pick<AppSettings, "baseUrl">) => {
  const secure = baseUrl.startsWith("https:")
  // The prefix keeps other hosts of the domain from setting it; browsers take it over TLS only.
  const name = secure ? "__Host-discovery" : "discovery"
  const options = { httpOnly: true, path: "/", sameSite: "lax", secure } as const
  return {
    name,
    read: (request: HttpServerRequest.HttpServerRequest): Redacted.Redacted | undefined => {
      const value = request.cookies[name]
      return value !== undefined && pattern.test(value) ? Redacted.make(value) : undefined
    },
    /** The secrets are of the cookie's alphabet, so that nothing can be wrong with it. */
    set: (secret: Redacted.Redacted) =>
      HttpServerResponse.setCookieUnsafe(name, Redacted.value(secret), { ...options, maxAge: maxAgeMillis }),
    clear: HttpServerResponse.setCookieUnsafe(name, "", { ...options, maxAge: 0 })
  }
}
