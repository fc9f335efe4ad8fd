/** What a page says of an account's use: the fold of what was recorded, and of what the ledger has taken. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../../src/Config.ts"
import type { Caller } from "../../../src/domain/access/Account.ts"
import type { Activity, Outcome } from "../../../src/domain/access/Activity.ts"
import { ActivityLog } from "../../../src/services/credits/ActivityLog.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import { CallHistory, pageSize } from "../../../src/services/credits/CallHistory.ts"
import type { CallFilter } from "../../../src/services/credits/CallHistory.ts"
import { CreditLedger } from "../../../src/services/credits/CreditLedger.ts"
import * as LedgerStatements from "../../../src/services/credits/LedgerStatements.ts"
import { Usage } from "../../../src/services/credits/Usage.ts"
import type { Amount } from "../../../src/services/credits/Usage.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const Services = Layer.mergeAll(ActivityLog.layer, Usage.layer, CallHistory.layer).pipe(
  Layer.provideMerge(Access.layerUnhashed),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(AppConfig.layerOf({ planCreditsGrowth: 20, planCreditsPro: 100, activityDays: 45 })),
  Layer.provideMerge(SetClock.layer("2026-01-31T12:00:00Z"))
)

const dayMillis = 86_400_000
const minute = 60_000
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

const tools = ["search_ads", "search_products", "get_usage"] as const
const outcomes = ["ok", "invalid_arguments", "search_timeout"] as const satisfies ReadonlyArray<Outcome>

/** A call at the clock's time, charged when it is one of those, and recorded. */
const call = Effect.fnUntraced(function* (caller: Caller, overrides: Partial<Activity> = {}) {
  const log = yield* ActivityLog
  const ledger = yield* CreditLedger
  const clock = yield* Effect.clockWith((clock) => Effect.succeed(clock))
  const charge = Access.chargeOf(caller, { tool: overrides.tool ?? "search_ads" })
  const isCharged = (overrides.outcome ?? "ok") === "ok" && charge.tool !== "get_usage"
  const credits = isCharged ? (yield* ledger.charge(charge)).cost : 0
  const recorded: Activity = {
    accountId: caller.accountId,
    credential: caller.credential,
    tool: charge.tool,
    outcome: "ok",
    credits,
    atMillis: clock.currentTimeMillisUnsafe(),
    durationMillis: 7,
    requestId: charge.requestId,
    ...overrides
  }
  log.record(recorded)
  return recorded
})

const total = (amounts: ReadonlyArray<Amount>): Amount => ({
  calls: amounts.reduce((sum, { calls }) => sum + calls, 0),
  credits: amounts.reduce((sum, { credits }) => sum + credits, 0)
})

const foldOf = (calls: ReadonlyArray<Activity>): Amount => ({
  calls: calls.length,
  credits: calls.reduce((sum, { credits }) => sum + credits, 0)
})

const Day = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
const MadeCall = Schema.Struct({
  daysAgo: Day,
  minutes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 700 })),
  tool: Schema.Literals(tools),
  outcome: Schema.Literals(outcomes),
  key: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 }))
})

const walk = Effect.fnUntraced(function* (
  caller: Caller,
  filter: CallFilter,
  between: Effect.Effect<void> = Effect.void
) {
  const history = yield* CallHistory
  const ids: Array<string> = []
  let before: number | undefined
  do {
    const page = yield* history.calls(caller.accountId, filter, before)
    ids.push(...page.calls.map(({ requestId }) => requestId))
    before = page.older
    yield* between
  } while (before !== undefined)
  return ids
})

