/**
 * Validation of an authorization request (R10 to R18). Client and redirect URI are checked first: errors in them
 * are shown to the person and never sent to an unverified address. Every other error is sent to the client.
 */
import { Result, Schema } from "effect"
import { StringOrNone } from "./Client.ts"
import type { OAuthClient } from "./Client.ts"
import type { InvalidTarget } from "./OAuthError.ts"
import { InvalidRequest, UnsupportedResponseType } from "./OAuthError.ts"
import * as Parameters from "./RequestParameters.ts"
import * as Pkce from "./Pkce.ts"
import * as RedirectUri from "./RedirectUri.ts"
import * as Resource from "./Resource.ts"

/** The verified redirect URI and `state`. Errors may be sent to it. */
export const ReturnAddress = Schema.Struct({
  redirectUri: Schema.String,
  /** As sent, of any length and content; `undefined` if it was absent or repeated. */
  state: StringOrNone
})
export type ReturnAddress = typeof ReturnAddress.Type

export const AuthorizationRequest = Schema.Struct({
  ...ReturnAddress.fields,
  challenge: Schema.String,
  resource: Schema.String
})
export type AuthorizationRequest = typeof AuthorizationRequest.Type

/**
 * The redirect URI of the request if the client has registered it. Without one in the request, the only registered one.
 * `undefined` if there is no address that may be trusted.
 */
export const returnAddress = (
  parameters: Parameters.Parameters,
  client: Pick<OAuthClient, "redirectUris">
): ReturnAddress | undefined => {
  const [only, ...others] = client.redirectUris
  const isLeftOut = others.length === 0 && !parameters.repeated.has("redirect_uri")
  const redirectUri = parameters.get("redirect_uri") ?? (isLeftOut ? only : undefined)
  return redirectUri !== undefined &&
    client.redirectUris.some((registered) => RedirectUri.matches(registered, redirectUri))
    ? { redirectUri, state: parameters.get("state") }
    : undefined
}

/** Everything else of the request. Unknown parameters (`prompt`, `nonce`, `claims` ...) are ignored, and `scope` (R15). */
export const read = (
  parameters: Parameters.Parameters,
  address: ReturnAddress,
  mcpUrl: string
): Result.Result<AuthorizationRequest, InvalidRequest | UnsupportedResponseType | InvalidTarget> =>
  Result.gen(function* () {
    yield* Parameters.unrepeated(parameters)
    const type = parameters.get("response_type")
    if (type === undefined) return yield* Result.fail(new InvalidRequest({ message: "response_type is missing." }))
    if (type !== "code") {
      return yield* Result.fail(new UnsupportedResponseType({ message: "The only response_type is code." }))
    }
    const challenge = yield* Pkce.challengeFrom(
      parameters.get("code_challenge"),
      parameters.get("code_challenge_method")
    )
    const resource = yield* Resource.resolve(parameters.resources, mcpUrl)
    return { ...address, challenge, resource }
  })
