/** Generation and hashing of secrets. Only hashes are stored (R40). */
import { Effect, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import * as Credential from "../../domain/access/Credential.ts"

export const sha256 = Effect.fnUntraced(function* (text: string) {
  const digest = yield* Digest.Digest
  return yield* digest.digest(Digest.sha256, new TextEncoder().encode(text))
})

export const hashOf = (secret: Redacted.Redacted) => sha256(Redacted.value(secret))

export const random = Effect.fnUntraced(function* (kind: Credential.Kind) {
  const source = yield* SecureRandom.SecureRandom
  return Credential.make(kind, yield* source.randomBytes(Credential.entropyBytes))
})
