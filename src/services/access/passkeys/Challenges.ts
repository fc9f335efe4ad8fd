/**
 * Challenges of passkeys: random, for one browser and one purpose, usable once within five minutes. The database keeps their
 * SHA-256, so that any server can redeem them.
 */
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { SqlClient } from "effect/sql"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { availableOnce } from "../../database/Availability.ts"
import * as DatabaseClock from "../../database/DatabaseClock.ts"

export const lifetimeMillis = 5 * 60_000
/** Of one browser, for pages that are opened side by side; the next one replaces the oldest. */
const maxPerBrowser = 10
/** Expired challenges that each new one deletes. */
const maxSwept = 20
const challengeBytes = 32

/** A sign-in, the second step after a password, a confirmation in a session, or the registration of a passkey. */
export type Purpose = "sign_in" | "second_step" | "confirm" | "add"

/** The challenge was not issued to this browser for this purpose, was used before, or has expired. */
export class ChallengeExpired extends Schema.TaggedError<ChallengeExpired>()("ChallengeExpired", {}) {}

export class Challenges extends Context.Service<
  Challenges,
  {
    /** `owner` is the secret of the session cookie, which exists before a sign-in, too. */
    issue(owner: Redacted.Redacted, purpose: Purpose): Effect.Effect<string, ServiceUnavailable>
    /** `challenge` is untrusted. */
    redeem(
      owner: Redacted.Redacted,
      purpose: Purpose,
      challenge: string
    ): Effect.Effect<void, ChallengeExpired | ServiceUnavailable>
  }
>()("discovery/access/Challenges") {
  static readonly layer = Layer.effect(
    Challenges,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom

      const hashOf = (text: string) => digest.digest(Digest.sha256, new TextEncoder().encode(text))

      // All servers share the challenges, so their times are the database's.
      const now = Effect.flatten(DatabaseClock.DatabaseTime).pipe(Effect.provideService(SqlClient.SqlClient, sql))

      const issue = Effect.fn("Challenges.issue")(function* (owner: Redacted.Redacted, purpose: Purpose) {
        const challenge = Base64Url.encode(yield* random.randomBytes(challengeBytes))
        const [hash, ownerHash] = [yield* hashOf(challenge), yield* hashOf(Redacted.value(owner))]
        yield* Effect.gen(function* () {
          const nowMillis = yield* now
          yield* sql`
            DELETE FROM passkey_challenge WHERE hash IN (
              SELECT hash FROM passkey_challenge WHERE expires_at <= ${new Date(nowMillis)}
              ORDER BY expires_at LIMIT ${maxSwept} FOR UPDATE SKIP LOCKED)`
          yield* sql`
            DELETE FROM passkey_challenge WHERE hash IN (
              SELECT hash FROM passkey_challenge WHERE owner = ${ownerHash}
              ORDER BY expires_at DESC, hash OFFSET ${maxPerBrowser - 1} FOR UPDATE SKIP LOCKED)`
          yield* sql`
            INSERT INTO passkey_challenge (hash, owner, purpose, expires_at)
            VALUES (${hash}, ${ownerHash}, ${purpose}, ${new Date(nowMillis + lifetimeMillis)})`
        }).pipe(sql.withTransaction, availableOnce)
        return challenge
      })

      const redeem: Challenges["Service"]["redeem"] = Effect.fn("Challenges.redeem")(
        function* (owner, purpose, challenge) {
          const [hash, ownerHash] = [yield* hashOf(challenge), yield* hashOf(Redacted.value(owner))]
          const rows = yield* Effect.flatMap(
            now,
            (nowMillis) => sql`
              DELETE FROM passkey_challenge WHERE hash = ${hash} AND owner = ${ownerHash} AND purpose = ${purpose}
                AND expires_at > ${new Date(nowMillis)} RETURNING hash`
          ).pipe(availableOnce)
          if (rows.length === 0) return yield* new ChallengeExpired()
        }
      )

      return { issue, redeem }
    })
  )
}
