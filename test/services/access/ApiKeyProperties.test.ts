/** Whatever is done with an account's keys, in whatever order: the limits hold, and what works is what is listed. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { KeyEnd, overlapMillis } from "../../../src/domain/access/KeyEnd.ts"
import { Accounts } from "../../../src/services/access/Accounts.ts"
import { ApiKeys } from "../../../src/services/access/ApiKeys.ts"
import type { NewKey } from "../../../src/services/access/ApiKeys.ts"
import { CredentialResolver } from "../../../src/services/access/CredentialResolver.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const hour = 3_600_000

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const subscriptions = { growth: true, starter: false } as const

const Step = Schema.Union([
  Schema.TaggedStruct("create", { times: between(1, 12) }),
  // Keys are counted from the oldest that was ever made.
  Schema.TaggedStruct("replace", { key: between(0, 30), ends: KeyEnd }),
  Schema.TaggedStruct("replace", { key: between(0, 30), ends: KeyEnd }),
  Schema.TaggedStruct("revoke", { key: between(0, 30) }),
  Schema.TaggedStruct("wait", { millis: Schema.Literals([1, 1000, hour - 1, hour, hour + 1, 23 * hour, 24 * hour]) }),
  Schema.TaggedStruct("plan", { plan: Schema.Literals(["growth", "starter"]) })
])
const Steps = Schema.Array(Step).check(Schema.isMinLength(1), Schema.isMaxLength(25))

/** What the keys must come to: a second account of them in memory. */
class Model {
  now = Date.parse(start)
  plan: keyof typeof subscriptions = "growth"
  readonly keys: Array<NewKey & { readonly madeAt: number; endsAt: number }> = []

  works = ({ endsAt }: { readonly endsAt: number }) => this.now < endsAt

  /** Why a new key cannot be made, when so many of those that work make room for it. */
  refusal(room: number): string {
    if (!subscriptions[this.plan]) return "PlanUpgradeRequired"
    if (this.keys.filter(this.works).length - room >= 10) return "active"
    return this.keys.filter(({ madeAt }) => madeAt > this.now - hour).length >= 20 ? "an_hour" : "none"
  }

  made(key: NewKey) {
    this.keys.push({ ...key, madeAt: this.now, endsAt: Number.POSITIVE_INFINITY })
  }
}

const outcomeOf = (result: Result.Result<unknown, { readonly _tag: string; readonly limit?: string }>): string =>
  Result.isSuccess(result) ? "none" : (result.failure.limit ?? result.failure._tag)

const Services = Access.layerUnhashed.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

let owners = 0

layer(Services, { excludeTestServices: true, timeout: "3 minutes" })("an account's keys", (it) => {
  it.effect.prop(
    "agree with their model after every step",
    [Steps],
    ([steps]) =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const [accounts, keys, resolver] = [yield* Accounts, yield* ApiKeys, yield* CredentialResolver]
        yield* clock.set(start)
        const email = `owner${++owners}@discovery.test`
        const password = Redacted.make("nine green whales")
        const { id } = yield* accounts.create({ email, plan: "growth", status: "active", password })
        const model = new Model()

        for (const step of steps) {
          if (step._tag === "create") {
            for (let time = 0; time < step.times; time++) {
              const result = yield* Effect.result(keys.create(id, "a key"))
              assert.strictEqual(outcomeOf(result), model.refusal(0))
              if (Result.isSuccess(result)) model.made(result.success)
            }
          } else if (step._tag === "replace") {
            const old = model.keys[step.key]
            const exists = old !== undefined && model.works(old)
            const result = yield* Effect.result(keys.replace(id, old?.key.id ?? 2_147_483_647, { ends: step.ends }))
            assert.strictEqual(
              outcomeOf(result),
              exists ? model.refusal(step.ends === "now" ? 1 : 0) : "KeyNotFound",
              step.ends
            )
            if (Result.isSuccess(result) && exists) {
              old.endsAt = Math.min(old.endsAt, model.now + overlapMillis[step.ends])
              assert.strictEqual(result.success.replaced.endsAt.epochMilliseconds, old.endsAt)
              model.made(result.success)
            }
          } else if (step._tag === "revoke") {
            const old = model.keys[step.key]
            const exists = old !== undefined && model.works(old)
            const result = yield* Effect.result(keys.revoke(id, old?.key.id ?? 2_147_483_647))
            assert.strictEqual(outcomeOf(result), exists ? "none" : "KeyNotFound")
            if (exists) old.endsAt = model.now
          } else if (step._tag === "wait") {
            model.now += step.millis
            yield* clock.advance(step.millis)
          } else {
            model.plan = step.plan
            yield* accounts.setPlan(email, step.plan)
          }

          assert.deepStrictEqual(
            (yield* keys.list(id)).map(({ endsAt, id }) => [id, endsAt?.epochMilliseconds ?? Number.POSITIVE_INFINITY]),
            model.keys.filter(model.works).map(({ endsAt, key }) => [key.id, endsAt])
          )
          const working = yield* Effect.forEach(
            model.keys,
            ({ secret }) => Effect.isSuccess(resolver.resolve(secret)),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(working, model.keys.map(model.works))
        }
      }),
    { arbitrary: { runs: 60 }, timeout: 180_000 }
  )
})
