/** The passkeys of accounts (D79, D80): adding, listing, removing, and verifying one that a browser answers with. */
import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import type { Redacted } from "effect"
import { Base64Url } from "effect/encoding"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { AccountId } from "../../../domain/access/Account.ts"
import { clean } from "../../../domain/catalog/ThirdPartyText.ts"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../../database/Availability.ts"
import { firstOf, rowsOf } from "../../database/Rows.ts"
import { SignInAttempts } from "../../limits/SignInAttempts.ts"
import type { Attempt, PasskeyAttempt, SessionAttempt, TooManyAttempts } from "../../limits/SignInAttempts.ts"
import type { Session } from "../Sessions.ts"
import { Challenges } from "./Challenges.ts"
import type { ChallengeExpired, Purpose } from "./Challenges.ts"
import { ConfirmationNeeded, lockToChange, needConfirmation, needsCode, needsPasskey } from "./Confirmation.ts"
import * as EnrollmentCodes from "./EnrollmentCodes.ts"
import * as SignInChanges from "./SignInChanges.ts"
import { PasskeyRejected, WebAuthn } from "./WebAuthn.ts"
import type { Options } from "./WebAuthn.ts"

export const maxPerAccount = 20
export const maxNameCharacters = 60

export const Passkey = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  createdAt: Schema.DateTimeUtcFromDate,
  lastUsedAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type Passkey = typeof Passkey.Type

/** The account has {@link maxPerAccount} passkeys. */
export class TooManyPasskeys extends Schema.TaggedError<TooManyPasskeys>()("TooManyPasskeys", {}) {}

/** The account requires a second step, so its last passkey stays. */
export class LastPasskey extends Schema.TaggedError<LastPasskey>()("LastPasskey", {}) {}

/** An operator's first passkey needs an enrollment code, which was not given, is wrong, or has expired. */
export class EnrollmentNeeded extends Schema.TaggedError<EnrollmentNeeded>()("EnrollmentNeeded", {}) {}

const decodePasskeys = rowsOf(Passkey)
const decodeIds = rowsOf(Schema.Struct({ credentialId: Schema.Uint8Array }))
const decodeName = firstOf(Schema.Struct({ name: Schema.String }))
const decodeOwner = firstOf(
  Schema.Struct({ userHandle: Schema.Uint8Array, email: Schema.String, secondStep: Schema.Boolean })
)
const decodeHeld = firstOf(
  Schema.Struct({
    id: Schema.Int,
    accountId: AccountId,
    email: Schema.String,
    userHandle: Schema.Uint8Array,
    credentialId: Schema.Uint8Array,
    publicKey: Schema.Uint8Array
  })
)

/** A passkey that has just signed a challenge. {@link Passkeys.use} keeps its counter. */
export interface VerifiedPasskey {
  readonly id: number
  readonly accountId: AccountId
  readonly email: string
  readonly signCount: number
}

export type VerificationError = PasskeyRejected | ChallengeExpired | TooManyAttempts | ServiceUnavailable

export class Passkeys extends Context.Service<
  Passkeys,
  {
    list(accountId: AccountId): Effect.Effect<ReadonlyArray<Passkey>, ServiceUnavailable>
    /**
     * Options to make a passkey with. `owner` is the secret of the session cookie; `code` is the one of an operator's first
     * passkey (EnrollmentCodes), which is used up by {@link add} alone.
     */
    optionsToAdd(
      session: Session,
      owner: Redacted.Redacted,
      code?: Redacted.Redacted
    ): Effect.Effect<Options, ConfirmationNeeded | EnrollmentNeeded | TooManyPasskeys | ServiceUnavailable>
    /** `credential` is the browser's answer as JSON, untrusted; `name` is cut and cleaned. The owner gets a mail. */
    add(request: {
      readonly session: Session
      readonly owner: Redacted.Redacted
      readonly name: string
      readonly credential: string
      readonly code?: Redacted.Redacted | undefined
    }): Effect.Effect<
      void,
      ConfirmationNeeded | EnrollmentNeeded | TooManyPasskeys | PasskeyRejected | ChallengeExpired | ServiceUnavailable
    >
    /**
     * Ends the account's other sessions that were signed in to with the passkey, and sends the owner a mail. Ignores passkeys
     * that do not exist or belong to another account.
     */
    remove(
      session: Session,
      passkeyId: number
    ): Effect.Effect<void, ConfirmationNeeded | LastPasskey | ServiceUnavailable>
    /** Options to answer with a passkey: with any, or with those of an account. */
    optionsToVerify(request: {
      readonly owner: Redacted.Redacted
      readonly purpose: Purpose
      readonly accountId?: AccountId
    }): Effect.Effect<Options, ServiceUnavailable>
    /** With `accountId` only passkeys of that account are accepted. Counts as an attempt to sign in. */
    verify(request: {
      readonly owner: Redacted.Redacted
      readonly purpose: Purpose
      readonly credential: string
      readonly accountId?: AccountId
      readonly attempt: Attempt | SessionAttempt | PasskeyAttempt
    }): Effect.Effect<VerifiedPasskey, VerificationError>
    /**
     * Keeps the time and the counter of a verified passkey. Called within the transaction that accepts it, after
     * `lockAccount`. Fails if it was removed, or if its counter did not go up: then there may be a copy of it.
     */
    use(passkey: VerifiedPasskey): Effect.Effect<void, PasskeyRejected | SqlError.SqlError>
  }
