import { assert, describe, it } from "@effect/vitest"
import { plans, subscriptionStatuses } from "../../../src/domain/access/Account.ts"
import { mayCallTools, missing } from "../../../src/domain/access/Plan.ts"

const billing = "https://discovery.test/billing"

describe("tools may be called", () => {
  it("S8, D5, D6 with an active Growth or Pro subscription and with no other", () => {
    const allowed = plans.flatMap((plan) =>
      subscriptionStatuses.filter((status) => mayCallTools({ plan, status })).map((status) => `${plan} ${status}`)
    )
    assert.deepStrictEqual(allowed, ["growth active", "pro active"])
    for (const plan of plans) {
      for (const status of subscriptionStatuses) {
        assert.strictEqual(missing({ plan, status }, billing) === undefined, mayCallTools({ plan, status }))
      }
    }
  })
})

describe("plan_upgrade_required", () => {
  it("names the plan when the plan is missing", () => {
    const error = missing({ plan: "starter", status: "active" }, billing)
    assert.strictEqual(
      error?.message,
      "Tool calls need an active Growth or Pro subscription, but the account's plan is Starter."
    )
    assert.include(error?.hint ?? "", `upgrade to Growth or Pro at ${billing}`)
  })

  it("names the status when the status is missing, and what to do about it", () => {
    const hints = subscriptionStatuses.map((status) => missing({ plan: "pro", status }, billing))
    assert.deepStrictEqual(
      hints.map((error) => error?.message.split(", but ")[1]),
      [
        undefined,
        "the account's subscription is paused.",
        "the account's subscription is unpaid.",
        "the account's subscription is canceled."
      ]
    )
    assert.deepStrictEqual(
      hints.map((error) => error?.hint.split(" at ")[0]),
      [
        undefined,
        "To go on, resume the subscription",
        "To go on, pay the open invoice",
        "To go on, start the subscription again"
      ]
    )
  })

  it("names both when both are missing, and always where to fix it", () => {
    const error = missing({ plan: "starter", status: "unpaid" }, billing)
    assert.include(error?.message ?? "", "the account's plan is Starter and its subscription is unpaid")
    assert.include(error?.hint ?? "", "upgrade to Growth or Pro and pay the open invoice")
    assert.strictEqual(error?.upgradeUrl, billing)
  })
})
