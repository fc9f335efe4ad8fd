/**
 * A new password by a link in a mail (D87). The answer does not reveal whether an address has an account. A reset
 * starts no session: it leads to the sign-in, which may ask for a second step.
 */
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Device } from "../../domain/access/Device.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce } from "../database/Availability.ts"
import { SignInAttempts } from "../limits/SignInAttempts.ts"
import type { TooManyAttempts } from "../limits/SignInAttempts.ts"
import type * as Outbox from "../mail/Outbox.ts"
import * as AccountLinks from "./AccountLinks.ts"
import * as ByMail from "./ByMail.ts"
import { refuseWeak } from "./PasswordChange.ts"
import type { PasswordRefused } from "./PasswordChange.ts"
import { Passwords } from "../sessions/Passwords.ts"
import type { PasswordsBusy } from "../sessions/Passwords.ts"

export class PasswordReset extends Context.Service<
  PasswordReset,
  {
    /** A mail with a link goes to the address if it has an account. */
    ask(request: {
      readonly email: string
      /** The network of the client (http/shared/ClientAddress.ts). */
      readonly address: string
    }): Effect.Effect<void, ByMail.EmailRefused | TooManyAttempts | ServiceUnavailable>
    /** The address of the account whose password the link sets. */
    read(
      secret: Redacted.Redacted
    ): Effect.Effect<{ readonly email: string }, AccountLinks.LinkOver | ServiceUnavailable>
    /**
     * Ends all sessions of the account and all its links. Passkeys, connected apps and API keys stay valid; the mail to the owner
     * says so. A weak password does not use up the link. Attempts are counted as those with a right password.
     */
    set(request: {
      readonly secret: Redacted.Redacted
      readonly next: Redacted.Redacted
      readonly device: Device
    }): Effect.Effect<
      void,
      AccountLinks.LinkOver | PasswordRefused | TooManyAttempts | PasswordsBusy | ServiceUnavailable
    >
  }
>()("discovery/accounts/PasswordReset") {
  static readonly layer = Layer.effect(
    PasswordReset,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const links = yield* AccountLinks.AccountLinks
      const passwords = yield* Passwords
      const attempts = yield* SignInAttempts
      const askByMail = yield* ByMail.asking

      // Whether the address has an account is looked up when the mail is sent: nothing here depends on it.
      const ask: PasswordReset["Service"]["ask"] = Effect.fn("PasswordReset.ask")((request) =>
        askByMail("reset", {
          ...request,
          prepare: Effect.void,
          post: (email) => Effect.succeed<Outbox.Post>({ kind: "reset", to: email })
        })
      )

      const read: PasswordReset["Service"]["read"] = (secret) => links.read("reset", secret)

      const set: PasswordReset["Service"]["set"] = Effect.fn("PasswordReset.set")(function* (request) {
        const { device, next, secret } = request
        const { email } = yield* links.read("reset", secret)
        yield* refuseWeak(next, email)
        const attempt = { email, link: "reset" } as const
        // Requests at once, or that are given up, would otherwise hash with one link without end.
        yield* attempts.take(attempt)
        const passwordHash = yield* passwords
          .hash(next)
          .pipe(Effect.tapError(() => attempts.settle(attempt, "not_verified")))
        yield* attempts.settle(attempt, "right")
        yield* Effect.gen(function* () {
          const { accountId } = yield* links.use("reset", secret)
          const set = yield* sql`
            UPDATE account SET password_hash = ${passwordHash} WHERE id = ${accountId} AND email = ${email} RETURNING id`
          // The account has another address since the link was made, or is closed.
          if (set.length === 0) return yield* new AccountLinks.LinkOver()
          yield* sql`DELETE FROM session WHERE account_id = ${accountId}`
          const mail: Outbox.Post = { kind: "passwordSet", to: email }
          yield* ByMail.changed({ accountId, what: "password_set", device, mail })
        }).pipe(sql.withTransaction, Effect.provideService(SqlClient.SqlClient, sql), availableOnce)
      })

      return { ask, read, set }
    })
  )
}
