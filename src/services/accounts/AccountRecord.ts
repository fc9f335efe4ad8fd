/** An account as operators see it, how it is named and found, and its lock. */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { AccountId, Credits, Plan, Role, SubscriptionStatus } from "../../domain/access/Account.ts"
import * as EmailAddress from "../../domain/access/EmailAddress.ts"
import { rowOf, rowsOf } from "../database/Rows.ts"
import { printable } from "./AccountDetails.ts"

export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {
  message: Schema.String
}) {}

/** An account's id, or its e-mail address, ignoring case. */
export type Which = AccountId | string

const notFound = (which: Which) =>
  new AccountNotFound({
    message: `There is no account ${typeof which === "string" ? `with the e-mail address ${printable(which).slice(0, 254)}` : which}.`
  })

export const AccountRecord = Schema.Struct({
  id: AccountId,
  email: Schema.String,
  plan: Plan,
  status: SubscriptionStatus,
  role: Role,
  /** The UTC day that the first paid plan began; periods are counted from it. */
  beganOn: Schema.NullOr(Schema.String),
  createdAt: Schema.DateTimeUtcFromDate,
  /** Of the newest opened period; a period is opened by its first use. */
  credits: Schema.NullOr(Credits)
})
export type AccountRecord = typeof AccountRecord.Type

/** `where` refers to the account as `a`. */
export const selectAccounts = (sql: SqlClient.SqlClient, where: Statement.Fragment) => sql`
  SELECT a.id, a.email, a.plan, a.status, a.role, a.subscription_began_on::text AS "beganOn", a.created_at AS "createdAt",
    (SELECT jsonb_build_object('allowance', allowance, 'used', used, 'periodStart', period_start,
       'periodEnd', period_end) FROM credit_period WHERE account_id = a.id ORDER BY period_start DESC LIMIT 1
    ) AS credits
  FROM account a WHERE ${where}`

export const decodeAccounts = rowsOf(AccountRecord)
export const decodeAccount = rowOf(AccountRecord)

/** The account `a`. A closed account is not found: nothing about it may change. */
const isAccount = (sql: SqlClient.SqlClient, which: Which) =>
  sql.and([
    typeof which === "string" ? sql`lower(a.email) = lower(${EmailAddress.toLookUp(which)})` : sql`a.id = ${which}`,
    sql`a.closed_at IS NULL`
  ])

export const findAccount = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, which: Which) {
  const [account] = yield* decodeAccounts(selectAccounts(sql, isAccount(sql, which)))
  return account ?? (yield* notFound(which))
})

/** Until the transaction ends, nobody else changes the account. */
export const lockAccount = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, which: Which) {
  const [account] = yield* decodeAccounts(sql`${selectAccounts(sql, isAccount(sql, which))} FOR NO KEY UPDATE OF a`)
  return account ?? (yield* notFound(which))
})

/** Where mails to the owner go. */
export const decodeEmails = rowsOf(Schema.Struct({ email: Schema.String }))

/** The address as the account that has it stores it, for mails: one that differs in case may be another mailbox. */
export const storedEmail = (sql: SqlClient.SqlClient, email: string) =>
  Effect.map(
    decodeEmails(sql`SELECT email FROM account WHERE lower(email) = lower(${email})`),
    ([known]) => known?.email ?? email
  )
