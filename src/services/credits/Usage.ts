/**
 * The usage of an account: its current credits, and its calls and credits by day, tool and credential.
 *
 * Calls come from the activity log, a second late. Credits come from the ledger, so that those of days, tools and credentials
 * add up to the used credits of the period, even if the log has lost a call. A refund counts on the day of its charge.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import { SubscriptionStatus } from "../../domain/access/Account.ts"
import type { AccountId, Credits, Plan } from "../../domain/access/Account.ts"
import { periodAt } from "../../domain/access/CreditPeriod.ts"
import { dayMillis, dayOf } from "../../domain/Days.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableToRead } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import * as CallerNames from "./CallerNames.ts"
import * as CreditPeriods from "./CreditPeriods.ts"
import { rowOf, rowsOf } from "../database/Rows.ts"

export const spans = ["30days", "period"] as const
/** The last thirty days, or the days of the current period until today. */
export type Span = (typeof spans)[number]

export interface Amount {
  readonly calls: number
  readonly credits: number
}

export interface UsageOfDay extends Amount {
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string
}

export interface UsageOfTool extends Amount {
  readonly tool: string
}

export interface UsageOfCaller extends Amount {
  readonly caller: CallerNames.NamedCaller
}

export interface UsageSummary {
  readonly plan: Plan
  readonly status: SubscriptionStatus
  readonly credits: Credits
  /** Every day of the span, oldest first. */
  readonly days: ReadonlyArray<UsageOfDay>
  /** Most calls first. */
  readonly tools: ReadonlyArray<UsageOfTool>
  /** Keys and apps, most calls first; at most 50. */
  readonly callers: ReadonlyArray<UsageOfCaller>
  /** All others. */
  readonly otherCallers: Amount & { readonly count: number }
  /** Whether the log has any call. */
  readonly hasCalls: boolean
}

const maxCallers = 50

const decodeAccount = rowOf(
  Schema.Struct({ ...CreditPeriods.Subscription.fields, status: SubscriptionStatus, createdOn: Schema.String })
)

/** A row is for a day, a tool or a credential; the other columns are null. */
const decodeSums = rowsOf(
  Schema.Struct({
    day: Schema.NullOr(Schema.String),
    tool: Schema.NullOr(Schema.String),
    kind: Schema.NullOr(CallerNames.Kind),
    id: Schema.NullOr(Schema.Int),
    calls: Schema.Int,
    credits: Schema.Int
  })
)

const decodeSubscription = rowOf(CreditPeriods.Subscription)
const decodeHas = rowOf(Schema.Struct({ has: Schema.Boolean }))

export class Usage extends Context.Service<
  Usage,
  {
    /**
     * Credits of the current period, as `get_usage` returns them; `undefined` without a subscription. The account must
     * exist.
     */
    credits(accountId: AccountId): Effect.Effect<Credits | undefined, ServiceUnavailable>
    /** Read in one transaction. The account must exist. */
    summary(accountId: AccountId, span: Span): Effect.Effect<UsageSummary, ServiceUnavailable>
  }
>()("discovery/credits/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const allowances = CreditPeriods.allowances(yield* AppConfig)

      const currentTime = DatabaseClock.currentTimeMillis.pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        availableToRead
      )

      const readAccount = Effect.fnUntraced(function* (accountId: AccountId, nowMillis: number) {
        const account = yield* sql`
            SELECT a.status, (a.created_at AT TIME ZONE 'UTC')::date::text AS "createdOn",
              ${CreditPeriods.columns(sql, nowMillis)}
            FROM account a WHERE a.id = ${accountId}`.pipe(decodeAccount)
        const { end, start } = periodAt(account.createdOn, nowMillis)
        const none = { allowance: 0, used: 0, periodStart: start, periodEnd: end }
        return { ...account, credits: CreditPeriods.standing(allowances, account, nowMillis) ?? none }
      })

      const readSums = (accountId: AccountId, from: string, through: string) =>
        sql`
            SELECT day::text, tool, credential_kind AS kind, credential_id AS id,
              sum(calls)::integer AS calls, sum(credits)::integer AS credits
            FROM (
              SELECT day, tool, credential_kind, credential_id, calls, 0 AS credits FROM activity_day
              WHERE account_id = ${accountId} AND day BETWEEN ${from}::date AND ${through}::date
              UNION ALL
              SELECT day, tool, credential_kind, credential_id, 0, credits FROM credit_day
              WHERE account_id = ${accountId} AND day BETWEEN ${from}::date AND ${through}::date
            ) used
            GROUP BY GROUPING SETS ((day), (tool), (credential_kind, credential_id))
            ORDER BY calls DESC, credits DESC, tool, kind, id`.pipe(decodeSums)

      const readHas = (accountId: AccountId) =>
        decodeHas(sql`SELECT EXISTS (SELECT FROM activity_day WHERE account_id = ${accountId}) AS has`)

      const summary = Effect.fn("Usage.summary")(
        function* (accountId: AccountId, span: Span) {
          yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
          const nowMillis = yield* DatabaseClock.currentTimeMillis
          const today = dayOf(nowMillis)
          const account = yield* readAccount(accountId, nowMillis)
          const from = span === "period" ? account.credits.periodStart : dayOf(nowMillis - 29 * dayMillis)
          const sums = yield* readSums(accountId, from, today)
          const { has } = yield* readHas(accountId)

          const byDay = new Map(sums.flatMap(({ day, ...sum }) => (day === null ? [] : [[day, sum]])))
          const credentials = sums.flatMap(({ calls, credits, id, kind }) =>
            kind === null || id === null ? [] : [{ kind, id, calls, credits }]
          )
          const named = yield* CallerNames.of(accountId, credentials.slice(0, maxCallers))
          const others = credentials.slice(maxCallers)
          const summary: UsageSummary = {
            plan: account.plan,
            status: account.status,
            credits: account.credits,
            days: eachDay(from, today).map((day) => ({
              day,
              calls: byDay.get(day)?.calls ?? 0,
              credits: byDay.get(day)?.credits ?? 0
            })),
            tools: sums.flatMap(({ calls, credits, tool }) => (tool === null ? [] : [{ tool, calls, credits }])),
            callers: credentials.slice(0, maxCallers).map(({ calls, credits, id, kind }) => ({
              caller: named({ kind, id }),
              calls,
              credits
            })),
            otherCallers: {
              count: others.length,
              calls: others.reduce((sum, { calls }) => sum + calls, 0),
              credits: others.reduce((sum, { credits }) => sum + credits, 0)
            },
            hasCalls: has
          }
          return summary
        },
        Effect.provideService(SqlClient.SqlClient, sql),
        sql.withTransaction,
        availableToRead
      )

      const credits = Effect.fn("Usage.credits")(function* (accountId: AccountId) {
        const nowMillis = yield* currentTime
        const subscription = yield* sql`
          SELECT ${CreditPeriods.columns(sql, nowMillis)} FROM account a WHERE a.id = ${accountId}`.pipe(
          decodeSubscription,
          availableToRead
        )
        return CreditPeriods.standing(allowances, subscription, nowMillis)
      })

      return Usage.of({ credits, summary })
    })
  )
}

/** At most 31, of one month of credits. */
const eachDay = (from: string, through: string): ReadonlyArray<string> => {
  const days: Array<string> = []
  for (let at = Date.parse(from); at <= Date.parse(through); at += dayMillis) days.push(dayOf(at))
  return days
}
