/**
 * Challenges of passkeys (D78): random, for one browser and one purpose, usable once within five minutes. The database
 * keeps their SHA-256, so that any server can redeem them.
 */
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { availableOnce } from "../../database/Availability.ts"
import * as DatabaseClock from "../../database/DatabaseClock.ts"
import { deleteUnlocked } from "../../database/Rows.ts"
import * as Secrets from "../../Secrets.ts"

export const lifetimeMillis = 5 * 60_000
/** Of one browser, for pages that are opened side by side; the next one replaces the oldest. */
const maxPerBrowser = 10
/** Expired challenges that each new one deletes. */
const maxSwept = 20

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
>()("discovery/sessions/Challenges") {
  static readonly layer = Layer.effect(
    Challenges,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const newChallenge = yield* Secrets.generator

      const sweep = deleteUnlocked(sql, "passkey_challenge", "hash")

      // All servers share the challenges, so their times are the database's.
      const now = DatabaseClock.currentTimeMillis.pipe(Effect.provideService(SqlClient.SqlClient, sql))

      const issue = Effect.fn("Challenges.issue")(function* (owner: Redacted.Redacted, purpose: Purpose) {
        const challenge = yield* newChallenge
        const [hash, ownerHash] = [Secrets.hashOf(challenge), Secrets.hashOf(owner)]
        yield* Effect.gen(function* () {
          const nowMillis = yield* now
          yield* sweep(sql`expires_at <= ${new Date(nowMillis)} ORDER BY expires_at LIMIT ${maxSwept}`)
          yield* sweep(sql`owner = ${ownerHash} ORDER BY expires_at DESC, hash OFFSET ${maxPerBrowser - 1}`)
          yield* sql`
            INSERT INTO passkey_challenge (hash, owner, purpose, expires_at)
            VALUES (${hash}, ${ownerHash}, ${purpose}, ${new Date(nowMillis + lifetimeMillis)})`
        }).pipe(sql.withTransaction, availableOnce)
        return Redacted.value(challenge)
      })

      const redeem: Challenges["Service"]["redeem"] = Effect.fn("Challenges.redeem")(
        function* (owner, purpose, challenge) {
          const [hash, ownerHash] = [Secrets.sha256(challenge), Secrets.hashOf(owner)]
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
