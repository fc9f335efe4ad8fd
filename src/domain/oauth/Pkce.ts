/**
 * PKCE (R13, S86; RFC 7636): proof that the client that sends the code also requested it. Only `S256`, and required of
 * every client.
 */
import { Result } from "effect"
import { Base64Url } from "effect/encoding"
import { InvalidRequest } from "./OAuthError.ts"

/** Base64url of a SHA-256, without padding. */
const challengeForm = /^[A-Za-z0-9_-]{43}$/

/** RFC 7636, 4.1. */
const verifierForm = /^[A-Za-z0-9\-._~]{43,128}$/

/** The challenge of an authorization request. Without a method, RFC 7636 assumes `plain`, which is refused. */
export const challengeFrom = (
  challenge: string | undefined,
  method: string | undefined
): Result.Result<string, InvalidRequest> => {
  if (challenge === undefined) return refused("code_challenge is missing: PKCE with S256 is required.")
  if (method !== "S256") return refused("code_challenge_method must be S256.")
  return challengeForm.test(challenge)
    ? Result.succeed(challenge)
    : refused("code_challenge must be 43 characters of base64url, the SHA-256 of the verifier.")
}

export const isVerifier = (text: string): boolean => verifierForm.test(text)

/** The challenge for the SHA-256 of a verifier. */
export const challengeOf = (sha256OfVerifier: Uint8Array): string => Base64Url.encode(sha256OfVerifier)

const refused = (message: string) => Result.fail(new InvalidRequest({ message }))
