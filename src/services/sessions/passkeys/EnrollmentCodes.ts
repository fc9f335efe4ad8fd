/**
 * Enrollment codes: with one from the command line, an operator adds the first passkey. The password alone would otherwise
 * lead to operators' pages (D84). An account has one at most; it works once, for 30 minutes, and is kept as a hash.
 */
import { Effect } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../domain/access/Account.ts"
import * as DatabaseClock from "../../database/DatabaseClock.ts"
import { hasRow } from "../../database/Rows.ts"
import * as RecoveryCodes from "./RecoveryCodes.ts"

const lifetimeMillis = 30 * 60_000

/** Replaces the code before it. */
export const issue = Effect.fnUntraced(function* (accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  const code = yield* RecoveryCodes.generate
  const until = new Date((yield* DatabaseClock.currentTimeMillis) + lifetimeMillis)
  yield* sql`
    INSERT INTO enrollment_code (account_id, hash, expires_at)
    VALUES (${accountId}, ${RecoveryCodes.hashOf(code)}, ${until})
    ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`
  return code
})

const current = Effect.fnUntraced(function* (accountId: AccountId, code: Redacted.Redacted) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* DatabaseClock.currentTimeMillis)
  const hash = RecoveryCodes.hashOf(code)
  return sql`FROM enrollment_code WHERE account_id = ${accountId} AND hash = ${hash} AND expires_at > ${now}`
})

/** Whether it is the code of the account. Does not use it. */
export const isRight = Effect.fnUntraced(function* (accountId: AccountId, code: Redacted.Redacted) {
  const sql = yield* SqlClient.SqlClient
  return yield* hasRow(sql`SELECT ${yield* current(accountId, code)}`)
})

/** Whether it was the code of the account, which it is no more. */
export const redeem = Effect.fnUntraced(function* (accountId: AccountId, code: Redacted.Redacted) {
  const sql = yield* SqlClient.SqlClient
  return yield* hasRow(sql`DELETE ${yield* current(accountId, code)} RETURNING account_id`)
})
