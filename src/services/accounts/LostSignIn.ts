/**
 * What the command line does for owners who have lost what they sign in with, and for operators who have no passkey yet
 * (D83).
 */
import { Clock, Effect } from "effect"
import type { Redacted } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import { unknownDevice } from "../../domain/access/Device.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import * as Outbox from "../mail/Outbox.ts"
import * as AccountChanges from "./AccountChanges.ts"
import { checkPassword, invalid } from "./AccountDetails.ts"
import type { InvalidAccountDetail } from "./AccountDetails.ts"
import * as AccountLinks from "./AccountLinks.ts"
import { findAccount, lockAccount } from "./AccountRecord.ts"
import type { AccountNotFound, AccountRecord } from "./AccountRecord.ts"
import * as EnrollmentCodes from "../sessions/passkeys/EnrollmentCodes.ts"
import * as SignInChanges from "../sessions/passkeys/SignInChanges.ts"
import type { Passwords, PasswordsBusy } from "../sessions/Passwords.ts"

export interface LostSignIn {
  /** Ends all sessions and links of the account. The owner gets a mail. */
  resetPassword(
    email: string,
    password: Redacted.Redacted
  ): Effect.Effect<AccountRecord, AccountNotFound | InvalidAccountDetail | PasswordsBusy | ServiceUnavailable>
  /**
   * For an owner who has lost passkeys and recovery codes: removes both, turns the second step off and ends all sessions. The
   * owner gets a mail.
   */
  resetPasskeys(email: string): Effect.Effect<AccountRecord, AccountNotFound | ServiceUnavailable>
  /** A code for the first passkey of an operator (D84), or how many there are already. */
  enroll(
    email: string
  ): Effect.Effect<Redacted.Redacted | number, AccountNotFound | InvalidAccountDetail | ServiceUnavailable>
}

export const make = (
  sql: SqlClient.SqlClient,
  passwords: Passwords["Service"],
  onDatabase: <A, E>(
    effect: Effect.Effect<A, E, SqlClient.SqlClient | SecureRandom.SecureRandom>
  ) => Effect.Effect<A, E>
): LostSignIn => {
  const record = (accountId: AccountId, what: "password" | "passkeys", nowMillis: number) =>
    onDatabase(AccountChanges.record({ accountId, by: undefined, what, before: null, after: null, nowMillis }))

  const resetPassword = Effect.fn("LostSignIn.resetPassword")(function* (email: string, password: Redacted.Redacted) {
    yield* checkPassword(password, (yield* availableToRead(findAccount(sql, email))).email)
    const passwordHash = yield* passwords.hash(password)
    const nowMillis = yield* Clock.currentTimeMillis
    return yield* Effect.gen(function* () {
      const account = yield* lockAccount(sql, email)
      const accountId = account.id
      yield* sql`UPDATE account SET password_hash = ${passwordHash} WHERE id = ${accountId}`
      yield* sql`DELETE FROM session WHERE account_id = ${accountId}`
      yield* AccountLinks.end(sql, accountId)
      yield* onDatabase(SignInChanges.record({ accountId, what: "password_reset", device: unknownDevice }))
      yield* record(accountId, "password", nowMillis)
      yield* onDatabase(Outbox.put({ kind: "passwordReset", to: account.email }))
      return account
    }).pipe(sql.withTransaction, availableOnce)
  })

  const resetPasskeys = Effect.fn("LostSignIn.resetPasskeys")(
    function* (email: string) {
      const nowMillis = yield* Clock.currentTimeMillis
      const account = yield* lockAccount(sql, email)
      const accountId = account.id
      yield* sql`UPDATE account SET second_step = false WHERE id = ${accountId}`
      for (const table of ["session", "pending_sign_in", "recovery_code", "passkey"]) {
        yield* sql`DELETE FROM ${sql(table)} WHERE account_id = ${accountId}`
      }
      yield* onDatabase(SignInChanges.record({ accountId, what: "reset", device: unknownDevice }))
      yield* onDatabase(Outbox.put({ kind: "passkeysReset", to: account.email }))
      yield* record(accountId, "passkeys", nowMillis)
      return account
    },
    sql.withTransaction,
    availableOnce
  )

  const enroll = Effect.fn("LostSignIn.enroll")(
    function* (email: string) {
      const account = yield* lockAccount(sql, email)
      if (account.role !== "operator") {
        return yield* invalid(`${account.email} is no operator's account. Set the role first.`)
      }
      const passkeys = yield* sql`SELECT FROM passkey WHERE account_id = ${account.id}`
      return passkeys.length > 0 ? passkeys.length : yield* onDatabase(EnrollmentCodes.issue(account.id))
    },
    sql.withTransaction,
    availableOnce
  )

  return { resetPassword, resetPasskeys, enroll }
}
