/**
 * Sign-in with e-mail address and password (R56). It does not reveal which addresses have an account: unknown addresses get
 * the same answer after the same work.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { AccountId } from "../../domain/access/Account.ts"
import type { Device } from "../../domain/access/Device.ts"
import * as EmailAddress from "../../domain/access/EmailAddress.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import { KnownBrowsers } from "./KnownBrowsers.ts"
import { PendingSignIns } from "./passkeys/PendingSignIns.ts"
import { Passwords } from "./Passwords.ts"
import type { PasswordsBusy } from "./Passwords.ts"
import { firstOf } from "../database/Rows.ts"
import { Sessions } from "./Sessions.ts"
import type { Session } from "./Sessions.ts"
import { SignInAttempts } from "../limits/SignInAttempts.ts"
import type { Attempt, SessionAttempt, TooManyAttempts } from "../limits/SignInAttempts.ts"

/** The address is unknown or the password is wrong. */
export class SignInRejected extends Schema.TaggedError<SignInRejected>()("SignInRejected", {}) {}

/** The password was right, and the account requires a second step. The secret is for the session cookie and returned once. */
export class SecondStepNeeded extends Schema.TaggedError<SecondStepNeeded>()("SecondStepNeeded", {
  secret: Schema.Redacted(Schema.String)
}) {}

export type SignInError = SignInRejected | TooManyAttempts | PasswordsBusy | ServiceUnavailable

/** An account whose password was right, with the stored hash that it was compared with. */
export interface Verified {
  readonly accountId: AccountId
  readonly email: string
  readonly passwordHash: string
}

const decodeHolder = firstOf(
  Schema.Struct({ accountId: AccountId, email: Schema.String, passwordHash: Schema.NullOr(Schema.String) })
)

export class SignIn extends Context.Service<
  SignIn,
  {
    /**
     * Starts a session, unless the account requires a second step (PasskeySignIn). `instead` is the previous secret of the session
     * cookie. `browser` is the secret of the browser's cookie, and in the result its new secret (KnownBrowsers).
     */
    signIn(
      attempt: Omit<Attempt, "knownBrowser"> & {
        readonly password: Redacted.Redacted
        readonly browser?: Redacted.Redacted | undefined
        readonly device?: Device
      },
      instead?: Redacted.Redacted
    ): Effect.Effect<
      { readonly session: Session; readonly secret: Redacted.Redacted; readonly browser: Redacted.Redacted },
      SecondStepNeeded | SignInError
    >
    /** Verifies the password of a signed-in account; attempts are counted by session. */
    verify(owner: {
      readonly session: Pick<Session, "id" | "accountId" | "email">
      readonly password: Redacted.Redacted
    }): Effect.Effect<Verified, SignInError>
  }
>()("discovery/sessions/SignIn") {
  static readonly layer = Layer.effect(
    SignIn,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const passwords = yield* Passwords
      const sessions = yield* Sessions
      const attempts = yield* SignInAttempts
      const browsers = yield* KnownBrowsers
      const pending = yield* PendingSignIns
      /** The hash of a random password, compared with for unknown addresses. */
      const nobodys = yield* Effect.flatMap(passwords.generate, (password) => passwords.hash(password)).pipe(
        // Nothing else is hashed while the server starts.
        Effect.orDie
      )

      const find = Effect.fnUntraced(function* (which: Statement.Fragment) {
        const holder = yield* sql`
          SELECT id AS "accountId", email, password_hash AS "passwordHash" FROM account WHERE ${which}`.pipe(
          decodeHolder,
          availableToRead
        )
        return Option.fromNullishOr(holder)
      })

      const judge = Effect.fnUntraced(function* (
        which: Statement.Fragment,
        password: Redacted.Redacted,
        attempt: Attempt | SessionAttempt
      ) {
        yield* attempts.take(attempt)
        const { holder, isEqual, passwordHash } = yield* Effect.gen(function* () {
          const holder = Option.getOrUndefined(yield* find(which))
          const passwordHash = holder?.passwordHash ?? nobodys
          return { holder, passwordHash, isEqual: yield* passwords.verify(password, passwordHash) }
        }).pipe(
          // A password that was not checked must not count as an attempt.
          Effect.tapError(() => attempts.settle(attempt, "not_verified"))
        )
        const isRight = isEqual && holder !== undefined && holder.passwordHash !== null
        yield* attempts.settle(attempt, isRight ? "right" : "wrong")
        // Without the e-mail address: people also type their password into its field. The limits of attempts bound these lines.
        yield* Effect.logInfo({
          message: isRight ? "A password was right" : "A password was wrong",
          account_id: holder?.accountId ?? null
        })
        if (!isRight) return yield* new SignInRejected()
        return { accountId: holder.accountId, email: holder.email, passwordHash }
      })

      // By the id: the address may have become another account's since the session was read.
      const verify: SignIn["Service"]["verify"] = Effect.fn("SignIn.verify")(({ password, session }) =>
        judge(sql`id = ${session.accountId}`, password, { sessionId: session.id, email: session.email })
      )

      const signIn: SignIn["Service"]["signIn"] = Effect.fn("SignIn.signIn")(function* (attempt, instead) {
        const email = EmailAddress.toLookUp(attempt.email)
        const { address, browser: browserUntilNow, device, password } = attempt
        const knownBrowser = yield* browsers.idOf(email, browserUntilNow)
        const verified = yield* judge(sql`lower(email) = lower(${email})`, password, { address, email, knownBrowser })
        return yield* Effect.gen(function* () {
          const started = yield* sessions
            .start(device === undefined ? verified : { ...verified, device }, instead)
            .pipe(Effect.catchTag("PasswordOutdated", () => Effect.fail(new SignInRejected())))
          return { ...started, browser: yield* browsers.remember(verified.accountId, browserUntilNow) }
        }).pipe(
          sql.withTransaction,
          availableOnce,
          Effect.catchTag("SecondStepRequired", () =>
            Effect.flatMap(pending.begin(verified, instead), (secret) => Effect.fail(new SecondStepNeeded({ secret })))
          )
        )
      })

      return { signIn, verify }
    })
  ).pipe(Layer.provide([SignInAttempts.layer, KnownBrowsers.layer, PendingSignIns.layer]))
}
