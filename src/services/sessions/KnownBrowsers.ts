/**
 * The browsers in which an account has signed in: a random secret in a cookie, its SHA-256 in the database. The cookie gives
 * no access. Wrong passwords from a known browser are counted separately (SignInAttempts), so that attempts from elsewhere
 * cannot lock the owner out.
 *
 * Networks are not stored: the counts would show others in the owner's network that there is an account.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import { dayMillis } from "../../domain/Days.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import { firstOf } from "../database/Rows.ts"
import * as Secrets from "../Secrets.ts"

/** Since the last sign-in: the longest that browsers keep a cookie (RFC 6265bis, 5.5). */
export const maxAgeMillis = 400 * dayMillis
export const maxPerAccount = 20

const decodeId = firstOf(Schema.Struct({ id: Schema.String }))

export class KnownBrowsers extends Context.Service<
  KnownBrowsers,
  {
    /** The key to count the browser by, if it is known to the account with this e-mail address. */
    idOf(email: string, secret: Redacted.Redacted | undefined): Effect.Effect<string | undefined, ServiceUnavailable>
    /**
     * Gives the browser a new secret. The previous one becomes invalid, because somebody else may have set it. Other
     * accounts that know the browser then know it by the new one.
     */
    remember(
      account: AccountId,
      instead: Redacted.Redacted | undefined
    ): Effect.Effect<Redacted.Redacted, ServiceUnavailable>
  }
>()("discovery/sessions/KnownBrowsers") {
  static readonly layer = Layer.effect(
    KnownBrowsers,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const newSecret = yield* Secrets.generator

      const idOf: KnownBrowsers["Service"]["idOf"] = Effect.fn("KnownBrowsers.idOf")(function* (email, secret) {
        if (secret === undefined) return undefined
        const since = new Date((yield* Clock.currentTimeMillis) - maxAgeMillis)
        const row = yield* sql`
          SELECT 'browser ' || encode(b.hash, 'hex') AS id FROM known_browser b JOIN account a ON a.id = b.account_id
          WHERE b.hash = ${Secrets.hashOf(secret)} AND lower(a.email) = lower(${email})
            AND b.signed_in_at > ${since}`.pipe(decodeId, availableToRead)
        return row?.id
      })

      const remember: KnownBrowsers["Service"]["remember"] = Effect.fn("KnownBrowsers.remember")(
        function* (account, instead) {
          const nowMillis = yield* Clock.currentTimeMillis
          const secret = yield* newSecret
          const hash = Secrets.hashOf(secret)
          yield* Effect.gen(function* () {
            if (instead !== undefined) {
              yield* sql`UPDATE known_browser SET hash = ${hash} WHERE hash = ${Secrets.hashOf(instead)}`
            }
            yield* sql`
              INSERT INTO known_browser (account_id, hash, signed_in_at)
              VALUES (${account}, ${hash}, ${new Date(nowMillis)})
              ON CONFLICT (account_id, hash) DO UPDATE SET signed_in_at = excluded.signed_in_at`
            yield* sql`
              DELETE FROM known_browser WHERE account_id = ${account} AND hash IN (
                SELECT hash FROM known_browser WHERE account_id = ${account}
                ORDER BY signed_in_at DESC, hash OFFSET ${maxPerAccount})`
          }).pipe(sql.withTransaction, availableOnce)
          return secret
        }
      )

      return { idOf, remember }
    })
  )
}
