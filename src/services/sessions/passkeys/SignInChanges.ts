/** What was changed about how an account is signed in to, and the use of recovery codes, as its owner is shown them. */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { AccountId } from "../../../domain/access/Account.ts"
import { Device } from "../../../domain/access/Device.ts"
import { rowsOf } from "../../database/Rows.ts"
import * as Letter from "../../mail/Letter.ts"
import * as Outbox from "../../mail/Outbox.ts"

/** Of one account; the next one deletes the oldest. */
const maxPerAccount = 50
const maxListed = 10

export const SignInChange = Schema.Struct({
  what: Schema.Literals([
    ...Letter.changes,
    "reset",
    "password_changed",
    "password_set",
    "password_reset",
    "address_changed"
  ]),
  /** Of the passkey. */
  name: Schema.NullOr(Schema.String),
  /** Unknown for the command line. */
  device: Device,
  at: Schema.DateTimeUtcFromDate
})
export type SignInChange = typeof SignInChange.Type

const decodeChanges = rowsOf(SignInChange)

/** Called within the transaction that makes the change. */
export const record = Effect.fnUntraced(function* (change: {
  readonly accountId: AccountId
  readonly what: SignInChange["what"]
  readonly name?: string
  readonly device: Device
}): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  const { accountId, device, name, what } = change
  yield* sql`
    INSERT INTO sign_in_change (account_id, what, name, browser, system, created_at)
    VALUES (${accountId}, ${what}, ${name ?? null}::text, ${device.browser}::text, ${device.system}::text, ${now})`
  yield* sql`
    DELETE FROM sign_in_change WHERE account_id = ${accountId} AND id <= (
      SELECT id FROM sign_in_change WHERE account_id = ${accountId} ORDER BY id DESC OFFSET ${maxPerAccount} LIMIT 1)`
})

/** Likewise, and tells it to the owner by a mail. */
export const tell = Effect.fnUntraced(function* (change: {
  readonly accountId: AccountId
  readonly what: (typeof Letter.changes)[number]
  readonly name?: string
  readonly device: Device
  readonly to: string
}) {
  yield* record(change)
  yield* Outbox.put({ kind: change.what, to: change.to })
})

/** The newest first, at most ten. */
export const list = Effect.fnUntraced(function* (
  accountId: AccountId
): Effect.fn.Return<ReadonlyArray<SignInChange>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    SELECT what, name, jsonb_build_object('browser', browser, 'system', system) AS device, created_at AS at
    FROM sign_in_change WHERE account_id = ${accountId} ORDER BY id DESC LIMIT ${maxListed}`.pipe(decodeChanges)
})
