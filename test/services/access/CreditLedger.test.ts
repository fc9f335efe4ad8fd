import { assert, describe, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { CreditLedger } from "../../../src/services/access/CreditLedger.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const Services = Access.layer.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer("2026-03-10T12:00:00Z"))
)

layer(Services, { excludeTestServices: true })("CreditLedger", (it) => {
  describe("charge", () => {
    it.effect("takes the cost and tells what remains", () =>
      Effect.gen(function* () {
        const { caller } = yield* Access.subscriber()
        const ledger = yield* CreditLedger
        assert.deepStrictEqual(yield* ledger.charge(Access.chargeOf(caller)), { cost: 1, remaining: 19 })
        assert.deepStrictEqual(yield* ledger.charge(Access.chargeOf(caller, { cost: 3 })), { cost: 3, remaining: 16 })
        const { balance, fold } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: 20, used: 4 })
        assert.deepStrictEqual(fold, balance)
      })
    )

    it.effect("never goes past the allowance, however many calls run at once", () =>
      Effect.gen(function* () {
        const { caller } = yield* Access.subscriber()
        const ledger = yield* CreditLedger
        const exits = yield* Effect.all(
          Array.from({ length: 64 }, () => Effect.exit(ledger.charge(Access.chargeOf(caller)))),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(exits.filter(Exit.isSuccess).length, 20)
        const { balance, fold } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: 20, used: 20 })
        assert.deepStrictEqual(fold, balance)
      })
    )
  })
})
