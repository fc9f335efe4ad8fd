/** Password hashes: argon2id, with the parameters stored beside the hash, so that they can be raised later. */
import { Context, Effect, Layer, Redacted, Result, Schema } from "effect"
import { Kdf, Mac, SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import * as Password from "../../domain/access/Password.ts"
import * as BoundedQueue from "../limits/BoundedQueue.ts"

interface Cost {
  /** KiB. */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

export const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const hashBytes = 32
/** Each takes 19 MiB and a thread. */
const maxAtOnce = 4
/** Further requests would wait longer than a person does. */
const maxWaiting = 50
const maxWait = "5 seconds"
const retryAfterSeconds = 5
const generatedCharacters = 20
/** Without characters that look alike. */
const generatedAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"

const stored = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Too many passwords are being hashed. This one was not checked. */
export class PasswordsBusy extends Schema.TaggedError<PasswordsBusy>()("PasswordsBusy", {
  message: Schema.String,
  retryAfterSeconds: Schema.Int
}) {}

export class Passwords extends Context.Service<
  Passwords,
  {
    /** In the stored form `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */
    hash(password: Redacted.Redacted): Effect.Effect<string, PasswordsBusy>
    verify(password: Redacted.Redacted, stored: string): Effect.Effect<boolean, PasswordsBusy>
    /** A new one of 20 characters, about 116 bits. */
    readonly generate: Effect.Effect<Redacted.Redacted>
  }
>()("discovery/sessions/Passwords") {
  static readonly layer = Layer.effect(
    Passwords,
    Effect.gen(function* () {
      const kdf = yield* Kdf.Kdf
      const random = yield* SecureRandom.SecureRandom
      const queue = BoundedQueue.make(maxAtOnce, maxWaiting)

      /** Limits the wait, not the hashing. */
      const inTurn = <A>(work: Effect.Effect<A>): Effect.Effect<A, PasswordsBusy> =>
        queue
          .turn(busy)
          .pipe(
            Effect.timeoutOrElse({ duration: maxWait, orElse: () => Effect.fail(busy()) }),
            Effect.andThen(work),
            Effect.scoped
          )

      const derive = (password: Redacted.Redacted, salt: Uint8Array, parameters: Cost, length: number) =>
        kdf
          .derive(Kdf.argon2id(parameters), new TextEncoder().encode(Password.normalize(Redacted.value(password))), {
            salt,
            length
          })
          .pipe(
            // The parameters are constants, and every supported Node.js has argon2.
            Effect.orDie,
            inTurn
          )

      const hash = Effect.fn("Passwords.hash")(function* (password: Redacted.Redacted) {
        const salt = yield* random.randomBytes(saltBytes)
        const derived = yield* derive(password, salt, cost, hashBytes)
        const { memory, parallelism, passes } = cost
        return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toText(salt)}$${toText(derived)}`
      })

      const verify = Effect.fn("Passwords.verify")(function* (password: Redacted.Redacted, text: string) {
        const [, memory, passes, parallelism, saltText = "", hashText = ""] = stored.exec(text) ?? []
        const salt = Base64.decode(pad(saltText))
        const expected = Base64.decode(pad(hashText))
        if (memory === undefined || Result.isFailure(salt) || Result.isFailure(expected)) return false
        const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
        const derived = yield* derive(password, salt.success, parameters, expected.success.length)
        return Mac.timingSafeEqual(derived, expected.success)
      })

      const generate = Effect.gen(function* () {
        let text = ""
        for (let length = 0; length < generatedCharacters; length++) {
          text += generatedAlphabet.charAt(yield* random.intBetween(0, generatedAlphabet.length, { halfOpen: true }))
        }
        return Redacted.make(text)
      })

      return { hash, verify, generate }
    })
  )
}

const busy = () => new PasswordsBusy({ message: "Too many people are signing in right now.", retryAfterSeconds })

const toText = (bytes: Uint8Array): string => Base64.encode(bytes).replaceAll("=", "")
const pad = (text: string): string => text.padEnd(Math.ceil(text.length / 4) * 4, "=")
