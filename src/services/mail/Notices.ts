/** How much was sent to an account by itself, and what became of it, by day (D113): for its usage page. */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { Plan, SubscriptionStatus } from "../../domain/access/Account.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableToRead } from "../database/Availability.ts"
import { timeIn } from "../database/DatabaseClock.ts"
import { firstOf, rowsOf } from "../database/Rows.ts"

export const kinds = ["alert", "webhook"] as const
export const outcomes = ["sent", "refused", "failed"] as const

const Counted = Schema.Struct({
  kind: Schema.Literals(kinds),
  outcome: Schema.Literals(outcomes),
  count: Schema.Int
})
export type Counted = typeof Counted.Type

const decodeCounted = rowsOf(Counted)

export const decodeRecipient = firstOf(Schema.Struct({ email: Schema.String, plan: Plan, status: SubscriptionStatus }))

/** Whom the notices of an account are for, and what its plan is; none of a closed account. */
export const selectRecipient = (sql: SqlClient.SqlClient, accountId: AccountId) => sql`
  SELECT email, plan, status FROM account WHERE id = ${accountId} AND closed_at IS NULL`

/** Within the transaction that settles it. Nothing of an account that is closed meanwhile. */
export const add = Effect.fnUntraced(function* ({
  accountId,
  kind,
  outcome
}: Pick<Counted, "kind" | "outcome"> & { readonly accountId: AccountId }): Effect.fn.Return<
  void,
  SqlError.SqlError,
  SqlClient.SqlClient
> {
  const sql = yield* SqlClient.SqlClient
  const now = yield* timeIn(sql)
  yield* sql`
    INSERT INTO notice_day AS n (account_id, day, kind, outcome, count)
    SELECT id, (${now} AT TIME ZONE 'UTC')::date, ${kind}, ${outcome}, 1 FROM account
    WHERE id = ${accountId} AND closed_at IS NULL
    ON CONFLICT (account_id, day, kind, outcome) DO UPDATE SET count = n.count + 1`
})

export class Notices extends Context.Service<
  Notices,
  {
    /** Since a UTC day, `YYYY-MM-DD`; at most a month is kept. */
    since(accountId: AccountId, day: string): Effect.Effect<ReadonlyArray<Counted>, ServiceUnavailable>
  }
>()("discovery/mail/Notices") {
  static readonly layer = Layer.effect(
    Notices,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const since = Effect.fn("Notices.since")((accountId: AccountId, day: string) =>
        sql`
          SELECT kind, outcome, sum(count)::integer AS count FROM notice_day
          WHERE account_id = ${accountId} AND day >= ${day}::date
          GROUP BY kind, outcome ORDER BY kind, outcome DESC`.pipe(decodeCounted, availableToRead)
      )
      return { since }
    })
  )
}
