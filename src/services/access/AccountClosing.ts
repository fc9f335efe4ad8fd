/**
 * Closes an account at its owner's wish. Its sessions, keys and connections end in the same transaction, for every server:
 * each request reads them from the database. The row stays without personal data, because the ledger belongs to it; its
 * e-mail address can sign up again at once. What takes longer to remove, retention/ClosedAccounts removes.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import type { Language } from "../../domain/Messages.ts"
import { availableOnce } from "../database/Availability.ts"
import { Billing } from "../billing/Billing.ts"
import type { BillingUnavailable } from "../billing/StripeApi.ts"
import { Mailer } from "../mail/Mailer.ts"
import * as AccountChanges from "./AccountChanges.ts"
import { isStill } from "./Sessions.ts"
import type { Session } from "./Sessions.ts"
import { SignIn, SignInRejected } from "./SignIn.ts"
import type { SignInError } from "./SignIn.ts"

/** What an account has of its own, in tables that refer to it. The ledger and the record of changes are not among them. */
const belongings = [
  "session",
  "pending_sign_in",
  "passkey",
  "recovery_code",
  "sign_in_change",
  "known_browser",
  "page_look",
  "saved_search",
  "recent_search",
  "tracked_shop",
  "idempotency_key",
  "account_link",
  "billing_customer",
  "api_key",
  "oauth_grant",
  "oauth_ended_grant"
] as const

/** Deletes what an account has of its own: codes and tokens with their grants, requests for consent with their sessions. */
export const forget = (accountId: AccountId): Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(belongings, (table) => sql`DELETE FROM ${sql(table)} WHERE account_id = ${accountId}`, {
      discard: true
    })
  )

export class AccountClosing extends Context.Service<
  AccountClosing,
  {
    /**
     * Fails with `SignInRejected` when the password is wrong; attempts are counted by session. Ends the subscription in Stripe
     * as well, and closes nothing while that fails.
     */
    close(request: {
      readonly session: Session
      readonly password: Redacted.Redacted
      readonly language: Language
    }): Effect.Effect<void, SignInError | BillingUnavailable>
  }
>()("discovery/access/AccountClosing") {
  static readonly layer = Layer.effect(
    AccountClosing,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const signIn = yield* SignIn
      const mailer = yield* Mailer
      const billing = yield* Billing
      const { supportUrl } = yield* AppConfig

      const close: AccountClosing["Service"]["close"] = Effect.fn("AccountClosing.close")(function* (request) {
        const { language, password, session } = request
        const { accountId, email, passwordHash } = yield* signIn.verify({ session, password })
        const nowMillis = yield* Clock.currentTimeMillis

        // Whatever the account has outside of this database ends first: a failure leaves it as it is, to be closed again.
        yield* billing.cancel(accountId)
        yield* Effect.gen(function* () {
          // Locked before the account, as by the events of the subscription that has just ended.
          yield* sql`DELETE FROM billing_customer WHERE account_id = ${accountId}`
          // The text in place of the address is no address: nobody can sign up or sign in with it.
          const closed = yield* sql`
            UPDATE account SET email = 'closed account ' || id, password_hash = NULL, status = 'canceled', role = 'customer',
              second_step = false, user_handle = gen_random_uuid(), closed_at = ${new Date(nowMillis)}
            WHERE id = ${accountId} AND password_hash = ${passwordHash} RETURNING id`
          // Changed concurrently: the verified password is no longer the current one.
          if (closed.length === 0) return yield* new SignInRejected()
          // Ended since the request began.
          if (!(yield* isStill(sql, session))) return yield* new SignInRejected()
          yield* forget(accountId)
          const change = { accountId, by: accountId, nowMillis }
          yield* AccountChanges.record({ ...change, what: "status", before: session.status, after: "canceled" })
          yield* AccountChanges.record({ ...change, what: "role", before: session.role, after: "customer" })
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), sql.withTransaction, availableOnce)
        yield* mailer.send({ kind: "closed", to: email, language, link: supportUrl })
      })

      return { close }
    })
  )
}
