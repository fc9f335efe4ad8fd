import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AppConfig } from "../../../src/Config.ts"
import { PlanChecker } from "../../../src/services/access/PlanChecker.ts"
import * as FakeAccess from "../../support/FakeAccess.ts"

it.layer(PlanChecker.layer.pipe(Layer.provide(AppConfig.layerOf({ billingUrl: "https://pay.discovery.test/" }))))(
  "PlanChecker",
  (it) => {
    it.effect("lets active Growth and Pro through, and sends everyone else to the billing page", () =>
      Effect.gen(function* () {
        const plans = yield* PlanChecker
        yield* plans.check(FakeAccess.caller(1, { plan: "growth" }))
        yield* plans.check(FakeAccess.caller(1, { plan: "pro" }))
        const unpaid = yield* Effect.flip(plans.check(FakeAccess.caller(1, { plan: "pro", status: "unpaid" })))
        const starter = yield* Effect.flip(plans.check(FakeAccess.caller(1, { plan: "starter" })))
        assert.strictEqual(unpaid.upgradeUrl, "https://pay.discovery.test/")
        assert.include(unpaid.message, "unpaid")
        assert.include(starter.message, "Starter")
      })
    )
  }
)
