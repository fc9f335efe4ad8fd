/** What is left of an account's credits, to be looked at: nothing is opened, taken or locked. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import { Plan } from "../../domain/access/Account.ts"
import type { AccountId, Credits } from "../../domain/access/Account.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableToRead } from "../database/Availability.ts"
import * as CreditPeriods from "./CreditPeriods.ts"
import { rowsOf } from "../database/Rows.ts"

const decodeRows = rowsOf(
  Schema.Struct({
    plan: Plan,
    beganOn: Schema.NullOr(Schema.String),
    period: Schema.NullOr(Schema.Struct({ allowance: Schema.Int, used: Schema.Int }))
  })
)

export class Balances extends Context.Service<
  Balances,
  {
    /** Of the current period, as `get_usage` tells it; `undefined` for who never had a subscription. */
    of(accountId: AccountId): Effect.Effect<Credits | undefined, ServiceUnavailable>
  }
>()("discovery/access/Balances") {
  static readonly layer = Layer.effect(
    Balances,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const allowances = CreditPeriods.allowances(yield* AppConfig)

      const of = Effect.fn("Balances.of")(function* (accountId: AccountId) {
        const nowMillis = yield* Clock.currentTimeMillis
        const rows = yield* sql`
          SELECT a.plan, a.subscription_began_on::text AS "beganOn", ${CreditPeriods.current(sql, nowMillis)} AS period
          FROM account a WHERE a.id = ${accountId}`.pipe(availableToRead)
        const [row] = yield* decodeRows(rows)
        return row === undefined ? undefined : CreditPeriods.standing(allowances, row, nowMillis)
      })

      return { of }
    })
  )
}
