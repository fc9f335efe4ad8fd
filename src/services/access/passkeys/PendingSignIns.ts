/**
 * Sign-ins whose password was right and whose second step is missing: for ten minutes, bound to the browser by a new secret of its
 * session cookie. They give access to nothing but the second step.
 */
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../../domain/access/Account.ts"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../../database/Availability.ts"
import * as DatabaseClock from "../../database/DatabaseClock.ts"
import { rowsOf } from "../../database/Rows.ts"

const lifetimeMillis = 10 * 60_000
/** Of one account; the next one replaces the oldest. */
const maxPerAccount = 20
/** Expired ones that each new one deletes. */
const maxSwept = 20
const secretBytes = 32

/** `passwordHash` is the account's, and still the one that the password was compared with. */
const Pending = Schema.Struct({ accountId: AccountId, email: Schema.String, passwordHash: Schema.String })
export type Pending = typeof Pending.Type

const decodePending = rowsOf(Pending)

export class PendingSignIns extends Context.Service<
  PendingSignIns,
  {
    /**
     * Returns the new secret of the session cookie: the one before the sign-in may have been set by somebody else. `instead` is
     * the previous one.
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
>()("discovery/access/PendingSignIns") {
  static readonly layer = Layer.effect(
    PendingSignIns,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom

      const hashOf = (text: string) => digest.digest(Digest.sha256, new TextEncoder().encode(text))
      const now = Effect.flatten(DatabaseClock.DatabaseTime).pipe(Effect.provideService(SqlClient.SqlClient, sql))

      const begin: PendingSignIns["Service"]["begin"] = Effect.fn("PendingSignIns.begin")(function* (
        { accountId, passwordHash },
        instead
      ) {
        const secret = Base64Url.encode(yield* random.randomBytes(secretBytes))
        const [owner, password] = [yield* hashOf(secret), yield* hashOf(passwordHash)]
        const previous = instead === undefined ? undefined : yield* hashOf(Redacted.value(instead))
        yield* Effect.gen(function* () {
          const nowMillis = yield* now
          if (previous !== undefined) yield* sql`DELETE FROM pending_sign_in WHERE owner = ${previous}`
          yield* sql`
              DELETE FROM pending_sign_in WHERE owner IN (
                SELECT owner FROM pending_sign_in WHERE expires_at <= ${new Date(nowMillis)}
                ORDER BY expires_at LIMIT ${maxSwept} FOR UPDATE SKIP LOCKED)`
          yield* sql`
              DELETE FROM pending_sign_in WHERE owner IN (
                SELECT owner FROM pending_sign_in WHERE account_id = ${accountId}
                ORDER BY expires_at DESC, owner OFFSET ${maxPerAccount - 1} FOR UPDATE SKIP LOCKED)`
          yield* sql`
              INSERT INTO pending_sign_in (owner, account_id, password, expires_at)
              VALUES (${owner}, ${accountId}, ${password}, ${new Date(nowMillis + lifetimeMillis)})`
        }).pipe(sql.withTransaction, availableOnce)
        return Redacted.make(secret)
      })

      const find = Effect.fn("PendingSignIns.find")(function* (secret: Redacted.Redacted) {
        const owner = yield* hashOf(Redacted.value(secret))
        const rows = yield* Effect.flatMap(
          now,
          (nowMillis) => sql`
            SELECT a.id AS "accountId", a.email, a.password_hash AS "passwordHash"
            FROM pending_sign_in p JOIN account a ON a.id = p.account_id
            WHERE p.owner = ${owner} AND p.expires_at > ${new Date(nowMillis)}
              AND p.password = sha256(convert_to(a.password_hash, 'UTF8'))`
        ).pipe(availableToRead)
        return Option.fromUndefinedOr((yield* decodePending(rows))[0])
      })

      const end = Effect.fn("PendingSignIns.end")(function* (secret: Redacted.Redacted) {
        yield* sql`DELETE FROM pending_sign_in WHERE owner = ${yield* hashOf(Redacted.value(secret))}`.pipe(
          availableOnce
        )
      })

      return { begin, find, end }
    })
  )
}
