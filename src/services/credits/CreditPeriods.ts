/** An account's credit period, which holds its balance: opened once, with the plan's allowance, and changed by grants and plans. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError, Statement } from "effect/sql"
import type { AppSettings } from "../../Config.ts"
import { Plan } from "../../domain/access/Account.ts"
import type { Credits } from "../../domain/access/Account.ts"
import { periodAt } from "../../domain/access/CreditPeriod.ts"
import { dayOf } from "../../domain/Days.ts"
import type { Allowances } from "../../domain/access/Plan.ts"
import { rowOf, rowsOf } from "../database/Rows.ts"

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

const decodePeriod = rowOf(
  Schema.Struct({ periodStart: Schema.String, allowance: Schema.Int, used: Schema.Int, granted: Schema.Int })
)

/** Opens the current period and locks it until the transaction ends. `granted` is what operators have added to it. */
export const lockCurrent = Effect.fn("CreditPeriods.lockCurrent")(function* (
  allowances: Allowances,
  subscriber: Subscriber,
  nowMillis: number
) {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = subscriber
  yield* open(allowances, [subscriber], nowMillis)
  const current = isCurrent(sql, nowMillis)
  yield* sql`SELECT FROM credit_period WHERE account_id = ${accountId} AND ${current} FOR UPDATE`
  return yield* sql`
    SELECT p.period_start::text AS "periodStart", p.allowance, p.used, coalesce((
      SELECT sum(amount) FROM credit_entry e
      WHERE e.account_id = p.account_id AND e.period_start = p.period_start AND e.reason = 'operator'
    ), 0)::integer AS granted
    FROM credit_period p
    WHERE account_id = ${accountId} AND ${current}`.pipe(decodePeriod)
})

/** Changes the allowance and writes its entry in one statement. */
export const move = Effect.fn("CreditPeriods.move")(function* (entry: {
  readonly accountId: number
  readonly periodStart: string
  readonly kind: "grant" | "adjustment"
  readonly reason: "operator" | "plan"
  readonly amount: number
  readonly note?: string | undefined
  readonly nowMillis: number
}) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH moved AS (
      UPDATE credit_period SET allowance = allowance + ${entry.amount}
      WHERE account_id = ${entry.accountId} AND period_start = ${entry.periodStart}::date
      RETURNING account_id, period_start
    )
    INSERT INTO credit_entry (account_id, period_start, kind, reason, amount, note, created_at)
    SELECT account_id, period_start, ${entry.kind}::text, ${entry.reason}::text, ${entry.amount},
      ${entry.note ?? null}::text, ${new Date(entry.nowMillis)}
    FROM moved`
})
