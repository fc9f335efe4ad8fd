/** Changes the password of the signed-in account. Ends all its sessions and starts a new one in this browser. */
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Password from "../../domain/access/Password.ts"
import { availableOnce } from "../database/Availability.ts"
import { idsOf } from "../database/Rows.ts"
import type * as Outbox from "../mail/Outbox.ts"
import { decodeEmails } from "./AccountRecord.ts"
import * as ByMail from "./ByMail.ts"
import { Passwords } from "../sessions/Passwords.ts"
import { Sessions } from "../sessions/Sessions.ts"
import type { Session } from "../sessions/Sessions.ts"
import { SignIn, SignInRejected } from "../sessions/SignIn.ts"
import type { SignInError } from "../sessions/SignIn.ts"

/** The new password is too weak. */
export class PasswordRefused extends Schema.TaggedError<PasswordRefused>()("PasswordRefused", {
  weakness: Schema.Literals(Password.weaknesses)
}) {}

/** Whether the account with this address may have the password. */
export const refuseWeak = (password: Redacted.Redacted, email: string): Effect.Effect<void, PasswordRefused> => {
  const weakness = Password.weakness(Redacted.value(password), email)
  return weakness === undefined ? Effect.void : Effect.fail(new PasswordRefused({ weakness }))
}

export class PasswordChange extends Context.Service<
  PasswordChange,
  {
    /**
     * Fails with `SignInRejected` when `current` is wrong; attempts are counted by session. Passkeys, connected apps and API keys
     * stay valid; the mail to the owner says so. The secret of the new session is for the cookie and returned once.
     */
    change(request: {
      readonly session: Session
      readonly current: Redacted.Redacted
      readonly next: Redacted.Redacted
    }): Effect.Effect<{ readonly session: Session; readonly secret: Redacted.Redacted }, PasswordRefused | SignInError>
  }
>()("discovery/accounts/PasswordChange") {
  static readonly layer = Layer.effect(
    PasswordChange,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const passwords = yield* Passwords
      const sessions = yield* Sessions
      const signIn = yield* SignIn

      const change: PasswordChange["Service"]["change"] = Effect.fn("PasswordChange.change")(function* (request) {
        const { accountId, device, email, passkeyId } = request.session
        yield* refuseWeak(request.next, email)
        const verified = yield* signIn.verify({ session: request.session, password: request.current })
        const passwordHash = yield* passwords.hash(request.next)
        return yield* Effect.gen(function* () {
          const [changed] = yield* decodeEmails(
            sql`
              UPDATE account SET password_hash = ${passwordHash}
              WHERE id = ${accountId} AND password_hash = ${verified.passwordHash} RETURNING email`
          )
          // Changed concurrently: the verified password is no longer the current one.
          if (changed === undefined) return yield* new SignInRejected()
          const ended = yield* idsOf(sql`DELETE FROM session WHERE account_id = ${accountId} RETURNING id`)
          // Ended since the request began: it must not go on in a new one, which counts as signed in with every step.
          if (!ended.includes(request.session.id)) return yield* new SignInRejected()
          const mail: Outbox.Post = { kind: "passwordChanged", to: changed.email }
          yield* ByMail.changed({ accountId, what: "password_changed", device, mail })
          return yield* sessions
            .start({ accountId, passwordHash, device, passkeyId, secondStep: "done" })
            .pipe(Effect.catchTags({ PasswordOutdated: rejected, SecondStepRequired: rejected }))
        }).pipe(sql.withTransaction, Effect.provideService(SqlClient.SqlClient, sql), availableOnce)
      })

      return { change }
    })
  )
}

const rejected = () => Effect.fail(new SignInRejected())
