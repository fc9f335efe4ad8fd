/** Lists and finds accounts for operators. Reads only, and no secrets. */
import * as EmailAddress from "../../domain/access/EmailAddress.ts"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import { AccountId, Credits, Plan, Role, SubscriptionStatus } from "../../domain/access/Account.ts"
import type { SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableToRead, query } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { AccountChange } from "./AccountChanges.ts"
import { AccountNotFound } from "./AccountRecord.ts"
import * as CreditPeriods from "../credits/CreditPeriods.ts"
import { rowsOf } from "../database/Rows.ts"
import { isActive } from "../credentials/ApiKeys.ts"

const fields = {
  id: AccountId,
  email: Schema.String,
  plan: Plan,
  status: SubscriptionStatus,
  role: Role,
  createdAt: Schema.DateTimeUtcFromDate,
  /** When one of its keys, apps or sessions was last used. */
  lastUsedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** Usable keys. */
  activeKeys: Schema.Int,
  connectedApps: Schema.Int
}

const decodeRows = rowsOf(Schema.Struct({ ...fields, ...CreditPeriods.Subscription.fields }))

export interface AccountEntry extends Schema.Struct.Type<typeof fields> {
  /** Of the current period; `undefined` without a subscription. */
  readonly credits: Credits | undefined
}

const decodePeriods = rowsOf(Credits)
const decodeChanges = rowsOf(AccountChange)

export interface AccountFilter {
  /** A part of the e-mail address, whatever its case. */
  readonly email?: string | undefined
  readonly plan?: Plan | undefined
  readonly status?: SubscriptionStatus | undefined
  readonly role?: Role | undefined
  /** Only accounts with lower ids: the `next` of the previous page. */
  readonly before?: number | undefined
}

export interface AccountPage {
  /** Newest first, at most 50. */
  readonly accounts: ReadonlyArray<AccountEntry>
  /** Absent on the last page. */
  readonly next: AccountId | undefined
}

const pageSize = 50
/** A year. */
const maxPeriods = 12
const maxChanges = 50

export class AccountDirectory extends Context.Service<
  AccountDirectory,
  {
    /** Without closed accounts. */
    page(filter: AccountFilter): Effect.Effect<AccountPage, SearchTimeout | ServiceUnavailable>
    find(accountId: number): Effect.Effect<AccountEntry, AccountNotFound | ServiceUnavailable>
    /** Opened periods, newest first, at most 12. */
    periods(accountId: AccountId): Effect.Effect<ReadonlyArray<Credits>, ServiceUnavailable>
    /** Newest first, at most 50. */
    changes(accountId: AccountId): Effect.Effect<ReadonlyArray<AccountChange>, ServiceUnavailable>
  }
>()("discovery/accounts/AccountDirectory") {
  static readonly layer = Layer.effect(
    AccountDirectory,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const allowances = CreditPeriods.allowances(yield* AppConfig)

      /** Accounts are selected first, so that figures are read for those only, by index. */
      const select = Effect.fnUntraced(function* (where: Statement.Fragment, limit: number) {
        const nowMillis = yield* DatabaseClock.currentTimeMillis.pipe(Effect.provideService(SqlClient.SqlClient, sql))
        const now = new Date(nowMillis)
        const rows = yield* sql`
          SELECT a.id, a.email, a.status, a.role, a.created_at AS "createdAt", ${CreditPeriods.columns(sql, nowMillis)},
            greatest(k.used, g.used, (SELECT max(last_used_at) FROM session WHERE account_id = a.id)) AS "lastUsedAt",
            k.active AS "activeKeys", g.active AS "connectedApps"
          FROM (SELECT * FROM account a WHERE ${where} ORDER BY id DESC LIMIT ${limit}) a
          CROSS JOIN LATERAL (
            SELECT (count(*) FILTER (WHERE ${isActive(sql, now)}))::integer AS active,
              max(last_used_at) AS used
            FROM api_key WHERE account_id = a.id
          ) k
          CROSS JOIN LATERAL (
            SELECT (count(*) FILTER (WHERE connected_at IS NOT NULL AND usable_until > ${now}))::integer
              AS active, max(last_used_at) AS used
            FROM oauth_grant WHERE account_id = a.id
          ) g
          ORDER BY a.id DESC`.pipe(decodeRows)
        return rows.map(({ beganOn, period, ...entry }): AccountEntry => ({
          ...entry,
          credits: CreditPeriods.standing(allowances, { ...entry, beganOn, period }, nowMillis)
        }))
      })

      const matching = ({ before, email, plan, role, status }: AccountFilter) =>
        sql.and([
          sql`a.closed_at IS NULL`,
          ...(email === undefined
            ? []
            : [
                sql`(strpos(lower(a.email), lower(${email})) > 0 OR lower(a.email) = lower(${EmailAddress.toLookUp(email)}))`
              ]),
          ...(plan === undefined ? [] : [sql`a.plan = ${plan}`]),
          ...(status === undefined ? [] : [sql`a.status = ${status}`]),
          ...(role === undefined ? [] : [sql`a.role = ${role}`]),
          ...(before === undefined ? [] : [sql`a.id < ${before}`])
        ])

      const page = Effect.fn("AccountDirectory.page")(function* (filter: AccountFilter) {
        const rows = yield* query(select(matching(filter), pageSize + 1))
        const accounts = rows.slice(0, pageSize)
        return { accounts, next: rows.length > pageSize ? accounts.at(-1)?.id : undefined }
      })

      const find = Effect.fn("AccountDirectory.find")(function* (accountId: number) {
        const [account] = yield* availableToRead(select(sql`a.id = ${accountId}`, 1))
        return account ?? (yield* new AccountNotFound({ message: `There is no account ${accountId}.` }))
      })

      const periods = Effect.fn("AccountDirectory.periods")(function* (accountId: AccountId) {
        return yield* sql`
          SELECT allowance, used, period_start::text AS "periodStart", period_end::text AS "periodEnd"
          FROM credit_period WHERE account_id = ${accountId}
          ORDER BY period_start DESC LIMIT ${maxPeriods}`.pipe(decodePeriods, availableToRead)
      })

      const changes = Effect.fn("AccountDirectory.changes")(function* (accountId: AccountId) {
        return yield* sql`
          SELECT a.email AS by, c.source, c.what, c.value_before AS before, c.value_after AS after, c.created_at AS at
          FROM account_change c LEFT JOIN account a ON a.id = c.actor_id
          WHERE c.account_id = ${accountId} ORDER BY c.id DESC LIMIT ${maxChanges}`.pipe(decodeChanges, availableToRead)
      })

      return { page, find, periods, changes }
    })
  )
}
