/** Lists an account's calls from the activity log, newest first. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import type { Outcome } from "../../domain/access/Activity.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableToRead } from "../database/Availability.ts"
import * as CallerNames from "./CallerNames.ts"
import { horizonOf } from "../retention/ActivityRetention.ts"
import { rowsOf } from "../database/Rows.ts"

export const pageSize = 50

export interface CallFilter {
  readonly tool?: string | undefined
  readonly outcome?: Outcome | undefined
  readonly caller?: CallerNames.CallerId | undefined
}

const Row = Schema.Struct({
  /** Increases with every call. */
  number: Schema.NumberFromString,
  at: Schema.DateTimeUtcFromDate,
  tool: Schema.String,
  kind: CallerNames.Kind,
  credential: Schema.Int,
  /** `ok`, or the code of the error. */
  outcome: Schema.String,
  credits: Schema.Int,
  durationMillis: Schema.Int,
  requestId: Schema.String
})

export interface RecordedCall extends Omit<typeof Row.Type, "kind" | "credential"> {
  readonly caller: CallerNames.NamedCaller
}

export interface CallsPage {
  /** At most {@link pageSize}. */
  readonly calls: ReadonlyArray<RecordedCall>
  /** `before` of the next page; `undefined` on the last page. */
  readonly older: number | undefined
}

/** The values of each filter that occur in the log. */
export interface CallChoices {
  readonly tools: ReadonlyArray<string>
  readonly outcomes: ReadonlyArray<string>
  /** At most 100, those with the newest calls first. */
  readonly callers: ReadonlyArray<CallerNames.NamedCaller>
}

const maxCallers = 100

const decodeRows = rowsOf(Row)
const decodeChoices = rowsOf(
  Schema.Struct({
    tool: Schema.NullOr(Schema.String),
    outcome: Schema.NullOr(Schema.String),
    kind: Schema.NullOr(CallerNames.Kind),
    id: Schema.NullOr(Schema.Int)
  })
)

export class CallHistory extends Context.Service<
  CallHistory,
  {
    /**
     * The calls before a number, or the newest. Consecutive pages neither repeat nor omit calls while new ones are recorded.
     * A caller of another account has no calls here.
     */
    calls(accountId: AccountId, filter: CallFilter, before?: number): Effect.Effect<CallsPage, ServiceUnavailable>
    choices(accountId: AccountId): Effect.Effect<CallChoices, ServiceUnavailable>
  }
>()("discovery/credits/CallHistory") {
  static readonly layer = Layer.effect(
    CallHistory,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { activityDays } = yield* AppConfig

      const filtered = ({ caller, outcome, tool }: CallFilter) => [
        ...(tool === undefined ? [] : [sql`tool = ${tool}`]),
        ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
        ...(caller === undefined ? [] : [sql`credential_kind = ${caller.kind}`, sql`credential_id = ${caller.id}`])
      ]

      const calls = Effect.fn("CallHistory.calls")(
        function* (accountId: AccountId, filter: CallFilter, before?: number) {
          const horizon = new Date(horizonOf(activityDays, yield* Clock.currentTimeMillis))
          const conditions = filtered(filter)
          const newest = sql`
          account_id = ${accountId} AND at > ${horizon} ${before === undefined ? sql`` : sql`AND id < ${before}::bigint`}
          ORDER BY id DESC LIMIT ${pageSize + 1}`
          const columns = sql`id::text AS number, at, tool, credential_kind AS kind, credential_id AS credential, outcome, credits,
          duration_ms AS "durationMillis", request_id AS "requestId"`
          // The newest calls of each combination that matches the filter: one index lookup each, however rare they are.
          const newestCalls =
            conditions.length === 0
              ? sql`SELECT ${columns} FROM activity WHERE ${newest}`
              : sql`
              WITH source AS (
                SELECT DISTINCT tool, outcome, credential_kind, credential_id FROM activity_day
                WHERE ${sql.and([sql`account_id = ${accountId}`, ...conditions])}
              )
              SELECT ${columns} FROM (
                SELECT found.* FROM source s CROSS JOIN LATERAL (
                  SELECT * FROM activity a
                  WHERE a.tool = s.tool AND a.outcome = s.outcome AND a.credential_kind = s.credential_kind
                    AND a.credential_id = s.credential_id AND ${newest}
                ) found
              ) newest ORDER BY newest.id DESC LIMIT ${pageSize + 1}`
          const calls = yield* decodeRows(newestCalls)
          const shown = calls.slice(0, pageSize)
          const named = yield* CallerNames.of(
            accountId,
            shown.map(({ credential, kind }) => ({ kind, id: credential }))
          )
          const page: CallsPage = {
            calls: shown.map(({ credential, kind, ...call }) => ({ ...call, caller: named({ kind, id: credential }) })),
            older: calls.length > pageSize ? shown.at(-1)?.number : undefined
          }
          return page
        },
        Effect.provideService(SqlClient.SqlClient, sql),
        availableToRead
      )

      const choices = Effect.fn("CallHistory.choices")(
        function* (accountId: AccountId) {
          const horizon = new Date(horizonOf(activityDays, yield* Clock.currentTimeMillis))
          const rows = yield* sql`
            SELECT tool, outcome, credential_kind AS kind, credential_id AS id FROM activity_day
            WHERE account_id = ${accountId} AND day >= (${horizon} AT TIME ZONE 'UTC')::date
            GROUP BY GROUPING SETS ((tool), (outcome), (credential_kind, credential_id))
            ORDER BY max(day) DESC, sum(calls) DESC, tool, outcome, kind, id`.pipe(decodeChoices)
          const callers = rows
            .flatMap(({ id, kind }) => (id === null || kind === null ? [] : [{ id, kind }]))
            .slice(0, maxCallers)
          const named = yield* CallerNames.of(accountId, callers)
          const choices: CallChoices = {
            tools: rows.flatMap(({ tool }) => tool ?? []).toSorted(),
            outcomes: rows.flatMap(({ outcome }) => outcome ?? []).toSorted(),
            callers: callers.map(named)
          }
          return choices
        },
        Effect.provideService(SqlClient.SqlClient, sql),
        availableToRead
      )

      return CallHistory.of({ calls, choices })
    })
  )
}
