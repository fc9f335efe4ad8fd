/** An account as operators see it, with its query. */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { AccountId, Credits, Plan, Role, SubscriptionStatus } from "../../domain/access/Account.ts"
import { rowOf, rowsOf } from "../database/Rows.ts"

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
export const select = (sql: SqlClient.SqlClient, where: Statement.Fragment) => sql`
  SELECT a.id, a.email, a.plan, a.status, a.role, a.subscription_began_on::text AS "beganOn", a.created_at AS "createdAt",
    (SELECT jsonb_build_object('allowance', allowance, 'used', used, 'periodStart', period_start,
       'periodEnd', period_end) FROM credit_period WHERE account_id = a.id ORDER BY period_start DESC LIMIT 1
    ) AS credits
  FROM account a WHERE ${where}`

export const decodeAccounts = rowsOf(AccountRecord)
export const decodeAccount = rowOf(AccountRecord)

/** Where mails to the owner go. */
export const decodeEmails = rowsOf(Schema.Struct({ email: Schema.String }))

/** The address as the account that has it stores it, for mails: one that differs in case may be another mailbox. */
export const storedEmail = (sql: SqlClient.SqlClient, email: string) =>
  Effect.map(
    decodeEmails(sql`SELECT email FROM account WHERE lower(email) = lower(${email})`),
    ([known]) => known?.email ?? email
  )
