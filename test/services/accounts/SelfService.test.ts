/** Sign-up, password reset, change of e-mail address and closing, over a real database; mails are kept instead of sent. */
import { assert, describe, layer } from "@effect/vitest"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Context, Effect, Fiber, Latch, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../../src/Config.ts"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { unknownDevice } from "../../../src/domain/access/Device.ts"
import { AccountClosing } from "../../../src/services/accounts/AccountClosing.ts"
import { AccountLinks } from "../../../src/services/accounts/AccountLinks.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import { CredentialResolver } from "../../../src/services/credentials/CredentialResolver.ts"
import { EmailChange } from "../../../src/services/accounts/EmailChange.ts"
import { PasswordChange } from "../../../src/services/accounts/PasswordChange.ts"
import * as SignInChanges from "../../../src/services/sessions/passkeys/SignInChanges.ts"
import { PasswordReset } from "../../../src/services/accounts/PasswordReset.ts"
import { Passwords } from "../../../src/services/sessions/Passwords.ts"
import { Billing } from "../../../src/services/billing/Billing.ts"
import { Sessions } from "../../../src/services/sessions/Sessions.ts"
import { SignIn } from "../../../src/services/sessions/SignIn.ts"
import { SignUp } from "../../../src/services/accounts/SignUp.ts"
import * as Database from "../../../src/services/database/Database.ts"
import { SignInAttempts } from "../../../src/services/limits/SignInAttempts.ts"
import { MailLanguage } from "../../../src/services/mail/Letter.ts"
import * as Outbox from "../../../src/services/mail/Outbox.ts"
import * as ClosedAccounts from "../../../src/services/retention/ClosedAccounts.ts"
import * as Access from "../../support/Access.ts"
import * as KeptMails from "../../support/KeptMails.ts"
import { SetClock } from "../../support/SetClock.ts"
import { recorded } from "../../support/Statements.ts"
import { spellings } from "../../support/MailSpellings.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const minute = 60_000
const right = "nine green whales"
const next = "seven blue otters"

/** Passwords without hashing, which count their work, and do it while they may. */
const work = { hashed: 0, may: Latch.makeUnsafe(true) }
const passwords = Layer.succeed(Passwords, {
  hash: (password) =>
    Effect.suspend(() => Effect.as((work.hashed++, work.may.await), `$argon2id$${Redacted.value(password)}`)),
  verify: (password, stored) => Effect.succeed(stored === `$argon2id$${Redacted.value(password)}`),
  generate: Effect.succeed(Redacted.make("nobody's"))
})

const mails = KeptMails.make()
const { letters } = mails

const services = Layer.mergeAll(
  SignUp.layer,
  PasswordReset.layer,
  EmailChange.layer,
  AccountClosing.layer,
  PasswordChange.layer,
  ClosedAccounts.layer
).pipe(
  Layer.provideMerge(mails.layer),
  Layer.provide([AccountLinks.layer, SignInAttempts.layer]),
  Layer.provideMerge(SignIn.layer),
  Layer.provideMerge(Sessions.layer),
  Layer.provide([
    AppConfig.layerOf({ baseUrl: "https://discovery.test" }),
    NodeCrypto.layer,
    Layer.succeed(Billing, { stripe: Option.none() }),
    passwords
  ])
)

const Services = Layer.merge(Access.layerUnhashed, services).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

let people = 0

