/**
 * The second step as a setting of an account: turned on and off, with new recovery codes. While it is on, a password alone starts no
 * session (Sessions).
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { Redacted } from "effect"
import type { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../domain/access/Account.ts"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../../database/Availability.ts"
import { rowOf } from "../../database/Rows.ts"
import type { Session } from "../Sessions.ts"
import { ConfirmationNeeded, lockAccount, lockToChange, needConfirmation } from "./Confirmation.ts"
import { Passkeys } from "./Passkeys.ts"
import type { VerificationError } from "./Passkeys.ts"
import * as RecoveryCodes from "./RecoveryCodes.ts"
import * as SignInChanges from "./SignInChanges.ts"
import type { SignInChange } from "./SignInChanges.ts"

/** Two-step verification is off, so that there are no recovery codes. */
export class SecondStepOff extends Schema.TaggedError<SecondStepOff>()("SecondStepOff", {}) {}

export interface Standing {
  readonly isOn: boolean
  readonly codesLeft: number
  readonly changes: ReadonlyArray<SignInChange>
}

/** Shown once. */
export type Codes = ReadonlyArray<Redacted.Redacted>

const decodeIsOn = rowOf(Schema.Struct({ isOn: Schema.Boolean }))

export class SecondStep extends Context.Service<
  SecondStep,
  {
    standing(accountId: AccountId): Effect.Effect<Standing, ServiceUnavailable>
    /**
     * Needs one of the account's passkeys, so that nobody requires one that does not work. Ends the other sessions, which may
     * have been started by the password alone. Replaces the recovery codes. This and the other changes send the owner a mail.
     */
    turnOn(request: {
      readonly session: Session
      readonly owner: Redacted.Redacted
      readonly credential: string
    }): Effect.Effect<Codes, ConfirmationNeeded | VerificationError>
    turnOff(session: Session): Effect.Effect<void, ConfirmationNeeded | ServiceUnavailable>
    replaceCodes(session: Session): Effect.Effect<Codes, ConfirmationNeeded | SecondStepOff | ServiceUnavailable>
  }
>()("discovery/sessions/SecondStep") {
  static readonly layer = Layer.effect(
    SecondStep,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const passkeys = yield* Passkeys
      const services = yield* Effect.context<SqlClient.SqlClient | SecureRandom.SecureRandom>()
      const inTransaction = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | SecureRandom.SecureRandom>) =>
        effect.pipe(sql.withTransaction, Effect.provideContext(services), availableOnce)

      const standing = Effect.fn("SecondStep.standing")(
        function* (accountId: AccountId) {
          const { isOn } = yield* decodeIsOn(sql`SELECT second_step AS "isOn" FROM account WHERE id = ${accountId}`)
          return {
            isOn,
            codesLeft: yield* RecoveryCodes.left(accountId),
            changes: yield* SignInChanges.list(accountId)
          }
        },
        Effect.provideContext(services),
        availableToRead
      )

      const turnOn: SecondStep["Service"]["turnOn"] = Effect.fn("SecondStep.turnOn")(function* (request) {
        const { credential, owner, session } = request
        const { accountId, device, email } = session
        yield* needConfirmation(session)
        const attempt = { sessionId: session.id, email }
        const verified = yield* passkeys.verify({ owner, purpose: "confirm", credential, accountId, attempt })
        return yield* Effect.gen(function* () {
          const { email: to } = yield* lockAccount(accountId)
          yield* passkeys.use(verified)
          const going = yield* sql`
            UPDATE session SET passkey_id = ${verified.id} WHERE id = ${session.id} AND account_id = ${accountId} RETURNING id`
          // It has ended since the request began.
          if (going.length === 0) return yield* new ConfirmationNeeded()
          yield* sql`UPDATE account SET second_step = true WHERE id = ${accountId}`
          yield* sql`DELETE FROM session WHERE account_id = ${accountId} AND id <> ${session.id}`
          yield* SignInChanges.tell({ accountId, what: "second_step_on", device, to })
          return yield* RecoveryCodes.replace(accountId)
        }).pipe(inTransaction)
      })

      const turnOff: SecondStep["Service"]["turnOff"] = Effect.fn("SecondStep.turnOff")(function* (session) {
        const { accountId, device } = session
        yield* needConfirmation(session)
        yield* Effect.gen(function* () {
          const { email, secondStep } = yield* lockToChange(session)
          if (!secondStep) return
          yield* sql`UPDATE account SET second_step = false WHERE id = ${accountId}`
          yield* RecoveryCodes.remove(accountId)
          yield* SignInChanges.tell({ accountId, what: "second_step_off", device, to: email })
        }).pipe(inTransaction)
      })

      const replaceCodes: SecondStep["Service"]["replaceCodes"] = Effect.fn("SecondStep.replaceCodes")(
        function* (session) {
          const { accountId, device } = session
          yield* needConfirmation(session)
          return yield* Effect.gen(function* () {
            const { email: to, secondStep } = yield* lockToChange(session)
            if (!secondStep) return yield* new SecondStepOff()
            yield* SignInChanges.tell({ accountId, what: "codes_replaced", device, to })
            return yield* RecoveryCodes.replace(accountId)
          }).pipe(inTransaction)
        }
      )

      return { standing, turnOn, turnOff, replaceCodes }
    })
  )
}
