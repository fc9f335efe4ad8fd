/**
 * Links in mails: a random secret of 256 bits in the link, its SHA-256 in the database. A link works once, until it expires
 * or a newer one for the same purpose is made. Opening its page changes nothing, because programs that check mails open links
 * too: only the form of that page uses it.
 *
 * The links of alerts (D113) differ: each mail has one of its own, which works again and again, without a sign-in.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError, Statement } from "effect/sql"
import { AccountId } from "../../domain/access/Account.ts"
import { dayMillis } from "../../domain/Days.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableToRead } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { deleteUnlocked, firstOf } from "../database/Rows.ts"
import * as Secrets from "../Secrets.ts"

const hour = 3_600_000
const lifetimes = { sign_up: 24 * hour, email: 24 * hour, reset: hour / 2 } as const
/** The mails of half a year ago may still be open in a mailbox. */
const unsubscribeLifetime = 180 * dayMillis
/** Expired links that each new one deletes. */
const maxSwept = 100

export type Purpose = keyof typeof lifetimes

/** The link was used, or it has expired, was replaced by a newer one, or never existed, of which the answer does not say which. */
export class LinkOver extends Schema.TaggedError<LinkOver>()("LinkOver", {
  /** Whether what the link is for was done, so that there is nothing more to do. */
  wasUsed: Schema.optionalKey(Schema.Boolean)
}) {}

const SignUpLink = Schema.Struct({
  email: Schema.String,
  passwordHash: Schema.String,
  /** Hash of the cookie of the browser that asked. */
  browser: Schema.Uint8Array,
  returnTo: Schema.NullOr(Schema.String)
})

/** `email` is the account's address for a reset, and its next one for a change of it. */
const AccountLink = Schema.Struct({ email: Schema.String, accountId: AccountId })

type LinkOf<P extends Purpose> = P extends "sign_up" ? typeof SignUpLink.Type : typeof AccountLink.Type
type Reading<A> = Effect.Effect<A, SqlError.SqlError>

const decode: {
  readonly [P in Purpose]: (statement: Reading<ReadonlyArray<unknown>>) => Reading<LinkOf<P> | undefined>
} = { sign_up: firstOf(SignUpLink), reset: firstOf(AccountLink), email: firstOf(AccountLink) }

/** Ends all links of an account: within the transaction that makes them void. */
export const end = (sql: SqlClient.SqlClient, accountId: AccountId) =>
  sql`DELETE FROM account_link WHERE account_id = ${accountId}`

const decodeOwner = firstOf(Schema.Struct({ accountId: AccountId }))
const decodeReceiver = firstOf(Schema.Struct({ email: Schema.String }))

/** What a new link is for. */
export type NewLink =
  | {
      readonly purpose: "sign_up"
      readonly email: string
      readonly passwordHash: string
      readonly browser: Redacted.Redacted
      readonly returnTo: string | undefined
    }
  | { readonly purpose: "reset"; readonly email: string }
  | { readonly purpose: "email"; readonly email: string; readonly accountId: AccountId }

export class AccountLinks extends Context.Service<
  AccountLinks,
  {
    /**
     * Ends the older link, that of a change also where there is nothing to link to. None in this case, after the same work: the
     * address of a sign-up or of a change has an account, or that of a reset has none. `email` is the address as it is stored.
     */
    make(
      link: NewLink
    ): Effect.Effect<Option.Option<{ readonly secret: Redacted.Redacted; readonly email: string }>, SqlError.SqlError>
    /**
     * Another secret for the link with this hash, which is the only one that opens it from then on, and the address that the link
     * proves. None if the link is over.
     */
    renew(
      hash: Uint8Array
    ): Effect.Effect<Option.Option<{ readonly secret: Redacted.Redacted; readonly email: string }>, SqlError.SqlError>
    /** Does not use it. `secret` is untrusted. */
    read<P extends Purpose>(
      purpose: P,
      secret: Redacted.Redacted
    ): Effect.Effect<LinkOf<P>, LinkOver | ServiceUnavailable>
    /** Another link that turns off the alerts of an account. Those that are too old end. */
    unsubscribe(accountId: AccountId): Effect.Effect<Redacted.Redacted, SqlError.SqlError>
    /** The account whose alerts a link turns off; it stays as it is. `secret` is untrusted. */
    unsubscribes(secret: Redacted.Redacted): Effect.Effect<AccountId, LinkOver | SqlError.SqlError>
    /** Uses it, and locks its account. Within the transaction of what it is for, so that a failure leaves it as it was. */
    use<P extends Purpose>(
      purpose: P,
      secret: Redacted.Redacted
    ): Effect.Effect<LinkOf<P>, LinkOver | SqlError.SqlError>
  }
