import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { EndpointRate } from "../../../src/services/limits/EndpointRate.ts"
import type { Endpoint } from "../../../src/services/limits/EndpointRate.ts"
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

    it.effect("a refused caller gets the time to wait, and is accepted after it", () =>
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

  it.effect("an IPv6 site has eight times the allowance of one network in it, however many it uses", () =>
    Effect.gen(function* () {
      let through = 0
      for (let network = 0; network < 300; network++) {
        through += yield* letThrough("register", `2001:db8:1:${network.toString(16)}`, 2)
      }
      assert.strictEqual(through, 480)
      // Its allowance is used, also for networks that have not asked yet; other sites have theirs.
      assert.strictEqual(yield* letThrough("register", "2001:db8:1:ffff", 1), 0)
      assert.strictEqual(yield* letThrough("register", "2001:db8:2:0", 70), 60)
    }).pipe(fresh)
  )

  it.effect("R45 no number of addresses locks out another", () =>
    Effect.gen(function* () {
      for (let address = 0; address < 20; address++) {
        assert.strictEqual(yield* letThrough("register", `192.0.2.${address}`, 70), 60)
      }
      assert.strictEqual(yield* letThrough("register", "198.51.100.1", 60), 60)
    }).pipe(fresh)
  )

  it.effect("a clock that is set back neither refills nor fills a bucket, and no caller waits longer", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      yield* letThrough("authorize", "192.0.2.1", 120)
      yield* letThrough("authorize", "192.0.2.2", 20)
      yield* clock.advance(-3_600_000)
      assert.strictEqual(yield* letThrough("authorize", "192.0.2.1", 1), 0)
      assert.strictEqual(yield* letThrough("authorize", "192.0.2.2", 120), 100)
      yield* clock.advance(60_000)
      assert.strictEqual(yield* letThrough("authorize", "192.0.2.1", 130), 120)
    }).pipe(fresh)
  )

  it.effect(
    "remembers 50,000 addresses; of more, only those that have not asked for the longest time are forgotten",
    () =>
      Effect.gen(function* () {
        const rate = yield* EndpointRate
        const others = Effect.fnUntraced(function* (from: number, count: number) {
          for (let address = from; address < from + count; address++) yield* rate.take("authorize", `other ${address}`)
        })
        yield* letThrough("authorize", "idle", 120)
        yield* letThrough("authorize", "busy", 120)
        yield* others(0, 49_998)
        // Both are still known, and the one that goes on asking stays so.
        assert.strictEqual(yield* letThrough("authorize", "idle", 1), 0)
        assert.strictEqual(yield* letThrough("authorize", "busy", 1), 0)
        yield* others(50_000, 49_999)
        assert.strictEqual(yield* letThrough("authorize", "busy", 1), 0)
        assert.strictEqual(yield* letThrough("authorize", "idle", 1), 1)
      }).pipe(fresh)
  )
})
