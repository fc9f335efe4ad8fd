/**
 * Closes an account at its owner's wish (D89). Its sessions, keys and connections end in the same transaction, for
 * every server: each request reads them from the database. The row stays without personal data, because the ledger
 * belongs to it; its e-mail address can sign up again at once. What takes longer to remove, retention/ClosedAccounts
 * removes.
 */
import { Clock, Context, Effect, Fiber, Layer, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { Role, SubscriptionStatus } from "../../domain/access/Account.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import { availableOnce } from "../database/Availability.ts"
import { rowOf } from "../database/Rows.ts"
import { Billing } from "../billing/Billing.ts"
import * as BillingRows from "../billing/BillingRows.ts"
import * as Outbox from "../mail/Outbox.ts"
import * as AccountChanges from "./AccountChanges.ts"
import { isStill } from "../sessions/Sessions.ts"
import type { Session } from "../sessions/Sessions.ts"
import { SignIn, SignInRejected } from "../sessions/SignIn.ts"
import type { SignInError, Verified } from "../sessions/SignIn.ts"

/** What an account has of its own, in tables that refer to it. The ledger and the record of changes are not among them. */
const belongings = [
  "session",
  "pending_sign_in",
  "passkey",
  "recovery_code",
  "enrollment_code",
  "sign_in_change",
  "known_browser",
  "page_view",
  "saved_search",
  "alert",
  "alert_link",
  "mail",
  "notice_day",
  "webhook",
  "recent_search",
  "tracked_shop",
  "board",
  "idempotency_key",
  "account_link",
  "api_key",
  "oauth_grant",
  "oauth_ended_grant"
] as const

/** Deletes what an account has of its own: codes and tokens with their grants, requests for consent with their sessions. */
export const forget = (accountId: AccountId): Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(belongings, (table) => sql`DELETE FROM ${sql(table)} WHERE account_id = ${accountId}`, {
      discard: true
    }).pipe(Effect.andThen(BillingRows.forgetNobody(sql, accountId)), Effect.asVoid)
  )

/** What ends: the session may have been read before a change of it. */
const decodeStanding = rowOf(Schema.Struct({ status: SubscriptionStatus, role: Role }))

export class AccountClosing extends Context.Service<
  AccountClosing,
  {
    /**
     * Fails with `SignInRejected` when the password is wrong; attempts are counted by session. Then ends the subscription in
     * Stripe; if that fails, the daily comparison of billing goes on with it.
     */
    close(request: {
      readonly session: Session
      readonly password: Redacted.Redacted
    }): Effect.Effect<void, SignInError>
  }
>()("discovery/accounts/AccountClosing") {
  static readonly layer = Layer.effect(
    AccountClosing,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const signIn = yield* SignIn
      const { stripe } = yield* Billing
      const scope = yield* Effect.scope

      /** Once the account is closed: a closing that is refused ends no subscription, and a closed account can buy no new one. */
      const endSubscription = (accountId: AccountId) =>
        Option.match(stripe, {
          onNone: () => Effect.void,
          onSome: (billing) =>
            billing.refresh(accountId).pipe(
              Effect.catch((error) =>
                Effect.logError({
                  message:
                    "The subscription of a closed account could not be ended: it is tried again within about an hour",
                  account_id: accountId,
                  error: error.message
                })
              )
            )
        })

      const closeVerified = Effect.fnUntraced(function* (
        { session }: Parameters<AccountClosing["Service"]["close"]>[0],
        { accountId, email, passwordHash }: Verified
      ) {
        const nowMillis = yield* Clock.currentTimeMillis
        yield* Effect.gen(function* () {
          yield* BillingRows.close(sql, accountId, Option.isSome(stripe), nowMillis)
          const until = yield* sql`
            SELECT status, role FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`.pipe(decodeStanding)
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
          yield* AccountChanges.record({ ...change, what: "status", before: until.status, after: "canceled" })
          yield* AccountChanges.record({ ...change, what: "role", before: until.role, after: "customer" })
          yield* Outbox.put({ kind: "closed", to: email })
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), sql.withTransaction, availableOnce)
        yield* endSubscription(accountId)
      })

      const close: AccountClosing["Service"]["close"] = Effect.fn("AccountClosing.close")(function* (request) {
        const verified = yield* signIn.verify(request)
        // Not interrupted by a browser that leaves: the subscription would go on until the next comparison.
        const closing = yield* Effect.forkIn(closeVerified(request, verified), scope)
        yield* Fiber.join(closing)
      })

      return { close }
    })
  )
}
