/** Creates, lists, replaces and revokes API keys (S96 to S105, D50, S35, S84, D3). */
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import type { DateTime } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import { Plan, SubscriptionStatus } from "../../domain/access/Account.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import * as Credential from "../../domain/access/Credential.ts"
import { overlapMillis } from "../../domain/access/KeyEnd.ts"
import type { KeyEnd } from "../../domain/access/KeyEnd.ts"
import { missing } from "../../domain/access/Plan.ts"
import { visibleName } from "../../domain/VisibleName.ts"
import type { PlanUpgradeRequired, ServiceUnavailable } from "../../domain/ToolError.ts"
import { firstOf, rowOf, rowsOf } from "../database/Rows.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import * as Secrets from "../Secrets.ts"

export const maxActive = 10
export const maxAnHour = 20
export const maxNameCharacters = 60
const hourMillis = 3_600_000
const attemptBytes = 16

/**
 * Whether a row of `api_key` is active: neither revoked nor past the end that was set by its replacement. For queries in
 * which no other table has these columns.
 */
export const isActive = (sql: SqlClient.SqlClient, now: Date): Statement.Fragment =>
  sql`(revoked_at IS NULL AND (ends_at IS NULL OR ends_at > ${now}))`

/** A key as it is shown, with the last four characters of its secret. */
export const ApiKey = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  lastFour: Schema.String,
  createdAt: Schema.DateTimeUtcFromDate,
  lastUsedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** When a replaced key stops working; `null` for all others. */
  endsAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type ApiKey = typeof ApiKey.Type

/** A new key. Its secret is shown once. */
export interface NewKey {
  readonly key: ApiKey
  readonly secret: Redacted.Redacted
}

/** A random value of a form: at most one key is made for it, however often the form is sent. */
export const KeyAttempt = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{22}$/))
export type KeyAttempt = typeof KeyAttempt.Type

export class InvalidKeyName extends Schema.TaggedError<InvalidKeyName>()("InvalidKeyName", {
  message: Schema.String
}) {}

/** The account has the highest number of keys, or has made the highest number in the last hour. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", {
  message: Schema.String,
  limit: Schema.Literals(["active", "an_hour"]),
  /** Present when waiting helps. */
  retryAfterSeconds: Schema.optionalKey(Schema.Int)
}) {}

/** The key does not exist, is not active, or belongs to another account. */
export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", { message: Schema.String }) {}

/** The key already has a successor, and ends at the time set by its replacement. */
export class KeyReplacedAlready extends Schema.TaggedError<KeyReplacedAlready>()("KeyReplacedAlready", {
  message: Schema.String
}) {}

/** This attempt has made a key already, whose secret cannot be shown again. */
export class KeyMadeAlready extends Schema.TaggedError<KeyMadeAlready>()("KeyMadeAlready", {
  message: Schema.String,
  /** Of that key. */
  name: Schema.String
}) {}

const decodeOwner = rowOf(Schema.Struct({ plan: Plan, status: SubscriptionStatus }))
const decodeCounts = rowOf(
  Schema.Struct({ active: Schema.Int, lastHour: Schema.Int, oldest: Schema.NullOr(Schema.Date) })
)
const decodeKey = rowOf(ApiKey)
const decodeKeys = rowsOf(ApiKey)
const decodeReplaced = firstOf(Schema.Struct({ ...ApiKey.fields, endsAt: Schema.DateTimeUtcFromDate }))
const decodeName = firstOf(Schema.Struct({ name: Schema.String }))

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** At most 10 active keys and 20 new keys an hour, also for concurrent calls. */
    create(
      accountId: AccountId,
      name: string,
      attempt?: KeyAttempt
    ): Effect.Effect<NewKey, InvalidKeyName | TooManyKeys | KeyMadeAlready | PlanUpgradeRequired | ServiceUnavailable>
    /**
     * Makes a new key, by default with the name of the old one, within the limits of {@link create}; the old key counts
     * while it is active. A key has one successor, also for concurrent calls.
     */
    replace(
      accountId: AccountId,
      keyId: number,
      options: { readonly ends: KeyEnd; readonly name?: string; readonly attempt?: KeyAttempt }
    ): Effect.Effect<
      NewKey & { readonly replaced: ApiKey & { readonly endsAt: DateTime.Utc } },
      | InvalidKeyName
      | TooManyKeys
      | KeyNotFound
      | KeyReplacedAlready
      | KeyMadeAlready
      | PlanUpgradeRequired
      | ServiceUnavailable
    >
    /** Active keys, oldest first, at most 10. */
    list(accountId: AccountId): Effect.Effect<ReadonlyArray<ApiKey>, ServiceUnavailable>
    /** Takes effect at once on every server. */
    revoke(accountId: AccountId, keyId: number): Effect.Effect<void, KeyNotFound | ServiceUnavailable>
    readonly newAttempt: Effect.Effect<KeyAttempt>
  }
