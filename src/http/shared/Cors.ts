/**
 * CORS for endpoints that programs call, never for sign-in, consent or dashboard (R22, R55). These endpoints use no
 * cookies, so any origin may call them.
 */
import { HttpServerResponse } from "effect/http"

/** Response headers that scripts may read, besides those that CORS always allows. */
const exposed = [
  "WWW-Authenticate",
  "Mcp-Session-Id",
  "Retry-After",
  "X-Request-Id",
  "X-Credits-Cost",
  "X-Credits-Remaining",
  "RateLimit",
  "RateLimit-Policy"
].join(", ")

const allowed = "authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id"

/** Two hours, the maximum of browsers. */
const maxAgeSeconds = "7200"

export const headers: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposed
}

export const add = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(response, headers)

/** Addresses of these endpoints begin so. */
const prefixes = ["/mcp", "/token", "/register", "/revoke", "/.well-known/"]

/** Whether any origin may read what is answered at this address, by a route or without one. */
export const isFor = (url: string): boolean => prefixes.some((prefix) => url.startsWith(prefix))

export const preflight = (methods: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": methods,
      "access-control-allow-headers": allowed,
      "access-control-max-age": maxAgeSeconds
    }
  })
