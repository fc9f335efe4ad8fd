import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { EndpointRate } from "../../../src/services/limits/EndpointRate.ts"
import type { Endpoint } from "../../../src/services/limits/EndpointRate.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const Services = EndpointRate.layer.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer("2026-03-10T12:00:00Z"))
)

let networks = 0
/** An address that nobody has asked from. */
const newAddress = () => `192.0.2.${++networks}`
/** A /48, to which a fourth segment is added. */
const newSite = () => `2001:db8:${(++networks).toString(16)}`

layer(Services, { excludeTestServices: true })("R45, R56 the rate of the OAuth endpoints", (it) => {
  /** How many of so many requests are let through. */
  const letThrough = (endpoint: Endpoint, address: string, requests: number) =>
    Effect.gen(function* () {
      const rate = yield* EndpointRate
      const results = yield* Effect.forEach(
        Array.from({ length: requests }),
        () => Effect.isSuccess(rate.take(endpoint, address)),
        { concurrency: 20 }
      )
      return results.filter(Boolean).length
    })

  describe("by address", () => {
    it.effect.each<[Endpoint, number]>([
      ["register", 60],
      ["token", 600],
      ["revoke", 300],
      ["authorize", 120]
    ])("%s is let through %i times, and an address is not in another's way", ([endpoint, limit]) =>
      Effect.gen(function* () {
        const [one, other] = [newAddress(), newAddress()]
        assert.strictEqual(yield* letThrough(endpoint, one, limit + 10), limit)
        assert.strictEqual(yield* letThrough(endpoint, other, 5), 5)
        assert.strictEqual(yield* letThrough(endpoint === "token" ? "revoke" : "token", one, 5), 5)
      })
    )

    it.effect("a refused caller gets the time to wait, and is accepted after it", () =>
      Effect.gen(function* () {
        const rate = yield* EndpointRate
        const address = newAddress()
        yield* letThrough("register", address, 60)
        const error = yield* Effect.flip(rate.take("register", address))
        assert.deepInclude(error, { _tag: "TooManyRequests", retryAfterSeconds: 10 })
        yield* Effect.flatMap(SetClock, (clock) => clock.advance(10_000))
        assert.strictEqual(yield* letThrough("register", address, 5), 1)
      })
    )
  })

  it.effect("an IPv6 site has eight times the allowance of one network in it, however many it uses", () =>
    Effect.gen(function* () {
      const [site, other] = [newSite(), newSite()]
      let through = 0
      for (let network = 0; network < 300; network++) {
        through += yield* letThrough("register", `${site}:${network.toString(16)}`, 2)
      }
      assert.strictEqual(through, 480)
      // Its allowance is used, also for networks that have not asked yet; other sites have theirs.
      assert.strictEqual(yield* letThrough("register", `${site}:ffff`, 1), 0)
      assert.strictEqual(yield* letThrough("register", `${other}:0`, 70), 60)
    })
  )

  it.effect("R45 no number of addresses locks out another", () =>
    Effect.gen(function* () {
      for (let address = 0; address < 20; address++) {
        assert.strictEqual(yield* letThrough("register", newAddress(), 70), 60)
      }
      assert.strictEqual(yield* letThrough("register", newAddress(), 60), 60)
    })
  )

  it.effect("is counted by all servers together: of ten, one after the other, they let through what one does", () =>
    Effect.gen(function* () {
      const [registering, exchanging] = [newAddress(), newAddress()]
      const counts = yield* Effect.forEach(Array.from({ length: 10 }), () =>
        Effect.gen(function* () {
          const own = yield* Layer.build(Layer.fresh(EndpointRate.layer))
          const through = (endpoint: Endpoint, address: string) =>
            Effect.provideService(letThrough(endpoint, address, 620), EndpointRate, Context.get(own, EndpointRate))
          return { register: yield* through("register", registering), token: yield* through("token", exchanging) }
        })
      )
      assert.deepStrictEqual(
        counts.map(({ register }) => register),
        [60, 0, 0, 0, 0, 0, 0, 0, 0, 0]
      )
      const tokens = counts.map(({ token }) => token)
      assert.strictEqual(tokens[0], 600)
      // The hundredth of the limit that a server lets through before it asks.
      for (const late of tokens.slice(1)) assert.isAtMost(late, 6)
    })
  )
})
