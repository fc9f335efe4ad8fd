/** Generation and hashing of secrets. Only hashes are stored (R40). */
import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { hash } from "node:crypto"
import * as Credential from "../domain/access/Credential.ts"

/** Without salt and fast, so not for what people choose (Passwords). */
export const sha256 = (text: string): Uint8Array => hash("sha256", text, "buffer")

export const hashOf = (secret: Redacted.Redacted): Uint8Array => sha256(Redacted.value(secret))

export const random = Effect.fnUntraced(function* (kind: Credential.Kind) {
  const source = yield* SecureRandom.SecureRandom
  return Credential.make(kind, yield* source.randomBytes(Credential.entropyBytes))
})

/** The secret of a kind that belongs to another secret, and that nobody can tell without it. */
export const derive = (kind: Credential.Kind, from: Redacted.Redacted): Redacted.Redacted =>
  Redacted.make(
    Credential.make(
      kind,
      hash("sha512", `${kind} ${Redacted.value(from)}`, "buffer").subarray(0, Credential.entropyBytes)
    )
  )

const randomBytes = 32
const randomForm = /^[A-Za-z0-9_-]{43}$/

/** Makes secrets for cookies, links and forms. */
export const generator = Effect.map(SecureRandom.SecureRandom, (source) =>
  Effect.map(source.randomBytes(randomBytes), (bytes) => Redacted.make(Base64Url.encode(bytes)))
)

/** Whether an untrusted text has the form of what {@link generator} makes. */
export const isFormed = (secret: Redacted.Redacted): boolean => randomForm.test(Redacted.value(secret))
