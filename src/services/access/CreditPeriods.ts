/** Opens an account's credit period: the balance and the grant of the plan's allowance, once. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError, Statement } from "effect/sql"
import type { AppSettings } from "../../Config.ts"
import { Plan } from "../../domain/access/Account.ts"
import type { Credits } from "../../domain/access/Account.ts"
import { dayOf, periodAt } from "../../domain/access/CreditPeriod.ts"
import type { Allowances } from "../../domain/access/Plan.ts"
import { rowsOf } from "../database/Rows.ts"

/** An account with a subscription; `beganOn` is a UTC day. */
export interface Subscriber {
  readonly accountId: number
  readonly beganOn: string
}

export const allowances = (config: AppSettings): Allowances => ({
  starter: 0,
  growth: config.planCreditsGrowth,
  pro: config.planCreditsPro
})

/**
 * Opens the current period of each account that has none; safe to run on several servers at once. The plan is read under a
 * lock, so that a change of plan comes either before or after.
 */
export const open = Effect.fn("CreditPeriods.open")(function* (
  allowances: Allowances,
  subscribers: ReadonlyArray<Subscriber>,
  nowMillis: number
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const wanted = subscribers.map(({ accountId, beganOn }) => {
    const { end, start } = periodAt(beganOn, nowMillis)
    return { account_id: accountId, period_start: start, period_end: end }
  })
  yield* sql`
    WITH wanted AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        AS w (account_id integer, period_start date, period_end date)
    ), opened AS (
      INSERT INTO credit_period (account_id, period_start, period_end, allowance)
      SELECT a.id, w.period_start, w.period_end, (${JSON.stringify(allowances)}::jsonb ->> a.plan)::integer
      FROM wanted w JOIN account a ON a.id = w.account_id
      ORDER BY a.id
      FOR SHARE OF a
      ON CONFLICT DO NOTHING
      RETURNING account_id, period_start, allowance
    )
    INSERT INTO credit_entry (account_id, period_start, kind, reason, amount, created_at)
    SELECT account_id, period_start, 'grant', 'period', allowance, ${new Date(nowMillis)}::timestamptz FROM opened`
})

/** Whether a row of credit_period is the current one of its account. */
export const isCurrent = (sql: SqlClient.SqlClient, nowMillis: number): Statement.Fragment => {
  const today = dayOf(nowMillis)
  return sql`(period_start <= ${today}::date AND period_end > ${today}::date)`
}

/** What the credits of an account follow from. */
export const Subscription = Schema.Struct({
  plan: Plan,
  beganOn: Schema.NullOr(Schema.String),
  /** The current one; `null` before it has been opened. */
  period: Schema.NullOr(Schema.Struct({ allowance: Schema.Int, used: Schema.Int }))
})

/** The columns of {@link Subscription} of the account `a`. */
export const columns = (sql: SqlClient.SqlClient, nowMillis: number): Statement.Fragment => sql`
  a.plan, a.subscription_began_on::text AS "beganOn", (
    SELECT jsonb_build_object('allowance', allowance, 'used', used) FROM credit_period
    WHERE account_id = a.id AND ${isCurrent(sql, nowMillis)}
  ) AS period`

/**
 * The credits of the current period. Reading them opens no period: before it is opened, they are what opening it would give.
 * `undefined` without a subscription.
 */
export const standing = (
  allowances: Allowances,
  account: typeof Subscription.Type,
  nowMillis: number
): Credits | undefined => {
  if (account.beganOn === null) return undefined
  const { end, start } = periodAt(account.beganOn, nowMillis)
  const { allowance, used } = account.period ?? { allowance: allowances[account.plan], used: 0 }
  return { allowance, used, periodStart: start, periodEnd: end }
}

const decodeSubscribers = rowsOf(Schema.Struct({ accountId: Schema.Int, beganOn: Schema.String }))

/** As {@link open}, by account id; accounts without a subscription get no period. */
export const openFor = Effect.fn("CreditPeriods.openFor")(function* (
  allowances: Allowances,
  accountIds: ReadonlyArray<number>,
  nowMillis: number
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const subscribers = yield* sql`
    SELECT id AS "accountId", subscription_began_on::text AS "beganOn" FROM account
    WHERE id = ANY(${accountIds}::integer[]) AND subscription_began_on IS NOT NULL`.pipe(decodeSubscribers)
  if (subscribers.length > 0) yield* open(allowances, subscribers, nowMillis)
})
