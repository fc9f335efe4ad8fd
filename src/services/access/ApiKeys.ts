/** API keys of an account: made, listed, revoked (seed, "API keys"). */
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import { Plan, SubscriptionStatus } from "../../domain/access/Account.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import * as Credential from "../../domain/access/Credential.ts"
import { missing } from "../../domain/access/Plan.ts"
import type { PlanUpgradeRequired, ServiceUnavailable } from "../../domain/ToolError.ts"
import { rowOf, rowsOf } from "./Rows.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"

const maxActive = 10
const maxAnHour = 20
const maxNameCharacters = 60
const hourMillis = 3_600_000

/** A key as it is shown: of the secret, only its prefix and last four characters are left. */
export const ApiKey = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  lastFour: Schema.String,
  createdAt: Schema.DateTimeUtcFromDate,
  lastUsedAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type ApiKey = typeof ApiKey.Type

export class InvalidKeyName extends Schema.TaggedError<InvalidKeyName>()("InvalidKeyName", {
  message: Schema.String
}) {}

/** The account has as many keys as it may have, or has made as many in the last hour. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", {
  message: Schema.String,
  /** Present when waiting helps. */
  retryAfterSeconds: Schema.optionalKey(Schema.Int)
}) {}

/** No such key, or it is revoked already, or it is another account's. */
export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", { message: Schema.String }) {}

const decodeOwner = rowOf(Schema.Struct({ plan: Plan, status: SubscriptionStatus }))
const decodeCounts = rowOf(
  Schema.Struct({ active: Schema.Int, lastHour: Schema.Int, oldest: Schema.NullOr(Schema.Date) })
)
const decodeKey = rowOf(ApiKey)
const decodeKeys = rowsOf(ApiKey)

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** The secret is shown this once. At most 10 active keys and 20 new ones an hour, however many are made at once. */
    create(
      accountId: AccountId,
      name: string
    ): Effect.Effect<
      { readonly key: ApiKey; readonly secret: Redacted.Redacted },
      InvalidKeyName | TooManyKeys | PlanUpgradeRequired | ServiceUnavailable
    >
    /** The active ones, oldest first: at most 10. */
    list(accountId: AccountId): Effect.Effect<ReadonlyArray<ApiKey>, ServiceUnavailable>
    /** At once, on every server. */
    revoke(accountId: AccountId, keyId: number): Effect.Effect<void, KeyNotFound | ServiceUnavailable>
  }
>()("discovery/access/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom
      const { billingUrl } = yield* AppConfig

      const columns = sql.literal(
        'id, name, last_four AS "lastFour", created_at AS "createdAt", last_used_at AS "lastUsedAt"'
      )

      /** The account's row is locked first, so that its limits are counted by one transaction at a time. */
      const insert = Effect.fnUntraced(function* (accountId: AccountId, name: string, secret: string) {
        const nowMillis = yield* Clock.currentTimeMillis
        const now = new Date(nowMillis)
        const owner = yield* decodeOwner(
          yield* sql`SELECT plan, status FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
        )
        const upgrade = missing(owner, billingUrl)
        if (upgrade !== undefined) return yield* upgrade
        const counts = yield* decodeCounts(
          yield* sql`
            SELECT (count(*) FILTER (WHERE revoked_at IS NULL))::integer AS active,
              (count(*) FILTER (WHERE recent))::integer AS "lastHour", min(created_at) FILTER (WHERE recent) AS oldest
            FROM (SELECT *, created_at > ${now} - interval '1 hour' AS recent FROM api_key) k
            WHERE account_id = ${accountId} AND (revoked_at IS NULL OR recent)`
        )
        if (counts.active >= maxActive) return yield* tooManyActive()
        if (counts.lastHour >= maxAnHour) return yield* tooFast(counts.oldest, nowMillis)
        const hash = yield* digest.digest(Digest.sha256, new TextEncoder().encode(secret))
        return yield* decodeKey(
          yield* sql`
            INSERT INTO api_key (account_id, name, hash, last_four, created_at)
            VALUES (${accountId}, ${name}, ${hash}, ${Credential.lastFour(secret)}, ${now})
            RETURNING ${columns}`
        )
      })

      const create = Effect.fn("ApiKeys.create")(function* (accountId: AccountId, rawName: string) {
        const name = rawName.trim()
        if (!isName(name)) return yield* invalidName()
        const secret = Credential.make("api_key", yield* random.randomBytes(Credential.entropyBytes))
        const key = yield* insert(accountId, name, secret).pipe(sql.withTransaction, availableOnce)
        return { key, secret: Redacted.make(secret) }
      })

      const list = Effect.fn("ApiKeys.list")(function* (accountId: AccountId) {
        const rows = yield* sql`
          SELECT ${columns} FROM api_key
          WHERE account_id = ${accountId} AND revoked_at IS NULL ORDER BY id`.pipe(availableToRead)
        return yield* decodeKeys(rows)
      })

      const revoke = Effect.fn("ApiKeys.revoke")(function* (accountId: AccountId, keyId: number) {
        const now = new Date(yield* Clock.currentTimeMillis)
        const rows = yield* sql`
          UPDATE api_key SET revoked_at = ${now}
          WHERE id = ${keyId} AND account_id = ${accountId} AND revoked_at IS NULL RETURNING id`.pipe(availableOnce)
        if (rows.length === 0) {
          return yield* new KeyNotFound({
            message: `The account has no active key ${keyId}. List its keys to see their numbers.`
          })
        }
      })

      return { create, list, revoke }
    })
  )
}

const isName: (text: string) => boolean = Schema.is(
  Schema.String.check(Schema.isBetweenCodePoints(1, maxNameCharacters), Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u))
)

const invalidName = () =>
  new InvalidKeyName({
    message: `A key's name has 1 to ${maxNameCharacters} characters, none of them a control character.`
  })

const tooManyActive = () =>
  new TooManyKeys({
    message: `The account has ${maxActive} active keys, the most it may have. Revoke one of them first.`
  })

const tooFast = (oldest: Date | null, nowMillis: number) => {
  const waitMillis = (oldest?.getTime() ?? nowMillis) + hourMillis - nowMillis
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMillis / 1000))
  return new TooManyKeys({
    message: `The account has made ${maxAnHour} keys within an hour, the most it may. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`,
    retryAfterSeconds
  })
}