layer(Services, { excludeTestServices: true })("self-service", (it) => {
  const newEmail = () => `person${++people}@discovery.test`
  /** An address of a network that nobody else has. */
  const newAddress = () => `2001:db8:${(++people).toString(16)}:1`

  const owner = Effect.gen(function* () {
    const clock = yield* SetClock
    yield* clock.set(start)
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const email = newEmail()
    const { id } = yield* accounts.create({ email, plan: "growth", status: "active", password: Redacted.make(right) })
    yield* sql`UPDATE account SET password_hash = ${`$argon2id$${right}`} WHERE id = ${id}`
    return { id, email }
  })

  const signIn = Effect.fnUntraced(function* (email: string, password = right) {
    const service = yield* SignIn
    return yield* service.signIn({ email, password: Redacted.make(password), address: newAddress() })
  })

  const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.match(effect, { onSuccess: () => "done", onFailure: (error) => error._tag })

  const lettersTo = mails.to
  const lastTo = (email: string) => Effect.map(lettersTo(email), (letters) => letters.at(-1))
  const tokenOf = (link: string | undefined) => Redacted.make(new URL(link ?? "").searchParams.get("token") ?? "")
  const tokenTo = (email: string) =>
    Effect.map(lettersTo(email), (letters) => tokenOf(letters.findLast(({ link }) => link !== undefined)?.link))

  const here = Redacted.make("the cookie of this browser")
  const elsewhere = Redacted.make("the cookie of another browser")

  const askSignUp = (email: string, changes: { readonly password?: string; readonly address?: string } = {}) =>
    Effect.flatMap(SignUp, (signUp) =>
      signUp.ask({
        email,
        password: Redacted.make(changes.password ?? right),
        address: changes.address ?? newAddress(),
        browser: here,
        returnTo: "/authorize?client_id=x"
      })
    )

  const confirm = (email: string, browser = here, password?: string, address = newAddress()) =>
    Effect.gen(function* () {
      const signUp = yield* SignUp
      return yield* signUp.confirm({
        secret: yield* tokenTo(email),
        browser,
        password: password === undefined ? undefined : Redacted.make(password),
        address
      })
    })

  const askReset = (email: string, address = newAddress()) =>
    Effect.flatMap(PasswordReset, (reset) => reset.ask({ email, address })).pipe(
      Effect.provideService(MailLanguage, "de")
    )

  const setPassword = (email: string, password = next) =>
    Effect.gen(function* () {
      const reset = yield* PasswordReset
      const secret = yield* tokenTo(email)
      yield* reset.set({ secret, next: Redacted.make(password), device: unknownDevice })
    }).pipe(Effect.provideService(MailLanguage, "de"))

  describe("sign-up", () => {
    it.effect("D85 makes a Starter account without credits, once its link is confirmed, and signs in", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const email = newEmail()
        yield* askSignUp(email)
        assert.strictEqual((yield* Effect.flip(accounts.find(email)))._tag, "AccountNotFound")
        assert.deepStrictEqual(yield* confirm(email), { returnTo: "/authorize?client_id=x" })
        const account = yield* accounts.find(email)
        assert.deepInclude(account, {
          plan: "starter",
          status: "active",
          role: "customer",
          beganOn: null,
          credits: null
        })
        assert.strictEqual((yield* signIn(email)).session.accountId, account.id)
        assert.strictEqual(yield* tagOf(confirm(email)), "LinkOver")
      })
    )

    it.effect("D86 of an address with an account takes the same work and only sends another mail", () =>
      Effect.gen(function* () {
        const { email } = yield* owner
        const unknown = newEmail()
        const seen = Effect.fnUntraced(function* (of: string) {
          work.hashed = 0
          const { statements } = yield* recorded(askSignUp(of))
          return { statements, hashed: work.hashed }
        })
        const known = yield* seen(email.toUpperCase())
        assert.strictEqual(known.hashed, 1)
        assert.deepStrictEqual(yield* seen(unknown), known)
        // To the address as the account has it.
        assert.deepStrictEqual(yield* lastTo(email), { kind: "exists", to: email, language: "en" })
        assert.strictEqual((yield* lastTo(unknown))?.kind, "confirm")
        assert.strictEqual((yield* signIn(email)).session.email, email)
      })
    )

    it.effect("D85 in another browser asks for the password, and leads nowhere of the first", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const email = newEmail()
        yield* askSignUp(email)
        const signUp = yield* SignUp
        const secret = yield* tokenTo(email)
        const read = (browser: Redacted.Redacted) => signUp.read({ secret, browser })
        assert.deepStrictEqual(yield* read(here), { email, needsPassword: false })
        assert.deepStrictEqual(yield* read(elsewhere), { email, needsPassword: true })
        assert.strictEqual(yield* tagOf(confirm(email, elsewhere)), "PasswordNeeded")
        assert.strictEqual(yield* tagOf(confirm(email, elsewhere, "nine green wales")), "SignInRejected")
        assert.strictEqual((yield* Effect.flip(accounts.find(email)))._tag, "AccountNotFound")
        assert.deepStrictEqual(yield* confirm(email, elsewhere, right), { returnTo: undefined })
        assert.strictEqual((yield* accounts.find(email)).email, email)
      })
    )

    it.effect("R56 passwords that are tried at a link are counted as those of a sign-in", () =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        yield* clock.set(start)
        const email = newEmail()
        const address = newAddress()
        yield* askSignUp(email)
        for (let tried = 0; tried < 10; tried++) {
          assert.strictEqual(yield* tagOf(confirm(email, elsewhere, "wrong", address)), "SignInRejected")
        }
        assert.strictEqual(yield* tagOf(confirm(email, elsewhere, right, address)), "TooManyAttempts")
      })
    )

    it.effect("of an address that meanwhile got an account makes no second one", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const email = newEmail()
        yield* askSignUp(email)
        yield* accounts.create({ email, plan: "pro", status: "active", password: Redacted.make(right) })
        assert.strictEqual(yield* tagOf(confirm(email)), "LinkOver")
        assert.strictEqual((yield* accounts.find(email)).plan, "pro")
      })
    )

    it.effect.each([
      "",
      "ada",
      "ada@localhost",
      "a,b@example.com",
      '"a b"@example.com',
      "ada@example.com, eve@example.com",
      "Ada <ada@example.com>",
      "ada@[127.0.0.1]",
      "ada@exa mple.com",
      "ada@example.com\r\nbcc: eve@example.com",
      ".ada@example.com",
      `${"a".repeat(65)}@example.com`,
      `ada@${"a".repeat(250)}.com`
    ])("of what is no address for mails sends none: %j", (email) =>
      Effect.gen(function* () {
        const before = (yield* letters).length
        assert.strictEqual(yield* tagOf(askSignUp(email)), "EmailRefused")
        assert.strictEqual(yield* tagOf(askReset(email)), "EmailRefused")
        assert.lengthOf(yield* letters, before)
      })
    )

    it.effect("D10 with a weak password is refused before anything is counted or sent", () =>
      Effect.gen(function* () {
        const email = newEmail()
        for (const password of ["short", "passwordpassword", "football2026!", email, "x".repeat(300)]) {
          assert.strictEqual(yield* tagOf(askSignUp(email, { password })), "PasswordRefused", password)
        }
        assert.isEmpty(yield* lettersTo(email))
      })
    )
  })

  describe("D86 mails", () => {
    it.effect("to one address: 4 in a row for each purpose, then one in 15 minutes; known or unknown", () =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const { email } = yield* owner
        for (const to of [email, newEmail()]) {
          yield* clock.set(start)
          const count = (yield* lettersTo(to)).length
          for (let sent = 0; sent < 4; sent++) assert.strictEqual(yield* tagOf(askSignUp(to)), "done")
          assert.strictEqual(yield* tagOf(askSignUp(to.toUpperCase())), "TooManyAttempts")
          // Whoever has used these up keeps nobody from a new password.
          for (let sent = 0; sent < 4; sent++) assert.strictEqual(yield* tagOf(askReset(to)), "done")
          const refused = yield* Effect.flip(askReset(to))
          assert.deepInclude(refused, { _tag: "TooManyAttempts", retryAfterSeconds: 15 * 60 })
          // None is being sent while the clock is moved.
          yield* letters
          yield* clock.advance(15 * minute)
          assert.strictEqual(yield* tagOf(askReset(to)), "done")
          assert.strictEqual(yield* tagOf(askReset(to)), "TooManyAttempts")
          assert.isAtMost((yield* lettersTo(to)).length - count, 9)
        }
        yield* clock.set(start)
      })
    )

    it.effect("to one address in 14 spellings of its domain are counted together, and make one account", () =>
      Effect.gen(function* () {
        const [clock, sql] = [yield* SetClock, yield* SqlClient.SqlClient]
        yield* clock.set(start)
        const to = newEmail()
        const written = spellings(to.slice(0, to.indexOf("@")), to.slice(to.indexOf("@") + 1))
        assert.lengthOf(new Set(written), 14)
        const before = (yield* letters).length
        const four = written.map((_, index) => (index < 4 ? "done" : "TooManyAttempts"))
        assert.deepStrictEqual(yield* Effect.forEach(written, (email) => tagOf(askSignUp(email))), four)
        assert.deepStrictEqual(yield* Effect.forEach(written, (email) => tagOf(askReset(email))), four)
        // A reset of an address without an account sends none, and a link that a newer one has ended is not sent.
        const sent = (yield* letters).slice(before)
        assert.deepStrictEqual([...new Set(sent.map((letter) => letter.to))], [to])
        assert.isAtMost(sent.length, 4)
        yield* confirm(to)
        yield* clock.advance(60 * minute)
        for (const [index, email] of written.entries()) {
          yield* clock.advance(15 * minute)
          assert.strictEqual(yield* tagOf(askSignUp(email)), "done")
          assert.strictEqual((yield* lastTo(to))?.kind, "exists", `${index}`)
          assert.isDefined((yield* signIn(email)).secret)
        }
        const accounts = yield* sql`SELECT email FROM account WHERE email LIKE ${`${to.slice(0, to.indexOf("@"))}@%`}`
        assert.deepStrictEqual(accounts, [{ email: to }])
      })
    )

    it.effect("that anyone has asked for keep no owner from a change to the same address", () =>
      Effect.gen(function* () {
        const change = yield* EmailChange
        const { email } = yield* owner
        const to = newEmail()
        for (let sent = 0; sent < 5; sent++) yield* tagOf(askSignUp(to))
        assert.strictEqual(yield* tagOf(askSignUp(to)), "TooManyAttempts")
        const { session } = yield* signIn(email)
        yield* change.ask({ session, password: Redacted.make(right), email: to, address: newAddress() })
        assert.strictEqual((yield* lastTo(to))?.kind, "newAddress")
      })
    )

    it.effect("from one network: 20 in a row, to whichever address", () =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        yield* clock.set(start)
        const address = newAddress()
        for (let sent = 0; sent < 20; sent++) assert.strictEqual(yield* tagOf(askReset(newEmail(), address)), "done")
        assert.strictEqual(yield* tagOf(askReset(newEmail(), address)), "TooManyAttempts")
        assert.strictEqual(yield* tagOf(askSignUp(newEmail(), { address })), "TooManyAttempts")
        assert.strictEqual(yield* tagOf(askReset(newEmail())), "done")
      })
    )

    it.effect("that could not be written are not counted", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const change = yield* EmailChange
        const { session } = yield* Effect.flatMap(owner, ({ email }) => signIn(email))
        const to = newEmail()
        const asks = [
          tagOf(askSignUp(to)),
          tagOf(askReset(to)),
          tagOf(change.ask({ session, password: Redacted.make(right), email: to, address: newAddress() }))
        ]
        yield* sql`ALTER TABLE mail ADD CONSTRAINT none CHECK (false) NOT VALID`
        for (let sent = 0; sent < 5; sent++) {
          for (const ask of asks) assert.strictEqual(yield* ask, "ServiceUnavailable")
        }
        yield* sql`ALTER TABLE mail DROP CONSTRAINT none`
        for (const ask of asks) assert.strictEqual(yield* ask, "done")
      })
    )

    it.effect("that cannot be sent are refused to everyone alike", () =>
      Effect.gen(function* () {
        const { email } = yield* owner
        const sql = yield* SqlClient.SqlClient
        const { maxAskedFor } = Outbox
        yield* sql`
          INSERT INTO mail (kind, recipient, language, created_at, due_at, expires_at)
          SELECT 'exists', 'waiting' || n, 'en', now(), 'infinity', 'infinity' FROM generate_series(1, ${maxAskedFor}::integer) n`
        for (const to of [email, newEmail()]) {
          assert.strictEqual(yield* tagOf(askReset(to)), "ServiceUnavailable")
          assert.strictEqual(yield* tagOf(askSignUp(to)), "ServiceUnavailable")
        }
        yield* sql`DELETE FROM mail WHERE due_at = 'infinity'`
      })
    )
  })

  it.effect("D86 mails that cannot be sent use up no mails of their address", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const change = yield* EmailChange
      const { email } = yield* owner
      const { session } = yield* signIn(email)
      const [to, address] = [newEmail(), newAddress()]
      const password = Redacted.make(right)
      yield* sql`
        INSERT INTO mail (kind, recipient, language, created_at, due_at, expires_at)
        SELECT 'exists', 'waiting' || n, 'en', now(), 'infinity', 'infinity' FROM generate_series(1, ${Outbox.maxAskedFor}::integer) n`
      for (const ask of [
        tagOf(askReset(to, address)),
        tagOf(askSignUp(to, { address })),
        tagOf(change.ask({ session, password, email: to, address }))
      ]) {
        for (let tried = 0; tried < 8; tried++) assert.strictEqual(yield* ask, "ServiceUnavailable")
      }
      yield* sql`DELETE FROM mail WHERE due_at = 'infinity'`
      assert.strictEqual(yield* tagOf(askReset(to, address)), "done")
      assert.strictEqual(yield* tagOf(askSignUp(to, { address })), "done")
      assert.strictEqual(yield* tagOf(change.ask({ session, password, email: to, address })), "done")
    })
  )

  describe("D87 a password reset", () => {
    it.effect("of an unknown address takes the same work and sends nothing", () =>
      Effect.gen(function* () {
        const { email } = yield* owner
        const unknown = newEmail()
        const known = yield* recorded(askReset(email))
        assert.deepStrictEqual((yield* recorded(askReset(unknown))).statements, known.statements)
        assert.deepInclude(yield* lastTo(email), { kind: "reset", to: email, language: "de" })
        assert.isEmpty(yield* lettersTo(unknown))
      })
    )

    it.effect("sets the password, ends every session and link, tells the owner, and signs nobody in", () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const change = yield* EmailChange
        const { email, id } = yield* owner
        const { secret, session } = yield* signIn(email)
        yield* signIn(email)
        const other = newEmail()
        yield* change.ask({
          session,
          password: Redacted.make(right),
          email: other,
          address: newAddress()
        })
        yield* askReset(email)
        const before = (yield* letters).length
        yield* setPassword(email)
        assert.lengthOf(yield* letters, before + 1)
        assert.isEmpty(yield* sessions.list(id))
        assert.strictEqual((yield* sessions.current(secret))._tag, "None")
        assert.strictEqual(yield* tagOf(change.read(session, yield* tokenTo(other))), "LinkOver")
        assert.strictEqual(yield* tagOf(signIn(email)), "SignInRejected")
        assert.strictEqual((yield* signIn(email, next)).session.accountId, id)
        assert.deepStrictEqual(yield* lastTo(email), { kind: "passwordSet", to: email, language: "de" })
      })
    )

    it.effect("does not get around a second step", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const sessions = yield* Sessions
        const { email, id } = yield* owner
        yield* sql`UPDATE account SET second_step = true WHERE id = ${id}`
        yield* askReset(email)
        yield* setPassword(email)
        assert.strictEqual(yield* tagOf(signIn(email, next)), "SecondStepNeeded")
        assert.isEmpty(yield* sessions.list(id))
      })
    )

    it.effect("with a weak password uses nothing, with a good one the link", () =>
      Effect.gen(function* () {
        const { email } = yield* owner
        yield* askReset(email)
        const secret = yield* tokenTo(email)
        const reset = yield* PasswordReset
        const set = (password: string) =>
          tagOf(reset.set({ secret, next: Redacted.make(password), device: unknownDevice }))
        const before = (yield* letters).length
        assert.strictEqual(yield* set("short"), "PasswordRefused")
        assert.strictEqual(yield* set(email), "PasswordRefused")
        assert.strictEqual(yield* set("football2026!"), "PasswordRefused")
        assert.lengthOf(yield* letters, before, "nobody is told of what did not happen")
        assert.strictEqual(yield* set(next), "done")
        assert.strictEqual(yield* set("eleven gray herons"), "LinkOver")
        assert.strictEqual(yield* tagOf(signIn(email, next)), "done")
      })
    )

    it.effect(
      "hashes a bounded number of passwords with one link, at once or for who gives up, whoever else tries",
      () =>
        Effect.gen(function* () {
          const { email } = yield* owner
          // Somebody else has used up the attempts to sign in to the account from the network.
          const service = yield* SignIn
          const wrong = service.signIn({ email, password: Redacted.make("wrong"), address: "192.0.2.7" })
          for (let tried = 0; tried < 10; tried++) assert.strictEqual(yield* tagOf(wrong), "SignInRejected")
          assert.strictEqual(yield* tagOf(wrong), "TooManyAttempts")
          yield* askReset(email)
          const secret = yield* tokenTo(email)
          const reset = yield* PasswordReset
          const set = tagOf(reset.set({ secret, next: Redacted.make(next), device: unknownDevice }))
          const clock = yield* SetClock
          work.hashed = 0
          yield* work.may.close
          const given = yield* Effect.forkChild(
            Effect.all(
              Array.from({ length: 10 }, () => set),
              { concurrency: 10 }
            )
          )
          yield* Effect.repeat(Effect.yieldNow, { until: () => work.hashed === 10 })
          assert.strictEqual(yield* set, "TooManyAttempts")
          yield* Fiber.interrupt(given)
          assert.strictEqual(yield* set, "TooManyAttempts")
          assert.strictEqual(work.hashed, 10)
          yield* work.may.open
          yield* clock.advance(minute)
          assert.strictEqual(yield* set, "done")
        })
    )

    it.effect("ends with a new password that is set otherwise, by the owner or the command line", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const passwordChange = yield* PasswordChange
        const reset = yield* PasswordReset
        const { email } = yield* owner
        yield* askReset(email)
        const first = yield* tokenTo(email)
        const { session } = yield* signIn(email)
        yield* passwordChange.change({ session, current: Redacted.make(right), next: Redacted.make(next) })
        assert.strictEqual(yield* tagOf(reset.read(first)), "LinkOver")
        yield* askReset(email)
        const second = yield* tokenTo(email)
        yield* accounts.resetPassword(email, Redacted.make("eleven gray herons"))
        assert.strictEqual(yield* tagOf(reset.read(second)), "LinkOver")
      })
    )
  })

  it.effect("D87 a reset link that was made while the address changed, or the account closed, sets nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reset = yield* PasswordReset
      const set = (secret: Redacted.Redacted) =>
        tagOf(reset.set({ secret, next: Redacted.make(next), device: unknownDevice }))
      const moved = yield* owner
      yield* askReset(moved.email)
      const ofMoved = yield* tokenTo(moved.email)
      // As the change does, before the link was there for it to end.
      const to = newEmail()
      yield* sql`UPDATE account SET email = ${to} WHERE id = ${moved.id}`
      assert.strictEqual(yield* set(ofMoved), "LinkOver")
      assert.strictEqual((yield* signIn(to)).session.accountId, moved.id)
      const closed = yield* owner
      yield* askReset(closed.email)
      const ofClosed = yield* tokenTo(closed.email)
      yield* sql`
        UPDATE account SET email = 'closed account ' || id, password_hash = NULL, closed_at = now() WHERE id = ${closed.id}`
      assert.strictEqual(yield* set(ofClosed), "LinkOver")
    })
  )

  it.effect("a change of address, a reset and a closing are made with their mail or not at all", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const change = yield* EmailChange
      const reset = yield* PasswordReset
      const closing = yield* AccountClosing
      const { email, id } = yield* owner
      const { session } = yield* signIn(email)
      const [to, password] = [newEmail(), Redacted.make(right)]
      yield* change.ask({ session, password, email: to, address: newAddress() })
      const secret = yield* tokenTo(to)
      yield* askReset(email)
      const forgotten = yield* tokenTo(email)
      const state = sql`
        SELECT to_jsonb(a)::text AS account, (SELECT count(*) FROM session WHERE account_id = a.id) AS sessions,
          (SELECT count(*) FROM account_link WHERE account_id = a.id) AS links
        FROM account a WHERE id = ${id}`
      const before = yield* state
      // No mail can be written.
      yield* sql`ALTER TABLE mail ADD CONSTRAINT none CHECK (false) NOT VALID`
      for (const outcome of [
        tagOf(change.confirm({ session, secret })),
        tagOf(reset.set({ secret: forgotten, next: Redacted.make(next), device: unknownDevice })),
        tagOf(closing.close({ session, password })),
        tagOf(askReset(email)),
        tagOf(askSignUp(newEmail())),
        tagOf(change.ask({ session, password, email: newEmail(), address: newAddress() }))
      ]) {
        assert.strictEqual(yield* outcome, "ServiceUnavailable")
        assert.deepStrictEqual(yield* state, before)
      }
      yield* sql`ALTER TABLE mail DROP CONSTRAINT none`
      assert.strictEqual(yield* tagOf(change.confirm({ session, secret })), "done")
    })
  )

  it.effect("D85 the account shows when its password and its address were changed, and by whom", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* Accounts
      const passwordChange = yield* PasswordChange
      const change = yield* EmailChange
      const { email, id } = yield* owner
      const password = Redacted.make("eleven gray herons")
      const first = yield* signIn(email)
      const { session } = yield* passwordChange.change({
        session: { ...first.session, device: { browser: "Firefox", system: "Linux" } },
        current: Redacted.make(right),
        next: password
      })
      const to = newEmail()
      yield* change.ask({ session, password, email: to, address: newAddress() })
      yield* change.confirm({ session, secret: yield* tokenTo(to) })
      yield* askReset(to)
      yield* setPassword(to)
      yield* accounts.resetPassword(to, password)
      const shown = yield* SignInChanges.list(id).pipe(Effect.provideService(SqlClient.SqlClient, sql))
      assert.deepStrictEqual(
        shown.map(({ device, what }) => `${what} ${device.browser}`),
        ["password_reset null", "password_set null", "address_changed Firefox", "password_changed Firefox"]
      )
    })
  )

  describe("a link that is used while its account is changed", () => {
    /** The account as a change of its password has it, before that ends the links. */
    const used = Effect.fnUntraced(function* (
      id: AccountId,
      use: Effect.Effect<string, never, PasswordReset | EmailChange>
    ) {
      const lock = yield* Access.hold(
        (sql) => sql`UPDATE account SET second_step = second_step WHERE id = ${id}`,
        "",
        (sql) => sql`DELETE FROM account_link WHERE account_id = ${id}`
      )
      const using = yield* Effect.forkChild(use)
      yield* lock.waiting(1)
      yield* lock.release
      return yield* Fiber.join(using)
    }, Effect.scoped)

    it.effect("waits for the change and is over: neither waits for the other", () =>
      Effect.gen(function* () {
        const change = yield* EmailChange
        const { email, id } = yield* owner
        yield* askReset(email)
        const secret = yield* tokenTo(email)
        const reset = Effect.flatMap(PasswordReset, (service) =>
          service.set({ secret, next: Redacted.make(next), device: unknownDevice })
        )
        assert.strictEqual(yield* used(id, tagOf(reset)), "LinkOver")
        const { session } = yield* signIn(email)
        const to = newEmail()
        yield* change.ask({ session, password: Redacted.make(right), email: to, address: newAddress() })
        assert.strictEqual(yield* used(id, tagOf(change.confirm({ session, secret: yield* tokenTo(to) }))), "LinkOver")
        assert.strictEqual((yield* signIn(email)).session.accountId, id)
      })
    )
  })

  it.effect("D80 a request whose session ended while it was under way changes no address and closes nothing", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const change = yield* EmailChange
      const closing = yield* AccountClosing
      const { email, id } = yield* owner
      const { session } = yield* signIn(email)
      const [to, password] = [newEmail(), Redacted.make(right)]
      yield* change.ask({ session, password, email: to, address: newAddress() })
      yield* sessions.end(id, session.id)
      assert.strictEqual(yield* tagOf(change.confirm({ session, secret: yield* tokenTo(to) })), "LinkOver")
      assert.strictEqual(yield* tagOf(closing.close({ session, password })), "SignInRejected")
      assert.strictEqual((yield* signIn(email)).session.accountId, id)
    })
  )

  describe("D88 a change of e-mail address", () => {
    const asked = Effect.fnUntraced(function* (to: string) {
      const { email, id } = yield* owner
      const { session } = yield* signIn(email)
      const change = yield* EmailChange
      const ask = (password = right, address = to) =>
        change.ask({
          session,
          password: Redacted.make(password),
          email: address,
          address: newAddress()
        })
      yield* ask()
      return { email, id, session, change, ask }
    })

    it.effect("takes effect with the link, tells the old address, and ends links that went there", () =>
      Effect.gen(function* () {
        const to = newEmail()
        const { change, email, id, session } = yield* asked(to)
        yield* askReset(email)
        const reset = yield* tokenTo(email)
        assert.strictEqual((yield* signIn(email)).session.email, email)
        assert.deepStrictEqual(yield* change.read(session, yield* tokenTo(to)), { email: to })
        const before = (yield* letters).length
        yield* change.confirm({ session, secret: yield* tokenTo(to) })
        assert.lengthOf(yield* letters, before + 1)
        assert.strictEqual((yield* signIn(to)).session.accountId, id)
        assert.strictEqual(yield* tagOf(signIn(email)), "SignInRejected")
        assert.deepInclude(yield* lastTo(email), { kind: "addressChanged" })
        assert.strictEqual(yield* tagOf(Effect.flatMap(PasswordReset, (service) => service.read(reset))), "LinkOver")
        // Its former address is free.
        yield* askSignUp(email)
        assert.strictEqual((yield* lastTo(email))?.kind, "confirm")
      })
    )

    it.effect("to an address with an account takes the same work, changes nothing, and tells its owner", () =>
      Effect.gen(function* () {
        const { email: taken } = yield* owner
        const { ask } = yield* asked(newEmail())
        const free = newEmail()
        const { statements } = yield* recorded(ask(right, free))
        assert.strictEqual((yield* lastTo(free))?.kind, "newAddress")
        assert.deepStrictEqual((yield* recorded(ask(right, taken))).statements, statements)
        assert.deepInclude(yield* lastTo(taken), { kind: "addressTaken" })
      })
    )

    it.effect("to an address with an account tells it as the account has it, however it was typed", () =>
      Effect.gen(function* () {
        const { email: taken } = yield* owner
        const { ask } = yield* asked(newEmail())
        const typed = taken.toUpperCase()
        yield* ask(right, typed)
        assert.deepInclude(yield* lastTo(taken), { kind: "addressTaken", to: taken })
        assert.isEmpty(yield* lettersTo(typed))
      })
    )

    it.effect("to any address, free or taken, ends the link of the one before", () =>
      Effect.gen(function* () {
        const { email: taken } = yield* owner
        for (const second of [taken, taken.toUpperCase(), newEmail()]) {
          const first = newEmail()
          const { ask, change, session } = yield* asked(first)
          const secret = yield* tokenTo(first)
          assert.strictEqual(yield* tagOf(change.read(session, secret)), "done")
          yield* ask(right, second)
          assert.strictEqual(yield* tagOf(change.read(session, secret)), "LinkOver", second)
          assert.strictEqual(yield* tagOf(change.confirm({ session, secret })), "LinkOver", second)
        }
      })
    )

    it.effect("to an address that got an account meanwhile does nothing", () =>
      Effect.gen(function* () {
        const to = newEmail()
        const { change, email, session } = yield* asked(to)
        yield* askSignUp(to)
        yield* Effect.flatMap(Accounts, (accounts) =>
          accounts.create({ email: to, plan: "starter", status: "active", password: Redacted.make(right) })
        )
        const link = (yield* lettersTo(to)).find(({ kind }) => kind === "newAddress")?.link
        const secret = tokenOf(link)
        assert.strictEqual(yield* tagOf(change.confirm({ session, secret })), "LinkOver")
        assert.strictEqual((yield* signIn(email)).session.email, email)
      })
    )

    it.effect("needs the password, and its link works for its own account only", () =>
      Effect.gen(function* () {
        const to = newEmail()
        const { ask, change } = yield* asked(to)
        assert.strictEqual(yield* tagOf(ask("wrong", newEmail())), "SignInRejected")
        const other = yield* owner
        const { session } = yield* signIn(other.email)
        assert.strictEqual(yield* tagOf(change.read(session, yield* tokenTo(to))), "LinkOver")
        assert.strictEqual(yield* tagOf(change.confirm({ session, secret: yield* tokenTo(to) })), "LinkOver")
      })
    )
  })

  describe("D89 closing", () => {
    const close = Effect.fnUntraced(function* (email: string, password = right) {
      const closing = yield* AccountClosing
      const { session } = yield* signIn(email)
      return yield* closing.close({ session, password: Redacted.make(password) })
    })

    /** Tables whose rows stay. */
    const kept = new Set(["account_change", "credit_day", "credit_entry", "credit_period"])

    /** Tables with rows of the account, by their number. */
    const rowsOf = Effect.fnUntraced(function* (id: AccountId) {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ readonly name: string }>`
        SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'account_id' ORDER BY 1`
      const counted = yield* Effect.forEach(tables, ({ name }) =>
        Effect.map(
          sql<{ readonly count: number }>`SELECT count(*)::integer AS count FROM ${sql(name)} WHERE account_id = ${id}`,
          ([row]) => [name, row?.count ?? 0] as const
        )
      )
      return Object.fromEntries(counted)
    })

    /** Something of the account in every table that has any. */
    const belongings = Effect.fnUntraced(function* (id: AccountId) {
      const sql = yield* SqlClient.SqlClient
      const now = new Date(start)
      const hash = sql`sha256(${`of ${id}`}::bytea)`
      yield* sql`INSERT INTO known_browser VALUES (${id}, ${hash}, ${now})`
      yield* sql`INSERT INTO billing_customer (account_id, customer_id, checked_at) VALUES (${id}, ${`cus_${id}`}, ${now})`
      yield* sql`INSERT INTO page_view VALUES (${id}, '2026-03-10', 3)`
      yield* sql`INSERT INTO saved_search (account_id, subject, query, name, viewed_at, mark)
        VALUES (${id}, 'ads', 'query=lamp', 'Ada Lovelace', ${now}, 0)`
      yield* sql`WITH made AS (INSERT INTO board (account_id, name, used_at) VALUES (${id}, 'Ada Lovelace', ${now}) RETURNING id)
        INSERT INTO kept_item (board_id, kind, item_id, note, kept_at) SELECT id, 'ad', 1, 'Ada Lovelace', ${now} FROM made`
      yield* sql`INSERT INTO alert VALUES (${id}, 'en', ${now})`
      yield* sql`INSERT INTO alert_link VALUES (${hash}, ${id}, ${now})`
      yield* sql`INSERT INTO webhook (account_id, url, secret, language, change, due_at)
        VALUES (${id}, 'https://a.test', ${hash}, 'en', 0, ${now})`
      yield* sql`INSERT INTO notice_day VALUES (${id}, '2026-03-10', 'alert', 'sent', 1)`
      yield* sql`INSERT INTO mail (kind, recipient, language, account_id, content, created_at, due_at, expires_at)
        VALUES ('alerts', 'ada@discovery.test', 'en', ${id}, '{"searches": [{"name": "Ada Lovelace"}]}', ${now}, '2027-01-01', '2027-01-02')`
      yield* sql`INSERT INTO recent_search VALUES (${id}, '[{"query": "Ada Lovelace"}]')`
      yield* sql`INSERT INTO idempotency_key (account_id, key, fingerprint, request_id, created_at)
        VALUES (${id}, 'Ada Lovelace', 'x', ${`request ${id}`}, ${now})`
      yield* sql`INSERT INTO oauth_grant (account_id, client_id, client_name, resource, approved_at, connected_at,
        usable_until, ends_at) VALUES (${id}, 'https://app.example/x', 'Ada Lovelace', 'https://discovery.test/mcp', ${now},
        ${now}, '2027-01-01', '2027-01-01')`
      yield* sql`INSERT INTO oauth_access_token SELECT ${hash}, id, account_id, resource, '2027-01-01' FROM oauth_grant
        WHERE account_id = ${id}`
      yield* sql`INSERT INTO oauth_ended_grant (id, account_id, client_id, client_name, approved_at, connected_at, ended_at,
        reason) VALUES (${100_000 + id}, ${id}, 'x', 'Ada Lovelace', ${now}, ${now}, ${now}, 'account')`
      yield* sql`INSERT INTO activity (account_id, at, tool, credential_kind, credential_id, outcome, credits, duration_ms,
        request_id) SELECT ${id}, ${now}, 'search_ads', 'api_key', 1, 'ok', 1, 12, 'request ' || n
        FROM generate_series(1, 2500) n`
      yield* sql`INSERT INTO activity_day SELECT ${id}, '2026-01-01'::date + n, 'search_ads', 'ok', 'api_key', 1, 1
        FROM generate_series(1, 40) n`
    })

    it.effect("ends sessions, keys and connections for every server at once, and keeps the ledger", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { connection } = yield* TestDatabase
        const clock = yield* SetClock
        const { email, id } = yield* owner
        const keys = yield* ApiKeys
        const { secret } = yield* keys.create(id, "Ada Lovelace")
        yield* belongings(id)
        const { secret: cookie } = yield* signIn(email)
        const replica = yield* Layer.build(
          Layer.fresh(Layer.mergeAll(CredentialResolver.layer, Sessions.layer)).pipe(
            Layer.provide([
              Layer.fresh(Database.layer({ source: connection, maxConnections: 5 })),
              AppConfig.layerOf({ mcpUrl: "https://discovery.test/mcp" }),
              NodeCrypto.layer
            ])
          )
        )
        const resolver = Context.get(replica, CredentialResolver)
        const replicaSessions = Context.get(replica, Sessions)
        assert.strictEqual((yield* resolver.resolve(secret)).accountId, id)
        assert.strictEqual((yield* replicaSessions.current(cookie))._tag, "Some")
        const ledger = sql`SELECT to_jsonb(e)::text AS row FROM credit_entry e WHERE account_id = ${id} ORDER BY id`
        const before = yield* ledger

        yield* close(email)
        assert.strictEqual(yield* tagOf(resolver.resolve(secret)), "CredentialRejected")
        assert.strictEqual((yield* replicaSessions.current(cookie))._tag, "None")
        assert.deepStrictEqual(yield* ledger, before)
        assert.isNotEmpty(before)
        assert.isEmpty(yield* Access.disagreements)
        assert.deepInclude(yield* lastTo(email), { kind: "closed" })

        // What is left is the ledger, the record of changes and, until it is removed in steps, the activity.
        const left = Object.entries(yield* rowsOf(id)).flatMap(([name, count]) => (count > 0 ? [name] : []))
        assert.isEmpty(left.filter((name) => !kept.has(name) && !name.startsWith("activity")))
        const closed = ClosedAccounts
        assert.strictEqual(yield* closed.remove, 0)
        // Written by a call that was under way.
        yield* sql`INSERT INTO recent_search VALUES (${id}, '[{"query": "Ada Lovelace"}]')`
        yield* clock.advance(10 * minute)
        assert.strictEqual(yield* closed.remove, 1)
        const after = Object.entries(yield* rowsOf(id)).flatMap(([name, count]) => (count > 0 ? [name] : []))
        assert.isEmpty(after.filter((name) => !kept.has(name)))
        assert.strictEqual(yield* closed.remove, 0)
        const [account] = yield* sql`SELECT to_jsonb(a)::text AS row FROM account a WHERE id = ${id}`
        assert.notInclude(JSON.stringify(account), email.split("@", 1).join())
      })
    )

    it.effect("removes the rows of every table that refers to accounts, but of those that are named here", () =>
      Effect.gen(function* () {
        const { id } = yield* owner
        // A table that is new belongs to one of both, and to the list in AccountClosing.
        const removed = new Set([
          "account_link",
          "activity",
          "activity_day",
          "alert",
          "alert_link",
          "api_key",
          "board",
          "billing_customer",
          "idempotency_key",
          "enrollment_code",
          "known_browser",
          "mail",
          "notice_day",
          "oauth_access_token",
          "oauth_ended_grant",
          "oauth_grant",
          "page_view",
          "passkey",
          "pending_sign_in",
          "recent_search",
          "recovery_code",
          "saved_search",
          "session",
          "sign_in_change",
          "tracked_shop",
          "webhook"
        ])
        assert.deepStrictEqual(
          Object.keys(yield* rowsOf(id)).filter((name) => !kept.has(name) && !removed.has(name)),
          []
        )
      })
    )

    it.effect("needs the password; then nobody signs in, and the address can sign up again", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { email, id } = yield* owner
        assert.strictEqual(yield* tagOf(close(email, "wrong")), "SignInRejected")
        yield* accounts.setRole(email, "operator")
        yield* askReset(email)
        const reset = yield* tokenTo(email)
        yield* close(email)
        for (const as of [email, `closed account ${id}`]) {
          assert.strictEqual(yield* tagOf(signIn(as)), "SignInRejected")
          assert.strictEqual(yield* tagOf(accounts.setStatus(as, "active")), "AccountNotFound")
          assert.strictEqual(yield* tagOf(accounts.resetPassword(as, Redacted.make(next))), "AccountNotFound")
        }
        assert.strictEqual(yield* tagOf(accounts.setPlan(id, "pro")), "AccountNotFound")
        assert.strictEqual(yield* tagOf(Effect.flatMap(PasswordReset, (service) => service.read(reset))), "LinkOver")
        yield* askSignUp(email, { password: next })
        yield* confirm(email)
        assert.notStrictEqual((yield* signIn(email, next)).session.accountId, id)
      })
    )

    it.effect("records the status and the role that end, not those when its request began", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const accounts = yield* Accounts
        const closing = yield* AccountClosing
        const { email, id } = yield* owner
        const { session } = yield* signIn(email)
        yield* accounts.setRole(email, "operator")
        yield* accounts.setStatus(email, "unpaid")
        yield* closing.close({ session, password: Redacted.make(right) })
        const recorded = yield* sql`
          SELECT what, value_before AS before, value_after AS after FROM account_change
          WHERE account_id = ${id} AND actor_id = ${id} ORDER BY id`
        assert.deepStrictEqual(recorded, [
          { what: "status", before: "unpaid", after: "canceled" },
          { what: "role", before: "operator", after: "customer" }
        ])
      })
    )

    it.effect("waits for a change of the account, and records the status that this gives it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { email, id } = yield* owner
        const closing = yield* AccountClosing
        const { session } = yield* signIn(email)
        const change = yield* Access.hold((other) => other`UPDATE account SET status = 'unpaid' WHERE id = ${id}`)
        yield* Access.afterWaiting(change, closing.close({ session, password: Redacted.make(right) }))
        assert.deepStrictEqual(
          yield* sql`SELECT value_before AS before FROM account_change WHERE account_id = ${id} AND what = 'status'`,
          [{ before: "unpaid" }]
        )
      })
    )

    it.effect("of an account that is open removes no activity", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* owner
        const error = yield* Effect.flip(sql`SELECT remove_activity_of(${id}, 10)`)
        assert.strictEqual(error._tag, "SqlError")
      })
    )
  })
})
