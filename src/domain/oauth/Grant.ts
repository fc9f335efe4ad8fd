/**
 * The outcome of presenting a code or a refresh token (R21, R35, R37 to R39, S37, S93). Pure rules: the services run
 * them one at a time for each grant. Times are milliseconds since 1970.
 *
 * Read next, in the order of a connection: Registration or MetadataDocument, who an app is; AuthorizationRequest with Pkce and
 * RedirectUri, what it asks for; OAuthError, how it is refused. Nothing of this folder has an effect.
 */
import { Result } from "effect"
import type { InvalidGrantReason, InvalidTarget } from "./OAuthError.ts"
import { InvalidGrant } from "./OAuthError.ts"
import * as RedirectUri from "./RedirectUri.ts"
import * as Resource from "./Resource.ts"

/** From consent to the exchange. */
export const codeSeconds = 60
export const accessTokenSeconds = 3600
/** Since the last refresh. A client that is unused for longer must ask for consent again. */
export const refreshTokenSeconds = 30 * 86_400
/** How long a refresh may be repeated, because its answer was lost or another process of the app sent it too. */
export const repeatSeconds = 60

/** By whom or why a grant was ended; kept with it in `oauth_ended_grant`. */
export const endReasons = ["account", "client", "code_replayed", "token_reused", "expired"] as const
export type EndReason = (typeof endReasons)[number]

/** A code and its grant. */
export interface Code {
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge: string
  readonly resource: string
  readonly expiresAt: number
  readonly used: boolean
}

export interface CodeAttempt {
  /** Authenticated. */
  readonly clientId: string
  /** May be absent; otherwise it must be that of the authorization request. */
  readonly redirectUri: string | undefined
  /** The PKCE challenge. */
  readonly challenge: string
  readonly resources: ReadonlyArray<string>
}

/**
 * `replayed`: the code was used before, and the verifier is right, so that the tokens from its first use must be revoked. A failure
 * changes nothing: the client that has the verifier can still use the code.
 */
export const judgeCode = (
  code: Code,
  attempt: CodeAttempt,
  now: number,
  mcpUrl: string
): Result.Result<"accepted" | "replayed", InvalidGrant | InvalidTarget> => {
  if (attempt.clientId !== code.clientId) return Result.fail(invalidCode("other_client"))
  if (attempt.redirectUri !== undefined && !RedirectUri.areSame(code.redirectUri, attempt.redirectUri)) {
    return Result.fail(invalidCode("other_redirect_uri"))
  }
  if (attempt.challenge !== code.challenge) return Result.fail(invalidCode("wrong_verifier"))
  // Checked after the verifier. Codes appear in addresses and logs, and a code alone must not end the connection.
  if (code.used) return Result.succeed("replayed")
  if (now >= code.expiresAt) return Result.fail(invalidCode("expired"))
  return Result.flatMap(Resource.resolve(attempt.resources, mcpUrl), (resource) =>
    resource === code.resource ? Result.succeed("accepted") : Result.fail(invalidCode("other_resource"))
  )
}

/** A refresh token and its grant. */
export interface RefreshToken {
  readonly clientId: string
  readonly resource: string
  /** Not later than the end of its grant. */
  readonly expiresAt: number
  /** When the grant needs consent again. */
  readonly grantEndsAt: number
  /** The time of its refresh; `undefined` for the newest token of its grant. */
  readonly supersededAt: number | undefined
  /** Whether the successor of this token has been refreshed too. */
  readonly successorUsed: boolean
}

export interface RefreshAttempt {
  /** Authenticated. */
  readonly clientId: string
  readonly resources: ReadonlyArray<string>
}

/**
 * `repeated`: the client gets the previous answer again. `reused`: a token that was superseded long ago is in use, so that the grant
 * must end. A failure changes nothing.
 */
export const judgeRefresh = (
  token: RefreshToken,
  attempt: RefreshAttempt,
  now: number,
  mcpUrl: string
): Result.Result<"rotated" | "repeated" | "reused", InvalidGrant | InvalidTarget> => {
  if (attempt.clientId !== token.clientId) return Result.fail(invalidRefreshToken("other_client"))
  if (token.resource !== mcpUrl) return Result.fail(invalidRefreshToken("other_resource"))
  const resource = Resource.resolve(attempt.resources, mcpUrl)
  if (Result.isFailure(resource)) return Result.fail(resource.failure)
  const { supersededAt } = token
  // If a clock was set back, the elapsed time is negative. The repeat is then not late.
  const isRepeat = supersededAt !== undefined && !token.successorUsed && now - supersededAt <= repeatSeconds * 1000
  if (isRepeat) return Result.succeed("repeated")
  if (now >= token.expiresAt) {
    return Result.fail(invalidRefreshToken(now >= token.grantEndsAt ? "consent_expired" : "expired"))
  }
  return Result.succeed(supersededAt === undefined ? "rotated" : "reused")
}

export const invalidCode = (reason: InvalidGrantReason) =>
  new InvalidGrant({
    reason,
    message: "The code is invalid, expired or used, or was issued for another client, redirect_uri or code_challenge."
  })

export const invalidRefreshToken = (reason: InvalidGrantReason) =>
  new InvalidGrant({
    reason,
    message: "The refresh token is invalid, expired or revoked, or belongs to another client. Connect again."
  })
