import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { EndpointRate } from "../../../src/services/oauth/EndpointRate.ts"
import type { Endpoint } from "../../../src/services/oauth/EndpointRate.ts"
import { SetClock } from "../../support/SetClock.ts"

const Services = EndpointRate.layer.pipe(Layer.provideMerge(SetClock.layer("2026-03-10T12:00:00Z")))

layer(Services, { excludeTestServices: true })("R45, R56 the rate of the OAuth endpoints", (it) => {
  /** How many of so many requests are let through. */
  const letThrough = (endpoint: Endpoint, address: string, requests: number) =>
    Effect.gen(function* () {
      const rate = yield* EndpointRate
      const results = yield* Effect.forEach(Array.from({ length: requests }), () =>
        Effect.isSuccess(rate.take(endpoint, address))
      )
      return results.filter(Boolean).length
    })
  const fresh = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, Layer.fresh(EndpointRate.layer))

  describe("by address", () => {
    it.effect.each<[Endpoint, number]>([
      ["register", 60],
      ["token", 600],
      ["revoke", 300],
      ["authorize", 120]
    ])("%s is let through %i times, and an address is not in another's way", ([endpoint, limit]) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* letThrough(endpoint, "192.0.2.1", limit + 10), limit)
        assert.strictEqual(yield* letThrough(endpoint, "192.0.2.2", 5), 5)
        assert.strictEqual(yield* letThrough(endpoint === "token" ? "revoke" : "token", "192.0.2.1", 5), 5)
      }).pipe(fresh)
    )

    it.effect("who is refused is told how long to wait, and is let through then", () =>
      Effect.gen(function* () {
        const rate = yield* EndpointRate
        yield* letThrough("register", "192.0.2.1", 60)
        const error = yield* Effect.flip(rate.take("register", "192.0.2.1"))
        assert.deepInclude(error, { _tag: "TooManyRequests", retryAfterSeconds: 10 })
        yield* Effect.flatMap(SetClock, (clock) => clock.advance(10_000))
        assert.strictEqual(yield* letThrough("register", "192.0.2.1", 5), 1)
      }).pipe(fresh)
    )
  })

  it.effect("registrations are limited in all, from however many addresses they come", () =>
    Effect.gen(function* () {
      let total = 0
      for (let address = 0; address < 20; address++) total += yield* letThrough("register", `192.0.2.${address}`, 30)
      assert.strictEqual(total, 300)
    }).pipe(fresh)
  )

  it.effect("remembers a bounded number of addresses", () =>
    Effect.gen(function* () {
      const rate = yield* EndpointRate
      yield* letThrough("authorize", "192.0.2.1", 120)
      assert.strictEqual(yield* letThrough("authorize", "192.0.2.1", 1), 0)
      for (let address = 0; address < 50_000; address++) yield* rate.take("authorize", String(address))
      assert.strictEqual(yield* letThrough("authorize", "192.0.2.1", 1), 1)
    }).pipe(fresh)
  )
})
