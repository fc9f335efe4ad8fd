/**
 * Signing in with a passkey: instead of the password, as the second step after it, and again in a session. A recovery code is a
 * second step, too. No answer reveals whether an account exists or has passkeys.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../domain/access/Account.ts"
import type { Device } from "../../../domain/access/Device.ts"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { availableOnce } from "../../database/Availability.ts"
import { SignInAttempts } from "../../limits/SignInAttempts.ts"
import type { TooManyAttempts } from "../../limits/SignInAttempts.ts"
import { KnownBrowsers } from "../KnownBrowsers.ts"
import { Sessions } from "../Sessions.ts"
import type { Proof, Session } from "../Sessions.ts"
import { lockAccount } from "./Confirmation.ts"
import { Passkeys } from "./Passkeys.ts"
import type { VerificationError, VerifiedPasskey } from "./Passkeys.ts"
import { PendingSignIns } from "./PendingSignIns.ts"
import type { Pending } from "./PendingSignIns.ts"
import * as RecoveryCodes from "./RecoveryCodes.ts"
import * as SignInChanges from "./SignInChanges.ts"
import { PasskeyRejected } from "./WebAuthn.ts"
import type { Options } from "./WebAuthn.ts"

/** The password has to be entered first, or again: it was too long ago, or the sign-in is complete. */
export class NoPendingSignIn extends Schema.TaggedError<NoPendingSignIn>()("NoPendingSignIn", {}) {}

/** It is no recovery code of the account, or was used before. */
export class CodeRejected extends Schema.TaggedError<CodeRejected>()("CodeRejected", {}) {}

/** A browser that signs in. */
export interface Visit {
  /** The secret of the session cookie. */
  readonly owner: Redacted.Redacted
  /** The address that attempts are counted by. */
  readonly address: string
  /** The secret of the browser's cookie (KnownBrowsers). */
  readonly browser: Redacted.Redacted | undefined
  readonly device: Device
}

/** The new secrets of both cookies, returned once. */
export interface SignedIn {
  readonly secret: Redacted.Redacted
  readonly browser: Redacted.Redacted
}

export class PasskeySignIn extends Context.Service<
  PasskeySignIn,
  {
    readonly options: (owner: Redacted.Redacted) => Effect.Effect<Options, ServiceUnavailable>
    readonly signIn: (visit: Visit, credential: string) => Effect.Effect<SignedIn, VerificationError>
    /** Whether this browser has entered a right password that waits for its second step. */
    readonly isPending: (owner: Redacted.Redacted) => Effect.Effect<boolean, ServiceUnavailable>
    readonly secondOptions: (owner: Redacted.Redacted) => Effect.Effect<Options, NoPendingSignIn | ServiceUnavailable>
    readonly second: (visit: Visit, credential: string) => Effect.Effect<SignedIn, NoPendingSignIn | VerificationError>
    readonly secondByCode: (
      visit: Visit,
      code: Redacted.Redacted
    ) => Effect.Effect<SignedIn, NoPendingSignIn | CodeRejected | TooManyAttempts | ServiceUnavailable>
    readonly confirmOptions: (session: Session, owner: Redacted.Redacted) => Effect.Effect<Options, ServiceUnavailable>
    /** Shows again that the holder of the session owns the account. */
    readonly confirm: (
      session: Session,
      owner: Redacted.Redacted,
      credential: string
    ) => Effect.Effect<void, VerificationError>
  }