>()("discovery/accounts/AccountLinks") {
  static readonly layer = Layer.effect(
    AccountLinks,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const newSecret = yield* Secrets.generator
      const deleteExpired = [deleteUnlocked(sql, "account_link", "hash"), deleteUnlocked(sql, "used_link", "hash")]

      const sweep = Effect.gen(function* () {
        const deleteBy = yield* DatabaseClock.timeToDeleteBy
        if (Option.isNone(deleteBy)) return
        for (const each of deleteExpired) yield* each(sql`expires_at <= ${new Date(deleteBy.value)} LIMIT ${maxSwept}`)
      }).pipe(Effect.provideService(SqlClient.SqlClient, sql))

      const insert = Effect.fnUntraced(function* (link: NewLink, hash: Uint8Array) {
        const millis = yield* Clock.currentTimeMillis
        const [now, until] = [new Date(millis), new Date(millis + lifetimes[link.purpose])]
        const isTaken = sql`EXISTS (SELECT FROM account WHERE lower(email) = lower(${link.email}))`
        switch (link.purpose) {
          case "sign_up": {
            return yield* sql`
              INSERT INTO account_link (hash, purpose, email, password_hash, browser, return_to, created_at, expires_at)
              SELECT ${hash}, 'sign_up', ${link.email}, ${link.passwordHash}, ${Secrets.hashOf(link.browser)}::bytea,
                ${link.returnTo ?? null}::text, ${now}, ${until}
              WHERE NOT ${isTaken}
              ON CONFLICT (lower(email)) WHERE purpose = 'sign_up' DO UPDATE SET hash = excluded.hash,
                email = excluded.email, password_hash = excluded.password_hash, browser = excluded.browser,
                return_to = excluded.return_to, created_at = excluded.created_at, expires_at = excluded.expires_at
              RETURNING email`
          }
          case "reset":
            return yield* sql`
              INSERT INTO account_link (hash, purpose, email, account_id, created_at, expires_at)
              SELECT ${hash}, 'reset', email, id, ${now}, ${until} FROM account
              WHERE lower(email) = lower(${link.email}) AND closed_at IS NULL
              ON CONFLICT (account_id, purpose) WHERE account_id IS NOT NULL DO UPDATE SET hash = excluded.hash,
                email = excluded.email, created_at = excluded.created_at, expires_at = excluded.expires_at
              RETURNING email`
          case "email":
            // Also for a taken address, with a secret that nobody gets: the older link, which its owner can open, would tell that
            // none was made.
            return yield* sql`
              WITH made AS (
                INSERT INTO account_link (hash, purpose, email, account_id, created_at, expires_at)
                VALUES (${hash}, 'email', ${link.email}, ${link.accountId}, ${now}, ${until})
                ON CONFLICT (account_id, purpose) WHERE account_id IS NOT NULL DO UPDATE SET hash = excluded.hash,
                  email = excluded.email, created_at = excluded.created_at, expires_at = excluded.expires_at
                RETURNING email
              )
              SELECT email FROM made WHERE NOT ${isTaken}`
        }
      })

      const make = Effect.fn("AccountLinks.make")(function* (link: NewLink) {
        const secret = yield* newSecret
        yield* sweep
        const receiver = yield* decodeReceiver(insert(link, Secrets.hashOf(secret)))
        return Option.map(Option.fromUndefinedOr(receiver), ({ email }) => ({ secret, email }))
      })

      const renew: AccountLinks["Service"]["renew"] = Effect.fn("AccountLinks.renew")(function* (hash) {
        const secret = yield* newSecret
        const now = new Date(yield* Clock.currentTimeMillis)
        const renewed = yield* sql`
          UPDATE account_link SET hash = ${Secrets.hashOf(secret)} WHERE hash = ${hash} AND expires_at > ${now}
          RETURNING email`.pipe(decodeReceiver)
        return Option.map(Option.fromUndefinedOr(renewed), ({ email }) => ({ secret, email }))
      })

      const columns = sql.literal(
        'email, account_id AS "accountId", password_hash AS "passwordHash", browser, return_to AS "returnTo"'
      )

      const valid = Effect.fnUntraced(function* (purpose: Purpose, secret: Redacted.Redacted) {
        if (!Secrets.isFormed(secret)) return yield* new LinkOver()
        const now = new Date(yield* Clock.currentTimeMillis)
        return sql`hash = ${Secrets.hashOf(secret)} AND purpose = ${purpose} AND expires_at > ${now}`
      })

      const linkOf = Effect.fnUntraced(function* <P extends Purpose>(
        purpose: P,
        which: Statement.Fragment,
        statement: Reading<ReadonlyArray<unknown>>
      ) {
        const link = yield* decode[purpose](statement)
        if (link !== undefined) return link
        const used = yield* sql`SELECT FROM used_link WHERE ${which}`
        return yield* new LinkOver({ wasUsed: used.length > 0 })
      })

      const read: AccountLinks["Service"]["read"] = Effect.fn("AccountLinks.read")(function* (purpose, secret) {
        const which = yield* valid(purpose, secret)
        return yield* linkOf(purpose, which, sql`SELECT ${columns} FROM account_link WHERE ${which}`).pipe(
          availableToRead
        )
      })

      const use: AccountLinks["Service"]["use"] = Effect.fn("AccountLinks.use")(function* (purpose, secret) {
        const which = yield* valid(purpose, secret)
        // The account first, as every other change that ends links: two of them would otherwise wait for each other.
        yield* sql`
          SELECT FROM account WHERE id = (SELECT account_id FROM account_link WHERE ${which}) FOR NO KEY UPDATE`
        // Read again after the lock: a request at the same time may have used it.
        return yield* linkOf(
          purpose,
          which,
          sql`
            WITH used AS (
              DELETE FROM account_link WHERE ${which} RETURNING *
            ), kept AS (
              INSERT INTO used_link (hash, purpose, expires_at) SELECT hash, purpose, expires_at FROM used
            )
            SELECT ${columns} FROM used`
        )
      })

      const unsubscribe = Effect.fn("AccountLinks.unsubscribe")(function* (accountId: AccountId) {
        const secret = yield* newSecret
        const now = yield* Clock.currentTimeMillis
        yield* sql`
          DELETE FROM alert_link WHERE account_id = ${accountId} AND created_at <= ${new Date(now - unsubscribeLifetime)}`
        yield* sql`
          INSERT INTO alert_link (hash, account_id, created_at)
          VALUES (${Secrets.hashOf(secret)}, ${accountId}, ${new Date(now)})`
        return secret
      })

      const unsubscribes = Effect.fn("AccountLinks.unsubscribes")(function* (secret: Redacted.Redacted) {
        if (!Secrets.isFormed(secret)) return yield* new LinkOver()
        const link = yield* decodeOwner(
          sql`SELECT account_id AS "accountId" FROM alert_link WHERE hash = ${Secrets.hashOf(secret)}`
        )
        return link === undefined ? yield* new LinkOver() : link.accountId
      })

      return { make, renew, read, use, unsubscribe, unsubscribes }
    })
  )
}
