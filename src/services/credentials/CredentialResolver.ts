/**
 * Finds the caller for the secret in the `Authorization` header (S7, S103, R41): one batched, indexed read, never
 * cached.
 */
import { Array, Clock, Context, Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import { Hex } from "effect/encoding"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import { AccountId, Credits, Plan, SubscriptionStatus } from "../../domain/access/Account.ts"
import type { Caller } from "../../domain/access/Account.ts"
import * as Credential from "../../domain/access/Credential.ts"
import { periodOn } from "../../domain/access/CreditPeriod.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableToRead } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { batched } from "../database/BatchedRequests.ts"
import * as CreditPeriods from "../credits/CreditPeriods.ts"
import { CredentialUse } from "./CredentialUse.ts"
import { rowsOf } from "../database/Rows.ts"
import { isActive } from "./ApiKeys.ts"
import * as Secrets from "../Secrets.ts"

/** The same for unknown, revoked, ended, expired and malformed credentials, so that the answer does not say which (P30). */
export class CredentialRejected extends Schema.TaggedError<CredentialRejected>()("CredentialRejected", {}) {}

const maxBatch = 500
/** A statement that hangs delays its own batch only. */
const maxInFlight = 4

/** The account of a credential, with its current period if it has been opened. */
const Holder = Schema.Struct({
  /** Today by the database's clock, which decides the period. */
  day: Schema.String,
  hash: Schema.String,
  credential_id: Schema.Int,
  account_id: AccountId,
  plan: Plan,
  status: SubscriptionStatus,
  began_on: Schema.NullOr(Schema.String),
  created_on: Schema.String,
  period: Schema.NullOr(Credits)
})
type Holder = typeof Holder.Type
const decodeHolders = rowsOf(Holder)

export class CredentialResolver extends Context.Service<
  CredentialResolver,
  {
    /** `secret` is the bearer credential as it was sent, of any length and content. */
    resolve(secret: Redacted.Redacted): Effect.Effect<Caller, CredentialRejected | ServiceUnavailable>
  }
>()("discovery/credentials/CredentialResolver") {
  static readonly layer = Layer.effect(
    CredentialResolver,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const use = yield* CredentialUse
      const config = yield* AppConfig
      const allowances = CreditPeriods.allowances(config)

      /**
       * The valid credentials of each kind. The `id` of an access token is that of its grant; tokens of other resources are
       * not valid (R8).
       */
      const working: { readonly [K in Credential.CredentialKind]: (now: Date) => Statement.Fragment } = {
        api_key: (now) => sql`
          SELECT id, account_id, hash FROM api_key WHERE ${isActive(sql, now)}`,
        access_token: (now) => sql`
          SELECT grant_id AS id, account_id, hash FROM oauth_access_token
          WHERE expires_at > ${now} AND resource = ${config.mcpUrl}`
      }

      /** The period is searched from the end of its index, so that one row is read whatever the number of months. */
      const findHolders = Effect.fnUntraced(function* (credentials: Statement.Fragment, hashes: ReadonlyArray<string>) {
        const day = sql`(${yield* DatabaseClock.timeIn(sql)} AT TIME ZONE 'UTC')::date`
        return yield* sql`
          SELECT ${day}::text AS day, encode(c.hash, 'hex') AS hash, c.id AS credential_id, a.id AS account_id, a.plan, a.status,
            a.subscription_began_on::text AS began_on, (a.created_at AT TIME ZONE 'UTC')::date::text AS created_on,
            CASE WHEN p.period_end > ${day} THEN jsonb_build_object('periodStart', p.period_start,
              'periodEnd', p.period_end, 'allowance', p.allowance, 'used', p.used) END AS period
          FROM unnest(${hashes}::text[]) AS h
          JOIN (${credentials}) c ON c.hash = decode(h, 'hex')
          JOIN account a ON a.id = c.account_id
          LEFT JOIN LATERAL (
            SELECT * FROM credit_period WHERE account_id = a.id AND period_start <= ${day}
            ORDER BY period_start DESC LIMIT 1
          ) p ON true`.pipe(decodeHolders)
      })

      /** Reads the callers; opens missing periods and reads those callers again. */
      const findCurrent = Effect.fnUntraced(function* (credentials: Statement.Fragment, hashes: ReadonlyArray<string>) {
        const holders = yield* findHolders(credentials, hashes)
        const lacking = Array.getSomes(
          holders.map(({ account_id, began_on, hash, period }) =>
            period === null && began_on !== null
              ? Option.some({ hash, accountId: account_id, beganOn: began_on })
              : Option.none()
          )
        )
        if (lacking.length === 0) return holders
        yield* Effect.flatMap(DatabaseClock.currentTimeMillis, (nowMillis) =>
          CreditPeriods.open(allowances, lacking, nowMillis)
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql))
        const opened = yield* findHolders(
          credentials,
          Array.map(lacking, (each) => each.hash)
        )
        const found = new Map(opened.map((holder) => [holder.hash, holder]))
        return holders.map((holder) => found.get(holder.hash) ?? holder)
      })

      const lookupOf = (credentials: (now: Date) => Statement.Fragment) =>
        batched<string, Holder, CredentialRejected | ServiceUnavailable>({
          sql,
          maxInFlight,
          maxSize: maxBatch,
          run: Effect.fnUntraced(function* (entries) {
            const now = yield* Clock.currentTimeMillis
            const hashes = Array.dedupe(entries.map(({ request: hash }) => hash))
            const found = yield* findCurrent(credentials(new Date(now)), hashes).pipe(
              Effect.map((holders) => new Map(holders.map((holder) => [holder.hash, holder]))),
              availableToRead,
              Effect.exit
            )
            for (const entry of entries) {
              if (Exit.isFailure(found)) {
                entry.completeUnsafe(Exit.failCause(found.cause))
                continue
              }
              const holder = found.value.get(entry.request)
              entry.completeUnsafe(holder === undefined ? Exit.fail(new CredentialRejected()) : Exit.succeed(holder))
            }
          })
        })
      const lookups: { readonly [K in Credential.CredentialKind]: ReturnType<typeof lookupOf> } = {
        api_key: lookupOf(working.api_key),
        access_token: lookupOf(working.access_token)
      }

      const resolve = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
        const text = Redacted.value(secret)
        const kind = Option.getOrUndefined(Credential.kindOf(text))
        if (kind === undefined) return yield* new CredentialRejected()
        const hash = Hex.encode(Secrets.sha256(text))
        const holder = yield* lookups[kind](hash)
        const caller = toCaller(kind, holder)
        use.remember(caller.credential, yield* Clock.currentTimeMillis)
        return caller
      })

      return { resolve }
    })
  ).pipe(Layer.provide(CredentialUse.layer))
}

/** Without a subscription there are no credits; the period is counted from the account's creation. */
const unsubscribed = (holder: Holder) => {
  const { end, start } = periodOn(holder.began_on ?? holder.created_on, holder.day)
  return { allowance: 0, used: 0, periodStart: start, periodEnd: end }
}

const toCaller = (kind: Credential.CredentialKind, holder: Holder): Caller => ({
  accountId: holder.account_id,
  plan: holder.plan,
  status: holder.status,
  credential: { kind, id: holder.credential_id },
  credits: holder.period ?? unsubscribed(holder)
})