>()("discovery/credentials/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const { billingUrl } = yield* AppConfig

      const columns = sql.literal(
        'id, name, last_four AS "lastFour", created_at AS "createdAt", last_used_at AS "lastUsedAt", ends_at AS "endsAt"'
      )

      /** Locks the account's row, so that one transaction at a time counts its limits. */
      const lock = Effect.fnUntraced(function* (accountId: AccountId, attempt: KeyAttempt | undefined) {
        const owner = yield* decodeOwner(
          sql`SELECT plan, status FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
        )
        if (attempt === undefined) return owner
        const before =
          yield* sql`SELECT name FROM api_key WHERE account_id = ${accountId} AND attempt = ${attempt}`.pipe(decodeName)
        return before === undefined ? owner : yield* madeAlready(before.name)
      })

      /** Called after {@link lock}, and after the statement that ends a replaced key. */
      const insert = Effect.fnUntraced(function* (options: {
        readonly accountId: AccountId
        readonly owner: { readonly plan: Plan; readonly status: SubscriptionStatus }
        readonly name: string
        readonly secret: string
        readonly attempt: KeyAttempt | undefined
        readonly now: Date
      }) {
        const { accountId, attempt, name, now, secret } = options
        const upgrade = missing(options.owner, billingUrl)
        if (upgrade !== undefined) return yield* upgrade
        const counts = yield* sql`
            SELECT (count(*) FILTER (WHERE active))::integer AS active,
              (count(*) FILTER (WHERE recent))::integer AS "lastHour", min(created_at) FILTER (WHERE recent) AS oldest
            FROM (
              SELECT *, ${isActive(sql, now)} AS active, created_at > ${now} - interval '1 hour' AS recent FROM api_key
            ) k
            WHERE account_id = ${accountId} AND (active OR recent)`.pipe(decodeCounts)
        if (counts.active >= maxActive) return yield* tooManyActive()
        if (counts.lastHour >= maxAnHour) return yield* tooFast(counts.oldest, now.getTime())
        const hash = Secrets.sha256(secret)
        return yield* sql`
            INSERT INTO api_key (account_id, name, hash, last_four, created_at, attempt)
            VALUES (${accountId}, ${name}, ${hash}, ${Credential.lastFour(secret)}, ${now}, ${attempt ?? null})
            RETURNING ${columns}`.pipe(decodeKey)
      })

      const newSecret = Effect.provideService(Secrets.random("api_key"), SecureRandom.SecureRandom, random)

      const create: ApiKeys["Service"]["create"] = Effect.fn("ApiKeys.create")(function* (accountId, rawName, attempt) {
        const name = rawName.trim()
        if (!isName(name)) return yield* invalidName()
        const secret = yield* newSecret
        const key = yield* Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const owner = yield* lock(accountId, attempt)
          return yield* insert({ accountId, owner, name, secret, attempt, now })
        }).pipe(sql.withTransaction, availableOnce)
        return { key, secret: Redacted.make(secret) }
      })

      const replace: ApiKeys["Service"]["replace"] = Effect.fn("ApiKeys.replace")(function* (
        accountId,
        keyId,
        { attempt, ends, name: rawName }
      ) {
        const name = rawName?.trim()
        if (name !== undefined && !isName(name)) return yield* invalidName()
        const secret = yield* newSecret
        const { key, replaced } = yield* Effect.gen(function* () {
          const millis = yield* Clock.currentTimeMillis
          const now = new Date(millis)
          const owner = yield* lock(accountId, attempt)
          // A key that ends now is revoked, so that it ends on servers with slow clocks too.
          const replaced = yield* sql`
              UPDATE api_key SET ends_at = ${new Date(millis + overlapMillis[ends])},
                revoked_at = ${ends === "now" ? now : null}
              WHERE id = ${keyId} AND account_id = ${accountId} AND revoked_at IS NULL AND ends_at IS NULL
              RETURNING ${columns}`.pipe(decodeReplaced)
          if (replaced === undefined) {
            const ending = yield* sql`
              SELECT name FROM api_key WHERE id = ${keyId} AND account_id = ${accountId} AND ${isActive(sql, now)}`
            return yield* ending.length === 0 ? notFound(keyId) : replacedAlready(keyId)
          }
          const key = yield* insert({ accountId, owner, name: name ?? replaced.name, secret, attempt, now })
          return { key, replaced }
        }).pipe(sql.withTransaction, availableOnce)
        return { key, replaced, secret: Redacted.make(secret) }
      })

      const list = Effect.fn("ApiKeys.list")(function* (accountId: AccountId) {
        const now = new Date(yield* Clock.currentTimeMillis)
        return yield* sql`
          SELECT ${columns} FROM api_key
          WHERE account_id = ${accountId} AND ${isActive(sql, now)} ORDER BY id`.pipe(decodeKeys, availableToRead)
      })

      const revoke = Effect.fn("ApiKeys.revoke")(function* (accountId: AccountId, keyId: number) {
        const now = new Date(yield* Clock.currentTimeMillis)
        const rows = yield* sql`
          UPDATE api_key SET revoked_at = ${now}
          WHERE id = ${keyId} AND account_id = ${accountId} AND ${isActive(sql, now)} RETURNING id`.pipe(availableOnce)
        if (rows.length === 0) return yield* notFound(keyId)
      })

      const newAttempt = Effect.map(random.randomBytes(attemptBytes), (bytes) => Base64Url.encode(bytes))

      return { create, replace, list, revoke, newAttempt }
    })
  )
}

const isName = Schema.is(visibleName(maxNameCharacters))

const invalidName = () =>
  new InvalidKeyName({
    message: `A key's name has 1 to ${maxNameCharacters} visible characters. Characters that control, hide or reorder text are not allowed.`
  })

const notFound = (keyId: number) =>
  new KeyNotFound({ message: `The account has no active key ${keyId}. List its keys to see their numbers.` })

const replacedAlready = (keyId: number) =>
  new KeyReplacedAlready({
    message: `Key ${keyId} has already been replaced. Its successor works, and it ends automatically. To end it now, revoke it.`
  })

const madeAlready = (name: string) =>
  new KeyMadeAlready({
    name,
    message: `This form has already created the key “${name}”. Its secret is shown only once.`
  })

const tooManyActive = () =>
  new TooManyKeys({
    limit: "active",
    message: `The account has ${maxActive} active keys, which is the maximum. Revoke one of them first.`
  })

const tooFast = (oldest: Date | null, nowMillis: number) => {
  const waitMillis = (oldest?.getTime() ?? nowMillis) + hourMillis - nowMillis
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMillis / 1000))
  return new TooManyKeys({
    limit: "an_hour",
    message: `The account has created ${maxAnHour} keys within an hour, which is the maximum. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`,
    retryAfterSeconds
  })
}