layer(Services, { excludeTestServices: true })("usage", (it) => {
  it.effect.prop(
    "adds up to what was recorded and charged, by day, tool and key, in the period and in thirty days",
    [Schema.Array(MadeCall).check(Schema.isMaxLength(60))],
    ([made]) =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const now = Date.parse("2026-05-20T12:00:00Z")
        yield* clock.set("2026-04-01T00:00:00Z")
        const { caller, email } = yield* Access.subscriber({ plan: "pro", beganOn: "2026-01-05" })
        yield* Effect.flatMap(Accounts, (accounts) => accounts.grant(email, 100))
        const keys = [caller.credential.id]
        for (const name of ["second", "third"]) {
          const { key } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(caller.accountId, name))
          keys.push(key.id)
        }
        const ordered = made.toSorted((one, other) => other.daysAgo - one.daysAgo || one.minutes - other.minutes)
        const recorded: Array<Activity> = []
        for (const { daysAgo, key, minutes, outcome, tool } of ordered) {
          yield* clock.set(new Date(now - daysAgo * dayMillis - (700 - minutes) * minute).toISOString())
          const credential = { kind: "api_key", id: keys[key] ?? 0 } as const
          recorded.push(yield* call({ ...caller, credential }, { tool, outcome }))
        }
        yield* Effect.flatMap(ActivityLog, (log) => log.write)
        yield* clock.set(new Date(now).toISOString())

        const usage = yield* Usage
        for (const [span, from] of [
          ["period", "2026-05-05"],
          ["30days", "2026-04-21"]
        ] as const) {
          const summary = yield* usage.summary(caller.accountId, span)
          const within = recorded.filter(({ atMillis }) => atMillis >= Date.parse(from))
          assert.deepStrictEqual(summary.days.at(0)?.day, from)
          assert.deepStrictEqual(summary.days.at(-1)?.day, "2026-05-20")
          for (const { calls, credits, day } of summary.days) {
            const ofDay = within.filter(({ atMillis }) => new Date(atMillis).toISOString().startsWith(day))
            assert.deepStrictEqual({ calls, credits }, foldOf(ofDay))
          }
          for (const tool of tools) {
            const { calls, credits } = summary.tools.find((each) => each.tool === tool) ?? { calls: 0, credits: 0 }
            assert.deepStrictEqual({ calls, credits }, foldOf(within.filter((each) => each.tool === tool)))
          }
          for (const id of keys) {
            const { calls, credits } = summary.callers.find((each) => each.caller.id === id) ?? { calls: 0, credits: 0 }
            assert.deepStrictEqual({ calls, credits }, foldOf(within.filter((each) => each.credential.id === id)))
          }
          assert.deepStrictEqual(total(summary.days), total(summary.tools))
          assert.deepStrictEqual(total(summary.days), total(summary.callers))
          if (span === "period") assert.strictEqual(total(summary.days).credits, summary.credits.used)
        }

        for (const filter of [{}, { tool: "search_ads" }, { outcome: "ok" }] as const) {
          const matching = recorded.filter(
            (each) =>
              (!("tool" in filter) || each.tool === filter.tool) &&
              (!("outcome" in filter) || each.outcome === filter.outcome)
          )
          assert.deepStrictEqual(yield* walk(caller, filter), matching.map(({ requestId }) => requestId).toReversed())
        }
      }),
    { arbitrary: { runs: 25 } }
  )

  it.effect(
    "has the ledger's credits also of calls that the log has lost, and takes a refund off the day of its charge",
    () =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        yield* clock.set("2026-03-10T23:59:00Z")
        const { caller } = yield* Access.subscriber({ beganOn: "2026-03-10" })
        const ledger = yield* CreditLedger
        yield* ledger.charge(Access.chargeOf(caller))
        const unanswered = Access.chargeOf(caller)
        yield* ledger.charge(unanswered)
        const usage = yield* Usage
        const before = yield* usage.summary(caller.accountId, "period")
        assert.deepStrictEqual(before.days, [{ day: "2026-03-10", calls: 0, credits: 2 }])

        yield* clock.set("2026-03-11T00:01:00Z")
        const { accountId, requestId } = { accountId: caller.accountId, requestId: unanswered.requestId }
        yield* LedgerStatements.refundUnanswered([{ accountId, requestId }])
        const after = yield* usage.summary(caller.accountId, "period")
        assert.deepStrictEqual(after.days, [
          { day: "2026-03-10", calls: 0, credits: 1 },
          { day: "2026-03-11", calls: 0, credits: 0 }
        ])
        assert.deepStrictEqual(total(after.tools), { calls: 0, credits: 1 })
        assert.deepStrictEqual(total(after.callers), { calls: 0, credits: 1 })
        assert.strictEqual(after.credits.used, 1)
      })
  )

  it.effect("returns the credits of a period that no call has opened yet", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      yield* clock.set("2026-01-31T12:00:00Z")
      const { caller } = yield* Access.subscriber({ beganOn: "2026-01-31" })
      yield* call(caller)
      yield* clock.set("2026-02-28T00:00:00Z")
      const { credits, days } = yield* Effect.flatMap(Usage, (usage) => usage.summary(caller.accountId, "period"))
      assert.deepStrictEqual(credits, { allowance: 20, used: 0, periodStart: "2026-02-28", periodEnd: "2026-03-31" })
      assert.deepStrictEqual(days, [{ day: "2026-02-28", calls: 0, credits: 0 }])
    })
  )

  it.effect("returns months and no credits for an account without a subscription", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      yield* clock.set("2026-01-15T12:00:00Z")
      const accounts = yield* Accounts
      const account = yield* accounts.create({
        email: "starter@discovery.test",
        plan: "starter",
        status: "active",
        password: Redacted.make("nine green whales")
      })
      yield* clock.set("2026-02-20T00:00:00Z")
      const summary = yield* Effect.flatMap(Usage, (usage) => usage.summary(account.id, "period"))
      assert.deepStrictEqual(summary.credits, {
        allowance: 0,
        used: 0,
        periodStart: "2026-02-15",
        periodEnd: "2026-03-15"
      })
      assert.isFalse(summary.hasCalls)
    })
  )

  it.effect("names keys and apps, also those that are revoked, and none of another account", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { caller } = yield* Access.subscriber()
      const { caller: other } = yield* Access.subscriber()
      const at = new Date()
      const accountId = caller.accountId
      const [grant] = yield* sql<{ readonly id: number }>`
        INSERT INTO oauth_grant (account_id, client_id, client_name, resource, approved_at, connected_at, usable_until, ends_at)
        VALUES (${accountId}, 'https://app.test/doc', 'Working app', 'r', ${at}, ${at}, ${at}, ${at}) RETURNING id`
      yield* sql`
        INSERT INTO oauth_ended_grant (id, account_id, client_id, client_name, approved_at, connected_at, ended_at, reason)
        VALUES (900001, ${accountId}, 'https://app.test/old', 'Ended app', ${at}, ${at}, ${at}, 'account')`
      const [others] = yield* sql<{ readonly id: number }>`
        INSERT INTO oauth_grant (account_id, client_id, client_name, resource, approved_at, connected_at, usable_until, ends_at)
        VALUES (${other.accountId}, 'https://app.test/doc', 'Their app', 'r', ${at}, ${at}, ${at}, ${at}) RETURNING id`
      yield* sql`
        INSERT INTO oauth_ended_grant (id, account_id, client_id, client_name, approved_at, connected_at, ended_at, reason)
        VALUES (900003, ${other.accountId}, 'https://app.test/old', 'Their ended app', ${at}, ${at}, ${at}, 'account')`
      for (const id of [grant?.id ?? 0, 900_001, 900_002, 900_003, others?.id ?? 0]) {
        yield* call(caller, { credential: { kind: "access_token", id }, outcome: "not_found" })
      }
      yield* call(caller, { credential: other.credential, outcome: "not_found" })
      yield* call(caller)
      yield* Effect.flatMap(ApiKeys, (keys) => keys.revoke(accountId, caller.credential.id))
      yield* Effect.flatMap(ActivityLog, (log) => log.write)
      const { callers } = yield* Effect.flatMap(Usage, (usage) => usage.summary(accountId, "period"))
      assert.sameDeepMembers(
        callers.map(({ caller: { isEnded, name } }) => ({ name, isEnded })),
        [
          { name: "test", isEnded: true },
          { name: "Working app", isEnded: false },
          { name: "Ended app", isEnded: true },
          { name: null, isEnded: true },
          { name: null, isEnded: true },
          { name: null, isEnded: true },
          { name: null, isEnded: true }
        ]
      )
      const history = yield* CallHistory
      const { calls } = yield* history.calls(accountId, {})
      assert.deepStrictEqual(
        calls.map(({ caller }) => caller.name),
        ["test", null, null, null, null, "Ended app", "Working app"]
      )
    })
  )
})

