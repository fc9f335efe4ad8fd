/** Whatever is done with an account's keys, in whatever order: the limits hold, and what works is what is listed. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { KeyEnd, overlapMillis } from "../../../src/domain/access/KeyEnd.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import type { NewKey } from "../../../src/services/credentials/ApiKeys.ts"
import { CredentialResolver } from "../../../src/services/credentials/CredentialResolver.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const hour = 3_600_000

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Step = Schema.Union([
  Schema.TaggedStruct("create", { times: between(1, 12) }),
  // Keys are counted back from the newest; the last number stands for one that never was.
  Schema.TaggedStruct("replace", { key: between(0, 11), ends: KeyEnd }),
  Schema.TaggedStruct("replace", { key: between(0, 3), ends: KeyEnd }),
  Schema.TaggedStruct("revoke", { key: between(0, 11) }),
  Schema.TaggedStruct("wait", { millis: Schema.Literals([1, 1000, hour - 1, hour, hour + 1, 23 * hour, 24 * hour]) }),
  // The newest key, so often one after the other.
  Schema.TaggedStruct("rotate", { times: between(1, 15) }),
  // The plan lacks for a while: a key is asked for in vain.
  Schema.TaggedStruct("lapse", { ends: KeyEnd })
])
const Steps = Schema.Array(Step).check(Schema.isMinLength(15), Schema.isMaxLength(40))

interface Made extends NewKey {
  readonly madeAt: number
  endsAt: number
}

/** What the keys must come to: a second account of them in memory. */
class Model {
  now = Date.parse(start)
  readonly keys: Array<Made> = []

  works = ({ endsAt }: { readonly endsAt: number }) => this.now < endsAt

  /** Why a new key cannot be made, when so many of those that work make room for it. */
  refusal(room: number): string {
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

layer(Services, { excludeTestServices: true })("an account's keys", (it) => {
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

        const replace = Effect.fnUntraced(function* (old: Made | undefined, ends: KeyEnd) {
          const exists = old !== undefined && model.works(old)
          const result = yield* Effect.result(keys.replace(id, old?.key.id ?? 2_147_483_647, { ends }))
          const isReplaced = exists && old.endsAt !== Number.POSITIVE_INFINITY
          const refusal = isReplaced
            ? "KeyReplacedAlready"
            : exists
              ? model.refusal(ends === "now" ? 1 : 0)
              : "KeyNotFound"
          assert.strictEqual(outcomeOf(result), refusal, ends)
          if (Result.isSuccess(result) && exists) {
            old.endsAt = model.now + overlapMillis[ends]
            assert.strictEqual(result.success.replaced.endsAt.epochMilliseconds, old.endsAt)
            model.made(result.success)
          }
        })

        for (const step of steps) {
          if (step._tag === "create") {
            for (let time = 0; time < step.times; time++) {
              const result = yield* Effect.result(keys.create(id, "a key"))
              assert.strictEqual(outcomeOf(result), model.refusal(0))
              if (Result.isSuccess(result)) model.made(result.success)
            }
          } else if (step._tag === "replace") {
            yield* replace(model.keys.at(-1 - step.key), step.ends)
          } else if (step._tag === "rotate") {
            for (let time = 0; time < step.times; time++) yield* replace(model.keys.at(-1), "now")
          } else if (step._tag === "revoke") {
            const old = model.keys.at(-1 - step.key)
            const exists = old !== undefined && model.works(old)
            const result = yield* Effect.result(keys.revoke(id, old?.key.id ?? 2_147_483_647))
            assert.strictEqual(outcomeOf(result), exists ? "none" : "KeyNotFound")
            if (exists) old.endsAt = model.now
          } else if (step._tag === "wait") {
            model.now += step.millis
            yield* clock.advance(step.millis)
          } else {
            yield* accounts.setPlan(email, "starter")
            const newest = model.keys.at(-1)
            const refused = [outcomeOf(yield* Effect.result(keys.create(id, "a key")))]
            if (newest !== undefined && model.works(newest)) {
              refused.push(outcomeOf(yield* Effect.result(keys.replace(id, newest.key.id, { ends: step.ends }))))
            }
            for (const result of refused) assert.strictEqual(result, "PlanUpgradeRequired")
            yield* accounts.setPlan(email, "growth")
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
    { arbitrary: { runs: 60 } }
  )
})
