/**
 * The webhook of an account (D114): an address that gets what has changed of the tracked stores. What is delivered, and when, is for
 * WebhookRound.
 *
 * Messages are signed as Standard Webhooks says. So the secret itself is stored, which nobody needs to know for anything else.
 */
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import { isLocalHost } from "../../domain/LocalHost.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import { timeIn } from "../database/DatabaseClock.ts"
import { firstOf, hasRow } from "../database/Rows.ts"
import { runsLocally } from "../fetch/SafeFetch.ts"
import { MailLanguage } from "../mail/Letter.ts"
import { outcomes } from "../mail/Notices.ts"

export const maxUrlCharacters = 2_000

const secretBytes = 32

const Webhook = Schema.Struct({
  url: Schema.String,
  lastOutcome: Schema.NullOr(Schema.Literals(outcomes)),
  /** Of the answer, if there was one. */
  lastStatus: Schema.NullOr(Schema.Int),
  lastAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  failingSince: Schema.NullOr(Schema.DateTimeUtcFromDate),
  disabledAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type Webhook = typeof Webhook.Type

const decodeWebhook = firstOf(Webhook)

/** Not an address that messages may be sent to. */
export class InvalidWebhookUrl extends Schema.TaggedError<InvalidWebhookUrl>()("InvalidWebhookUrl", {}) {}

/** `undefined` if nothing may be sent to it. With TLS, except to this machine from a server that runs locally. */
export const endpointOf = (entered: string, isLocal: boolean): URL | undefined => {
  const url = URL.parse(entered.trim())
  if (url === null || url.href.length > maxUrlCharacters) return undefined
  const isSafe = url.protocol === "https:" || (isLocal && url.protocol === "http:" && isLocalHost(url.hostname))
  return isSafe && url.username === "" && url.password === "" && url.hash === "" ? url : undefined
}

/** As Standard Webhooks writes secrets. */
const written = (secret: Uint8Array) => Redacted.make(`whsec_${Buffer.from(secret).toString("base64")}`)

export class Webhooks extends Context.Service<
  Webhooks,
  {
    get(accountId: AccountId): Effect.Effect<Option.Option<Webhook>, ServiceUnavailable>
    /**
     * Sets or changes the address, and delivers again. Returns the secret of a new webhook, which begins with the changes of the next
     * import; another one goes on where it was. The mail that says that it has failed is in the language of the request.
     */
    set(
      accountId: AccountId,
      url: string
    ): Effect.Effect<Option.Option<Redacted.Redacted>, InvalidWebhookUrl | ServiceUnavailable>
    /** Another secret in place of the one before. None without a webhook. */
    rotate(accountId: AccountId): Effect.Effect<Option.Option<Redacted.Redacted>, ServiceUnavailable>
    remove(accountId: AccountId): Effect.Effect<void, ServiceUnavailable>
  }
>()("discovery/webhooks/Webhooks") {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const isLocal = runsLocally(yield* AppConfig)

      /** The account first, as everywhere. */
      const lock = (accountId: AccountId) => sql`SELECT FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`

      const get = Effect.fn("Webhooks.get")((accountId: AccountId) =>
        sql`
          SELECT url, last_outcome AS "lastOutcome", last_status AS "lastStatus", last_at AS "lastAt", failing_since AS "failingSince",
            disabled_at AS "disabledAt"
          FROM webhook WHERE account_id = ${accountId}`.pipe(
          decodeWebhook,
          Effect.map(Option.fromUndefinedOr),
          availableToRead
        )
      )

      const write = Effect.fnUntraced(
        function* (accountId: AccountId, url: string) {
          const secret = yield* random.randomBytes(secretBytes)
          const language = yield* MailLanguage
          const now = yield* timeIn(sql)
          yield* lock(accountId)
          // What is being delivered to the address before is not settled by its answer.
          const isKnown = yield* hasRow(sql`
            UPDATE webhook SET url = ${url}, language = ${language}, due_at = ${now}, taken_until = NULL, lease = lease + 1,
              attempts = 0, failing_since = NULL, disabled_at = NULL
            WHERE account_id = ${accountId} RETURNING account_id`)
          if (isKnown) return Option.none<Redacted.Redacted>()
          yield* sql`
            INSERT INTO webhook (account_id, url, secret, language, change, due_at)
            SELECT ${accountId}, ${url}, ${secret}, ${language}, coalesce(max(id), 0), ${now} FROM change WHERE NOT with_store`
          return Option.some(written(secret))
        },
        sql.withTransaction,
        availableOnce
      )

      const set = Effect.fn("Webhooks.set")(function* (accountId: AccountId, entered: string) {
        const url = endpointOf(entered, isLocal)
        return yield* url === undefined ? Effect.fail(new InvalidWebhookUrl()) : write(accountId, url.href)
      })

      const rotate = Effect.fn("Webhooks.rotate")(function* (accountId: AccountId) {
        const secret = yield* random.randomBytes(secretBytes)
        const isKnown = yield* availableOnce(
          hasRow(sql`UPDATE webhook SET secret = ${secret} WHERE account_id = ${accountId} RETURNING account_id`)
        )
        return isKnown ? Option.some(written(secret)) : Option.none()
      })

      const remove = Effect.fn("Webhooks.remove")((accountId: AccountId) =>
        sql`DELETE FROM webhook WHERE account_id = ${accountId}`.pipe(Effect.asVoid, availableOnce)
      )

      return { get, set, rotate, remove }
    })
  )
}
