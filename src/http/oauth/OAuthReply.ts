/** The wire format of OAuth errors (RFC 6749, 5.2; RFC 7591, 3.2.2; R34, R35). */
import { HttpServerResponse } from "effect/http"
import type { AuthorizeError, RegistrationError, RevocationError, TokenError } from "../../domain/oauth/OAuthError.ts"

type OAuthError = AuthorizeError | TokenError | RegistrationError | RevocationError

/** `code` is the member `error`. */
export const wire: Readonly<Record<OAuthError["_tag"], { readonly status: number; readonly code: string }>> = {
  InvalidRequest: { status: 400, code: "invalid_request" },
  InvalidClient: { status: 401, code: "invalid_client" },
  InvalidGrant: { status: 400, code: "invalid_grant" },
  UnsupportedGrantType: { status: 400, code: "unsupported_grant_type" },
  UnsupportedResponseType: { status: 400, code: "unsupported_response_type" },
  InvalidTarget: { status: 400, code: "invalid_target" },
  AccessDenied: { status: 403, code: "access_denied" },
  InvalidRedirectUri: { status: 400, code: "invalid_redirect_uri" },
  InvalidClientMetadata: { status: 400, code: "invalid_client_metadata" },
  TooManyRequests: { status: 429, code: "too_many_requests" },
  ServiceUnavailable: { status: 503, code: "temporarily_unavailable" }
}

const basicChallenge = 'Basic realm="discovery", charset="UTF-8"'

const headersOf = (error: OAuthError): Record<string, string> => {
  if ("retryAfterSeconds" in error) return { "retry-after": String(error.retryAfterSeconds) }
  return error._tag === "InvalidClient" && error.triedBasic ? { "www-authenticate": basicChallenge } : {}
}

/** `ServiceUnavailable` has a message about tool calls, so it gets another one here. */
const describe = (error: OAuthError): string =>
  error._tag === "ServiceUnavailable" ? "The service cannot do this right now. Try again in a moment." : error.message

/** `error` and `error_description`, for a body or a redirect. */
export const codes = (error: OAuthError) => ({ error: wire[error._tag].code, error_description: describe(error) })

export const failure = (error: OAuthError): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(codes(error), { status: wire[error._tag].status, headers: headersOf(error) })
