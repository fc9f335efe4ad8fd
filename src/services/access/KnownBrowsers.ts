/**
 * The browsers in which an account was signed in to before: a random secret in a cookie of its own, its SHA-256 in the
 * database. It opens nothing. Wrong passwords that come with it are counted apart from those of everyone else
 * (SignInAttempts), so that nobody elsewhere can keep the owner out.
 *
 * Networks are not remembered: whoever shares one with an owner would learn from the counts that there is an account.
 */
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import { rowsOf } from "../database/Rows.ts"

/** Since the last sign-in: as long as browsers keep a cookie at most (RFC 6265bis, 5.5). */
export const maxAgeMillis = 400 * 86_400_000
/** Those of the last sign-ins. */
export const maxPerAccount = 20
const secretBytes = 32

const decodeIds = rowsOf(Schema.Struct({ id: Schema.String }))

export class KnownBrowsers extends Context.Service<
  KnownBrowsers,
  {
    /** What to count the browser by, if the account with this e-mail address was signed in to with it. */
    idOf(email: string, secret: Redacted.Redacted | undefined): Effect.Effect<string | undefined, ServiceUnavailable>
    /**
     * Knows the browser from now on by the secret that this gives. What it has kept until now is worth nothing afterwards, in
     * case somebody else put it there; the other accounts that it was known by go with the new one.
     */
    remember(
      account: AccountId,
      instead: Redacted.Redacted | undefined
    ): Effect.Effect<Redacted.Redacted, ServiceUnavailable>
  }
>()("discovery/access/KnownBrowsers") {
  static readonly layer = Layer.effect(
    KnownBrowsers,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom

      const hashOf = (secret: string) => digest.digest(Digest.sha256, new TextEncoder().encode(secret))

      const idOf: KnownBrowsers["Service"]["idOf"] = Effect.fn("KnownBrowsers.idOf")(function* (email, secret) {
        if (secret === undefined) return undefined
        const since = new Date((yield* Clock.currentTimeMillis) - maxAgeMillis)
        const rows = yield* sql`
          SELECT 'browser ' || encode(b.hash, 'hex') AS id FROM known_browser b JOIN account a ON a.id = b.account_id
          WHERE b.hash = ${yield* hashOf(Redacted.value(secret))} AND lower(a.email) = lower(${email})
            AND b.signed_in_at > ${since}`.pipe(availableToRead)
        const [row] = yield* decodeIds(rows)
        return row?.id
      })

      const remember: KnownBrowsers["Service"]["remember"] = Effect.fn("KnownBrowsers.remember")(
        function* (account, instead) {
          const nowMillis = yield* Clock.currentTimeMillis
          const secret = Base64Url.encode(yield* random.randomBytes(secretBytes))
          const hash = yield* hashOf(secret)
          const before = instead === undefined ? undefined : yield* hashOf(Redacted.value(instead))
          yield* Effect.gen(function* () {
            if (before !== undefined) yield* sql`UPDATE known_browser SET hash = ${hash} WHERE hash = ${before}`
            yield* sql`
              INSERT INTO known_browser (account_id, hash, signed_in_at)
              VALUES (${account}, ${hash}, ${new Date(nowMillis)})
              ON CONFLICT (account_id, hash) DO UPDATE SET signed_in_at = excluded.signed_in_at`
            yield* sql`
              DELETE FROM known_browser WHERE account_id = ${account} AND hash IN (
                SELECT hash FROM known_browser WHERE account_id = ${account}
                ORDER BY signed_in_at DESC, hash OFFSET ${maxPerAccount})`
          }).pipe(sql.withTransaction, availableOnce)
          return Redacted.make(secret)
        }
      )

      return { idOf, remember }
    })
  )
}
