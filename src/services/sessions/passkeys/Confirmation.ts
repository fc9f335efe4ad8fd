/**
 * What a session needs before the passkeys, the second step or other details of its account may change: a password or passkey
 * that was verified within the last ten minutes, and more for operators.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Role } from "../../../domain/access/Account.ts"
import type { AccountId } from "../../../domain/access/Account.ts"
import { firstOf } from "../../database/Rows.ts"
import { isConfirmed } from "../Sessions.ts"
import type { Session } from "../Sessions.ts"

/** The session's password or passkey was verified too long ago for a change, an operator's has used no passkey, or it has ended. */
export class ConfirmationNeeded extends Schema.TaggedError<ConfirmationNeeded>()("ConfirmationNeeded", {}) {}

/** Fails unless the session was confirmed recently. */
export const needConfirmation = Effect.fnUntraced(function* (session: Pick<Session, "confirmedAt">) {
  if (!isConfirmed(session, yield* Clock.currentTimeMillis)) return yield* new ConfirmationNeeded()
})

/**
 * Locks an account before a statement that depends on its passkeys or its second step. Every transaction of this
 * folder that changes one of them does so first, so that two of them take turns and never wait for each other.
 */
export const lockAccount = Effect.fnUntraced(function* (accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  const account = yield* sql`
    SELECT email, second_step AS "secondStep" FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`.pipe(decodeLocked)
  // Rows of accounts are never deleted, so only a defect gives an id without one.
  return account ?? (yield* Effect.die(new Error(`there is no account ${accountId}`)))
})

/**
 * Whether changes need a session in which a passkey was used. Otherwise an operator's password alone would be enough to add a
 * passkey, and with it to open operators' pages. With the second step on, every session has used a passkey or a recovery code. For
 * the first passkey see {@link needsCode}.
 */
export const needsPasskey = (
  { passkeyId, role }: Pick<Session, "passkeyId" | "role">,
  account: { readonly secondStep: boolean; readonly passkeys: number }
): boolean => role === "operator" && passkeyId === null && account.passkeys > 0 && !account.secondStep

/** Whether a passkey is an operator's first. */
export const needsCode = ({ role }: Pick<Session, "role">, passkeys: number): boolean =>
  role === "operator" && passkeys === 0

/**
 * {@link lockAccount} for a change in a session. Fails if the session has ended since the request began: a request whose body is
 * sent slowly would otherwise outlive "sign out everywhere" or a new password.
 */
export const lockToChange = Effect.fnUntraced(function* ({ accountId, id }: Session) {
  const sql = yield* SqlClient.SqlClient
  const account = yield* lockAccount(accountId)
  const session = yield* sql`
    SELECT s.passkey_id AS "passkeyId", a.role, (SELECT count(*)::integer FROM passkey WHERE account_id = a.id) AS passkeys
    FROM session s JOIN account a ON a.id = s.account_id WHERE s.id = ${id} AND s.account_id = ${accountId}`.pipe(
    decodeChanging
  )
  if (session === undefined) return yield* new ConfirmationNeeded()
  if (needsPasskey(session, { ...account, ...session })) return yield* new ConfirmationNeeded()
  return { ...account, ...session }
})

const decodeChanging = firstOf(
  Schema.Struct({ passkeyId: Schema.NullOr(Schema.Int), role: Role, passkeys: Schema.Int })
)
const decodeLocked = firstOf(Schema.Struct({ email: Schema.String, secondStep: Schema.Boolean }))
