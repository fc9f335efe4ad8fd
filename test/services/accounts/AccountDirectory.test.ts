import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../../src/Config.ts"
import { AccountDirectory } from "../../../src/services/accounts/AccountDirectory.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import { CreditLedger } from "../../../src/services/credits/CreditLedger.ts"
import { Usage } from "../../../src/services/credits/Usage.ts"
import * as Access from "../../support/Access.ts"
import * as OAuth from "../../support/OAuth.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"

const looking = Layer.mergeAll(AccountDirectory.layer, Usage.layer).pipe(
  Layer.provide(
    AppConfig.layerOf({ planCreditsGrowth: Access.allowances.growth, planCreditsPro: Access.allowances.pro })
  )
)

const Services = Layer.mergeAll(Access.layerUnhashed, OAuth.layer, looking).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

layer(Services, { excludeTestServices: true })("accounts as operators see them", (it) => {
  const customer = Effect.fnUntraced(function* (options: Parameters<typeof Access.subscriber>[0] = {}) {
    yield* Effect.flatMap(SetClock, (clock) => clock.set(start))
    const { caller, email } = yield* Access.subscriber(options)
    return { caller, email, id: caller.accountId, accounts: yield* Accounts, directory: yield* AccountDirectory }
  })

  describe("the figures of an account", () => {
    it.effect("are of its current period, also of one that is not open, and reading does not open it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const usage = yield* Usage
        const { caller, directory, id } = yield* customer()
        yield* Effect.flatMap(CreditLedger, (ledger) => ledger.charge(Access.chargeOf(caller, { cost: 3 })))
        const march = { allowance: 20, used: 3, periodStart: "2026-03-10", periodEnd: "2026-04-10" }
        assert.deepStrictEqual((yield* directory.find(id)).credits, march)
        assert.deepStrictEqual(yield* usage.credits(id), march)
        yield* Effect.flatMap(SetClock, (clock) => clock.set("2026-05-12T00:00:00Z"))
        const may = { allowance: 20, used: 0, periodStart: "2026-05-10", periodEnd: "2026-06-10" }
        assert.deepStrictEqual((yield* directory.find(id)).credits, may)
        assert.deepStrictEqual(yield* usage.credits(id), may)
        assert.lengthOf(yield* sql`SELECT FROM credit_period WHERE account_id = ${id}`, 1)
        assert.deepStrictEqual(yield* directory.periods(id), [march])
      })
    )

    it.effect("are what get_usage would say", () =>
      Effect.gen(function* () {
        const { caller, id } = yield* customer({ plan: "pro", beganOn: "2026-01-31" })
        assert.deepStrictEqual(yield* Effect.flatMap(Usage, (usage) => usage.credits(id)), caller.credits)
      })
    )

    it.effect("count the usable keys and apps, and have the time of their last use", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { directory, id } = yield* customer()
        const keys = yield* ApiKeys
        assert.deepInclude(yield* directory.find(id), { activeKeys: 1, connectedApps: 0 })
        const { key } = yield* keys.create(id, "second")
        yield* OAuth.connected(id)
        assert.deepInclude(yield* directory.find(id), { activeKeys: 2, connectedApps: 1 })
        yield* sql`UPDATE api_key SET last_used_at = '2026-03-09T10:00:00Z' WHERE id = ${key.id}`
        yield* keys.revoke(id, key.id)
        const found = yield* directory.find(id)
        assert.strictEqual(found.activeKeys, 1)
        assert.strictEqual(
          found.lastUsedAt === null ? null : DateTime.formatIso(found.lastUsedAt),
          "2026-03-09T10:00:00.000Z"
        )
        yield* sql`UPDATE oauth_grant SET last_used_at = '2026-03-09T11:00:00Z' WHERE account_id = ${id}`
        const later = yield* directory.find(id)
        assert.strictEqual(
          later.lastUsedAt === null ? null : DateTime.formatIso(later.lastUsedAt),
          "2026-03-09T11:00:00.000Z"
        )
        yield* sql`UPDATE oauth_grant SET usable_until = ${new Date(start)} WHERE account_id = ${id}`
        assert.deepInclude(yield* directory.find(id), { connectedApps: 0 })
      })
    )

    it.effect("are none for who never had a subscription", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const password = Redacted.make("nine green whales")
        const { id } = yield* accounts.create({ email: "s@s.test", plan: "starter", status: "active", password })
        const directory = yield* AccountDirectory
        assert.isUndefined((yield* directory.find(id)).credits)
        assert.isUndefined(yield* Effect.flatMap(Usage, (usage) => usage.credits(id)))
        assert.deepStrictEqual(yield* directory.periods(id), [])
      })
    )
  })

  describe("a change", () => {
    const history = Effect.fnUntraced(function* (id: Parameters<AccountDirectory["Service"]["changes"]>[0]) {
      const changes = yield* Effect.flatMap(AccountDirectory, (directory) => directory.changes(id))
      return changes.map(({ after, before, by, what }) => [by, what, before, after])
    })

    it.effect("is recorded for every author, with the previous value, newest first", () =>
      Effect.gen(function* () {
        const { accounts, email, id } = yield* customer()
        const operator = yield* customer()
        yield* accounts.setPlan(email, "pro")
        yield* accounts.setStatus(id, "unpaid", { by: operator.id, from: "active" })
        yield* accounts.setPlan(id, "growth", { by: operator.id, from: "pro" })
        yield* accounts.setRole(email.toUpperCase(), "operator")
        yield* accounts.grant(email, 5)
        yield* accounts.resetPassword(email, Redacted.make("seven blue otters"))
        assert.deepStrictEqual(yield* history(id), [
          [null, "password", null, null],
          [null, "credits", "20", "25"],
          [null, "role", "customer", "operator"],
          [operator.email, "plan", "pro", "growth"],
          [operator.email, "status", "active", "unpaid"],
          [null, "plan", "growth", "pro"]
        ])
        assert.deepStrictEqual(yield* history(operator.id), [])
      })
    )

    it.effect("to what it was is none", () =>
      Effect.gen(function* () {
        const { accounts, email, id } = yield* customer()
        yield* accounts.setPlan(email, "growth")
        yield* accounts.setStatus(email, "active")
        yield* accounts.setRole(email, "customer")
        assert.deepStrictEqual(yield* history(id), [])
      })
    )

    it.effect("decided on what is not so any more is refused, and is none", () =>
      Effect.gen(function* () {
        const { accounts, id } = yield* customer()
        const operator = yield* customer()
        const errors = [
          yield* Effect.flip(accounts.setPlan(id, "starter", { by: operator.id, from: "pro" })),
          yield* Effect.flip(accounts.setStatus(id, "active", { by: operator.id, from: "paused" }))
        ]
        for (const { _tag } of errors) assert.strictEqual(_tag, "ChangedMeanwhile")
        assert.deepStrictEqual(yield* history(id), [])
        assert.deepInclude(yield* Effect.flatMap(AccountDirectory, (directory) => directory.find(id)), {
          plan: "growth",
          status: "active"
        })
      })
    )

    it.effect("by many at once is kept as one chain", () =>
      Effect.gen(function* () {
        const { accounts, email, id } = yield* customer()
        yield* Effect.forEach(
          Array.from({ length: 12 }, (_, index) => (["pro", "growth", "starter"] as const)[index % 3] ?? "pro"),
          (plan) => accounts.setPlan(email, plan),
          { concurrency: "unbounded" }
        )
        const steps = (yield* history(id)).toReversed()
        for (const [index, step] of steps.entries()) {
          assert.strictEqual(step[2], index === 0 ? "growth" : steps[index - 1]?.[3])
        }
        assert.strictEqual(steps.at(-1)?.[3], (yield* accounts.find(email)).plan)
      })
    )

    it.effect("that fails leaves no trace", () =>
      Effect.gen(function* () {
        const { accounts, id } = yield* customer()
        // Nobody has this id, so that what would be kept of it cannot be.
        const nobody = yield* Effect.exit(
          accounts.setStatus(id, "paused", { by: OAuth.accountId(2_147_483_647), from: "active" })
        )
        assert.isTrue(Exit.isFailure(nobody))
        assert.deepInclude(yield* Effect.flatMap(AccountDirectory, (directory) => directory.find(id)), {
          status: "active"
        })
        assert.deepStrictEqual(yield* history(id), [])
      })
    )

    it.effect("is never changed itself, nor taken away", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { accounts, email, id } = yield* customer()
        yield* accounts.setPlan(email, "pro")
        for (const statement of [
          sql`UPDATE account_change SET value_after = 'starter' WHERE account_id = ${id}`,
          sql`DELETE FROM account_change WHERE account_id = ${id}`,
          sql`TRUNCATE account_change`,
          sql`DELETE FROM account WHERE id = ${id}`
        ]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(statement)))
        }
        assert.deepStrictEqual(yield* history(id), [[null, "plan", "growth", "pro"]])
      })
    )
  })
})
