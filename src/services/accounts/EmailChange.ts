/**
 * Change of the signed-in account's e-mail address (D88): by its password, and by a link that is sent to the new
 * address. The answer does not reveal whether that address has another account; only the mail differs.
 */
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce } from "../database/Availability.ts"
import type * as Outbox from "../mail/Outbox.ts"
import * as AccountLinks from "./AccountLinks.ts"
import * as ByMail from "./ByMail.ts"
import { decodeEmails } from "./AccountRecord.ts"
import { isStill } from "../sessions/Sessions.ts"
import type { Session } from "../sessions/Sessions.ts"
import { SignIn } from "../sessions/SignIn.ts"
import type { SignInError } from "../sessions/SignIn.ts"

export class EmailChange extends Context.Service<
  EmailChange,
  {
    /** Sends the new address a link, or a mail that it already has an account. */
    ask(request: {
      readonly session: Session
      readonly password: Redacted.Redacted
      readonly email: string
      /** The network of the client (http/shared/ClientAddress.ts). */
      readonly address: string
    }): Effect.Effect<void, ByMail.EmailRefused | SignInError>
    /** The new address. The link works for its own account only. */
    read(
      session: Session,
      secret: Redacted.Redacted
    ): Effect.Effect<{ readonly email: string }, AccountLinks.LinkOver | ServiceUnavailable>
    /** Ends all links of the account and sends a mail to the old address. */
    confirm(request: {
      readonly session: Session
      readonly secret: Redacted.Redacted
    }): Effect.Effect<void, AccountLinks.LinkOver | ServiceUnavailable>
  }
>()("discovery/accounts/EmailChange") {
  static readonly layer = Layer.effect(
    EmailChange,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const links = yield* AccountLinks.AccountLinks
      const signIn = yield* SignIn
      const askByMail = yield* ByMail.asking

      const ask: EmailChange["Service"]["ask"] = Effect.fn("EmailChange.ask")(
        ({ address, email: typed, password, session }) =>
          askByMail("email", {
            email: typed,
            address,
            verify: () => Effect.asVoid(signIn.verify({ session, password })),
            prepare: Effect.void,
            post: (email) => {
              const link = links.make({ purpose: "email", email, accountId: session.accountId })
              return ByMail.toNewAddress(email, link, { free: "newAddress", taken: "addressTaken" })
            }
          })
      )

      const read: EmailChange["Service"]["read"] = Effect.fn("EmailChange.read")(function* (session, secret) {
        const { accountId, email } = yield* links.read("email", secret)
        return accountId === session.accountId ? { email } : yield* new AccountLinks.LinkOver()
      })

      const confirm: EmailChange["Service"]["confirm"] = Effect.fn("EmailChange.confirm")(function* (request) {
        const { secret, session } = request
        yield* read(session, secret)
        yield* Effect.gen(function* () {
          const { accountId, email } = yield* links.use("email", secret)
          const [former] = yield* decodeEmails(sql`SELECT email FROM account WHERE id = ${accountId}`)
          yield* sql`UPDATE account SET email = ${email} WHERE id = ${accountId}`
          // Ended since the request began.
          if (former === undefined || !(yield* isStill(sql, session))) return yield* new AccountLinks.LinkOver()
          const mail: Outbox.Post = { kind: "addressChanged", to: former.email }
          yield* ByMail.changed({ accountId, what: "address_changed", device: session.device, mail })
        }).pipe(
          sql.withTransaction,
          // Another account has taken the address since the link was made.
          Effect.catchIf(isTaken, () => Effect.fail(new AccountLinks.LinkOver())),
          Effect.provideService(SqlClient.SqlClient, sql),
          availableOnce
        )
      })

      return { ask, read, confirm }
    })
  )
}

const isTaken = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation"
