/**
 * What the OAuth endpoints refuse: a closed union for each. The `message` is told to the client (`error_description`), so it
 * repeats nothing of the request, and is printable ASCII without quotes and backslashes (RFC 6749, 4.1.2.1 and 5.2).
 * The record that gives each its wire code is http/oauth/OAuthReply.ts.
 */
import { Schema } from "effect"
import type { ServiceUnavailable } from "../ToolError.ts"

const fields = { message: Schema.String }

/** Something is missing, repeated, malformed or not allowed here. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", fields) {}

/** The client is unknown, or did not prove that it is this client (R34). */
export class InvalidClient extends Schema.TaggedError<InvalidClient>()("InvalidClient", {
  ...fields,
  /** It tried `Authorization: Basic`, so the answer must name that scheme. */
  triedBasic: Schema.Boolean
}) {}

/** The code or the refresh token is wrong, over, used, or another client's; which of these is not told (R35). */
export class InvalidGrant extends Schema.TaggedError<InvalidGrant>()("InvalidGrant", fields) {}

/** This client may not do this. */
export class UnauthorizedClient extends Schema.TaggedError<UnauthorizedClient>()("UnauthorizedClient", fields) {}

export class UnsupportedGrantType extends Schema.TaggedError<UnsupportedGrantType>()("UnsupportedGrantType", fields) {}

export class UnsupportedResponseType extends Schema.TaggedError<UnsupportedResponseType>()(
  "UnsupportedResponseType",
  fields
) {}

export class InvalidScope extends Schema.TaggedError<InvalidScope>()("InvalidScope", fields) {}

/** The `resource` is not this server's (RFC 8707, 2). */
export class InvalidTarget extends Schema.TaggedError<InvalidTarget>()("InvalidTarget", fields) {}

/** The user said no. */
export class AccessDenied extends Schema.TaggedError<AccessDenied>()("AccessDenied", fields) {}

/** An address to be sent back to that may not be registered (R43). */
export class InvalidRedirectUri extends Schema.TaggedError<InvalidRedirectUri>()("InvalidRedirectUri", fields) {}

export class InvalidClientMetadata extends Schema.TaggedError<InvalidClientMetadata>()(
  "InvalidClientMetadata",
  fields
) {}

/** Too much in a short time from one address, of one connection or in all (R45, R56). */
export class TooManyRequests extends Schema.TaggedError<TooManyRequests>()("TooManyRequests", {
  ...fields,
  retryAfterSeconds: Schema.Int
}) {}

/** What an authorization request is sent back to the client for (R19). Before that, nothing may be sent anywhere. */
export type AuthorizeError =
  | InvalidRequest
  | UnauthorizedClient
  | AccessDenied
  | UnsupportedResponseType
  | InvalidScope
  | InvalidTarget
  | ServiceUnavailable

export type TokenError =
  | InvalidRequest
  | InvalidClient
  | InvalidGrant
  | UnauthorizedClient
  | UnsupportedGrantType
  | InvalidScope
  | InvalidTarget
  | TooManyRequests
  | ServiceUnavailable

export type RegistrationError = InvalidRedirectUri | InvalidClientMetadata | TooManyRequests | ServiceUnavailable

export type RevocationError = InvalidRequest | InvalidClient | TooManyRequests | ServiceUnavailable
