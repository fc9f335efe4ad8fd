/** The record of changes to accounts: append-only, kept forever. */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableToRead } from "../database/Availability.ts"
import { rowsOf } from "../database/Rows.ts"

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

const decodeChanges = rowsOf(AccountChange)

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

const maxListed = 50

export class AccountChanges extends Context.Service<
  AccountChanges,
  {
    /** The newest first: at most 50. */
    list(accountId: AccountId): Effect.Effect<ReadonlyArray<AccountChange>, ServiceUnavailable>
  }
>()("discovery/access/AccountChanges") {
  static readonly layer = Layer.effect(
    AccountChanges,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const list = Effect.fn("AccountChanges.list")(function* (accountId: AccountId) {
        return yield* sql`
          SELECT a.email AS by, c.source, c.what, c.value_before AS before, c.value_after AS after, c.created_at AS at
          FROM account_change c LEFT JOIN account a ON a.id = c.actor_id
          WHERE c.account_id = ${accountId} ORDER BY c.id DESC LIMIT ${maxListed}`.pipe(decodeChanges, availableToRead)
      })
      return { list }
    })
  )
}
