/**
 * The cookies of the pages (R29). The session cookie holds the secret of a session or, before the sign-in, a random secret
 * that binds the sign-in form to the browser. The browser cookie stays after signing out and identifies a known browser at
 * the next sign-in (KnownBrowsers).
 */
import { Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import type { AppSettings } from "../../../Config.ts"
import * as KnownBrowsers from "../../../services/sessions/KnownBrowsers.ts"
import * as Secrets from "../../../services/Secrets.ts"
import * as Sessions from "../../../services/sessions/Sessions.ts"

type Config = Pick<AppSettings, "baseUrl">

const make = ({ baseUrl }: Config, plainName: string, maxAge: number, sameSite: "lax" | "strict") => {
  const secure = baseUrl.startsWith("https:")
  // With the prefix `__Host-`, other hosts of the domain cannot set the cookie. Browsers accept the prefix only over TLS.
  const name = secure ? `__Host-${plainName}` : plainName
  const attributes = { httpOnly: true, path: "/", sameSite, secure } as const
  return {
    name,
    read: (request: HttpServerRequest.HttpServerRequest): Redacted.Redacted | undefined => {
      const secret = Redacted.make(request.cookies[name] ?? "")
      return Secrets.isFormed(secret) ? secret : undefined
    },
    /** Secrets contain only characters that cookies allow, so setting them cannot fail. */
    set: (secret: Redacted.Redacted) =>
      HttpServerResponse.setCookieUnsafe(name, Redacted.value(secret), { ...attributes, maxAge }),
    clear: HttpServerResponse.setCookieUnsafe(name, "", { ...attributes, maxAge: 0 })
  }
}

export const of = (config: Config) => make(config, "discovery", Sessions.maxAgeMillis, "lax")

/** `SameSite=Strict`: only the sign-in form needs it, and other sites must not send that form. */
export const ofBrowser = (config: Config) => make(config, "discovery-browser", KnownBrowsers.maxAgeMillis, "strict")
