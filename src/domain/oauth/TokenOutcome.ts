/** What requests to `/token` come to, for statistics. A new error or reason does not compile without an outcome. */
import { invalidClientReasons, invalidGrantReasons } from "./OAuthError.ts"
import type { TokenError } from "./OAuthError.ts"

/** Why an app cannot refresh any more, so that it asks its user to sign in again. */
export const signInReasons = [...invalidGrantReasons, ...invalidClientReasons] as const
export type SignInReason = (typeof signInReasons)[number]

const refusals = {
  InvalidRequest: "invalid_request",
  InvalidClient: "sign_in_forced",
  InvalidGrant: "sign_in_forced",
  UnsupportedGrantType: "invalid_request",
  InvalidTarget: "invalid_request",
  TooManyRequests: "rate_limited",
  ServiceUnavailable: "unavailable"
} as const satisfies Record<TokenError["_tag"], string>

/** `repeated` is the same pair of tokens again, after an answer that was lost. */
export const refreshOutcomes = ["rotated", "repeated", ...new Set(Object.values(refusals))] as const
export type RefreshOutcome = (typeof refreshOutcomes)[number]

export const ofRefusedRefresh = (error: TokenError): RefreshOutcome => refusals[error._tag]

/** None for an error after which the app keeps its tokens. */
export const signInReasonOf = (error: TokenError): SignInReason | undefined =>
  "reason" in error ? error.reason : undefined

/** Why a code was not exchanged. */
export const codeOutcomes = [...signInReasons, "invalid_request", "rate_limited", "unavailable"] as const
export type CodeOutcome = (typeof codeOutcomes)[number]

export const ofRefusedCode = (error: TokenError): CodeOutcome => {
  const reason = signInReasonOf(error)
  if (reason !== undefined) return reason
  const outcome = refusals[error._tag]
  return outcome === "sign_in_forced" ? "invalid_request" : outcome
}
