import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { AccountId } from "../../../src/domain/access/Account.ts"
import { PageRateLimit, looksPerMinute } from "../../../src/services/limits/PageRateLimit.ts"
import { SetClock } from "../../support/SetClock.ts"

const accountOf = Schema.decodeSync(AccountId)

const services = Layer.provideMerge(PageRateLimit.layer, SetClock.layer("2026-03-15T12:00:00Z"))

layer(services, { excludeTestServices: true })("PageRateLimit", (it) => {
  const take = (account: number) => Effect.flatMap(PageRateLimit, (rate) => rate.take(accountOf(account)))
  const seconds = (account: number) =>
    Effect.match(take(account), { onSuccess: () => undefined, onFailure: (error) => error.retryAfterSeconds })

  it.effect("accepts a minute's page views at once, then one for each that is refilled, for each account", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      for (let look = 0; look < looksPerMinute; look++) yield* take(1)
      assert.strictEqual(yield* seconds(1), 1)
      assert.isUndefined(yield* seconds(2))
      yield* clock.advance(499)
      assert.strictEqual(yield* seconds(1), 1)
      yield* clock.advance(1)
      assert.isUndefined(yield* seconds(1))
      assert.strictEqual(yield* seconds(1), 1)
      yield* clock.advance(60_000)
      for (let look = 0; look < looksPerMinute; look++) yield* take(1)
      assert.strictEqual(yield* seconds(1), 1)
      // An hour back: nothing is given, nothing is taken.
      yield* clock.advance(-3_600_000)
      assert.strictEqual(yield* seconds(1), 1)
    })
  )
})
