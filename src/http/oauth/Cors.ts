/**
 * What lets pages of other origins call the machine's endpoints, and them only: never sign-in, consent or dashboard
 * (R22, R55). Nothing here is sent with cookies, so any origin may call and is told the same as everybody.
 */
import { HttpServerResponse } from "effect/http"

/** What a page may read of an answer, besides the headers that it always may. */
const exposed = [
  "WWW-Authenticate",
  "Retry-After",
  "X-Request-Id",
  "X-Credits-Cost",
  "X-Credits-Remaining",
  "RateLimit",
  "RateLimit-Policy"
].join(", ")

const allowed = "authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id"

/** Browsers ask again after two hours at the latest. */
const maxAgeSeconds = "7200"

export const headers: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposed
}

export const add = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(response, headers)

/** The answer to the question whether a request may be sent; it is asked without a credential. */
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
