/** The record of changes to accounts: append-only, kept forever. AccountDirectory lists it. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"

export const AccountChange = Schema.Struct({
  /** The operator's e-mail address; `null` for the command line and for billing. */
  by: Schema.NullOr(Schema.String),
  /** What made a change without an operator; `null` for the command line. */
  source: Schema.NullOr(Schema.Literal("billing")),
  what: Schema.Literals(["plan", "status", "role", "credits", "password", "passkeys"]),
  /** The plan, status or role, or the credits of the period; `null` for a password and for passkeys. */
  before: Schema.NullOr(Schema.String),
  after: Schema.NullOr(Schema.String),
  at: Schema.DateTimeUtcFromDate
})
export type AccountChange = typeof AccountChange.Type

/** Called within the transaction that makes the change. Equal values are not recorded. */
export const record = Effect.fnUntraced(function* (change: {
  readonly accountId: AccountId
  /** `undefined` for the command line. */
  readonly by: AccountId | "billing" | undefined
  readonly what: AccountChange["what"]
  readonly before: string | null
  readonly after: string | null
  readonly nowMillis: number
}): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  if (change.before !== null && change.before === change.after) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO account_change (account_id, actor_id, source, what, value_before, value_after, created_at)
    VALUES (${change.accountId}, ${change.by === "billing" ? null : (change.by ?? null)}::integer,
      ${change.by === "billing" ? change.by : null}::text, ${change.what}, ${change.before}::text,
      ${change.after}::text, ${new Date(change.nowMillis)})`
})
