import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { AccountId } from "../../../src/domain/access/Account.ts"
import { PageRateLimit, viewsPerMinute } from "../../../src/services/limits/PageRateLimit.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const accountOf = Schema.decodeSync(AccountId)

/** Another server on the database. */
const server = Effect.map(Layer.build(Layer.fresh(PageRateLimit.layer)), Context.get(PageRateLimit))

const services = Layer.provideMerge(TestDatabase.layer, SetClock.layer("2026-03-15T12:00:00Z"))

layer(services, { excludeTestServices: true })("PageRateLimit", (it) => {
  /** How many of so many views are accepted, one after the other. */
  const accepted = (rate: PageRateLimit["Service"], account: number, views: number) =>
    Effect.map(
      Effect.forEach(Array.from({ length: views }), () => Effect.isSuccess(rate.take(accountOf(account)))),
      (results) => results.filter(Boolean).length
    )

  it.effect("accepts a minute's page views at once, then one for each that is refilled, for each account", () =>
    Effect.gen(function* () {
      const [clock, one] = [yield* SetClock, yield* server]
      assert.strictEqual(yield* accepted(one, 1, viewsPerMinute + 5), viewsPerMinute)
      const refused = yield* Effect.flip(one.take(accountOf(1)))
      assert.deepInclude(refused, { _tag: "RateLimited", retryAfterSeconds: 1 })
      assert.strictEqual(yield* accepted(one, 2, 1), 1)
      yield* clock.advance(499)
      assert.strictEqual(yield* accepted(one, 1, 1), 0)
      yield* clock.advance(1)
      assert.strictEqual(yield* accepted(one, 1, 2), 1)
    })
  )

  it.effect("ten servers together accept what one does, and one view more each at most", () =>
    Effect.gen(function* () {
      const all = yield* Effect.forEach(Array.from({ length: 10 }), () => server)
      const views = yield* Effect.forEach(all, (one) => accepted(one, 3, viewsPerMinute))
      assert.strictEqual(views[0], viewsPerMinute)
      for (const late of views.slice(1)) assert.isAtMost(late, 1)
    })
  )
})
