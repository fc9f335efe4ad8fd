/**
 * The statements of the ledger, each one commit for a whole batch; the rules are in the functions of migrations/0003_credits. All
 * go by the database's clock, which decides the period.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { Charge } from "../../domain/access/Charge.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { deleteUnlocked, firstOf, inBatches, rowsOf } from "../database/Rows.ts"

/** The outcome of one charge. `remaining` and `periodEnd` are those of the current period after it. */
const Decision = Schema.Struct({
  n: Schema.Int,
  outcome: Schema.Literals(["charged", "repeat", "conflict", "insufficient", "barred", "no_period"]),
  remaining: Schema.NullOr(Schema.Int),
  periodEnd: Schema.NullOr(Schema.String)
})
export type Decision = typeof Decision.Type
const decodeDecisions = rowsOf(Decision)

/** Takes charges with distinct request ids, in their order; `n` of a decision is the charge's index. */
export const charge = Effect.fnUntraced(function* (
  charges: ReadonlyArray<Charge>
): Effect.fn.Return<ReadonlyArray<Decision>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const input = charges.map((charge, n) => ({
    n,
    account_id: charge.caller.accountId,
    cost: charge.cost,
    tool: charge.tool,
    request_id: charge.requestId,
    credential_kind: charge.caller.credential.kind,
    credential_id: charge.caller.credential.id,
    key: charge.idempotency?.key,
    fingerprint: charge.idempotency?.fingerprint
  }))
  return yield* sql`
    SELECT n, outcome, remaining, period_end::text AS "periodEnd"
    FROM charge_credits(${JSON.stringify(input)}::jsonb, ${yield* DatabaseClock.timeIn(sql)})`.pipe(decodeDecisions)
})

/** A call whose charge may have been taken although it got an error or no answer. */
export interface UnansweredCharge {
  readonly accountId: AccountId
  readonly requestId: string
  /** Its idempotency key. */
  readonly key?: string
}

const Settled = Schema.Struct({ requestId: Schema.String, refunded: Schema.Boolean })
const decodeSettled = rowsOf(Settled)

/** Refunds the charged ones and bars the others; those that are missing in the answer must be sent again. */
export const refundUnanswered = Effect.fnUntraced(function* (
  charges: ReadonlyArray<UnansweredCharge>
): Effect.fn.Return<ReadonlyArray<typeof Settled.Type>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const input = charges.map(({ accountId, key, requestId }) => ({ account_id: accountId, request_id: requestId, key }))
  return yield* sql`
    SELECT request_id AS "requestId", refunded
    FROM refund_unanswered(${JSON.stringify(input)}::jsonb, ${yield* DatabaseClock.timeIn(sql)})`.pipe(decodeSettled)
})

const decodeFingerprint = firstOf(Schema.Struct({ fingerprint: Schema.String }))

/** The fingerprint that the key was used with in the last 24 hours. */
export const fingerprintOf = Effect.fnUntraced(function* (
  accountId: AccountId,
  key: string
): Effect.fn.Return<string | undefined, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const row = yield* sql`
    SELECT fingerprint FROM idempotency_key
    WHERE account_id = ${accountId} AND key = ${key}
      AND created_at > ${yield* DatabaseClock.timeIn(sql)} - interval '24 hours'`.pipe(decodeFingerprint)
  return row?.fingerprint
})

const batch = 5_000

/** Deletes expired idempotency keys. */
export const forgetOldKeys = Effect.fn("LedgerStatements.forgetOldKeys")(function* (
  nowMillis: number
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const deleteExpired = deleteUnlocked(sql, "idempotency_key", "account_id, key")
  const expired = sql`created_at <= ${new Date(nowMillis)}::timestamptz - interval '24 hours'`
  return yield* deleteExpired(sql`${expired} ORDER BY created_at LIMIT ${batch}`).pipe(inBatches(batch))
})
