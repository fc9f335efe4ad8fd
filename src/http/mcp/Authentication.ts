/** Who calls: the bearer credential of a request, or the 401 that tells where to get one (protocol.md 30 to 32; RFC 6750). */
import { Effect, Redacted } from "effect"
import type { AppSettings } from "../../Config.ts"
import type { Caller } from "../../domain/access/Account.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import type { CredentialRejected, CredentialResolver } from "../../services/access/CredentialResolver.ts"
import { scope } from "../../domain/oauth/Scope.ts"
import { protectedResourcePath } from "../oauth/ProtectedResource.ts"

/** A request without a bearer credential; `inQuery` when it has one in its address, where it is refused. */
export interface NoCredential {
  readonly _tag: "NoCredential"
  readonly inQuery: boolean
}

export type Failure = NoCredential | CredentialRejected | ServiceUnavailable

const bearer = /^bearer(?:[ \t]+(.*))?$/i

/** RFC 6750, 2.3, and what keys are called elsewhere. */
const inQuery = /[?&](?:access_token|token|api_key|apikey|key)=/i

export const authenticate = (
  /** The address of the request, with its query. */
  url: string,
  authorization: string | undefined,
  resolver: CredentialResolver["Service"]
): Effect.Effect<Caller, Failure> => {
  const secret = bearer.exec(authorization?.trim() ?? "")?.[1]
  return secret === undefined || secret === ""
    ? Effect.fail({ _tag: "NoCredential", inQuery: inQuery.test(url) })
    : resolver.resolve(Redacted.make(secret))
}

/** The header of a 401. `error` only when a credential was sent: without one, the client is merely told the way. */
export const challenge = ({ baseUrl }: Pick<AppSettings, "baseUrl">, refusal: NoCredential | CredentialRejected) => {
  const way = `Bearer resource_metadata="${baseUrl}${protectedResourcePath}", scope="${scope}"`
  return refusal._tag === "CredentialRejected" ? `${way}, error="invalid_token"` : way
}

/** What a person reads who debugs a 401. Which of unknown, revoked, expired or malformed it was is not told. */
export const explain = (refusal: NoCredential | CredentialRejected): string => {
  if (refusal._tag === "CredentialRejected") {
    return "the credential is not valid: it may be mistyped, revoked or expired; create a new API key, or sign in again"
  }
  return refusal.inQuery
    ? "credentials in the query string are refused, because addresses end up in logs: send the header Authorization: Bearer <credential>, and replace this credential"
    : "a credential is required: send the header Authorization: Bearer <credential>"
}
