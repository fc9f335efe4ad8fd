/**
 * Sessions (D81): a random secret in a cookie, its SHA-256 in the database. A session ends after 12 hours without use,
 * and after 30 days (D9). It belongs to one account for its whole life.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId, Plan, Role, SubscriptionStatus } from "../../domain/access/Account.ts"
import { Device, unknownDevice } from "../../domain/access/Device.ts"
import { dayMillis } from "../../domain/Days.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { firstOf, hasRow, rowOf, rowsOf } from "../database/Rows.ts"
import * as Secrets from "../Secrets.ts"

/** A session that was not used for this long has ended. */
export const idleMillis = 12 * 3_600_000
/** Also when it is used. */
export const maxAgeMillis = 30 * dayMillis
const touchEveryMillis = 60_000
/** For how long a verified password or passkey is enough to change how the account is signed in to. */
const confirmedMillis = 10 * 60_000
/** The next session ends the one that was not used for longest. */
const maxPerAccount = 50

/** A session with its account. */
export const Session = Schema.Struct({
  id: Schema.Int,
  accountId: AccountId,
  email: Schema.String,
  plan: Plan,
  status: SubscriptionStatus,
  role: Role,
  /** At the start of the session. */
  device: Device,
  startedAt: Schema.DateTimeUtcFromDate,
  /** To the minute. */
  lastUsedAt: Schema.DateTimeUtcFromDate,
  /** The passkey that was verified in the session; `null` without one, or when it was removed. */
  passkeyId: Schema.NullOr(Schema.Int),
  /** When the password or a passkey was last verified in the session. */
  confirmedAt: Schema.DateTimeUtcFromDate
})
export type Session = typeof Session.Type

/** Whether the password or a passkey was verified recently: the cookie alone does not prove who uses the browser. */
export const isConfirmed = ({ confirmedAt }: Pick<Session, "confirmedAt">, nowMillis: number): boolean =>
  nowMillis - confirmedAt.epochMilliseconds < confirmedMillis

/** Whether the session exists now, for a change in its name: within the transaction, after its account is locked. */
export const isStill = (sql: SqlClient.SqlClient, { accountId, id }: Pick<Session, "accountId" | "id">) =>
  hasRow(sql`SELECT FROM session WHERE id = ${id} AND account_id = ${accountId}`)

/**
 * What was verified for a session: the password, by the stored hash that it was compared with, or a passkey, which is both steps,
 * within the transaction that starts the session.
 */
export type Proof =
  | {
      readonly passwordHash: string
      /** The second step was done: by a recovery code, or in the session that this one replaces. */
      readonly secondStep?: "done"
      /** The passkey of the session that this one replaces. */
      readonly passkeyId?: number | null
    }
  | { readonly passkeyId: number }

/** The password was changed after it was verified. */
export class PasswordOutdated extends Schema.TaggedError<PasswordOutdated>()("PasswordOutdated", {}) {}

/** The account requires a second step, which was not done. */
export class SecondStepRequired extends Schema.TaggedError<SecondStepRequired>()("SecondStepRequired", {}) {}

const decodeSession = rowOf(Session)
const decodeSessions = rowsOf(Session)
const decodeId = firstOf(Schema.Struct({ id: Schema.Int }))

export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * The secret is for the cookie and returned once; `instead` is the previous secret of the cookie, whose session ends. Only this
     * starts sessions, so that an account with a second step has none before it is done.
     */
    start(
      account: Proof & { readonly accountId: AccountId; readonly device?: Device },
      instead?: Redacted.Redacted
    ): Effect.Effect<
      { readonly session: Session; readonly secret: Redacted.Redacted },
      PasswordOutdated | SecondStepRequired | ServiceUnavailable
    >
    /** The session of an untrusted cookie. Counts as a use. */
    current(secret: Redacted.Redacted): Effect.Effect<Option.Option<Session>, ServiceUnavailable>
    /** Most recently used first, at most 50. */
    list(accountId: AccountId): Effect.Effect<ReadonlyArray<Session>, ServiceUnavailable>
    /** At once on every server. Ignores sessions that have ended or belong to another account. */
    end(accountId: AccountId, sessionId: number): Effect.Effect<void, ServiceUnavailable>
    /** Ends all sessions of the account but one; returns their number. */
    endOthers(accountId: AccountId, sessionId: number): Effect.Effect<number, ServiceUnavailable>
    /** The password, or this passkey, was verified again. */
    confirm(session: Session, passkeyId?: number): Effect.Effect<void, ServiceUnavailable>
  }
