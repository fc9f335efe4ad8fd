/**
 * CSRF tokens of forms (R28, R29): the HMAC of the account under the secret of the session cookie. Nothing is stored. Another
 * session, or another account in the same browser, has other tokens.
 */
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { Mac } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { AccountId } from "../../domain/access/Account.ts"
import * as Secrets from "../Secrets.ts"

const utf8 = new TextEncoder()

/** The cookie's secret, and the account that is signed in with it, if any. */
export interface FormOwner {
  readonly secret: Redacted.Redacted
  readonly accountId: AccountId | undefined
}

export class CsrfTokens extends Context.Service<
  CsrfTokens,
  {
    /** The secret of a cookie for the sign-in form, before a sign-in. */
    readonly guestSecret: Effect.Effect<Redacted.Redacted>
    of(owner: FormOwner): Effect.Effect<string>
    /** In constant time; `token` is untrusted. */
    isOf(owner: FormOwner, token: string): Effect.Effect<boolean>
  }
>()("discovery/sessions/CsrfTokens") {
  static readonly layer = Layer.effect(
    CsrfTokens,
    Effect.gen(function* () {
      const mac = yield* Mac.Mac

      const sign = Effect.fnUntraced(function* ({ accountId, secret }: FormOwner) {
        const key = yield* Mac.key(Mac.hmacSha256, utf8.encode(Redacted.value(secret)))
        return yield* mac.sign(key, utf8.encode(`form ${accountId ?? "guest"}`))
        // Fails only for an empty secret, which no cookie has.
      }, Effect.orDie)

      return {
        guestSecret: yield* Secrets.generator,
        of: (owner) => Effect.map(sign(owner), (tag) => Base64Url.encode(tag)),
        isOf: (owner, token) =>
          Effect.map(sign(owner), (tag) => {
            const given = Base64Url.decode(token)
            return Result.isSuccess(given) && Mac.timingSafeEqual(tag, given.success)
          })
      }
    })
  )
}
