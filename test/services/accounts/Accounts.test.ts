import { assert, describe, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import type { NewAccount } from "../../../src/services/accounts/AccountDetails.ts"
import { CreditLedger } from "../../../src/services/credits/CreditLedger.ts"
import * as CreditPeriods from "../../../src/services/credits/CreditPeriods.ts"
import { Passwords } from "../../../src/services/sessions/Passwords.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const password = Redacted.make("nine green whales")

const Services = Access.layer.pipe(Layer.provideMerge(TestDatabase.layer), Layer.provideMerge(SetClock.layer(start)))

let created = 0

layer(Services, { excludeTestServices: true })("Accounts", (it) => {
  const make = Effect.fnUntraced(function* (options: Partial<NewAccount> = {}) {
    yield* Effect.flatMap(SetClock, (clock) => clock.set(start))
    const accounts = yield* Accounts
    const email = options.email ?? `customer${++created}@discovery.test`
    const account = yield* accounts.create({ plan: "growth", status: "active", password, ...options, email })
    return { accounts, account, email }
  })

  const storedHash = Effect.fnUntraced(function* (id: number) {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly hash: string }>`SELECT password_hash AS hash FROM account WHERE id = ${id}`
    return rows[0]?.hash ?? ""
  })

  describe("a new account", () => {
    it.effect("begins its subscription and its first period today", () =>
      Effect.gen(function* () {
        const { account } = yield* make({ plan: "pro" })
        assert.deepInclude(account, {
          plan: "pro",
          status: "active",
          beganOn: "2026-03-10",
          credits: { allowance: 100, used: 0, periodStart: "2026-03-10", periodEnd: "2026-04-10" }
        })
      })
    )

    it.effect("on Starter has neither until its first paid plan", () =>
      Effect.gen(function* () {
        const { account, accounts, email } = yield* make({ plan: "starter" })
        assert.deepInclude(account, { beganOn: null, credits: null })
        yield* Effect.flatMap(SetClock, (clock) => clock.set("2026-05-31T08:00:00Z"))
        const upgraded = yield* accounts.setPlan(email, "growth")
        assert.deepInclude(upgraded, {
          beganOn: "2026-05-31",
          credits: { allowance: 20, used: 0, periodStart: "2026-05-31", periodEnd: "2026-06-30" }
        })
      })
    )

    it.effect("has a unique e-mail address in any case, also when created twice concurrently", () =>
      Effect.gen(function* () {
        const { accounts, email } = yield* make()
        const twice = yield* Effect.flip(make({ email: email.toUpperCase() }))
        assert.strictEqual(twice._tag, "EmailTaken")
        assert.strictEqual((yield* accounts.find(email.toUpperCase())).email, email)
        const exits = yield* Effect.forEach(
          ["Twice@discovery.test", "twice@discovery.test"],
          (email) => Effect.exit(make({ email })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      })
    )

    it.effect("is refused with a wrong address, day or password, and says why", () =>
      Effect.gen(function* () {
        const wrong: ReadonlyArray<readonly [Partial<NewAccount>, string]> = [
          [{ email: "nobody" }, "not an e-mail address"],
          [{ email: "a@b" }, "not an e-mail address"],
          [{ email: "a b@example.com" }, "not an e-mail address"],
          [{ email: "a\u0000@example.com" }, "not an e-mail address"],
          [{ beganOn: "2026-03-11" }, "not after today"],
          [{ beganOn: "2026-02-30" }, "not after today"],
          [{ beganOn: "soon" }, "not after today"],
          [{ plan: "starter", beganOn: "2026-03-01" }, "Starter has no subscription"],
          [{ password: Redacted.make("short") }, "at least 12"]
        ]
        for (const [options, message] of wrong) {
          const error = yield* Effect.flip(make(options))
          assert.strictEqual(error._tag, "InvalidAccountDetail")
          assert.include(error.message, message)
        }
      })
    )
  })

  describe("a password", () => {
    it.effect("D9 is kept as argon2id with its parameters and a salt of its own", () =>
      Effect.gen(function* () {
        const passwords = yield* Passwords
        const one = yield* storedHash((yield* make()).account.id)
        const other = yield* storedHash((yield* make()).account.id)
        assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
        assert.notStrictEqual(one, other)
        assert.isTrue(yield* passwords.verify(password, one))
        assert.isFalse(yield* passwords.verify(Redacted.make("nine green whale"), one))
        assert.isFalse(yield* passwords.verify(password, "$argon2id$nonsense"))
      })
    )

    it.effect("typed on another system is the same password", () =>
      Effect.gen(function* () {
        const passwords = yield* Passwords
        const hash = yield* passwords.hash(Redacted.make("caf\u00e9 caf\u00e9 caf\u00e9"))
        assert.isTrue(yield* passwords.verify(Redacted.make("cafe\u0301 cafe\u0301 cafe\u0301"), hash))
      })
    )

    it.effect("can be reset and generated", () =>
      Effect.gen(function* () {
        const passwords = yield* Passwords
        const { account, accounts, email } = yield* make()
        const generated = yield* passwords.generate
        assert.match(Redacted.value(generated), /^[A-HJ-NP-Za-km-z2-9]{20}$/)
        yield* accounts.resetPassword(email.toUpperCase(), generated)
        const hash = yield* storedHash(account.id)
        assert.isTrue(yield* passwords.verify(generated, hash))
        assert.isFalse(yield* passwords.verify(password, hash))
        const weak = yield* Effect.flip(accounts.resetPassword(email, Redacted.make("passwordpassword")))
        assert.strictEqual(weak._tag, "InvalidAccountDetail")
      })
    )
  })

  describe("a change of plan", () => {
    // D7
    it.effect("moves the allowance of the current period by one adjustment, and gains nothing by changing back", () =>
      Effect.gen(function* () {
        const { account, accounts, email } = yield* make()
        assert.strictEqual((yield* accounts.setPlan(email, "pro")).credits?.allowance, 100)
        assert.strictEqual((yield* accounts.setPlan(email, "growth")).credits?.allowance, 20)
        assert.strictEqual((yield* accounts.setPlan(email, "growth")).credits?.allowance, 20)
        const { balance, entries, fold } = yield* Access.books(account.id)
        assert.deepStrictEqual(
          entries.map(({ amount, kind }) => `${kind} ${amount}`),
          ["grant 20", "adjustment 80", "adjustment -80"]
        )
        assert.deepStrictEqual(fold, balance)
      })
    )

    it.effect("never takes back what is used, and keeps what was granted besides", () =>
      Effect.gen(function* () {
        const { caller, email } = yield* Access.subscriber({ plan: "pro" })
        const accounts = yield* Accounts
        const ledger = yield* CreditLedger
        yield* accounts.grant(email, 7, "goodwill")
        yield* ledger.charge(Access.chargeOf(caller, { cost: 50 }))
        assert.deepInclude((yield* accounts.setPlan(email, "starter")).credits, { allowance: 50, used: 50 })
        assert.deepInclude((yield* accounts.setPlan(email, "pro")).credits, { allowance: 107, used: 50 })
        const { balance, fold } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(fold, balance)
      })
    )

    it.effect("waits for a charge that is under way, and covers it", () =>
      Effect.gen(function* () {
        const { caller, email } = yield* Access.subscriber()
        const accounts = yield* Accounts
        const charge = yield* Access.holdCharge(Access.chargeOf(caller, { cost: 6 }))
        const changed = yield* Effect.forkScoped(accounts.setPlan(email, "starter"))
        yield* charge.waiting(1)
        yield* charge.release
        assert.deepInclude((yield* Fiber.join(changed)).credits, { allowance: 6, used: 6 })
      })
    )

    it.effect("keeps charges waiting from the reading of the period to its change", () =>
      Effect.gen(function* () {
        const { caller } = yield* Access.subscriber({ beganOn: "2026-03-10" })
        const ledger = yield* CreditLedger
        const subscriber = { accountId: caller.accountId, beganOn: "2026-03-10" }
        const change = yield* Access.hold(
          (other) =>
            CreditPeriods.lockCurrent(Access.allowances, subscriber, Date.parse(start)).pipe(
              Effect.provideService(SqlClient.SqlClient, other)
            ),
          "charge_credits"
        )
        yield* Access.afterWaiting(change, ledger.charge(Access.chargeOf(caller)))
      })
    )

    it.effect("and charges at the same time leave the balance within its allowance", () =>
      Effect.gen(function* () {
        const { caller, email } = yield* Access.subscriber({ plan: "pro" })
        const accounts = yield* Accounts
        const ledger = yield* CreditLedger
        yield* Effect.all(
          [
            ...Array.from({ length: 60 }, () => Effect.exit(ledger.charge(Access.chargeOf(caller)))),
            ...(["growth", "pro", "starter", "growth"] as const).map((plan) => accounts.setPlan(email, plan)),
            accounts.grant(email, 5)
          ],
          { concurrency: "unbounded", discard: true }
        )
        const { balance, fold } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(fold, balance)
        assert.deepStrictEqual(yield* Access.disagreements, [])
      })
    )
  })

  describe("a grant", () => {
    it.effect("adds to the current period, with its reason in the ledger", () =>
      Effect.gen(function* () {
        const { account, accounts, email } = yield* make()
        assert.strictEqual((yield* accounts.grant(email, 5, " for the outage ")).credits?.allowance, 25)
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`
          SELECT kind, reason, amount, note FROM credit_entry WHERE account_id = ${account.id} ORDER BY id DESC LIMIT 1`
        assert.deepStrictEqual(rows, [{ kind: "grant", reason: "operator", amount: 5, note: "for the outage" }])
      })
    )

    it.effect("opens an unused month", () =>
      Effect.gen(function* () {
        const { account, accounts, email } = yield* make()
        yield* Effect.flatMap(SetClock, (clock) => clock.set("2026-06-11T00:00:00Z"))
        assert.deepStrictEqual((yield* accounts.grant(email, 5)).credits, {
          allowance: 25,
          used: 0,
          periodStart: "2026-06-10",
          periodEnd: "2026-07-10"
        })
        const { balance, fold } = yield* Access.books(account.id)
        assert.deepStrictEqual(fold, balance)
      })
    )

    it.effect("is refused when it is no sensible number, has an unfit note, or has no subscription to go to", () =>
      Effect.gen(function* () {
        const { accounts, email } = yield* make()
        const starter = yield* make({ plan: "starter" })
        const attempts = [
          accounts.grant(email, 0),
          accounts.grant(email, -5),
          accounts.grant(email, 1.5),
          accounts.grant(email, 1_000_001),
          accounts.grant(email, 5, "x".repeat(201)),
          accounts.grant(email, 5, "a\u0000b"),
          accounts.grant(starter.email, 5)
        ]
        for (const attempt of attempts) assert.strictEqual((yield* Effect.flip(attempt))._tag, "InvalidAccountDetail")
        const { credits } = yield* accounts.grant(email, 1_000_000, "x".repeat(200))
        assert.strictEqual(credits?.allowance, Access.allowances.growth + 1_000_000)
      })
    )
  })

  describe("an account that does not exist", () => {
    it.effect("is not found by any name", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        for (const email of ["nobody@discovery.test", "", "a\u0000b", "%"]) {
          const errors = yield* Effect.all([
            Effect.flip(accounts.find(email)),
            Effect.flip(accounts.setPlan(email, "pro")),
            Effect.flip(accounts.setStatus(email, "active")),
            Effect.flip(accounts.grant(email, 1)),
            Effect.flip(accounts.resetPassword(email, password))
          ])
          for (const error of errors) assert.strictEqual(error._tag, "AccountNotFound")
        }
      })
    )
  })

  describe("the list", () => {
    it.effect("has every account once, in the order of creation", () =>
      Effect.gen(function* () {
        const { account, accounts } = yield* make()
        const ids = Array.from(yield* Stream.runCollect(accounts.list), ({ id }) => Number(id))
        assert.deepStrictEqual(
          ids,
          [...new Set(ids)].sort((a, b) => a - b)
        )
        assert.strictEqual(ids.at(-1), account.id)
      })
    )
  })
})
