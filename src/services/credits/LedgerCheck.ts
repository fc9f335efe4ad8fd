/** Compares every balance with the sum of its ledger entries, computed by the database (D14). */
import { Effect, Option, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { availableToRead } from "../database/Availability.ts"
import { rowOf } from "../database/Rows.ts"

/** A period whose balance differs from its entries. */
export const Disagreement = Schema.Struct({
  accountId: Schema.Int,
  periodStart: Schema.String,
  balanceAllowance: Schema.NullOr(Schema.Int),
  balanceUsed: Schema.NullOr(Schema.Int),
  ledgerAllowance: Schema.NullOr(Schema.Int),
  ledgerUsed: Schema.NullOr(Schema.Int)
})
export type Disagreement = typeof Disagreement.Type

const Checked = Schema.Struct({ periods: Schema.Int, disagreements: Schema.Array(Disagreement) })

/** Keeps a step at milliseconds and memory small, whatever the length of the ledger. */
const accountsAStep = 200

const decodeLast = rowOf(Schema.Struct({ last: Schema.NullOr(Schema.Int) }))
const decodeChecked = rowOf(Checked)

const step = Effect.fn("LedgerCheck.step")(function* (after: number) {
  const sql = yield* SqlClient.SqlClient
  const { last } = yield* sql`
      SELECT max(id) AS last FROM (SELECT id FROM account WHERE id > ${after} ORDER BY id LIMIT ${accountsAStep}) a`.pipe(
    decodeLast
  )
  const through = last ?? after
  const checked = yield* sql`
    WITH ledger AS (
      SELECT account_id, period_start,
        coalesce(sum(amount) FILTER (WHERE kind IN ('grant', 'adjustment')), 0)::integer AS allowance,
        coalesce(-sum(amount) FILTER (WHERE kind IN ('charge', 'refund')), 0)::integer AS used
      FROM credit_entry WHERE account_id > ${after} AND account_id <= ${through} GROUP BY 1, 2
    ), balance AS (
      SELECT * FROM credit_period WHERE account_id > ${after} AND account_id <= ${through}
    ), compared AS (
      SELECT account_id AS "accountId", period_start AS "periodStart",
        b.allowance AS "balanceAllowance", b.used AS "balanceUsed",
        l.allowance AS "ledgerAllowance", l.used AS "ledgerUsed"
      FROM balance b FULL JOIN ledger l USING (account_id, period_start)
    )
    SELECT count(*)::integer AS periods, coalesce(jsonb_agg(to_jsonb(c) ORDER BY "accountId", "periodStart") FILTER (WHERE
      "balanceAllowance" IS DISTINCT FROM "ledgerAllowance" OR "balanceUsed" IS DISTINCT FROM "ledgerUsed"
      OR "ledgerUsed" NOT BETWEEN 0 AND "ledgerAllowance"), '[]') AS disagreements
    FROM compared c`.pipe(decodeChecked)
  return [[checked], Option.fromNullishOr(last)] as const
})

/** Every account, in steps. Each step reads balances and entries of one moment. */
export const run = Stream.paginate(0, (after: number) => availableToRead(step(after)))
