/** Each change of how an account is signed in to is told to its owner: by one mail, to the address that it has, and never without the change. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { PasswordChange } from "../../../src/services/accounts/PasswordChange.ts"
import { PasskeySignIn } from "../../../src/services/sessions/passkeys/PasskeySignIn.ts"
import { SecondStep } from "../../../src/services/sessions/passkeys/SecondStep.ts"
import { MailLanguage } from "../../../src/services/mail/Letter.ts"
import { Authenticator } from "../../support/Authenticator.ts"
import * as PasskeyAccess from "../../support/PasskeyAccess.ts"
import { mails, tagOf } from "../../support/PasskeyAccess.ts"

const next = Redacted.make("seven blue otters")

layer(PasskeyAccess.layer, { excludeTestServices: true })("mails about changes", (it) => {
  /** An owner, and the mails that a step has sent. */
  const owner = Effect.gen(function* () {
    const who = yield* PasskeyAccess.owner
    const steps = yield* SecondStep
    const signIns = yield* PasskeySignIn
    const changes = yield* PasswordChange
    /** The kinds of the mails, all to the owner, in French. */
    const sentBy = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }, R>(
      step: Effect.Effect<A, E, R>
    ) {
      const before = (yield* mails.letters).length
      const tag = yield* tagOf(Effect.provideService(step, MailLanguage, "fr"))
      const sent = (yield* mails.letters).slice(before)
      for (const letter of sent) assert.deepInclude(letter, { to: who.email, language: "fr" })
      return [tag, ...sent.map(({ kind }) => kind)]
    })
    const changePassword = Effect.flatMap(who.session, (session) =>
      changes.change({ session, current: PasskeyAccess.password, next })
    )
    const firstPasskey = Effect.map(who.passkeys.list(who.id), ([passkey]) => passkey?.id ?? 0)
    return { ...who, changePassword, changes, firstPasskey, sentBy, signIns, steps }
  })

  it.effect("a new password", () =>
    Effect.gen(function* () {
      const { changePassword, changes, sentBy, session } = yield* owner
      const stale = yield* session
      const wrong = changes.change({ session: stale, current: next, next: PasskeyAccess.password })
      assert.deepStrictEqual(yield* sentBy(wrong), ["SignInRejected"])
      const weak = changes.change({ session: stale, current: PasskeyAccess.password, next: Redacted.make("short") })
      assert.deepStrictEqual(yield* sentBy(weak), ["PasswordRefused"])
      assert.deepStrictEqual(yield* sentBy(changePassword), ["accepted", "passwordChanged"])
      const ended = changes.change({ session: stale, current: next, next: PasskeyAccess.password })
      assert.deepStrictEqual(yield* sentBy(ended), ["SignInRejected"], "its session has ended")
    })
  )

  it.effect("a passkey that is added, and one that is removed", () =>
    Effect.gen(function* () {
      const { add, clock, firstPasskey, passkeys, secret, sentBy, session } = yield* owner
      const asked = JSON.stringify(yield* passkeys.optionsToAdd(yield* session, secret))
      const foreign = new Authenticator("https://elsewhere.test").create(asked)
      const refused = passkeys.add({ session: yield* session, owner: secret, name: "x", credential: foreign })
      assert.deepStrictEqual(yield* sentBy(refused), ["PasskeyRejected"])
      assert.deepStrictEqual(yield* sentBy(add()), ["accepted", "passkey_added"])
      const id = yield* firstPasskey
      assert.deepStrictEqual(yield* sentBy(passkeys.remove(yield* session, id + 1_000_000)), ["accepted"])
      assert.deepStrictEqual(yield* sentBy(passkeys.remove(yield* session, id)), ["accepted", "passkey_removed"])
      assert.deepStrictEqual(yield* sentBy(passkeys.remove(yield* session, id)), ["accepted"])
      yield* clock.advance(11 * 60_000)
      assert.deepStrictEqual(yield* sentBy(add()), ["ConfirmationNeeded"])
    })
  )

  it.effect("the second step, new recovery codes, and the use of one", () =>
    Effect.gen(function* () {
      const { add, firstPasskey, passkeys, requireSecond, sentBy, session, signIn, signIns, steps, visit } =
        yield* owner
      assert.deepStrictEqual(yield* sentBy(steps.turnOff(yield* session)), ["accepted"], "it was off")
      assert.deepStrictEqual(yield* sentBy(steps.replaceCodes(yield* session)), ["SecondStepOff"])
      const authenticator = yield* add()
      assert.deepStrictEqual(yield* sentBy(requireSecond(authenticator)), ["accepted", "second_step_on"])
      const removed = passkeys.remove(yield* session, yield* firstPasskey)
      assert.deepStrictEqual(yield* sentBy(removed), ["LastPasskey"], "it is rolled back")

      const before = (yield* mails.letters).length
      const [code = Redacted.make("")] = yield* steps.replaceCodes(yield* session)
      assert.deepStrictEqual(
        (yield* mails.letters).slice(before).map(({ kind }) => kind),
        ["codes_replaced"]
      )
      const needed = yield* Effect.flip(signIn())
      const pending = needed._tag === "SecondStepNeeded" ? needed.secret : Redacted.make("")
      const used = (typed: Redacted.Redacted) => sentBy(signIns.secondByCode(visit(pending), typed))
      assert.deepStrictEqual(yield* used(Redacted.make("wrong")), ["CodeRejected"])
      assert.deepStrictEqual(yield* used(code), ["accepted", "code_used"])
      assert.deepStrictEqual(yield* used(code), ["NoPendingSignIn"])
      assert.deepStrictEqual(yield* sentBy(steps.turnOff(yield* session)), ["accepted", "second_step_off"])
    })
  )

  it.effect("are written with the change or not at all, so that nothing can come between both", () =>
    Effect.gen(function* () {
      const { accounts, add, changePassword, email, firstPasskey, id, passkeys, requireSecond, ...who } = yield* owner
      const { session, signIn, signIns, sql, steps, visit } = who
      const authenticator = yield* add()
      yield* add()
      const [code = Redacted.make("")] = yield* requireSecond(authenticator)
      const needed = yield* Effect.flip(signIn())
      const pending = needed._tag === "SecondStepNeeded" ? needed.secret : Redacted.make("")
      const state = sql`
        SELECT to_jsonb(a)::text AS account, (SELECT count(*) FROM session WHERE account_id = a.id) AS sessions,
          (SELECT string_agg(hash::text, ',' ORDER BY hash) FROM recovery_code WHERE account_id = a.id) AS codes,
          (SELECT count(*) FROM passkey WHERE account_id = a.id) AS passkeys,
          (SELECT count(*) FROM sign_in_change WHERE account_id = a.id) AS changes
        FROM account a WHERE id = ${id}`
      const before = yield* state
      // No mail can be written.
      yield* sql`ALTER TABLE mail ADD CONSTRAINT none CHECK (false) NOT VALID`
      const now = yield* session
      const made: ReadonlyArray<
        readonly [what: string, outcome: Effect.Effect<string, never, PasskeySignIn | SecondStep>]
      > = [
        ["a new password", tagOf(changePassword)],
        ["a new passkey", tagOf(add())],
        ["a passkey less", tagOf(passkeys.remove(now, yield* firstPasskey))],
        ["the second step", tagOf(requireSecond(authenticator))],
        ["no second step", tagOf(steps.turnOff(now))],
        ["new codes", tagOf(steps.replaceCodes(now))],
        ["a code", tagOf(signIns.secondByCode(visit(pending), code))],
        ["a password of the command line", tagOf(accounts.resetPassword(email, next))],
        ["a reset of the command line", tagOf(accounts.resetPasskeys(email))]
      ]
      for (const [what, outcome] of made) {
        assert.strictEqual(yield* outcome, "ServiceUnavailable", what)
        assert.deepStrictEqual(yield* state, before, what)
      }
      yield* sql`ALTER TABLE mail DROP CONSTRAINT none`
      assert.deepStrictEqual(yield* tagOf(accounts.resetPasskeys(email)), "accepted")
    })
  )

  it.effect("a password and passkeys that the command line resets", () =>
    Effect.gen(function* () {
      const { accounts, add, email, sentBy } = yield* owner
      yield* add()
      yield* mails.letters
      assert.deepStrictEqual(yield* sentBy(accounts.resetPassword(email, next)), ["accepted", "passwordReset"])
      assert.deepStrictEqual(yield* sentBy(accounts.resetPasskeys(email)), ["accepted", "passkeysReset"])
    })
  )

  describe("go to the address that the account has", () => {
    it.effect("when the change is made, not when its request began", () =>
      Effect.gen(function* () {
        const { id, session, sql, steps, ...who } = yield* owner
        yield* who.requireSecond(yield* who.add())
        const began = yield* session
        const moved = `moved.${who.email}`
        yield* sql`UPDATE account SET email = ${moved} WHERE id = ${id}`
        const before = (yield* mails.letters).length
        yield* steps.turnOff(began)
        assert.deepStrictEqual(
          (yield* mails.letters).slice(before).map(({ to }) => to),
          [moved]
        )
      })
    )
  })
})
