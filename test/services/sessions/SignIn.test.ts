import { assert, describe, layer } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Fiber, Layer, Logger, Option, Redacted } from "effect"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { SqlClient } from "effect/sql"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { maxAgeMillis, maxPerAccount } from "../../../src/services/sessions/KnownBrowsers.ts"
import { PasswordChange } from "../../../src/services/accounts/PasswordChange.ts"
import { Passwords, PasswordsBusy } from "../../../src/services/sessions/Passwords.ts"
import { Sessions } from "../../../src/services/sessions/Sessions.ts"
import { SignIn } from "../../../src/services/sessions/SignIn.ts"
import * as Database from "../../../src/services/database/Database.ts"
import * as LogLines from "../../../src/services/LogLines.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { recorded } from "../../support/Statements.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const minute = 60_000
const right = "nine green whales"
const wrong = "nine green wales"

/** Passwords without hashing, which record their calls. */
const asked: Array<string> = []
const work = { isBusy: false }
const passwords = Layer.succeed(Passwords, {
  hash: (password) => Effect.succeed(`$argon2id$${Redacted.value(password)}`),
  verify: (password, stored) =>
    Effect.suspend(() => {
      if (work.isBusy) return Effect.fail(new PasswordsBusy({ message: "busy", retryAfterSeconds: 5 }))
      asked.push(stored)
      return Effect.succeed(stored === `$argon2id$${Redacted.value(password)}`)
    }),
  generate: Effect.succeed(Redacted.make("nobody's"))
})

const signIn = PasswordChange.layer.pipe(
  Layer.provideMerge(SignIn.layer),
  Layer.provideMerge(Sessions.layer),
  Layer.provide(NodeCrypto.layer)
)

const Services = Layer.merge(Access.layerUnhashed, Layer.provide(signIn, passwords)).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

let owners = 0
let networks = 0

