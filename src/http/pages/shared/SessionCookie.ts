/**
 * The cookies of the pages (R29). One holds the secret of a session or, before someone signs in, a secret of no
 * session, so that the form of the sign-in is bound to the browser it was shown to. The other one stays after signing out,
 * and says to the next sign-in that the browser is known (KnownBrowsers).
 */
import { Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import type { AppSettings } from "../../../Config.ts"
import * as KnownBrowsers from "../../../services/access/KnownBrowsers.ts"
import * as Sessions from "../../../services/access/Sessions.ts"

const pattern = /^[A-Za-z0-9_-]{43}$/

type Config = Pick<AppSettings, "baseUrl">

const make = (
  { baseUrl }: Config,
  {
    maxAgeMillis,
    sameSite,
    ...options
  }: {
    readonly name: string
    readonly maxAgeMillis: number
    readonly sameSite: "lax" | "strict"
  }
) => {
  const secure = baseUrl.startsWith("https:")
  // The prefix keeps other hosts of the domain from setting it; browsers take it over TLS only.
  const name = secure ? `__Host-${options.name}` : options.name
  const attributes = { httpOnly: true, path: "/", sameSite, secure } as const
  return {
    name,
    read: (request: HttpServerRequest.HttpServerRequest): Redacted.Redacted | undefined => {
      const value = request.cookies[name]
      return value !== undefined && pattern.test(value) ? Redacted.make(value) : undefined
    },
    /** The secrets are of the cookie's alphabet, so that nothing can be wrong with it. */
    set: (secret: Redacted.Redacted) =>
      HttpServerResponse.setCookieUnsafe(name, Redacted.value(secret), { ...attributes, maxAge: maxAgeMillis }),
    clear: HttpServerResponse.setCookieUnsafe(name, "", { ...attributes, maxAge: 0 })
  }
}

export const of = (config: Config) =>
  make(config, { name: "discovery", maxAgeMillis: Sessions.maxAgeMillis, sameSite: "lax" })

/** Only ever needed with the form of the sign-in, which no other site may send. */
export const ofBrowser = (config: Config) =>
  make(config, { name: "discovery-browser", maxAgeMillis: KnownBrowsers.maxAgeMillis, sameSite: "strict" })
