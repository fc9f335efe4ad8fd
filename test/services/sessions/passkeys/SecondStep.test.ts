/** The second step after a password, over a real database: no session of an account that requires it exists without it. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted } from "effect"
import { PasswordChange } from "../../../../src/services/accounts/PasswordChange.ts"
import { Passkeys } from "../../../../src/services/sessions/passkeys/Passkeys.ts"
import { PasskeySignIn } from "../../../../src/services/sessions/passkeys/PasskeySignIn.ts"
import { SecondStep } from "../../../../src/services/sessions/passkeys/SecondStep.ts"
import * as Access from "../../../support/Access.ts"
import { allowedBy, Authenticator } from "../../../support/Authenticator.ts"
import * as PasskeyAccess from "../../../support/PasskeyAccess.ts"
import { tagOf } from "../../../support/PasskeyAccess.ts"

const minute = 60_000

layer(PasskeyAccess.layer, { excludeTestServices: true })("SecondStep", (it) => {
  /** An account that requires it, with a right password entered in another browser. */
  const required = Effect.gen(function* () {
    const who = yield* PasskeyAccess.owner
    const authenticator = yield* who.add()
    const codes = yield* who.requireSecond(authenticator)
    const signIns = yield* PasskeySignIn
    const steps = yield* SecondStep
    /** Enters the password; returns the secret of the browser's cookie. */
    const enter = Effect.flatMap(Effect.flip(who.signIn()), (error) =>
      error._tag === "SecondStepNeeded" ? Effect.succeed(error.secret) : Effect.die(error)
    )
    const answer = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
      return authenticator.answer(JSON.stringify(yield* signIns.secondOptions(secret)))
    })
    const sessions = Effect.map(
      who.sql`SELECT id FROM session WHERE account_id = ${who.id} ORDER BY id`,
      (rows) => rows.length
    )
    const whats = Effect.map(steps.standing(who.id), ({ changes }) => changes.map(({ what }) => what))
    return { ...who, answer, authenticator, codes, count: sessions, enter, signIns, steps, whats }
  })

  const first = (codes: ReadonlyArray<Redacted.Redacted>) => codes[0] ?? Redacted.make("")

  describe("a right password", () => {
    it.effect("D81 starts no session, and its browser may do the second step alone", () =>
      Effect.gen(function* () {
        const { count, enter, sessions, signIns } = yield* required
        assert.strictEqual(yield* count, 1)
        const secret = yield* enter
        assert.strictEqual(yield* count, 1)
        assert.isTrue(Option.isNone(yield* sessions.current(secret)))
        assert.isTrue(yield* signIns.isPending(secret))
        assert.isFalse(yield* signIns.isPending(Redacted.make("g".repeat(43))))
      })
    )

    it.effect("D81 and a passkey of the account start one, whose cookie is new", () =>
      Effect.gen(function* () {
        const { answer, authenticator, enter, id, sessions, signIns, visit } = yield* required
        const secret = yield* enter
        const asked = JSON.stringify(yield* signIns.secondOptions(secret))
        assert.deepStrictEqual(allowedBy(asked), [authenticator.id.toString("base64url")])
        const started = yield* signIns.second(visit(secret), yield* answer(secret))
        assert.notStrictEqual(Redacted.value(started.secret), Redacted.value(secret))
        const session = Option.getOrThrow(yield* sessions.current(started.secret))
        assert.strictEqual(session.accountId, id)
        assert.isNotNull(session.passkeyId)
        assert.isFalse(yield* signIns.isPending(secret))
      })
    )

    it.effect("D81 is kept for ten minutes, for one completion, and until the password changes", () =>
      Effect.gen(function* () {
        const { accounts, answer, clock, codes, email, enter, signIns, visit } = yield* required
        const once = yield* enter
        yield* signIns.second(visit(once), yield* answer(once))
        assert.strictEqual(yield* tagOf(signIns.secondOptions(once)), "NoPendingSignIn")
        assert.strictEqual(yield* tagOf(signIns.secondByCode(visit(once), first(codes))), "NoPendingSignIn")
        const late = yield* enter
        yield* clock.advance(10 * minute)
        assert.strictEqual(yield* tagOf(signIns.secondOptions(late)), "NoPendingSignIn")
        assert.strictEqual(yield* tagOf(signIns.secondByCode(visit(late), first(codes))), "NoPendingSignIn")
        const changed = yield* enter
        const before = yield* answer(changed)
        yield* accounts.resetPassword(email, Redacted.make("eleven pink snails"))
        assert.strictEqual(yield* tagOf(signIns.second(visit(changed), before)), "NoPendingSignIn")
        assert.strictEqual(yield* tagOf(signIns.secondByCode(visit(changed), first(codes))), "NoPendingSignIn")
      })
    )

    it.effect("D81 and another account's passkey start none", () =>
      Effect.gen(function* () {
        const { count, enter, signIns, visit } = yield* required
        const other = yield* PasskeyAccess.owner
        const theirs = yield* other.add()
        const secret = yield* enter
        const asked = JSON.stringify(yield* signIns.secondOptions(secret))
        assert.strictEqual(yield* tagOf(signIns.second(visit(secret), theirs.answer(asked))), "PasskeyRejected")
        assert.strictEqual(yield* count, 1)
      })
    )

    it.effect("D81 a passkey alone is both steps", () =>
      Effect.gen(function* () {
        const { authenticator, signIns, visit } = yield* required
        const secret = Redacted.make("k".repeat(43))
        const asked = JSON.stringify(yield* signIns.options(secret))
        assert.strictEqual(yield* tagOf(signIns.signIn(visit(secret), authenticator.answer(asked))), "accepted")
      })
    )

    it.effect("D81 that is being looked at when the step is turned on starts none", () =>
      Effect.gen(function* () {
        const who = yield* PasskeyAccess.owner
        const lock = yield* Access.hold(
          (sql) => sql`UPDATE account SET second_step = true WHERE id = ${who.id}`,
          "INSERT INTO session"
        )
        const waiting = yield* Effect.forkChild(tagOf(who.signIn()))
        yield* lock.waiting(1)
        yield* lock.release
        assert.strictEqual(yield* Fiber.join(waiting), "SecondStepNeeded")
      }).pipe(Effect.scoped)
    )
  })

  describe("a recovery code", () => {
    it.effect("D82 there are ten of 120 random bits, stored as hashes", () =>
      Effect.gen(function* () {
        const { codes, id, sql } = yield* required
        assert.lengthOf(new Set(codes.map((code) => Redacted.value(code))), 10)
        for (const code of codes)
          assert.match(Redacted.value(code), /^(?:[0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/)
        const rows = yield* sql`SELECT to_jsonb(r)::text AS row FROM recovery_code r WHERE account_id = ${id}`
        assert.lengthOf(rows, 10)
        const kept = JSON.stringify(rows)
        for (const code of codes) assert.notInclude(kept, Redacted.value(code).replaceAll("-", ""))
      })
    )

    it.effect("D82 is a second step once, however it is typed, and is shown to the account", () =>
      Effect.gen(function* () {
        const { codes, enter, id, sessions, signIns, steps, visit, whats } = yield* required
        const typed = Redacted.make(
          `  ${Redacted.value(first(codes)).toUpperCase().replaceAll("-", " ").replaceAll("0", "O")} `
        )
        const secret = yield* enter
        const started = yield* signIns.secondByCode(visit(secret), typed)
        const session = Option.getOrThrow(yield* sessions.current(started.secret))
        assert.strictEqual(session.passkeyId, null)
        assert.strictEqual((yield* steps.standing(id)).codesLeft, 9)
        assert.strictEqual((yield* whats)[0], "code_used")
        const again = yield* enter
        assert.strictEqual(yield* tagOf(signIns.secondByCode(visit(again), first(codes))), "CodeRejected")
      })
    )

    it.effect("D82 works once when it is sent twice at once", () =>
      Effect.gen(function* () {
        const { codes, enter, signIns, visit } = yield* required
        const browsers = [yield* enter, yield* enter, yield* enter]
        const tags = yield* Effect.forEach(
          browsers,
          (secret) => tagOf(signIns.secondByCode(visit(secret), first(codes))),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(tags.toSorted(), ["CodeRejected", "CodeRejected", "accepted"])
      })
    )

    it.effect("D82 of another account, or replaced, or of a step that is off, is refused", () =>
      Effect.gen(function* () {
        const mine = yield* required
        const theirs = yield* required
        const secret = yield* mine.enter
        const tried = (code: Redacted.Redacted) => tagOf(mine.signIns.secondByCode(mine.visit(secret), code))
        assert.strictEqual(yield* tried(first(theirs.codes)), "CodeRejected")
        const fresh = yield* mine.steps.replaceCodes(yield* mine.session)
        assert.lengthOf(fresh, 10)
        assert.strictEqual(yield* tried(first(mine.codes)), "CodeRejected")
        assert.strictEqual(yield* tried(Redacted.make("")), "CodeRejected")
        assert.strictEqual(yield* tried(first(fresh)), "accepted")
        yield* mine.steps.turnOff(yield* mine.session)
        assert.strictEqual((yield* mine.steps.standing(mine.id)).codesLeft, 0)
        assert.strictEqual(yield* tagOf(mine.steps.replaceCodes(yield* mine.session)), "SecondStepOff")
      })
    )

    it.effect("D82 that was right signs in, although the count of its attempt cannot be written afterwards", () =>
      Effect.gen(function* () {
        const { codes, enter, id, sessions, signIns, sql, steps, visit } = yield* required
        const secret = yield* enter
        yield* sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END'`
        // Counts that are given back.
        yield* sql`
          CREATE TRIGGER refuse BEFORE UPDATE ON sign_in_attempt FOR EACH ROW WHEN (NEW.empties_at < OLD.empties_at)
          EXECUTE FUNCTION refuse()`
        const started = yield* signIns
          .secondByCode(visit(secret), first(codes))
          .pipe(Effect.ensuring(Effect.orDie(sql`DROP FUNCTION refuse CASCADE`)))
        assert.strictEqual(Option.getOrThrow(yield* sessions.current(started.secret)).accountId, id)
        assert.strictEqual((yield* steps.standing(id)).codesLeft, 9)
      })
    )

    it.effect("R56 is throttled as a password is", () =>
      Effect.gen(function* () {
        const { codes, enter, signIns, visit } = yield* required
        const secret = yield* enter
        const here = visit(secret)
        for (let tried = 0; tried < 10; tried++) {
          assert.strictEqual(yield* tagOf(signIns.secondByCode(here, Redacted.make("x"))), "CodeRejected")
        }
        assert.strictEqual(yield* tagOf(signIns.secondByCode(here, first(codes))), "TooManyAttempts")
        assert.strictEqual(yield* tagOf(signIns.secondByCode(visit(secret), first(codes))), "accepted")
      })
    )
  })

  describe("the switch", () => {
    it.effect("D81 needs a passkey that works, and ends all other sessions", () =>
      Effect.gen(function* () {
        const who = yield* PasskeyAccess.owner
        const authenticator = yield* who.add()
        const steps = yield* SecondStep
        const signIns = yield* PasskeySignIn
        const there = yield* who.signIn()
        const session = yield* who.session
        const asked = JSON.stringify(yield* signIns.confirmOptions(session, who.secret))
        const foreign = new Authenticator(PasskeyAccess.origin)
        const turnOn = (credential: string) => steps.turnOn({ session, owner: who.secret, credential })
        assert.strictEqual(yield* tagOf(turnOn(foreign.answer(asked))), "PasskeyRejected")
        assert.isFalse((yield* steps.standing(who.id)).isOn)
        assert.strictEqual(yield* tagOf(who.signIn()), "accepted")
        const again = JSON.stringify(yield* signIns.confirmOptions(session, who.secret))
        assert.lengthOf(yield* turnOn(authenticator.answer(again)), 10)
        assert.isTrue((yield* steps.standing(who.id)).isOn)
        assert.isTrue(Option.isNone(yield* who.sessions.current(there.secret)))
        assert.isNotNull((yield* who.session).passkeyId)
      })
    )

    it.effect("D80 nothing changes by a request whose session ended while it was under way", () =>
      Effect.gen(function* () {
        const who = yield* PasskeyAccess.owner
        const authenticator = yield* who.add()
        const there = yield* who.signIn()
        const steps = yield* SecondStep
        const signIns = yield* PasskeySignIn
        const changes = yield* PasswordChange
        const stale = there.session
        const [passkey] = yield* who.passkeys.list(who.id)
        const toAdd = JSON.stringify(yield* who.passkeys.optionsToAdd(stale, there.secret))
        const toTurnOn = JSON.stringify(yield* signIns.confirmOptions(stale, there.secret))
        yield* who.requireSecond(authenticator)
        const next = Redacted.make("seven blue otters")
        const change = changes.change({ session: stale, current: PasskeyAccess.password, next })
        assert.strictEqual(yield* tagOf(change), "SignInRejected")
        const credential = new Authenticator(PasskeyAccess.origin).create(toAdd)
        const add = who.passkeys.add({ session: stale, owner: there.secret, name: "theirs", credential })
        assert.strictEqual(yield* tagOf(add), "ConfirmationNeeded")
        assert.strictEqual(yield* tagOf(who.passkeys.remove(stale, passkey?.id ?? 0)), "ConfirmationNeeded")
        assert.strictEqual(yield* tagOf(steps.turnOff(stale)), "ConfirmationNeeded")
        assert.strictEqual(yield* tagOf(steps.replaceCodes(stale)), "ConfirmationNeeded")
        const turnOn = { session: stale, owner: there.secret, credential: authenticator.answer(toTurnOn) }
        assert.strictEqual(yield* tagOf(steps.turnOn(turnOn)), "ConfirmationNeeded")
        assert.strictEqual(yield* tagOf(who.signIn()), "SecondStepNeeded", "the password is as it was, and not enough")
        assert.lengthOf(yield* who.passkeys.list(who.id), 1)
        assert.strictEqual((yield* steps.standing(who.id)).codesLeft, 10)
        assert.strictEqual((yield* who.session).accountId, who.id, "the session that turned it on goes on")
      })
    )

    it.effect("D80 keeps the last passkey, until it is turned off", () =>
      Effect.gen(function* () {
        const { add, id, passkeys, session, steps, whats } = yield* required
        const remove = Effect.fnUntraced(function* () {
          const [passkey] = yield* passkeys.list(id)
          return yield* tagOf(passkeys.remove(yield* session, passkey?.id ?? 0))
        })
        assert.strictEqual(yield* remove(), "LastPasskey")
        yield* add({ name: "second" })
        assert.strictEqual(yield* remove(), "accepted")
        assert.strictEqual(yield* remove(), "LastPasskey")
        yield* steps.turnOff(yield* session)
        assert.strictEqual(yield* remove(), "accepted")
        assert.lengthOf(yield* passkeys.list(id), 0)
        assert.deepStrictEqual((yield* whats).slice(0, 2), ["passkey_removed", "second_step_off"])
      })
    )

    it.effect("D81 outlives a new password, by its owner or an operator", () =>
      Effect.gen(function* () {
        const { accounts, authenticator, count, email, secret, session, sessions, signIn, signIns } = yield* required
        const changes = yield* PasswordChange
        const next = Redacted.make("seven blue otters")
        const renewed = yield* changes.change({ session: yield* session, current: PasskeyAccess.password, next })
        assert.isNotNull(renewed.session.passkeyId, "the session goes on")
        assert.isTrue(Option.isNone(yield* sessions.current(secret)))
        assert.strictEqual(yield* tagOf(signIn(next)), "SecondStepNeeded")
        assert.strictEqual(yield* count, 1)
        yield* accounts.resetPassword(email, next)
        assert.strictEqual(yield* count, 0)
        assert.isFalse(yield* signIns.isPending(secret))
        assert.isAbove(authenticator.signCount, 0)
      })
    )

    it.effect("D83 the command line's reset removes passkeys, codes, step and sessions, and keeps a record of it", () =>
      Effect.gen(function* () {
        const { accounts, codes, count, email, enter, id, passkeys, signIn, signIns, sql, steps, visit, whats } =
          yield* required
        const secret = yield* enter
        yield* accounts.resetPasskeys(email)
        assert.strictEqual(yield* count, 0)
        assert.lengthOf(yield* passkeys.list(id), 0)
        assert.deepInclude(yield* steps.standing(id), { isOn: false, codesLeft: 0 })
        assert.strictEqual((yield* whats)[0], "reset")
        assert.strictEqual(yield* tagOf(signIns.secondByCode(visit(secret), first(codes))), "NoPendingSignIn")
        const recorded = yield* sql`
          SELECT what, value_before, value_after FROM account_change WHERE account_id = ${id} ORDER BY id DESC LIMIT 1`
        assert.deepStrictEqual(recorded, [{ what: "passkeys", value_before: null, value_after: null }])
        // The account of this test has a password that resets do not touch.
        assert.strictEqual(yield* tagOf(signIn()), "accepted")
      })
    )
  })

  it.effect("keeps the newest 50 changes of an account", () =>
    Effect.gen(function* () {
      const { id, session, sql, steps } = yield* required
      for (let time = 0; time < 60; time++) yield* steps.replaceCodes(yield* session)
      const rows = yield* sql`SELECT FROM sign_in_change WHERE account_id = ${id}`
      assert.lengthOf(rows, 50)
      assert.lengthOf((yield* steps.standing(id)).changes, 10)
    })
  )

  it.effect("is off, with nothing to show, for an account without passkeys", () =>
    Effect.gen(function* () {
      const { id } = yield* PasskeyAccess.owner
      const steps = yield* SecondStep
      assert.deepStrictEqual(yield* steps.standing(id), { isOn: false, codesLeft: 0, changes: [] })
      assert.deepStrictEqual(yield* Effect.flatMap(Passkeys, (passkeys) => passkeys.list(id)), [])
    })
  )
})