layer(Services, { excludeTestServices: true })("SignIn", (it) => {
  /** An address of a network that nobody else has. */
  const newAddress = () => `2001:db8:${(++networks).toString(16)}::1`

  const owner = Effect.gen(function* () {
    const clock = yield* SetClock
    yield* clock.set(start)
    const email = `owner${++owners}@discovery.test`
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const { id } = yield* accounts.create({ email, plan: "growth", status: "active", password: Redacted.make(right) })
    // The accounts of this test are made without hashing.
    yield* sql`UPDATE account SET password_hash = ${`$argon2id$${right}`} WHERE id = ${id}`
    const server = yield* SignIn
    const attempt = (password: string, address: string, as = email, browser?: Redacted.Redacted) =>
      server.signIn({ email: as, password: Redacted.make(password), address, browser })
    return { attempt, clock, email, id, server, sessions: yield* Sessions }
  })

  const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.match(effect, { onSuccess: () => "signed in", onFailure: (error) => error._tag })

  describe("a password", () => {
    it.effect("that is right starts a session, for the address in any case and with blanks around it", () =>
      Effect.gen(function* () {
        const { attempt, email, id } = yield* owner
        for (const as of [email, email.toUpperCase(), `  ${email}\n`]) {
          const { session } = yield* attempt(right, newAddress(), as)
          assert.strictEqual(session.accountId, id)
        }
      })
    )

    it.effect("R56 that is wrong, and an unknown address, give the same error for the same work", () =>
      Effect.gen(function* () {
        const { attempt, email, id } = yield* owner
        const sql = yield* SqlClient.SqlClient
        const seen = Effect.fnUntraced(function* (as: string, password: string) {
          asked.length = 0
          const { answer, statements } = yield* recorded(Effect.flip(attempt(password, newAddress(), as)))
          return { answer, statements, verified: asked.map((stored) => stored.split("$")[1]) }
        })
        const known = yield* seen(email, wrong)
        assert.strictEqual(known.answer._tag, "SignInRejected")
        assert.deepStrictEqual(known.verified, ["argon2id"])
        for (const as of ["nobody@discovery.test", "", "\u0000\ud800", "'; DROP TABLE account", "x".repeat(100_000)]) {
          assert.deepStrictEqual(yield* seen(as, right), known)
        }
        assert.deepStrictEqual(yield* seen("nobody@discovery.test", "nobody's"), known)
        yield* sql`UPDATE account SET password_hash = NULL WHERE id = ${id}`
        assert.deepStrictEqual(yield* seen(email, right), known)
        assert.deepStrictEqual(yield* seen(email, "nobody's"), known)
      })
    )
  })

  it.effect("R29 that needs a second step ends the previous session of the browser, too", () =>
    Effect.gen(function* () {
      const { attempt, email, id, server, sessions } = yield* owner
      const sql = yield* SqlClient.SqlClient
      const [previous, elsewhere] = [yield* attempt(right, newAddress()), yield* attempt(right, newAddress())]
      yield* sql`UPDATE account SET second_step = true WHERE id = ${id}`
      const again = (password: string) =>
        tagOf(server.signIn({ email, password: Redacted.make(password), address: newAddress() }, previous.secret))
      assert.strictEqual(yield* again(wrong), "SignInRejected")
      assert.isTrue(Option.isSome(yield* sessions.current(previous.secret)))
      assert.strictEqual(yield* again(right), "SecondStepNeeded")
      assert.isTrue(Option.isNone(yield* sessions.current(previous.secret)))
      assert.isTrue(Option.isSome(yield* sessions.current(elsewhere.secret)))
    })
  )

  it.effect("R56 that was not checked, because its account could not be read, counts as no attempt", () =>
    Effect.gen(function* () {
      const { attempt } = yield* owner
      const sql = yield* SqlClient.SqlClient
      const address = newAddress()
      yield* sql`ALTER TABLE account RENAME COLUMN password_hash TO unreadable`
      const tags = yield* Effect.forEach(Array.from({ length: 12 }), () => tagOf(attempt(right, address))).pipe(
        Effect.ensuring(Effect.orDie(sql`ALTER TABLE account RENAME COLUMN unreadable TO password_hash`))
      )
      assert.deepStrictEqual(new Set(tags), new Set(["ServiceUnavailable"]))
      assert.strictEqual(yield* tagOf(attempt(right, address)), "signed in")
    })
  )

  it.effect("is logged with its account, right or wrong, and without the address", () =>
    Effect.gen(function* () {
      const { attempt, email, id } = yield* owner
      const lines: Array<string> = []
      const logged = Effect.provide(Logger.layer([Logger.map(LogLines.json, (line) => void lines.push(line))]))
      yield* logged(tagOf(attempt(right, newAddress())))
      yield* logged(tagOf(attempt(wrong, newAddress())))
      yield* logged(tagOf(attempt(wrong, newAddress(), "nobody@discovery.test")))
      assert.deepStrictEqual(
        lines.map((line) => {
          const { account_id, message } = JSON.parse(line)
          return [message, account_id]
        }),
        [
          ["A password was right", id],
          ["A password was wrong", id],
          ["A password was wrong", null]
        ]
      )
      for (const line of lines) for (const said of [email, "nobody", right, wrong]) assert.notInclude(line, said)
    })
  )

  describe("R56 attempts", () => {
    it.effect("on one account from one network: 10 in a row, then one a minute, and the answer says when", () =>
      Effect.gen(function* () {
        const { attempt, clock } = yield* owner
        const address = newAddress()
        for (let tried = 0; tried < 10; tried++) {
          assert.strictEqual(yield* tagOf(attempt(wrong, address)), "SignInRejected")
        }
        const error = yield* Effect.flip(attempt(right, address))
        assert.deepInclude(error, {
          _tag: "TooManyAttempts",
          retryAfterSeconds: 60,
          message: "Too many attempts with a password. Try again in a minute."
        })
        yield* clock.advance(minute - 1)
        assert.strictEqual(yield* tagOf(attempt(right, address)), "TooManyAttempts")
        yield* clock.advance(1)
        assert.strictEqual(yield* tagOf(attempt(wrong, address)), "SignInRejected")
        assert.strictEqual(yield* tagOf(attempt(right, address)), "TooManyAttempts")
        yield* clock.advance(10 * minute)
        assert.strictEqual(yield* tagOf(attempt(right, address)), "signed in")
      })
    )

    it.effect("that were refused do not keep the owner out for longer", () =>
      Effect.gen(function* () {
        const { attempt, clock } = yield* owner
        const address = newAddress()
        for (let tried = 0; tried < 60; tried++) yield* tagOf(attempt(wrong, address))
        // Ten of them were attempts of this network, which has 30.
        assert.strictEqual(yield* tagOf(attempt(wrong, address, "other@discovery.test")), "SignInRejected")
        yield* clock.advance(minute)
        assert.strictEqual(yield* tagOf(attempt(right, address)), "signed in")
      })
    )

    it.effect("lock out nobody when the clock is set back, and are still limited", () =>
      Effect.gen(function* () {
        const { attempt, clock } = yield* owner
        const address = newAddress()
        assert.strictEqual(yield* tagOf(attempt(right, address)), "signed in")
        yield* clock.advance(-360 * minute)
        assert.strictEqual(yield* tagOf(attempt(right, address)), "signed in")
        for (let tried = 0; tried < 10; tried++) yield* tagOf(attempt(wrong, address))
        yield* clock.advance(-360 * minute)
        const tags = [yield* tagOf(attempt(wrong, address)), yield* tagOf(attempt(right, address))]
        assert.deepStrictEqual(tags, ["SignInRejected", "TooManyAttempts"])
        yield* clock.advance(minute)
        assert.strictEqual(yield* tagOf(attempt(right, address)), "signed in")
      })
    )

    it.effect("are counted alike for addresses without an account, and in any case", () =>
      Effect.gen(function* () {
        const { attempt } = yield* owner
        const address = newAddress()
        const unknown = `nobody${owners}@discovery.test`
        for (let tried = 0; tried < 10; tried++) {
          yield* tagOf(attempt(wrong, address, tried % 2 === 0 ? unknown : unknown.toUpperCase()))
        }
        assert.strictEqual(yield* tagOf(attempt(wrong, address, unknown)), "TooManyAttempts")
      })
    )

    it.effect("from one network: 30 in a row, over all accounts", () =>
      Effect.gen(function* () {
        const { attempt } = yield* owner
        const network = newAddress()
        for (let tried = 0; tried < 30; tried++) {
          const tag = yield* tagOf(attempt(wrong, network, `other${tried}.${owners}@discovery.test`))
          assert.strictEqual(tag, "SignInRejected")
        }
        assert.strictEqual(yield* tagOf(attempt(right, network)), "TooManyAttempts")
        assert.strictEqual(yield* tagOf(attempt(right, newAddress())), "signed in")
      })
    )

    it.effect("on one account from anywhere: 100 in a row, so that a handful keeps no owner out", () =>
      Effect.gen(function* () {
        const { attempt } = yield* owner
        for (let tried = 0; tried < 100; tried++) {
          assert.strictEqual(yield* tagOf(attempt(wrong, newAddress())), "SignInRejected", `${tried}`)
        }
        assert.strictEqual(yield* tagOf(attempt(right, newAddress())), "TooManyAttempts")
      })
    )

    it.effect("with the right password do not count as wrong ones", () =>
      Effect.gen(function* () {
        const { attempt } = yield* owner
        const address = newAddress()
        for (let tried = 0; tried < 29; tried++) {
          assert.strictEqual(yield* tagOf(attempt(right, address)), "signed in", `${tried}`)
        }
        for (let tried = 0; tried < 10; tried++) {
          assert.strictEqual(yield* tagOf(attempt(wrong, address)), "SignInRejected", `${tried}`)
        }
        assert.strictEqual(yield* tagOf(attempt(right, address)), "TooManyAttempts")
      })
    )

    it.effect("with the right password, of one account: 30 in a row are checked, then one every 10 seconds", () =>
      Effect.gen(function* () {
        const { attempt, clock } = yield* owner
        asked.length = 0
        const tags = yield* Effect.forEach(
          Array.from({ length: 100 }),
          () => Effect.suspend(() => tagOf(attempt(right, newAddress()))),
          { concurrency: 10 }
        )
        assert.lengthOf(asked, 30)
        assert.lengthOf(
          tags.filter((tag) => tag === "signed in"),
          30
        )
        assert.deepInclude(yield* Effect.flip(attempt(right, newAddress())), {
          _tag: "TooManyAttempts",
          retryAfterSeconds: 10
        })
        yield* clock.advance(10_000)
        assert.strictEqual(yield* tagOf(attempt(right, newAddress())), "signed in")
        assert.strictEqual(yield* tagOf(attempt(right, newAddress())), "TooManyAttempts")
      })
    )

    it.effect("with the right password, from one network: 120 in a row, over all accounts", () =>
      Effect.gen(function* () {
        const network = newAddress()
        for (let account = 0; account < 4; account++) {
          const { attempt } = yield* owner
          for (let tried = 0; tried < 30; tried++) yield* attempt(right, network)
        }
        const { attempt } = yield* owner
        assert.strictEqual(yield* tagOf(attempt(right, network)), "TooManyAttempts")
        assert.strictEqual(yield* tagOf(attempt(right, newAddress())), "signed in")
      })
    )

    it.effect("that were not checked for lack of capacity do not count", () =>
      Effect.gen(function* () {
        const { attempt } = yield* owner
        const address = newAddress()
        work.isBusy = true
        for (let tried = 0; tried < 40; tried++) {
          assert.strictEqual(yield* tagOf(attempt(wrong, address)), "PasswordsBusy", `${tried}`)
        }
        work.isBusy = false
        for (let tried = 0; tried < 10; tried++) {
          assert.strictEqual(yield* tagOf(attempt(wrong, address)), "SignInRejected", `${tried}`)
        }
        assert.strictEqual(yield* tagOf(attempt(right, address)), "TooManyAttempts")
      }).pipe(Effect.ensuring(Effect.sync(() => void (work.isBusy = false))))
    )

    it.effect("go on though old counts cannot be deleted", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { attempt } = yield* owner
        yield* sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'`
        yield* sql`CREATE TRIGGER refused BEFORE DELETE ON sign_in_attempt FOR EACH STATEMENT EXECUTE FUNCTION refuse()`
        for (let tried = 0; tried < 12; tried++) {
          assert.strictEqual(yield* tagOf(attempt(right, newAddress())), "signed in", `${tried}`)
        }
        yield* sql`DROP TRIGGER refused ON sign_in_attempt`
      })
    )

    it.effect("from one IPv6 site: eight times those of one network, however many of them it uses", () =>
      Effect.gen(function* () {
        const { attempt, clock } = yield* owner
        const site = `2001:db9:${(++networks).toString(16)}`
        for (let tried = 0; tried < 80; tried++) {
          assert.strictEqual(yield* tagOf(attempt(wrong, `${site}:${tried}`)), "SignInRejected", `${tried}`)
        }
        assert.deepInclude(yield* Effect.flip(attempt(right, `${site}:ffff`)), {
          _tag: "TooManyAttempts",
          retryAfterSeconds: 8
        })
        for (let tried = 0; tried < 160; tried++) {
          const tag = yield* tagOf(attempt(wrong, `${site}:${tried}`, `other${tried}.${owners}@discovery.test`))
          assert.strictEqual(tag, "SignInRejected", `${tried}`)
        }
        assert.strictEqual(yield* tagOf(attempt(wrong, `${site}:ffff`, "another@discovery.test")), "TooManyAttempts")
        assert.strictEqual(yield* tagOf(attempt(right, newAddress())), "signed in")
        yield* clock.advance(7_500)
        assert.strictEqual(yield* tagOf(attempt(right, `${site}:ffff`)), "signed in")
      })
    )

    it.effect("at once on several servers get no further than one after another", () =>
      Effect.gen(function* () {
        const { attempt, email, server } = yield* owner
        const { connection } = yield* TestDatabase
        const replica = yield* Layer.build(
          Layer.fresh(signIn).pipe(
            Layer.provide([Layer.fresh(Database.layer({ source: connection, maxConnections: 5 })), passwords])
          )
        )
        const address = newAddress()
        const other = Context.get(replica, SignIn)
        assert.notStrictEqual(other, server)
        const tags = yield* Effect.forEach(
          Array.from({ length: 20 }).flatMap(() => [
            tagOf(attempt(wrong, address)),
            tagOf(other.signIn({ email, password: Redacted.make(wrong), address }))
          ]),
          (tried) => tried,
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          tags.filter((tag) => tag === "SignInRejected"),
          10
        )
        assert.lengthOf(
          tags.filter((tag) => tag === "TooManyAttempts"),
          30
        )
      })
    )

    it.effect("leave nothing behind once their time has come", () =>
      Effect.gen(function* () {
        const { attempt, clock } = yield* owner
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM sign_in_attempt`
        for (let tried = 0; tried < 5; tried++)
          yield* tagOf(attempt(wrong, newAddress(), `gone${tried}@discovery.test`))
        yield* clock.advance(24 * 60 * minute)
        for (let tried = 0; tried < 30; tried++) yield* tagOf(attempt(right, "203.0.113.1"))
        assert.isAtMost((yield* sql`SELECT FROM sign_in_attempt`).length, 5)
      })
    )

    it.effect("are stored without readable e-mail and IP addresses", () =>
      Effect.gen(function* () {
        const { attempt, email } = yield* owner
        const sql = yield* SqlClient.SqlClient
        yield* tagOf(attempt(wrong, "203.0.113.99"))
        const rows = yield* sql`SELECT encode(key, 'escape') AS key FROM sign_in_attempt`
        assert.notInclude(JSON.stringify(rows), email.slice(0, 5))
        assert.notInclude(JSON.stringify(rows), "203.0.113")
      })
    )
  })

  describe("R56 a browser in which the owner has signed in before", () => {
    /** As after 100 wrong passwords from anywhere: for this account, there is no attempt left for an hour. */
    const lockOut = Effect.fnUntraced(function* (email: string) {
      const sql = yield* SqlClient.SqlClient
      const until = new Date((yield* Clock.currentTimeMillis) + 3_600_000)
      yield* sql`
        INSERT INTO sign_in_attempt (key, empties_at)
        VALUES (sha256(convert_to(${`account ${email}`}::text, 'UTF8')), ${until})
        ON CONFLICT (key) DO UPDATE SET empties_at = excluded.empties_at`
    })

    it.effect("signs in despite attempts of others from anywhere, also from its own network", () =>
      Effect.gen(function* () {
        const { attempt, email } = yield* owner
        const address = newAddress()
        const first = yield* attempt(right, address)
        for (let tried = 0; tried < 100; tried++) yield* tagOf(attempt(wrong, newAddress()))
        for (let tried = 0; tried < 30; tried++) yield* tagOf(attempt(wrong, address, `other${tried}@discovery.test`))
        assert.strictEqual(yield* tagOf(attempt(right, address)), "TooManyAttempts")
        assert.strictEqual(yield* tagOf(attempt(right, newAddress())), "TooManyAttempts")
        const second = yield* attempt(right, address, `  ${email.toUpperCase()}`, first.browser)
        assert.strictEqual(yield* tagOf(attempt(right, newAddress(), email, second.browser)), "signed in")
      })
    )

    it.effect("may try 10 wrong passwords in a row, then one a minute", () =>
      Effect.gen(function* () {
        const { attempt, clock, email } = yield* owner
        const { browser } = yield* attempt(right, newAddress())
        for (let tried = 0; tried < 10; tried++) {
          assert.strictEqual(yield* tagOf(attempt(wrong, newAddress(), email, browser)), "SignInRejected")
        }
        assert.strictEqual(yield* tagOf(attempt(right, newAddress(), email, browser)), "TooManyAttempts")
        assert.strictEqual(yield* tagOf(attempt(right, newAddress())), "signed in")
        yield* clock.advance(minute)
        assert.strictEqual(yield* tagOf(attempt(right, newAddress(), email, browser)), "signed in")
      })
    )

    it.effect("is unknown to every other account, existing or not, with the same answers for the same work", () =>
      Effect.gen(function* () {
        const mine = yield* owner
        const theirs = yield* owner
        const { browser } = yield* mine.attempt(right, newAddress())
        const unknown = `nobody${owners}@discovery.test`
        const works = yield* Effect.forEach([theirs.email, unknown], (email) =>
          Effect.gen(function* () {
            const tried = tagOf(mine.attempt(wrong, newAddress(), email, browser))
            const seen = yield* recorded(Effect.all([tried, lockOut(email), tried]))
            assert.deepStrictEqual(seen.answer, ["SignInRejected", undefined, "TooManyAttempts"])
            return seen
          })
        )
        assert.deepStrictEqual(works[0], works[1])
      })
    )

    it.effect("is known by another secret after each sign-in, to all accounts that have signed in with it", () =>
      Effect.gen(function* () {
        const one = yield* owner
        const other = yield* owner
        const planted = Redacted.make("p".repeat(43))
        const first = yield* one.attempt(right, newAddress(), one.email, planted)
        const second = yield* other.attempt(right, newAddress(), other.email, first.browser)
        for (const who of [one, other]) yield* lockOut(who.email)
        for (const who of [one, other]) {
          for (const old of [planted, first.browser]) {
            assert.strictEqual(yield* tagOf(who.attempt(right, newAddress(), who.email, old)), "TooManyAttempts")
          }
        }
        const third = yield* one.attempt(right, newAddress(), one.email, second.browser)
        assert.strictEqual(yield* tagOf(other.attempt(right, newAddress(), other.email, third.browser)), "signed in")
      })
    )

    it.effect("is forgotten when 20 others have signed in since, or after 400 days", () =>
      Effect.gen(function* () {
        const { attempt, clock, email, id } = yield* owner
        const sql = yield* SqlClient.SqlClient
        const first = yield* attempt(right, newAddress())
        yield* clock.advance(1)
        const second = yield* attempt(right, newAddress())
        for (let n = 0; n < 19; n++) {
          yield* clock.advance(10_000)
          yield* attempt(right, newAddress())
        }
        assert.lengthOf(yield* sql`SELECT FROM known_browser WHERE account_id = ${id}`, maxPerAccount)
        yield* lockOut(email)
        assert.strictEqual(yield* tagOf(attempt(right, newAddress(), email, first.browser)), "TooManyAttempts")
        const third = yield* attempt(right, newAddress(), email, second.browser)
        yield* clock.advance(maxAgeMillis - 1)
        yield* lockOut(email)
        const fourth = yield* attempt(right, newAddress(), email, third.browser)
        yield* clock.advance(maxAgeMillis)
        yield* lockOut(email)
        assert.strictEqual(yield* tagOf(attempt(right, newAddress(), email, fourth.browser)), "TooManyAttempts")
        assert.notInclude(
          JSON.stringify(yield* sql`SELECT encode(hash, 'escape') FROM known_browser`),
          Redacted.value(fourth.browser)
        )
      })
    )
  })

  it.effect(
    "a session verifies the password of its account, also when another has got the address that it began with",
    () =>
      Effect.gen(function* () {
        const who = yield* owner
        const sql = yield* SqlClient.SqlClient
        const accounts = yield* Accounts
        const { session } = yield* who.attempt(right, newAddress())
        const email = `moved.${session.email}`
        yield* sql`UPDATE account SET email = ${email} WHERE id = ${who.id}`
        const { id } = yield* accounts.create({
          email: session.email,
          plan: "starter",
          status: "active",
          password: Redacted.make(right)
        })
        yield* sql`UPDATE account SET password_hash = ${"$argon2id$seven blue otters"} WHERE id = ${id}`
        const verify = (password: string) => who.server.verify({ session, password: Redacted.make(password) })
        assert.deepInclude(yield* verify(right), { accountId: who.id, email })
        assert.strictEqual((yield* Effect.flip(verify("seven blue otters")))._tag, "SignInRejected")
      })
  )

  describe("a change of the password", () => {
    const next = "seven blue otters"
    const change = Effect.fnUntraced(function* (
      who: { readonly attempt: (password: string, address: string) => ReturnType<SignIn["Service"]["signIn"]> },
      current: string,
      to = next
    ) {
      const { secret, session } = yield* who.attempt(right, newAddress())
      const passwordChange = yield* PasswordChange
      const changed = passwordChange.change({
        session,
        current: Redacted.make(current),
        next: Redacted.make(to)
      })
      return { secret, session, changed }
    })

    it.effect("ends every other session, and this one gets a new secret", () =>
      Effect.gen(function* () {
        const who = yield* owner
        const elsewhere = yield* who.attempt(right, newAddress())
        const { changed, secret } = yield* change(who, right)
        const renewed = yield* changed
        const isAlive = (each: Redacted.Redacted) => Effect.map(who.sessions.current(each), Option.isSome)
        assert.isFalse(yield* isAlive(elsewhere.secret))
        assert.isFalse(yield* isAlive(secret))
        assert.isTrue(yield* isAlive(renewed.secret))
        assert.strictEqual(renewed.session.accountId, who.id)
        assert.strictEqual(yield* tagOf(who.attempt(right, newAddress())), "SignInRejected")
        assert.strictEqual(yield* tagOf(who.attempt(next, newAddress())), "signed in")
      })
    )

    it.effect("R56 needs the current password, which may be tried 10 times in a row", () =>
      Effect.gen(function* () {
        const who = yield* owner
        const { changed, secret } = yield* change(who, wrong)
        const tags = yield* Effect.forEach(Array.from({ length: 11 }), () => tagOf(changed))
        assert.deepStrictEqual(tags, [...Array.from({ length: 10 }, () => "SignInRejected"), "TooManyAttempts"])
        assert.isTrue(Option.isSome(yield* who.sessions.current(secret)))
        assert.strictEqual(yield* tagOf(who.attempt(right, newAddress())), "signed in")
      })
    )

    it.effect("R56 is counted by the session alone: other clients do not lock the owner out", () =>
      Effect.gen(function* () {
        const who = yield* owner
        const [mine, other] = [yield* change(who, right), yield* change(who, wrong)]
        for (let tried = 0; tried < 100; tried++) yield* tagOf(who.attempt(wrong, newAddress()))
        for (let tried = 0; tried < 11; tried++) yield* tagOf(other.changed)
        assert.strictEqual(yield* tagOf(who.attempt(right, newAddress())), "TooManyAttempts")
        assert.strictEqual(yield* tagOf(other.changed), "TooManyAttempts")
        assert.strictEqual(yield* tagOf(mine.changed), "signed in")
      })
    )

    it.effect("refuses a new password that is too short, common, or holds the e-mail address", () =>
      Effect.gen(function* () {
        const who = yield* owner
        for (const to of ["short", "passwordpassword", `${who.email}!`, "x".repeat(300)]) {
          const { changed } = yield* change(who, right, to)
          assert.strictEqual(yield* tagOf(changed), "PasswordRefused", to)
        }
        assert.strictEqual(yield* tagOf(who.attempt(right, newAddress())), "signed in")
      })
    )

    it.effect("made twice at once happens once", () =>
      Effect.gen(function* () {
        const who = yield* owner
        const [one, other] = [yield* change(who, right), yield* change(who, right, "three red herons")]
        // Both know that the password is right before either changes it.
        const { release, waiting } = yield* Access.holdAccount(who.id)
        const both = yield* Effect.forkChild(
          Effect.all([Effect.exit(one.changed), Effect.exit(other.changed)], { concurrency: "unbounded" })
        )
        yield* waiting(2)
        yield* release
        const exits = yield* Fiber.join(both)
        assert.lengthOf(exits.filter(Exit.isSuccess), 1)
        assert.lengthOf(yield* who.sessions.list(who.id), 1)
      })
    )

    it.effect("leaves no session to a sign-in with the old password that was on its way", () =>
      Effect.gen(function* () {
        const who = yield* owner
        const verified = yield* who.server.verify({
          session: (yield* who.attempt(right, newAddress())).session,
          password: Redacted.make(right)
        })
        const { changed } = yield* change(who, right)
        yield* changed
        const late = yield* Effect.flip(who.sessions.start(verified))
        assert.strictEqual(late._tag, "PasswordOutdated")
        assert.lengthOf(yield* who.sessions.list(who.id), 1)
      })
    )
  })
})