>()("discovery/sessions/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const newSecret = yield* Secrets.generator

      const alive = (nowMillis: number) => sql`
        (s.last_used_at > ${new Date(nowMillis - idleMillis)} AND s.created_at > ${new Date(nowMillis - maxAgeMillis)})`

      const select = sql`
        SELECT s.id, s.account_id AS "accountId", a.email, a.plan, a.status, a.role, s.created_at AS "startedAt",
          s.last_used_at AS "lastUsedAt", s.passkey_id AS "passkeyId", s.confirmed_at AS "confirmedAt",
          jsonb_build_object('browser', s.browser, 'system', s.system) AS device
        FROM session s JOIN account a ON a.id = s.account_id`

      const start: Sessions["Service"]["start"] = Effect.fn("Sessions.start")(function* (account, instead) {
        const nowMillis = yield* Clock.currentTimeMillis
        const now = new Date(nowMillis)
        const { browser, system } = account.device ?? unknownDevice
        const secret = yield* newSecret
        const session = yield* Effect.gen(function* () {
          const isPasswordRight = "passwordHash" in account ? sql`password_hash = ${account.passwordHash}` : sql`true`
          const isDone = "passwordHash" in account ? account.secondStep === "done" : true
          // Locks the account: a change of its password, or a second step that is turned on, either comes later and ends this
          // session, or prevents it.
          const row = yield* sql`
            INSERT INTO session (account_id, hash, browser, system, created_at, last_used_at, confirmed_at, passkey_id)
            SELECT id, ${Secrets.hashOf(secret)}, ${browser}::text, ${system}::text, ${now}, ${now}, ${now},
              (SELECT p.id FROM passkey p WHERE p.id = ${account.passkeyId ?? null}::integer AND p.account_id = account.id)
            FROM account
            WHERE id = ${account.accountId} AND ${isPasswordRight} AND (${isDone}::boolean OR NOT second_step)
            FOR NO KEY UPDATE RETURNING id`.pipe(decodeId)
          if (row === undefined) {
            const waiting = yield* sql`
              SELECT FROM account WHERE id = ${account.accountId} AND ${isPasswordRight} AND second_step`
            return yield* waiting.length > 0 ? new SecondStepRequired() : new PasswordOutdated()
          }
          if (instead !== undefined) yield* sql`DELETE FROM session WHERE hash = ${Secrets.hashOf(instead)}`
          const deleteBy = yield* DatabaseClock.timeToDeleteBy
          const isOver = Option.match(deleteBy, {
            onNone: () => sql`false`,
            onSome: (millis) => sql`NOT ${alive(millis)}`
          })
          yield* sql`
            DELETE FROM session s WHERE s.account_id = ${account.accountId} AND (${isOver} OR s.id IN (
              SELECT id FROM session WHERE account_id = ${account.accountId} AND id <> ${row.id}
              ORDER BY last_used_at DESC, id DESC OFFSET ${maxPerAccount - 1}))`
          return yield* decodeSession(sql`${select} WHERE s.id = ${row.id}`)
        }).pipe(sql.withTransaction, Effect.provideService(SqlClient.SqlClient, sql), availableOnce)
        return { session, secret }
      })

      /** At most once a minute. A failed write does not fail the page. */
      const touch = (session: Session, nowMillis: number) =>
        nowMillis - session.lastUsedAt.epochMilliseconds < touchEveryMillis
          ? Effect.void
          : sql`UPDATE session SET last_used_at = ${new Date(nowMillis)} WHERE id = ${session.id}`.pipe(
              availableOnce,
              Effect.catch((error) => Effect.logWarning("The use of a session could not be written", error))
            )

      const current: Sessions["Service"]["current"] = Effect.fn("Sessions.current")(function* (secret) {
        if (!Secrets.isFormed(secret)) return Option.none()
        const nowMillis = yield* Clock.currentTimeMillis
        const hash = Secrets.hashOf(secret)
        const [session] = yield* sql`${select} WHERE s.hash = ${hash} AND ${alive(nowMillis)}`.pipe(
          decodeSessions,
          availableToRead
        )
        if (session === undefined) return Option.none()
        yield* touch(session, nowMillis)
        return Option.some(session)
      })

      const list = Effect.fn("Sessions.list")(function* (accountId: AccountId) {
        const nowMillis = yield* Clock.currentTimeMillis
        return yield* sql`
          ${select} WHERE s.account_id = ${accountId} AND ${alive(nowMillis)}
          ORDER BY s.last_used_at DESC, s.id DESC LIMIT ${maxPerAccount}`.pipe(decodeSessions, availableToRead)
      })

      const end = Effect.fn("Sessions.end")(function* (accountId: AccountId, sessionId: number) {
        yield* sql`DELETE FROM session WHERE id = ${sessionId} AND account_id = ${accountId}`.pipe(availableOnce)
      })

      const endOthers = Effect.fn("Sessions.endOthers")(function* (accountId: AccountId, sessionId: number) {
        const rows = yield* sql`
          DELETE FROM session WHERE account_id = ${accountId} AND id <> ${sessionId} RETURNING id`.pipe(availableOnce)
        return rows.length
      })

      const confirm: Sessions["Service"]["confirm"] = Effect.fn("Sessions.confirm")(function* (session, passkeyId) {
        const now = new Date(yield* Clock.currentTimeMillis)
        yield* sql`
          UPDATE session SET confirmed_at = ${now}, passkey_id = coalesce(${passkeyId ?? null}::integer, passkey_id)
          WHERE id = ${session.id} AND account_id = ${session.accountId}`.pipe(availableOnce)
      })

      return { start, current, list, end, endOthers, confirm }
    })
  )
}
