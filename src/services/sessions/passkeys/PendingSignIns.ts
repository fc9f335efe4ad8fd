/**
 * Sign-ins whose password was right and whose second step is missing: for ten minutes, bound to the browser by a new secret of its
 * session cookie. They give access to nothing but the second step.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../../domain/access/Account.ts"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../../database/Availability.ts"
import * as DatabaseClock from "../../database/DatabaseClock.ts"
import { deleteUnlocked, firstOf } from "../../database/Rows.ts"
import * as Secrets from "../../Secrets.ts"

const lifetimeMillis = 10 * 60_000
/** Of one account; the next one replaces the oldest. */
const maxPerAccount = 20
/** Expired ones that each new one deletes. */
const maxSwept = 20

/** `passwordHash` is the account's, and still the one that the password was compared with. */
const Pending = Schema.Struct({ accountId: AccountId, email: Schema.String, passwordHash: Schema.String })
export type Pending = typeof Pending.Type

const decodePending = firstOf(Pending)

export class PendingSignIns extends Context.Service<
  PendingSignIns,
  {
    /**
     * Returns the new secret of the session cookie: the one before the sign-in may have been set by somebody else. `instead` is
     * the previous one, whose session ends.
     */
    begin(
      verified: Pick<Pending, "accountId" | "passwordHash">,
      instead?: Redacted.Redacted
    ): Effect.Effect<Redacted.Redacted, ServiceUnavailable>
    /** None if it has expired or was completed, or if the password was changed since. */
    find(secret: Redacted.Redacted): Effect.Effect<Option.Option<Pending>, ServiceUnavailable>
    /** Called within the transaction that starts the session. */
    end(secret: Redacted.Redacted): Effect.Effect<void, ServiceUnavailable>
  }
>()("discovery/sessions/PendingSignIns") {
  static readonly layer = Layer.effect(
    PendingSignIns,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const newSecret = yield* Secrets.generator
      const sweep = deleteUnlocked(sql, "pending_sign_in", "owner")
      const now = DatabaseClock.currentTimeMillis.pipe(Effect.provideService(SqlClient.SqlClient, sql))

      const remove = (secret: Redacted.Redacted) =>
        sql`DELETE FROM pending_sign_in WHERE owner = ${Secrets.hashOf(secret)}`

      const begin: PendingSignIns["Service"]["begin"] = Effect.fn("PendingSignIns.begin")(function* (
        { accountId, passwordHash },
        instead
      ) {
        const secret = yield* newSecret
        const [owner, password] = [Secrets.hashOf(secret), Secrets.sha256(passwordHash)]
        yield* Effect.gen(function* () {
          const nowMillis = yield* now
          if (instead !== undefined) {
            // The browser is another person's now, as when a session starts.
            yield* sql`DELETE FROM session WHERE hash = ${Secrets.hashOf(instead)}`
            yield* remove(instead)
          }
          yield* sweep(sql`expires_at <= ${new Date(nowMillis)} ORDER BY expires_at LIMIT ${maxSwept}`)
          yield* sweep(sql`account_id = ${accountId} ORDER BY expires_at DESC, owner OFFSET ${maxPerAccount - 1}`)
          yield* sql`
              INSERT INTO pending_sign_in (owner, account_id, password, expires_at)
              VALUES (${owner}, ${accountId}, ${password}, ${new Date(nowMillis + lifetimeMillis)})`
        }).pipe(sql.withTransaction, availableOnce)
        return secret
      })

      const find = Effect.fn("PendingSignIns.find")(function* (secret: Redacted.Redacted) {
        return yield* Effect.flatMap(
          now,
          (nowMillis) => sql`
            SELECT a.id AS "accountId", a.email, a.password_hash AS "passwordHash"
            FROM pending_sign_in p JOIN account a ON a.id = p.account_id
            WHERE p.owner = ${Secrets.hashOf(secret)} AND p.expires_at > ${new Date(nowMillis)}
              AND p.password = sha256(convert_to(a.password_hash, 'UTF8'))`
        ).pipe(decodePending, Effect.map(Option.fromUndefinedOr), availableToRead)
      })

      const end = Effect.fn("PendingSignIns.end")(function* (secret: Redacted.Redacted) {
        yield* availableOnce(remove(secret))
      })

      return { begin, find, end }
    })
  )
}