layer(Services, { excludeTestServices: true })("the calls of an account", (it) => {
  it.effect("are paged without one that is repeated or left out, while servers record", () =>
    Effect.gen(function* () {
      const log = yield* ActivityLog
      const { caller } = yield* Access.subscriber()
      const first = times(pageSize * 4 + 3)
      const record = (requestId: string) =>
        log.record({
          accountId: caller.accountId,
          credential: caller.credential,
          tool: "search_ads",
          outcome: "ok",
          credits: 1,
          atMillis: Date.parse("2026-01-31T12:00:00Z"),
          durationMillis: 1,
          requestId
        })
      for (const number of first) record(`first-${number}`)
      yield* log.write
      let later = 0
      const meanwhile = Effect.suspend(() => {
        record(`later-${++later}`)
        return Effect.orDie(log.write)
      })
      const expected = first.map((number) => `first-${number}`).toReversed()
      for (const filter of [{}, { tool: "search_ads" }, { caller: caller.credential, outcome: "ok" }] as const) {
        const seen = yield* walk(caller, filter, meanwhile)
        assert.deepStrictEqual(
          seen.filter((id) => id.startsWith("first")),
          expected
        )
        assert.strictEqual(new Set(seen).size, seen.length)
      }
      assert.strictEqual(later, 15)
    })
  )

  it.effect("end on a full page without a further one", () =>
    Effect.gen(function* () {
      const history = yield* CallHistory
      const { caller } = yield* Access.subscriber()
      for (const _ of times(pageSize)) yield* call(caller, { outcome: "not_found" })
      yield* Effect.flatMap(ActivityLog, (log) => log.write)
      const page = yield* history.calls(caller.accountId, {})
      assert.strictEqual(page.calls.length, pageSize)
      assert.strictEqual(page.older, undefined)
    })
  )

  it.effect("are shown for as long as they are kept, however late they are removed", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      const history = yield* CallHistory
      const { caller } = yield* Access.subscriber()
      yield* clock.set("2026-01-31T12:00:00Z")
      const { requestId } = yield* call(caller, { outcome: "not_found" })
      yield* Effect.flatMap(ActivityLog, (log) => log.write)
      const shown = Effect.forEach([{}, { outcome: "not_found" }] as const, (filter) =>
        Effect.map(history.calls(caller.accountId, filter), ({ calls }) => calls.map((each) => each.requestId))
      )
      yield* clock.set(new Date(Date.parse("2026-01-31T12:00:00Z") + 45 * dayMillis - 1).toISOString())
      assert.deepStrictEqual(yield* shown, [[requestId], [requestId]])
      yield* clock.advance(1)
      assert.deepStrictEqual(yield* shown, [[], []])
      yield* clock.set("2026-01-31T12:00:00Z")
    })
  )

  it.effect("of another account are as those that do not exist: by its key, by its cursor", () =>
    Effect.gen(function* () {
      const history = yield* CallHistory
      const { caller: owner } = yield* Access.subscriber()
      const { caller: other } = yield* Access.subscriber()
      yield* call(owner)
      yield* call(other)
      yield* Effect.flatMap(ActivityLog, (log) => log.write)
      const theirs = (yield* history.calls(owner.accountId, {})).calls[0]
      const own = (yield* history.calls(other.accountId, {})).calls
      assert.strictEqual(own.length, 1)
      const none = { calls: [], older: undefined }
      assert.deepStrictEqual(yield* history.calls(other.accountId, { caller: owner.credential }), none)
      assert.deepStrictEqual(yield* history.calls(other.accountId, { caller: { kind: "api_key", id: 999_999 } }), none)
      assert.deepStrictEqual(yield* history.calls(other.accountId, {}, theirs?.number), none)
      assert.deepStrictEqual((yield* history.calls(other.accountId, {}, Number.MAX_SAFE_INTEGER)).calls, own)
      const { callers } = yield* history.choices(other.accountId)
      assert.deepStrictEqual(
        callers.map(({ id }) => id),
        [other.credential.id]
      )
    })
  )
})
