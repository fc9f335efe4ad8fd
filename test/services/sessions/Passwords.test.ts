import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { Kdf } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Passwords } from "../../../src/services/sessions/Passwords.ts"

/** Passwords that take as long as a test likes. */
const make = Effect.gen(function* () {
  const work = { started: 0, derive: Effect.never as Effect.Effect<Uint8Array> }
  const kdf = Layer.mock(Kdf.Kdf, {
    derive: () =>
      Effect.suspend(() => {
        work.started++
        return work.derive
      })
  })
  const layer = Passwords.layer.pipe(Layer.provide(kdf), Layer.provide(NodeCrypto.layer))
  const passwords = yield* Effect.provide(Passwords, layer)
  const hash = passwords.hash(Redacted.make("nine green whales"))
  const enter = (count: number) =>
    Effect.forEach(Array.from({ length: count }), () => Effect.forkChild(hash, { startImmediately: true }))
  return { work, hash, enter }
})

describe("R56 password checks", () => {
  it.effect("run 4 at once, 50 wait, and further ones are refused with the time to wait", () =>
    Effect.gen(function* () {
      const { enter, hash, work } = yield* make
      const fibers = yield* enter(54)
      yield* Effect.yieldNow
      assert.strictEqual(work.started, 4)
      assert.deepInclude(yield* Effect.flip(hash), { _tag: "PasswordsBusy", retryAfterSeconds: 5 })
      // Who leaves makes room.
      yield* Fiber.interrupt(fibers[10] ?? assert.fail())
      const [next] = yield* enter(1)
      yield* Effect.yieldNow
      assert.isUndefined(next?.pollUnsafe())
      assert.strictEqual((yield* Effect.flip(hash))._tag, "PasswordsBusy")
    })
  )

  it.effect("wait for 5 seconds at most, and take their time once it is their turn", () =>
    Effect.gen(function* () {
      const { enter, work } = yield* make
      const working = yield* enter(4)
      const [waiting] = yield* enter(1)
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(waiting?.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Effect.flip(Fiber.join(waiting ?? assert.fail())))._tag, "PasswordsBusy")
      yield* TestClock.adjust("1 minute")
      for (const each of working) assert.isUndefined(each.pollUnsafe())
      yield* Fiber.interruptAll(working)
      work.derive = Effect.succeed(new Uint8Array(32))
      const [after] = yield* enter(1)
      assert.match(yield* Fiber.join(after ?? assert.fail()), /^\$argon2id\$/)
    })
  )
})
