/** Whatever happens to an account, in whatever order: never negative, never past the allowance, balance = fold. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import type { Plan } from "../../../src/domain/access/Account.ts"
import * as Credit from "../../../src/domain/access/Credit.ts"
import { periodOn } from "../../../src/domain/access/CreditPeriod.ts"
import { dayMillis, dayOf } from "../../../src/domain/Days.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { CredentialResolver } from "../../../src/services/credentials/CredentialResolver.ts"
import { CreditLedger } from "../../../src/services/credits/CreditLedger.ts"
import type { Charge } from "../../../src/domain/access/Charge.ts"
import { UnansweredCharges } from "../../../src/services/credits/UnansweredCharges.ts"
import { fold } from "../../oracle/CreditFold.ts"
import type { CreditEntry } from "../../oracle/CreditFold.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Step = Schema.Union([
  // Charges at once, some of them under one of a few idempotency keys with one of two sets of arguments.
  Schema.TaggedStruct("charge", {
    calls: Schema.Array(Schema.Struct({ cost: between(1, 6), key: between(-6, 2), fingerprint: between(0, 1) })).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(8)
    )
  }),
  Schema.TaggedStruct("grant", { credits: between(1, 15) }),
  Schema.TaggedStruct("plan", { plan: Schema.Literals(["starter", "growth", "pro"]) }),
  // The answer of an earlier call, counted from the last, never arrived.
  Schema.TaggedStruct("lost", { call: between(0, 9) }),
  Schema.TaggedStruct("days", { days: between(0, 40) }),
  Schema.TaggedStruct("resolve", {})
])
const Steps = Schema.Array(Step).check(Schema.isMinLength(1), Schema.isMaxLength(25))

/** What the account must come to: a second, slow ledger in memory. */
class Model {
  plan: Plan = "growth"
  readonly periods = new Map<string, { entries: Array<CreditEntry>; granted: number }>()
  readonly calls = new Map<string, { charge: Charge; period: string; cost: number; refunded: boolean }>()
  readonly keys = new Map<string, { fingerprint: string; at: number; requestId: string; repeated: boolean }>()
  readonly barred = new Set<string>()
  readonly beganOn: string

  constructor(beganOn: string) {
    this.beganOn = beganOn
  }

  period(now: number) {
    const { start } = periodOn(this.beganOn, dayOf(now))
    const found = this.periods.get(start) ?? {
      entries: [{ kind: "grant", amount: Access.allowances[this.plan] }],
      granted: 0
    }
    this.periods.set(start, found)
    return { start, ...found, balance: fold(found.entries), raw: found }
  }

  /** Later charges of one batch do not overtake one that did not fit. */
  charge(batch: ReadonlyArray<Charge>, now: number): ReadonlyArray<string> {
    const { raw, start } = this.period(now)
    let exhausted = false
    const refusedKeys = new Set<string>()
    return batch.map((charge) => {
      const { idempotency } = charge
      const known = idempotency === undefined ? undefined : this.keys.get(idempotency.key)
      if (idempotency !== undefined && known !== undefined && known.at > now - dayMillis) {
        if (known.fingerprint !== idempotency.fingerprint) return "InvalidArguments"
        known.repeated = true
        return "0"
      }
      if (idempotency !== undefined && refusedKeys.has(idempotency.key)) return "InsufficientCredits"
      if (exhausted || charge.cost > Credit.remaining(fold(raw.entries))) {
        exhausted = true
        if (idempotency !== undefined) refusedKeys.add(idempotency.key)
        return "InsufficientCredits"
      }
      raw.entries.push({ kind: "charge", amount: -charge.cost })
      this.calls.set(charge.requestId, { charge, period: start, cost: charge.cost, refunded: false })
      if (idempotency !== undefined) {
        this.keys.set(idempotency.key, {
          fingerprint: idempotency.fingerprint,
          at: now,
          requestId: charge.requestId,
          repeated: false
        })
      }
      return String(charge.cost)
    })
  }

