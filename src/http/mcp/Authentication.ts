/**
 * Finds the caller by the bearer credential of a request, or explains in a 401 where to get one (P30 to P32, S39, S82,
 * S95, S102, R1, R2; RFC 6750).
 */
import { Effect, Redacted } from "effect"
import type { AppSettings } from "../../Config.ts"
import * as Credential from "../../domain/access/Credential.ts"
import type { Caller } from "../../domain/access/Account.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import type { CredentialRejected, CredentialResolver } from "../../services/credentials/CredentialResolver.ts"
import { scope } from "../../domain/oauth/Scope.ts"
import * as View from "../../domain/mcp/View.ts"
import { protectedResourcePath } from "../oauth/Metadata.ts"

/** A request without a bearer credential. It may have one in the query, or one without the word `Bearer` before it. */
export interface NoCredential {
  readonly _tag: "NoCredential"
  readonly instead: "nothing" | "in the query" | "without scheme"
}

export type Failure = NoCredential | CredentialRejected | ServiceUnavailable

const bearer = /^bearer[ \t]+(.+)/is

export const authenticate = (
  /** The address of the request, with its query. */
  url: string,
  authorization: string | undefined,
  resolver: CredentialResolver["Service"]
): Effect.Effect<Caller, Failure> => {
  const header = authorization?.trim() ?? ""
  const secret = bearer.exec(header)?.[1]
  if (secret !== undefined) return resolver.resolve(Redacted.make(secret))
  const instead = Credential.isBearerLike(header)
    ? "without scheme"
    : View.holdsCredential(url)
      ? "in the query"
      : "nothing"
  return Effect.fail({ _tag: "NoCredential", instead })
}

/**
 * The `WWW-Authenticate` of a 401. It has an `error` only if a credential was sent in the header. Some clients show their users
 * nothing else, so it repeats the text of the body; {@link explain} has only characters that RFC 6750, section 3, allows.
 */
export const challenge = (
  { baseUrl }: Pick<AppSettings, "baseUrl">,
  refusal: NoCredential | CredentialRejected,
  /** The query of the request. */
  query = ""
) => {
  const metadata = `${baseUrl}${protectedResourcePath}${View.isNamed(query) ? `?${query}` : ""}`
  const way = `Bearer resource_metadata="${metadata}", scope="${scope}"`
  return refusal._tag === "CredentialRejected" || refusal.instead === "without scheme"
    ? `${way}, error="invalid_token", error_description="${explain(refusal)}"`
    : way
}

/** Explains a 401 to a person. It does not say whether the credential is unknown, revoked, expired or malformed. */
export const explain = (refusal: NoCredential | CredentialRejected): string => {
  if (refusal._tag === "CredentialRejected") {
    return "the credential is not valid: it may be mistyped, revoked or expired; create a new API key, or sign in again"
  }
  return missing[refusal.instead]
}

const missing: Readonly<Record<NoCredential["instead"], string>> = {
  nothing: "a credential is required: send the header Authorization: Bearer <credential>",
  "in the query":
    "credentials in the query string are refused, because addresses end up in logs: send the header Authorization: Bearer <credential>, and replace this credential",
  "without scheme":
    "the word Bearer is missing before the credential: send the header Authorization: Bearer <credential>"
}
