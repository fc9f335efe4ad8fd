/**
 * What becomes of a code or a refresh token that is presented (R21, R35, R37 to R39): pure rules, of which the services
 * see to it that they are asked one at a time for each grant. Times are milliseconds since 1970.
 */
import { Result } from "effect"
import type { InvalidScope, InvalidTarget } from "./OAuthError.ts"
import { InvalidGrant } from "./OAuthError.ts"
import * as Resource from "./Resource.ts"
import * as Scope from "./Scope.ts"

/** From the user's yes to the exchange. */
export const codeSeconds = 60
export const accessTokenSeconds = 3600
/** From its last refresh on; a client that is not used for longer signs in again. */
export const refreshTokenSeconds = 30 * 86_400
/** How long a refresh may be repeated: its answer was lost, or another process of the app sent it as well. */
export const repeatSeconds = 60

/** A code, and the grant that it is for. */
export interface Code {
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge: string
  readonly resource: string
  readonly expiresAt: number
  readonly used: boolean
}

export interface CodeAttempt {
  readonly clientId: string
  readonly redirectUri: string | undefined
  /** The challenge that the verifier answers. */
  readonly challenge: string
  readonly resources: ReadonlyArray<string>
}

export type CodeVerdict =
  | { readonly _tag: "Accepted" }
  /** It is used again, by who has the verifier as well: what it gave must end. */
  | { readonly _tag: "Replayed" }
  /** Nothing changes: whoever has the verifier can still use the code. */
  | { readonly _tag: "Refused"; readonly error: InvalidGrant | InvalidTarget }

export const judgeCode = (code: Code, attempt: CodeAttempt, now: number, mcpUrl: string): CodeVerdict => {
  if (attempt.clientId !== code.clientId) return refused(invalidCode())
  if (attempt.redirectUri !== undefined && attempt.redirectUri !== code.redirectUri) return refused(invalidCode())
  if (attempt.challenge !== code.challenge) return refused(invalidCode())
  // Only now: a code is seen in addresses and logs, and who has no more than that must not end the connection.
  if (code.used) return { _tag: "Replayed" }
  if (now >= code.expiresAt) return refused(invalidCode())
  const resource = Resource.resolve(attempt.resources, mcpUrl)
  if (Result.isFailure(resource)) return refused(resource.failure)
  return resource.success === code.resource ? { _tag: "Accepted" } : refused(invalidCode())
}

/** A refresh token, and the grant that it is for. */
export interface RefreshToken {
  readonly clientId: string
  readonly resource: string
  /** Within the life of its grant. */
  readonly expiresAt: number
  /** When it was refreshed; `undefined` for the newest of its grant. */
  readonly supersededAt: number | undefined
  /** Whether the token that it was exchanged for has been refreshed as well. */
  readonly successorUsed: boolean
}

export interface RefreshAttempt {
  readonly clientId: string
  readonly resources: ReadonlyArray<string>
  readonly scope: string | undefined
}

export type RefreshVerdict =
  | { readonly _tag: "Rotated" }
  /** The answer that was given before is given again. */
  | { readonly _tag: "Repeated" }
  /** Someone has a token that was left behind long ago: the grant must end. */
  | { readonly _tag: "Reused" }
  /** Nothing changes. */
  | { readonly _tag: "Refused"; readonly error: InvalidGrant | InvalidTarget | InvalidScope }

export const judgeRefresh = (
  token: RefreshToken,
  attempt: RefreshAttempt,
  now: number,
  mcpUrl: string
): RefreshVerdict => {
  if (attempt.clientId !== token.clientId || token.resource !== mcpUrl) return refused(invalidRefreshToken())
  const resource = Resource.resolve(attempt.resources, mcpUrl)
  if (Result.isFailure(resource)) return refused(resource.failure)
  const scope = Scope.refresh(attempt.scope)
  if (Result.isFailure(scope)) return refused(scope.failure)
  const { supersededAt } = token
  // A clock that was set back makes the time since then negative: the repeat is not late.
  const isRepeat = supersededAt !== undefined && !token.successorUsed && now - supersededAt <= repeatSeconds * 1000
  if (isRepeat) return { _tag: "Repeated" }
  if (now >= token.expiresAt) return refused(invalidRefreshToken())
  return { _tag: supersededAt === undefined ? "Rotated" : "Reused" }
}

export const invalidCode = () =>
  new InvalidGrant({
    message: "The code is not valid, over, or used; or it is for another client, redirect_uri or verifier."
  })

export const invalidRefreshToken = () =>
  new InvalidGrant({ message: "The refresh token is not valid, over, revoked, or of another client. Connect again." })

const refused = <E>(error: E) => ({ _tag: "Refused" as const, error })