>()("discovery/sessions/PasskeySignIn") {
  static readonly layer = Layer.effect(
    PasskeySignIn,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const passkeys = yield* Passkeys
      const pendings = yield* PendingSignIns
      const sessions = yield* Sessions
      const browsers = yield* KnownBrowsers
      const attempts = yield* SignInAttempts
      const inTransaction = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
        effect.pipe(sql.withTransaction, Effect.provideService(SqlClient.SqlClient, sql), availableOnce)

      /** Within a transaction. */
      const start = Effect.fnUntraced(function* (accountId: AccountId, proof: Proof, visit: Visit) {
        const { secret } = yield* sessions.start({ ...proof, accountId, device: visit.device }, visit.owner)
        return { secret, browser: yield* browsers.remember(accountId, visit.browser) }
      })

      const withPasskey = (verified: VerifiedPasskey, visit: Visit) =>
        Effect.gen(function* () {
          yield* lockAccount(verified.accountId)
          yield* passkeys.use(verified)
          return yield* start(verified.accountId, { passkeyId: verified.id }, visit)
        }).pipe(
          // Neither is possible with a passkey; the type of Sessions.start is for every proof.
          Effect.catchTags({ PasswordOutdated: lost, SecondStepRequired: lost })
        )

      const signIn: PasskeySignIn["Service"]["signIn"] = Effect.fn("PasskeySignIn.signIn")(
        function* (visit, credential) {
          const { address, owner } = visit
          const verified = yield* passkeys.verify({ owner, purpose: "sign_in", credential, attempt: { address } })
          return yield* inTransaction(withPasskey(verified, visit))
        }
      )

      const pendingOf = (owner: Redacted.Redacted) =>
        Effect.flatMap(
          pendings.find(owner),
          Option.match({ onNone: () => Effect.fail(new NoPendingSignIn()), onSome: Effect.succeed })
        )

      const attemptOf = Effect.fnUntraced(function* ({ email }: Pending, { address, browser }: Visit) {
        return { email, address, knownBrowser: yield* browsers.idOf(email, browser) }
      })

      const second: PasskeySignIn["Service"]["second"] = Effect.fn("PasskeySignIn.second")(
        function* (visit, credential) {
          const { owner } = visit
          const pending = yield* pendingOf(owner)
          const { accountId } = pending
          const attempt = yield* attemptOf(pending, visit)
          const verified = yield* passkeys.verify({ owner, purpose: "second_step", credential, accountId, attempt })
          return yield* Effect.gen(function* () {
            yield* lockAccount(accountId)
            // Again, under the lock: the password may have been changed, or the step completed by another request.
            yield* pendingOf(owner)
            yield* pendings.end(owner)
            return yield* withPasskey(verified, visit)
          }).pipe(inTransaction)
        }
      )

      const secondByCode: PasskeySignIn["Service"]["secondByCode"] = Effect.fn("PasskeySignIn.secondByCode")(
        function* (visit, code) {
          const { device, owner } = visit
          const pending = yield* pendingOf(owner)
          const { accountId } = pending
          const attempt = yield* attemptOf(pending, visit)
          yield* attempts.take(attempt)
          const signedIn = yield* Effect.gen(function* () {
            yield* lockAccount(accountId)
            const { email: to, passwordHash } = yield* pendingOf(owner)
            if (!(yield* RecoveryCodes.redeem(accountId, code))) return yield* new CodeRejected()
            yield* pendings.end(owner)
            yield* SignInChanges.tell({ accountId, what: "code_used", device, to })
            return yield* start(accountId, { passwordHash, secondStep: "done" }, visit)
          }).pipe(
            Effect.catchTags({ PasswordOutdated: gone, SecondStepRequired: gone }),
            inTransaction,
            Effect.tapError(({ _tag }) => attempts.settle(attempt, _tag === "CodeRejected" ? "wrong" : "not_verified")),
            Effect.tapErrorTag("CodeRejected", () =>
              Effect.logInfo({ message: "A recovery code was wrong", account_id: accountId })
            )
          )
          // The code is used up and the session has started: a count that is too high must not hide it.
          yield* attempts
            .settle(attempt, "right")
            .pipe(Effect.catch((error) => Effect.logWarning("An attempt that was right could not be settled", error)))
          yield* Effect.logInfo({ message: "A recovery code was right", account_id: accountId })
          return signedIn
        }
      )

      const confirm: PasskeySignIn["Service"]["confirm"] = Effect.fn("PasskeySignIn.confirm")(
        function* (session, owner, credential) {
          const { accountId, email } = session
          const attempt = { sessionId: session.id, email }
          const verified = yield* passkeys.verify({ owner, purpose: "confirm", credential, accountId, attempt })
          yield* Effect.gen(function* () {
            yield* lockAccount(accountId)
            yield* passkeys.use(verified)
            yield* sessions.confirm(session, verified.id)
          }).pipe(inTransaction)
        }
      )

      return PasskeySignIn.of({
        options: (owner) => passkeys.optionsToVerify({ owner, purpose: "sign_in" }),
        signIn,
        isPending: (owner) => Effect.map(pendings.find(owner), Option.isSome),
        secondOptions: (owner) =>
          Effect.flatMap(pendingOf(owner), ({ accountId }) =>
            passkeys.optionsToVerify({ owner, purpose: "second_step", accountId })
          ),
        second,
        secondByCode,
        confirmOptions: ({ accountId }, owner) => passkeys.optionsToVerify({ owner, purpose: "confirm", accountId }),
        confirm
      })
    })
  ).pipe(Layer.provide([SignInAttempts.layer, KnownBrowsers.layer, PendingSignIns.layer]))
}

const lost = () => Effect.fail(new PasskeyRejected({ reason: "the account cannot be signed in to" }))
const gone = () => Effect.fail(new NoPendingSignIn())
