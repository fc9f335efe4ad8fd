/**
 * Removes what is left of closed accounts: their activity, of which there may be millions of lines, in small steps; and what
 * requests that were under way when the account was closed have written since.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../domain/access/Account.ts"
import * as BackgroundJob from "../BackgroundJob.ts"
import { forget } from "../accounts/AccountClosing.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { countOf, inBatches, rowsOf } from "../database/Rows.ts"

const removeEvery = "10 minutes"
/** As in ActivityRetention. */
const batch = 1_000
const maxBatches = 1_000
/** In one round; the next one takes the next. */
const maxAccounts = 100
/** Longer than any request, and than the activity log waits to be written. */
const settledMillis = 5 * 60_000

const decodeClosed = rowsOf(Schema.Struct({ id: AccountId, closedAt: Schema.Date }))

/** Whether nothing is left. A full batch deletes up to a batch of each of two tables. */
const removeActivity = Effect.fnUntraced(function* (accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`SELECT remove_activity_of(${accountId}, ${batch}) AS count`.pipe(
    countOf,
    inBatches(batch, maxBatches)
  )
  return removed < batch * maxBatches
})

const removeSettled = Effect.fnUntraced(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* sql`
    SELECT id, closed_at AS "closedAt" FROM account WHERE closed_at IS NOT NULL AND forgotten_at IS NULL
    ORDER BY closed_at LIMIT ${maxAccounts}`.pipe(decodeClosed)
  let forgotten = 0
  for (const { closedAt, id } of accounts) {
    const isEmpty = yield* removeActivity(id)
    if (!isEmpty || now - closedAt.getTime() < settledMillis) continue
    yield* sql`UPDATE account SET forgotten_at = ${new Date(now)} WHERE id = ${id}`.pipe(
      Effect.andThen(forget(id)),
      sql.withTransaction
    )
    forgotten++
  }
  return forgotten
})

/** Returns the number of accounts of which nothing personal is left; 0 while the clocks disagree (DatabaseClock). */
export const remove = DatabaseClock.deleting(removeSettled, 0).pipe(Effect.withSpan("ClosedAccounts.remove"))

export const layer = Layer.effectDiscard(
  remove.pipe(BackgroundJob.repeat(removeEvery, "What is left of closed accounts could not be removed"))
)