>()("discovery/sessions/Passkeys") {
  static readonly layer = Layer.effect(
    Passkeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const webAuthn = yield* WebAuthn
      const challenges = yield* Challenges
      const attempts = yield* SignInAttempts
      const onDatabase = Effect.provideService(SqlClient.SqlClient, sql)
      const inTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) => availableOnce(sql.withTransaction(effect))

      const list = Effect.fn("Passkeys.list")(function* (accountId: AccountId) {
        return yield* sql`
          SELECT id, name, created_at AS "createdAt", last_used_at AS "lastUsedAt" FROM passkey
          WHERE account_id = ${accountId} ORDER BY id LIMIT ${maxPerAccount}`.pipe(decodePasskeys, availableToRead)
      })

      const credentialIds = Effect.fnUntraced(function* (accountId: AccountId) {
        const rows = yield* sql`
          SELECT credential_id AS "credentialId" FROM passkey WHERE account_id = ${accountId}
          ORDER BY id LIMIT ${maxPerAccount}`.pipe(decodeIds, availableToRead)
        return rows.map(({ credentialId }) => credentialId)
      })

      const isCode = (accountId: AccountId, code: Redacted.Redacted) =>
        EnrollmentCodes.isRight(accountId, code).pipe(onDatabase, availableToRead)

      const optionsToAdd: Passkeys["Service"]["optionsToAdd"] = Effect.fn("Passkeys.optionsToAdd")(
        function* (session, owner, code) {
          yield* needConfirmation(session)
          const known = yield* credentialIds(session.accountId)
          if (known.length >= maxPerAccount) return yield* new TooManyPasskeys()
          const account = yield* sql`
            SELECT uuid_send(user_handle) AS "userHandle", email, second_step AS "secondStep" FROM account
            WHERE id = ${session.accountId}`.pipe(decodeOwner, availableToRead)
          if (account === undefined) return yield* new ConfirmationNeeded()
          const { email, secondStep, userHandle } = account
          if (needsPasskey(session, { secondStep, passkeys: known.length })) return yield* new ConfirmationNeeded()
          if (needsCode(session, known.length)) {
            const isRight = code !== undefined && (yield* isCode(session.accountId, code))
            if (!isRight) return yield* new EnrollmentNeeded()
          }
          const challenge = yield* challenges.issue(owner, "add")
          return webAuthn.creationOptions({ email, userHandle, challenge, known })
        }
      )

      const add: Passkeys["Service"]["add"] = Effect.fn("Passkeys.add")(function* (request) {
        const { credential, owner, session } = request
        const { accountId, device } = session
        yield* needConfirmation(session)
        const made = yield* webAuthn
          .verifyNew(credential, (challenge) => challenges.redeem(owner, "add", challenge))
          .pipe(Effect.tapErrorTag("PasskeyRejected", logRejected))
        const name = Array.from(clean(request.name)).slice(0, maxNameCharacters).join("").trim() || "Passkey"
        const now = new Date(yield* Clock.currentTimeMillis)
        yield* Effect.gen(function* () {
          const { email, passkeys, role } = yield* lockToChange(session)
          if (passkeys >= maxPerAccount) return yield* new TooManyPasskeys()
          if (needsCode({ role }, passkeys)) {
            const isRight = request.code !== undefined && (yield* EnrollmentCodes.redeem(accountId, request.code))
            if (!isRight) return yield* new EnrollmentNeeded()
          }
          const added = yield* sql`
            INSERT INTO passkey (account_id, credential_id, public_key, sign_count, name, created_at)
            VALUES (${accountId}, ${made.credentialId}, ${made.publicKey}, ${made.signCount}, ${name}, ${now})
            ON CONFLICT (credential_id) DO NOTHING RETURNING id`
          if (added.length === 0) return yield* new PasskeyRejected({ reason: "the passkey is registered already" })
          yield* SignInChanges.tell({ accountId, what: "passkey_added", name, device, to: email })
        }).pipe(onDatabase, inTransaction)
      })

      const remove: Passkeys["Service"]["remove"] = Effect.fn("Passkeys.remove")(function* (session, passkeyId) {
        yield* needConfirmation(session)
        const { accountId, device } = session
        yield* Effect.gen(function* () {
          const { email, passkeys, secondStep } = yield* lockToChange(session)
          yield* sql`
            DELETE FROM session s WHERE passkey_id = ${passkeyId} AND account_id = ${accountId} AND id <> ${session.id}`
          const removed = yield* decodeName(
            sql`DELETE FROM passkey WHERE id = ${passkeyId} AND account_id = ${accountId} RETURNING name`
          )
          if (removed === undefined) return
          // Rolls back.
          if (secondStep && passkeys === 1) return yield* new LastPasskey()
          yield* SignInChanges.tell({ accountId, what: "passkey_removed", name: removed.name, device, to: email })
        }).pipe(onDatabase, inTransaction)
      })

      const optionsToVerify: Passkeys["Service"]["optionsToVerify"] = Effect.fn("Passkeys.optionsToVerify")(function* ({
        accountId,
        owner,
        purpose
      }) {
        const allowed = accountId === undefined ? [] : yield* credentialIds(accountId)
        return webAuthn.requestOptions({ challenge: yield* challenges.issue(owner, purpose), allowed })
      })

      const find = Effect.fnUntraced(function* (id: string) {
        const credentialId = Base64Url.decode(id)
        if (Result.isFailure(credentialId)) return undefined
        return yield* sql`
          SELECT p.id, p.account_id AS "accountId", a.email, uuid_send(a.user_handle) AS "userHandle",
            p.credential_id AS "credentialId", p.public_key AS "publicKey"
          FROM passkey p JOIN account a ON a.id = p.account_id
          WHERE p.credential_id = ${credentialId.success}`.pipe(decodeHeld, availableToRead)
      })

      const judge = Effect.fnUntraced(function* ({
        accountId,
        credential,
        owner,
        purpose
      }: Parameters<Passkeys["Service"]["verify"]>[0]) {
        const answer = yield* webAuthn.read(credential)
        yield* challenges.redeem(owner, purpose, answer.challenge)
        const passkey = yield* find(answer.assertion.id)
        if (passkey === undefined) return yield* new PasskeyRejected({ reason: "the passkey is unknown" })
        if (accountId !== undefined && passkey.accountId !== accountId) {
          return yield* new PasskeyRejected({ reason: "the passkey is of another account" })
        }
        // Without an account that is known before, the authenticator has to name it (WebAuthn, 7.2).
        const handle = answer.assertion.response.userHandle ?? undefined
        const isOwn = handle === undefined ? accountId !== undefined : handle === Base64Url.encode(passkey.userHandle)
        if (!isOwn) return yield* new PasskeyRejected({ reason: "the passkey names another account" })
        const { signCount } = yield* webAuthn.verify(answer, passkey)
        return { id: passkey.id, accountId: passkey.accountId, email: passkey.email, signCount }
      })

      const verify: Passkeys["Service"]["verify"] = Effect.fn("Passkeys.verify")(function* (request) {
        const { attempt } = request
        yield* attempts.take(attempt)
        const verified = yield* judge(request).pipe(
          Effect.tapErrorTag("PasskeyRejected", logRejected),
          Effect.tapError(({ _tag }) =>
            attempts.settle(attempt, _tag === "ServiceUnavailable" ? "not_verified" : "wrong")
          )
        )
        yield* attempts.settle(attempt, "right")
        yield* Effect.logInfo({ message: "A passkey was verified", account_id: verified.accountId })
        return verified
      })

      const use: Passkeys["Service"]["use"] = Effect.fnUntraced(function* ({ accountId, id, signCount }) {
        const now = new Date(yield* Clock.currentTimeMillis)
        const used = yield* sql`
          UPDATE passkey SET sign_count = ${signCount}, last_used_at = ${now}
          WHERE id = ${id} AND account_id = ${accountId}
            AND (${signCount}::bigint > sign_count OR (sign_count = 0 AND ${signCount}::bigint = 0)) RETURNING id`
        if (used.length > 0) return
        const kept = yield* sql`SELECT FROM passkey WHERE id = ${id} AND account_id = ${accountId}`
        if (kept.length === 0) return yield* new PasskeyRejected({ reason: "the passkey was removed" })
        yield* Effect.logWarning({
          message: "The counter of a passkey did not go up: there may be a copy of it",
          account_id: accountId,
          passkey: id
        })
        return yield* new PasskeyRejected({ reason: "the counter did not go up" })
      })

      return { list, optionsToAdd, add, remove, optionsToVerify, verify, use }
    })
  ).pipe(Layer.provide(SignInAttempts.layer), Layer.provideMerge(Layer.mergeAll(WebAuthn.layer, Challenges.layer)))
}

/** At info: anyone can send what is rejected. */
const logRejected = ({ reason }: PasskeyRejected) => Effect.logInfo({ message: "A passkey was rejected", reason })
