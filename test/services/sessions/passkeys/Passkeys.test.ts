/** Passkeys over a real database, answered by an authenticator in software. */
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Logger, Option, Redacted } from "effect"
import type { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { Passkeys } from "../../../../src/services/sessions/passkeys/Passkeys.ts"
import { PasskeySignIn } from "../../../../src/services/sessions/passkeys/PasskeySignIn.ts"
import { SecondStep } from "../../../../src/services/sessions/passkeys/SecondStep.ts"
import * as LogLines from "../../../../src/services/LogLines.ts"
import { allowedBy, Authenticator } from "../../../support/Authenticator.ts"
import * as PasskeyAccess from "../../../support/PasskeyAccess.ts"
import { origin, tagOf } from "../../../support/PasskeyAccess.ts"

const minute = 60_000

layer(PasskeyAccess.layer, { excludeTestServices: true })("Passkeys", (it) => {
  const owner = PasskeyAccess.owner

  /** A browser that is not signed in, and its way in with a passkey. */
  const guest = Effect.gen(function* () {
    const signIns = yield* PasskeySignIn
    const secret = Redacted.make("g".repeat(43))
    const options = Effect.map(signIns.options(secret), (asked) => JSON.stringify(asked))
    const send = (credential: string, as = secret) =>
      signIns.signIn(
        { owner: as, address: PasskeyAccess.newAddress(), browser: undefined, device: PasskeyAccess.device },
        credential
      )
    return { options, send }
  })

  const names = (id: Parameters<Passkeys["Service"]["list"]>[0]) =>
    Effect.flatMap(Passkeys, (passkeys) => Effect.map(passkeys.list(id), (all) => all.map(({ name }) => name)))

  describe("a passkey", () => {
    it.effect("D77 signs in without a password, and the session says so", () =>
      Effect.gen(function* () {
        const { add, id, sessions } = yield* owner
        const authenticator = yield* add()
        const { options, send } = yield* guest
        const asked = yield* options
        assert.deepStrictEqual(allowedBy(asked), [], "nothing about accounts")
        const { secret } = yield* send(authenticator.answer(asked))
        const session = Option.getOrThrow(yield* sessions.current(secret))
        assert.strictEqual(session.accountId, id)
        assert.isNotNull(session.passkeyId)
        const passkeys = yield* Passkeys
        const [passkey] = yield* passkeys.list(id)
        assert.strictEqual(passkey?.lastUsedAt?.epochMilliseconds, Date.parse(PasskeyAccess.start))
      })
    )

    it.effect("is logged with its account when it was verified, and with the reason when it was rejected", () =>
      Effect.gen(function* () {
        const { add, id } = yield* owner
        const authenticator = yield* add()
        const { options, send } = yield* guest
        const lines: Array<string> = []
        const logged = Effect.provide(Logger.layer([Logger.map(LogLines.json, (line) => void lines.push(line))]))
        const answer = authenticator.answer(yield* options)
        yield* logged(send(answer))
        assert.strictEqual(yield* logged(tagOf(send(answer))), "ChallengeExpired")
        assert.strictEqual(yield* logged(tagOf(send("{}"))), "PasskeyRejected")
        assert.lengthOf(lines, 2)
        assert.include(JSON.parse(lines[0] ?? ""), { message: "A passkey was verified", account_id: id })
        assert.include(lines[1], "A passkey was rejected")
      })
    )

    it.effect("D77 of an authenticator without a counter signs in again and again", () =>
      Effect.gen(function* () {
        const { add } = yield* owner
        const authenticator = yield* add({ counts: false })
        const { options, send } = yield* guest
        for (let time = 0; time < 3; time++) {
          assert.strictEqual(yield* tagOf(send(authenticator.answer(yield* options))), "accepted")
        }
      })
    )

    it.effect("D79 whose counter does not go up is refused: it may be a copy", () =>
      Effect.gen(function* () {
        const { add } = yield* owner
        const authenticator = yield* add()
        const { options, send } = yield* guest
        yield* send(authenticator.answer(yield* options))
        const last = authenticator.signCount
        for (const signCount of [last, last - 1, 0]) {
          assert.strictEqual(yield* tagOf(send(authenticator.answer(yield* options, { signCount }))), "PasskeyRejected")
        }
        assert.strictEqual(yield* tagOf(send(authenticator.answer(yield* options))), "accepted")
      })
    )

    it.effect("D79 two answers with one counter at once are one sign-in", () =>
      Effect.gen(function* () {
        const { add } = yield* owner
        const authenticator = yield* add()
        const { options, send } = yield* guest
        const answers = [yield* options, yield* options, yield* options].map((asked) =>
          authenticator.answer(asked, { signCount: 99 })
        )
        const tags = yield* Effect.forEach(answers, (answer) => tagOf(send(answer)), { concurrency: "unbounded" })
        assert.deepStrictEqual(tags.toSorted(), ["PasskeyRejected", "PasskeyRejected", "accepted"])
      })
    )
  })

  describe("a challenge", () => {
    it.effect("D78 is used once, whatever the answer", () =>
      Effect.gen(function* () {
        const { add } = yield* owner
        const authenticator = yield* add()
        const { options, send } = yield* guest
        const asked = yield* options
        assert.strictEqual(yield* tagOf(send(authenticator.answer(asked))), "accepted")
        assert.strictEqual(yield* tagOf(send(authenticator.answer(asked))), "ChallengeExpired")
        const spoiled = yield* options
        assert.strictEqual(yield* tagOf(send(authenticator.answer(spoiled, { flags: 0 }))), "PasskeyRejected")
        assert.strictEqual(yield* tagOf(send(authenticator.answer(spoiled))), "ChallengeExpired")
      })
    )

    it.effect("D78 expires after five minutes", () =>
      Effect.gen(function* () {
        const { add, clock } = yield* owner
        const authenticator = yield* add()
        const { options, send } = yield* guest
        const [one, other] = [yield* options, yield* options]
        yield* clock.advance(5 * minute - 1)
        assert.strictEqual(yield* tagOf(send(authenticator.answer(one))), "accepted")
        yield* clock.advance(1)
        assert.strictEqual(yield* tagOf(send(authenticator.answer(other))), "ChallengeExpired")
      })
    )

    it.effect("D78 is for the browser and the purpose that it was issued for", () =>
      Effect.gen(function* () {
        const { add, passkeys, secret, session } = yield* owner
        const authenticator = yield* add()
        const signIns = yield* PasskeySignIn
        const { options, send } = yield* guest
        const other = Redacted.make("h".repeat(43))
        assert.strictEqual(yield* tagOf(send(authenticator.answer(yield* options), other)), "ChallengeExpired")
        assert.strictEqual(
          yield* tagOf(send(authenticator.answer(yield* options, { challenge: "A".repeat(43) }))),
          "ChallengeExpired"
        )
        const toConfirm = JSON.stringify(yield* signIns.confirmOptions(yield* session, secret))
        assert.strictEqual(yield* tagOf(send(authenticator.answer(toConfirm), secret)), "ChallengeExpired")
        const toAdd = JSON.stringify(yield* passkeys.optionsToAdd(yield* session, secret))
        const { challenge } = JSON.parse(toAdd) as { challenge: string }
        const again = authenticator.answer(toConfirm, { challenge })
        assert.strictEqual(yield* tagOf(signIns.confirm(yield* session, secret, again)), "ChallengeExpired")
      })
    )

    it.effect("D78 of a browser replaces its oldest beyond ten; expired ones are deleted", () =>
      Effect.gen(function* () {
        const { add, clock, sql } = yield* owner
        const authenticator = yield* add()
        const { options, send } = yield* guest
        const first = yield* options
        for (let more = 0; more < 10; more++) {
          yield* clock.advance(1)
          yield* options
        }
        assert.strictEqual(yield* tagOf(send(authenticator.answer(first))), "ChallengeExpired")
        yield* clock.advance(5 * minute)
        const expired = Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          return (yield* sql`SELECT FROM passkey_challenge WHERE expires_at <= ${now}`).length
        })
        const before = yield* expired
        yield* options
        assert.strictEqual(yield* expired, Math.max(0, before - 20))
      })
    )
  })

  describe("an answer", () => {
    const wrongs = [
      ["of another origin", { origin: "https://discovery.evil" }],
      ["of the origin with another port", { origin: `${origin}:8443` }],
      ["of the origin without TLS", { origin: "http://discovery.test" }],
      ["for another host", { rpId: "evil.test" }],
      ["in a frame of another site", { crossOrigin: true }],
      ["of another ceremony", { type: "webauthn.create" }],
      ["without the person", { flags: 0 }],
      ["without verification of the person", { flags: 1 }],
      ["that names another account", { userHandle: "AAAAAAAAAAAAAAAAAAAAAA" }],
      ["that names no account", { userHandle: null }],
      ["with an id that nobody has", { id: "A".repeat(43) }],
      ["with an id of no bytes", { id: "A" }]
    ] as const

    it.effect.each(wrongs)("D77 %s is refused", ([, wrong]) =>
      Effect.gen(function* () {
        const { add } = yield* owner
        const authenticator = yield* add()
        const { options, send } = yield* guest
        assert.strictEqual(yield* tagOf(send(authenticator.answer(yield* options, wrong))), "PasskeyRejected")
        assert.strictEqual(yield* tagOf(send(authenticator.answer(yield* options))), "accepted")
      })
    )

    it.effect("D77 that another key has signed is refused", () =>
      Effect.gen(function* () {
        const { add } = yield* owner
        const authenticator = yield* add()
        const forger = new Authenticator(origin)
        const { options, send } = yield* guest
        const id = authenticator.id.toString("base64url")
        const userHandle = authenticator.userHandle
        const forged = forger.answer(yield* options, { id, userHandle, signCount: 99 })
        assert.strictEqual(yield* tagOf(send(forged)), "PasskeyRejected")
      })
    )

    it.effect.each(["", "x", "{}", "[]", "null", `{"id":1}`, "[".repeat(16_000)])(
      "D63 that is no answer is refused: %j",
      (credential) =>
        Effect.gen(function* () {
          const { secret, session } = yield* owner
          const { send } = yield* guest
          const passkeys = yield* Passkeys
          assert.strictEqual(yield* tagOf(send(credential)), "PasskeyRejected")
          const request = { session: yield* session, owner: secret, name: "x", credential }
          assert.strictEqual(yield* tagOf(passkeys.add(request)), "PasskeyRejected")
        })
    )

    it.effect("R56 counts as an attempt of its network", () =>
      Effect.gen(function* () {
        yield* owner
        const signIns = yield* PasskeySignIn
        const address = PasskeyAccess.newAddress()
        const visit = {
          owner: Redacted.make("g".repeat(43)),
          address,
          browser: undefined,
          device: PasskeyAccess.device
        }
        for (let tried = 0; tried < 30; tried++) {
          assert.strictEqual(yield* tagOf(signIns.signIn(visit, "x")), "PasskeyRejected")
        }
        assert.strictEqual(yield* tagOf(signIns.signIn(visit, "x")), "TooManyAttempts")
      })
    )
  })

  describe("adding", () => {
    it.effect("D77 tells the authenticator neither id nor known passkeys of others, and keeps a clean name", () =>
      Effect.gen(function* () {
        const { add, email, id, passkeys, secret, session, sql } = yield* owner
        const first = yield* add({ name: `  my \u202elap\u0000top ${"x".repeat(100)}` })
        yield* add({ name: "" })
        const options = yield* passkeys.optionsToAdd(yield* session, secret)
        const asked = JSON.stringify(options)
        assert.include(asked, first.id.toString("base64url"))
        assert.deepInclude(options, { attestation: "none" })
        assert.include(asked, email)
        assert.notInclude(asked, `"id":"${Buffer.from(String(id)).toString("base64url")}"`)
        const [one, other] = yield* names(id)
        assert.match(one ?? "", /^my lap ?top x{40,}$/u)
        assert.strictEqual(other, "Passkey")
        const handles = yield* sql<{ readonly count: number }>`
          SELECT count(DISTINCT user_handle)::int AS count FROM account`
        const all = yield* sql`SELECT FROM account`
        assert.strictEqual(handles[0]?.count, all.length)
      })
    )

    it.effect("D77 refuses the origin, the host and the missing verification of another page, and certificates", () =>
      Effect.gen(function* () {
        const { id, passkeys, secret, session } = yield* owner
        for (const wrong of [
          { origin: "https://discovery.evil" },
          { rpId: "evil.test" },
          { flags: 1 },
          { type: "webauthn.get" },
          { crossOrigin: true },
          // Would make the library fetch a list of revoked certificates.
          { attestation: "packed" },
          { attestation: "fido-u2f" },
          { attestation: "tpm" }
        ]) {
          const asked = JSON.stringify(yield* passkeys.optionsToAdd(yield* session, secret))
          const credential = new Authenticator(origin).create(asked, wrong)
          const request = { session: yield* session, owner: secret, name: "x", credential }
          assert.strictEqual(yield* tagOf(passkeys.add(request)), "PasskeyRejected", JSON.stringify(wrong))
        }
        assert.deepStrictEqual(yield* names(id), [])
      })
    )

    it.effect("D77 refuses a passkey that is registered, and more than 20, also at once", () =>
      Effect.gen(function* () {
        const { add, id, passkeys, secret, session } = yield* owner
        const first = yield* add()
        const request = Effect.fnUntraced(function* (authenticator: Authenticator) {
          const asked = JSON.stringify(yield* passkeys.optionsToAdd(yield* session, secret))
          return { session: yield* session, owner: secret, name: "x", credential: authenticator.create(asked) }
        })
        assert.strictEqual(yield* tagOf(passkeys.add(yield* request(first))), "PasskeyRejected")
        for (let more = 1; more < 18; more++) yield* add()
        const last = yield* Effect.forEach([1, 2, 3, 4, 5], () => request(new Authenticator(origin)))
        const tags = yield* Effect.forEach(last, (each) => tagOf(passkeys.add(each)), { concurrency: "unbounded" })
        assert.deepStrictEqual(tags.toSorted(), [
          "TooManyPasskeys",
          "TooManyPasskeys",
          "TooManyPasskeys",
          "accepted",
          "accepted"
        ])
        assert.lengthOf(yield* names(id), 20)
        assert.strictEqual(yield* tagOf(passkeys.optionsToAdd(yield* session, secret)), "TooManyPasskeys")
      })
    )

    it.effect("D80 and removing need a password or a passkey of the last ten minutes", () =>
      Effect.gen(function* () {
        const { add, clock, id, passkeys, secret, session, sessions } = yield* owner
        yield* add()
        const [passkey] = yield* passkeys.list(id)
        yield* clock.advance(10 * minute)
        const steps = yield* SecondStep
        assert.strictEqual(yield* tagOf(passkeys.optionsToAdd(yield* session, secret)), "ConfirmationNeeded")
        assert.strictEqual(yield* tagOf(add()), "ConfirmationNeeded")
        assert.strictEqual(yield* tagOf(passkeys.remove(yield* session, passkey?.id ?? 0)), "ConfirmationNeeded")
        assert.strictEqual(yield* tagOf(steps.turnOff(yield* session)), "ConfirmationNeeded")
        const request = { session: yield* session, owner: secret, credential: "x" }
        assert.strictEqual(yield* tagOf(steps.turnOn(request)), "ConfirmationNeeded")
        assert.lengthOf(yield* names(id), 1)
        yield* sessions.confirm(yield* session)
        yield* passkeys.remove(yield* session, passkey?.id ?? 0)
        assert.lengthOf(yield* names(id), 0)
      })
    )
  })

  describe("of an operator", () => {
    const enrolled = (who: { readonly accounts: Accounts["Service"]; readonly email: string }) =>
      Effect.map(who.accounts.enroll(who.email), (code) => (typeof code === "number" ? Redacted.make("") : code))

    /** One who has added the first passkey, in a session of the password. */
    const operator = Effect.gen(function* () {
      const who = yield* owner
      yield* who.accounts.setRole(who.email, "operator")
      return { ...who, authenticator: yield* who.add({ code: yield* enrolled(who) }) }
    })

    it.effect("D84 the first needs a code of the command line: the newest, once, for 30 minutes, for the account", () =>
      Effect.gen(function* () {
        const [who, other] = [yield* owner, yield* owner]
        yield* who.accounts.setRole(who.email, "operator")
        yield* other.accounts.setRole(other.email, "operator")
        const old = yield* enrolled(who)
        const code = yield* enrolled(who)
        for (const wrong of [undefined, old, yield* enrolled(other), Redacted.make("")]) {
          const add = who.add(wrong === undefined ? {} : { code: wrong })
          assert.strictEqual(yield* tagOf(add), "EnrollmentNeeded")
        }
        // The answer of a challenge that was asked for with the code.
        const asked = JSON.stringify(yield* who.passkeys.optionsToAdd(yield* who.session, who.secret, code))
        const credential = new Authenticator(PasskeyAccess.origin).create(asked)
        const request = { session: yield* who.session, owner: who.secret, name: "theirs", credential }
        assert.strictEqual(yield* tagOf(who.passkeys.add(request)), "EnrollmentNeeded")
        assert.lengthOf(yield* names(who.id), 0)

        yield* who.clock.advance(30 * minute)
        yield* who.sessions.confirm(yield* who.session)
        assert.strictEqual(yield* tagOf(who.add({ code })), "EnrollmentNeeded", "it has expired")
        const fresh = yield* enrolled(who)
        yield* who.add({ code: fresh })
        assert.strictEqual(yield* who.accounts.enroll(who.email), 1, "there is no code beside a passkey")
        yield* who.accounts.resetPasskeys(who.email)
        const { secret } = yield* who.signIn()
        const again = who.passkeys.optionsToAdd(Option.getOrThrow(yield* who.sessions.current(secret)), secret, fresh)
        assert.strictEqual(yield* tagOf(again), "EnrollmentNeeded", "it was used")
      })
    )

    it.effect("D84 two first ones at once are one", () =>
      Effect.gen(function* () {
        const who = yield* owner
        yield* who.accounts.setRole(who.email, "operator")
        const code = yield* enrolled(who)
        const tags = yield* Effect.forEach([1, 2], () => tagOf(who.add({ code })), { concurrency: "unbounded" })
        assert.deepStrictEqual(tags.toSorted(), ["ConfirmationNeeded", "accepted"])
      })
    )

    it.effect("there is no code for customers, who need none", () =>
      Effect.gen(function* () {
        const who = yield* owner
        assert.strictEqual(yield* tagOf(who.accounts.enroll(who.email)), "InvalidAccountDetail")
        yield* who.add()
      })
    )

    it.effect("D84 who has one, are changed only in a session in which it was used, or that did a second step", () =>
      Effect.gen(function* () {
        const { authenticator, ...who } = yield* operator
        const signIns = yield* PasskeySignIn
        const [passkey] = yield* who.passkeys.list(who.id)
        const id = passkey?.id ?? 0
        assert.strictEqual(yield* tagOf(who.add()), "ConfirmationNeeded")
        assert.strictEqual(yield* tagOf(who.passkeys.remove(yield* who.session, id)), "ConfirmationNeeded")
        yield* who.sessions.confirm(yield* who.session)
        assert.strictEqual(yield* tagOf(who.add()), "ConfirmationNeeded", "the password again is not enough")
        assert.lengthOf(yield* names(who.id), 1)

        const asked = JSON.stringify(yield* signIns.confirmOptions(yield* who.session, who.secret))
        yield* signIns.confirm(yield* who.session, who.secret, authenticator.answer(asked))
        yield* who.add({ name: "second" })
        yield* who.passkeys.remove(yield* who.session, id)
        assert.deepStrictEqual(yield* names(who.id), ["second"])
        assert.strictEqual(yield* tagOf(who.add()), "ConfirmationNeeded", "the passkey of the session is gone")
      })
    )

    it.effect("D84 a recovery code replaces a lost one", () =>
      Effect.gen(function* () {
        const { authenticator, ...who } = yield* operator
        const [code = Redacted.make("")] = yield* who.requireSecond(authenticator)
        const signIns = yield* PasskeySignIn
        const needed = yield* Effect.flip(who.signIn())
        const pending = needed._tag === "SecondStepNeeded" ? needed.secret : Redacted.make("")
        const { secret } = yield* signIns.secondByCode(who.visit(pending), code)
        const session = Effect.map(who.sessions.current(secret), Option.getOrThrow)
        assert.isNull((yield* session).passkeyId)
        assert.strictEqual(yield* tagOf(who.passkeys.optionsToAdd(yield* session, secret)), "accepted")
      })
    )
  })

  describe("removing", () => {
    it.effect("D80 ends what was signed in to with the passkey elsewhere, and is shown to the account", () =>
      Effect.gen(function* () {
        const { add, id, passkeys, session, sessions } = yield* owner
        const authenticator = yield* add({ name: "lost phone" })
        const { options, send } = yield* guest
        const there = yield* send(authenticator.answer(yield* options))
        const [passkey] = yield* passkeys.list(id)
        yield* passkeys.remove(yield* session, passkey?.id ?? 0)
        assert.isTrue(Option.isNone(yield* sessions.current(there.secret)))
        assert.strictEqual(yield* tagOf(send(authenticator.answer(yield* options))), "PasskeyRejected")
        const { changes } = yield* Effect.flatMap(SecondStep, (steps) => steps.standing(id))
        assert.deepStrictEqual(
          changes.map(({ device, name, what }) => ({ device, name, what })),
          [
            { device: PasskeyAccess.device, name: "lost phone", what: "passkey_removed" },
            { device: PasskeyAccess.device, name: "lost phone", what: "passkey_added" }
          ]
        )
      })
    )

    it.effect("another account's passkey changes nothing", () =>
      Effect.gen(function* () {
        const mine = yield* owner
        const theirs = yield* owner
        const authenticator = yield* theirs.add()
        const [passkey] = yield* theirs.passkeys.list(theirs.id)
        yield* mine.passkeys.remove(yield* mine.session, passkey?.id ?? 0)
        const { options, send } = yield* guest
        assert.strictEqual(yield* tagOf(send(authenticator.answer(yield* options))), "accepted")
      })
    )
  })

  it.effect("D77 there are none at an IP address", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* Effect.forEach(
          ["http://localhost:3000", "https://discovery.test", "http://127.0.0.1:3000", "http://[::1]:3000"],
          PasskeyAccess.availableAt
        ),
        [true, true, false, false]
      )
    })
  )
})