  lose(charge: Charge) {
    const call = this.calls.get(charge.requestId)
    if (call === undefined || call.refunded) return
    const key = charge.idempotency === undefined ? undefined : this.keys.get(charge.idempotency.key)
    if (key?.requestId === charge.requestId) {
      if (key.repeated) return
      this.keys.delete(charge.idempotency?.key ?? "")
    }
    call.refunded = true
    this.periods.get(call.period)?.entries.push({ kind: "refund", amount: call.cost })
  }

  setPlan(plan: Plan, now: number) {
    const { balance, granted, raw } = this.period(now)
    this.plan = plan
    const allowance = Credit.allowanceOnPlan(Access.allowances[plan], granted, balance.used)
    raw.entries.push({ kind: "adjustment", amount: allowance - balance.allowance })
  }

  grant(credits: number, now: number) {
    const { raw } = this.period(now)
    raw.granted += credits
    raw.entries.push({ kind: "grant", amount: credits })
  }
}

const Services = Access.layerUnhashed.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer("2026-01-31T00:00:00Z"))
)

layer(Services, { excludeTestServices: true })("the ledger", (it) => {
  it.effect.prop(
    "agrees with its model after every step",
    [Steps],
    ([steps]) =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const ledger = yield* CreditLedger
        const accounts = yield* Accounts
        const unanswered = yield* UnansweredCharges
        const resolver = yield* CredentialResolver
        let now = Date.parse("2026-01-31T00:00:00Z")
        yield* clock.set(new Date(now).toISOString())
        const { caller, email, secret } = yield* Access.subscriber()
        const model = new Model("2026-01-31")
        const sent: Array<Charge> = []
        model.period(now)

        for (const step of steps) {
          if (step._tag === "charge") {
            const batch = step.calls.map(({ cost, fingerprint, key }) =>
              Access.chargeOf(caller, {
                cost,
                ...(key < 0 ? {} : { idempotency: { key: `key ${key}`, fingerprint: `arguments ${fingerprint}` } })
              })
            )
            sent.push(...batch)
            const expected = model.charge(batch, now)
            const results = yield* Effect.forEach(batch, (charge) => Effect.result(ledger.charge(charge)), {
              concurrency: "unbounded"
            })
            const actual = results.map((result) =>
              Result.isSuccess(result) ? String(result.success.cost) : result.failure._tag
            )
            assert.deepStrictEqual(actual, expected)
          } else if (step._tag === "grant") {
            yield* accounts.grant(email, step.credits)
            model.grant(step.credits, now)
          } else if (step._tag === "plan") {
            yield* accounts.setPlan(email, step.plan)
            model.setPlan(step.plan, now)
          } else if (step._tag === "lost") {
            const charge = sent.at(-1 - step.call)
            if (charge === undefined) continue
            const { accountId } = charge.caller
            const key = charge.idempotency?.key
            yield* unanswered.add([{ accountId, requestId: charge.requestId, ...(key === undefined ? {} : { key }) }])
            yield* unanswered.settled
            model.lose(charge)
          } else if (step._tag === "days") {
            now += step.days * dayMillis
            yield* clock.advance(step.days * dayMillis)
          } else {
            const { credits } = yield* resolver.resolve(secret)
            const { balance, start } = model.period(now)
            assert.deepStrictEqual(credits, {
              ...balance,
              periodStart: start,
              periodEnd: periodOn("2026-01-31", start).end
            })
          }
          const { balance, fold: folded } = yield* Access.books(caller.accountId)
          const [newest = ""] = Array.from(model.periods.keys()).toSorted().toReversed()
          assert.deepStrictEqual(balance, fold(model.periods.get(newest)?.entries ?? []))
          assert.deepStrictEqual(folded, balance)
          assert.isTrue(balance.used >= 0 && balance.used <= balance.allowance)
        }
        assert.deepStrictEqual(yield* Access.disagreements, [])
      }),
    { arbitrary: { runs: 150 } }
  )
})
