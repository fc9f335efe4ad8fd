/**
 * Errors of the OAuth endpoints: one closed union for each endpoint. `message` is sent to the client as
 * `error_description`, so it quotes nothing of the request and is printable ASCII without quotes and backslashes (RFC
 * 6749, 4.1.2.1 and 5.2). http/oauth/OAuthReply.ts assigns the wire codes.
 */
import { Schema } from "effect"
import type { ServiceUnavailable } from "../ToolError.ts"

const fields = { message: Schema.String }

/** A parameter is missing, repeated, malformed or not allowed. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", fields) {}

/** For metrics, never sent (TokenOutcome.ts). */
export const invalidClientReasons = ["client_unknown", "client_unauthenticated"] as const

/** The client is unknown, or its authentication failed (R34). */
export class InvalidClient extends Schema.TaggedError<InvalidClient>()("InvalidClient", {
  ...fields,
  reason: Schema.Literals(invalidClientReasons),
  /** The client tried `Authorization: Basic`, so the answer must name that scheme. */
  triedBasic: Schema.Boolean
}) {}

/**
 * For metrics, never sent (TokenOutcome.ts). The tokens of a connection that has ended are deleted, so that a token of it is
 * `unknown_or_ended`; the reasons why connections end are counted when they end.
 */
export const invalidGrantReasons = [
  "malformed",
  "unknown_or_ended",
  "expired",
  "consent_expired",
  "reused",
  "other_client",
  "other_redirect_uri",
  "other_resource",
  "wrong_verifier"
] as const
export type InvalidGrantReason = (typeof invalidGrantReasons)[number]

/** The code or refresh token is wrong, expired, used, or another client's. The answer does not say which (R35). */
export class InvalidGrant extends Schema.TaggedError<InvalidGrant>()("InvalidGrant", {
  ...fields,
  reason: Schema.Literals(invalidGrantReasons)
}) {}

export class UnsupportedGrantType extends Schema.TaggedError<UnsupportedGrantType>()("UnsupportedGrantType", fields) {}

export class UnsupportedResponseType extends Schema.TaggedError<UnsupportedResponseType>()(
  "UnsupportedResponseType",
  fields
) {}

/** `resource` is not this server's (RFC 8707, 2). */
export class InvalidTarget extends Schema.TaggedError<InvalidTarget>()("InvalidTarget", fields) {}

export class AccessDenied extends Schema.TaggedError<AccessDenied>()("AccessDenied", fields) {}

/** A redirect URI that may not be registered (R43). */
export class InvalidRedirectUri extends Schema.TaggedError<InvalidRedirectUri>()("InvalidRedirectUri", fields) {}

export class InvalidClientMetadata extends Schema.TaggedError<InvalidClientMetadata>()(
  "InvalidClientMetadata",
  fields
) {}

/** A rate limit of one address, of one connection or of all was exceeded (R45, R56). */
export class TooManyRequests extends Schema.TaggedError<TooManyRequests>()("TooManyRequests", {
  ...fields,
  retryAfterSeconds: Schema.Int
}) {}

/** Errors that are sent to the redirect URI of an authorization request (R19), once it is verified. */
export type AuthorizeError =
  | InvalidRequest
  | AccessDenied
  | UnsupportedResponseType
  | InvalidTarget
  | ServiceUnavailable

export type TokenError =
  | InvalidRequest
  | InvalidClient
  | InvalidGrant
  | UnsupportedGrantType
  | InvalidTarget
  | TooManyRequests
  | ServiceUnavailable

export type RegistrationError = InvalidRedirectUri | InvalidClientMetadata | TooManyRequests | ServiceUnavailable

export type RevocationError = InvalidRequest | InvalidClient | TooManyRequests | ServiceUnavailable
