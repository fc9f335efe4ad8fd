/**
 * Sign-up by e-mail address and password (D85). The answer does not reveal whether an address has an account: it takes
 * the same work, and only the mail differs. The account exists once its link is confirmed.
 *
 * In the browser that asked, the link alone confirms. Another browser also needs the password: otherwise the owner of the address
 * could be tricked into confirming an account whose password somebody else knows.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { Redacted } from "effect"
import { Mac } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce } from "../database/Availability.ts"
import { SignInAttempts } from "../limits/SignInAttempts.ts"
import type { TooManyAttempts } from "../limits/SignInAttempts.ts"
import * as Secrets from "../Secrets.ts"
import { AccountLinks, LinkOver } from "./AccountLinks.ts"
import * as ByMail from "./ByMail.ts"
import { refuseWeak } from "./PasswordChange.ts"
import type { PasswordRefused } from "./PasswordChange.ts"
import { Passwords } from "../sessions/Passwords.ts"
import type { PasswordsBusy } from "../sessions/Passwords.ts"
import { SignInRejected } from "../sessions/SignIn.ts"

/** The link was opened in another browser than the one that asked. */
export class PasswordNeeded extends Schema.TaggedError<PasswordNeeded>()("PasswordNeeded", {}) {}

type Busy = TooManyAttempts | PasswordsBusy | ServiceUnavailable

export class SignUp extends Context.Service<
  SignUp,
  {
    /** Sends a link, or a mail that the address already has an account. */
    ask(request: {
      readonly email: string
      readonly password: Redacted.Redacted
      /** The network of the client (http/shared/ClientAddress.ts). */
      readonly address: string
      /** The secret of the browser's cookie. */
      readonly browser: Redacted.Redacted
      /** Where this browser continues after signing in. */
      readonly returnTo: string | undefined
    }): Effect.Effect<void, ByMail.EmailRefused | PasswordRefused | Busy>
    /** Whether the link works, and whether this browser needs the password for it. */
    read(link: {
      readonly secret: Redacted.Redacted
      readonly browser: Redacted.Redacted
    }): Effect.Effect<{ readonly email: string; readonly needsPassword: boolean }, LinkOver | ServiceUnavailable>
    /** Makes the account: Starter, without credits. `returnTo` only for the browser that asked. */
    confirm(link: {
      readonly secret: Redacted.Redacted
      readonly browser: Redacted.Redacted
      readonly password: Redacted.Redacted | undefined
      readonly address: string
    }): Effect.Effect<{ readonly returnTo: string | undefined }, LinkOver | PasswordNeeded | SignInRejected | Busy>
  }
>()("discovery/accounts/SignUp") {
  static readonly layer = Layer.effect(
    SignUp,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const links = yield* AccountLinks
      const passwords = yield* Passwords
      const attempts = yield* SignInAttempts
      const askByMail = yield* ByMail.asking

      const ask: SignUp["Service"]["ask"] = Effect.fn("SignUp.ask")(
        ({ address, browser, email: typed, password, returnTo }) =>
          askByMail("sign_up", {
            email: typed,
            address,
            verify: (email) => refuseWeak(password, email),
            prepare: passwords.hash(password),
            post: (email, passwordHash) => {
              const link = links.make({ purpose: "sign_up", email, passwordHash, browser, returnTo })
              return ByMail.toNewAddress(email, link, { free: "confirm", taken: "exists" })
            }
          })
      )

      const found = Effect.fnUntraced(function* (secret: Redacted.Redacted, browser: Redacted.Redacted) {
        const link = yield* links.read("sign_up", secret)
        return { ...link, isHere: Mac.timingSafeEqual(Secrets.hashOf(browser), link.browser) }
      })

      const read: SignUp["Service"]["read"] = Effect.fn("SignUp.read")(({ browser, secret }) =>
        Effect.map(found(secret, browser), ({ email, isHere }) => ({ email, needsPassword: !isHere }))
      )

      const check = Effect.fnUntraced(function* (
        email: string,
        hash: string,
        password: Redacted.Redacted,
        address: string
      ) {
        const attempt = { email, address }
        yield* attempts.take(attempt)
        const isRight = yield* passwords
          .verify(password, hash)
          .pipe(Effect.tapError(() => attempts.settle(attempt, "not_verified")))
        yield* attempts.settle(attempt, isRight ? "right" : "wrong")
        if (!isRight) return yield* new SignInRejected()
      })

      const confirm: SignUp["Service"]["confirm"] = Effect.fn("SignUp.confirm")(function* (request) {
        const { email, isHere, passwordHash, returnTo } = yield* found(request.secret, request.browser)
        if (!isHere) {
          if (request.password === undefined) return yield* new PasswordNeeded()
          yield* check(email, passwordHash, request.password, request.address)
        }
        const now = new Date(yield* Clock.currentTimeMillis)
        yield* Effect.gen(function* () {
          const link = yield* links.use("sign_up", request.secret)
          const created = yield* sql`
            INSERT INTO account (email, password_hash, plan, status, created_at)
            VALUES (${link.email}, ${link.passwordHash}, 'starter', 'active', ${now})
            ON CONFLICT DO NOTHING RETURNING id`
          // The command line has created the account since.
          if (created.length === 0) return yield* new LinkOver({ wasUsed: true })
        }).pipe(sql.withTransaction, availableOnce)
        return { returnTo: isHere ? (returnTo ?? undefined) : undefined }
      })

      return { ask, read, confirm }
    })
  )
}
