import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fs from "node:fs"
import { decide, isRunning } from "../../../src/domain/access/StripeSubscription.ts"
import type { StripeSubscription } from "../../../src/domain/access/StripeSubscription.ts"

const prices = { growth: ["price_growth"], pro: ["price_pro"] } as const

const subscription = (options: Partial<StripeSubscription> = {}): StripeSubscription => ({
  id: "sub_1",
  status: "active",
  prices: ["price_growth"],
  pausedCollection: null,
  createdAt: 1,
  startedAt: 1,
  ...options
})

/** The rows of the table in docs/operations.md: the state in Stripe, the account's status, whether another may be sold. */
const documented = Array.from(
  fs
    .readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8")
    .matchAll(/^\| `(\w+)`(, collection paused with `void`)? \| (?:`(\w+)`|as it was) \| (yes|no) \|/gmu),
  ([, state = "", paused, status, isSold]) => ({ state, isPaused: paused !== undefined, status, isSold })
)

describe("D70 the subscription of a customer", () => {
  it("has every state of Stripe in the table of docs/operations.md", () => {
    assert.sameMembers(
      documented.filter(({ isPaused }) => !isPaused).map(({ state }) => state),
      ["active", "trialing", "past_due", "unpaid", "paused", "canceled", "incomplete", "incomplete_expired"]
    )
  })

  it.each(documented)("means what the table says: $state $isPaused", ({ isPaused, isSold, state, status }) => {
    const only = subscription({ status: state, pausedCollection: isPaused ? "void" : null })
    assert.strictEqual(decide([only], prices, null).standing?.status, status)
    assert.strictEqual(isRunning(only) ? "no" : "yes", isSold)
  })

  it("decides nothing when there is none", () => {
    assert.deepStrictEqual(decide([], prices, "sub_1"), { standing: undefined, paid: [], unknown: [] })
  })

  it("with several prices has the better plan", () => {
    const both = subscription({ prices: ["price_other", "price_growth", "price_pro"] })
    assert.strictEqual(decide([both], prices, null).standing?.plan, "pro")
  })
})

const Any = Schema.Array(
  Schema.Struct({
    id: Schema.Literals(["sub_1", "sub_2", "sub_3", "sub_4"]),
    status: Schema.Literals(["active", "trialing", "past_due", "unpaid", "paused", "canceled", "incomplete", "new"]),
    prices: Schema.Array(Schema.Literals(["price_growth", "price_pro", "price_other"])),
    pausedCollection: Schema.NullOr(Schema.Literals(["void", "keep_as_draft"])),
    createdAt: Schema.Int,
    startedAt: Schema.Int
  })
)

describe("D73 several subscriptions of a customer", () => {
  it.prop("give the same in whatever order Stripe lists them", [Any], ([found]) => {
    const distinct = found.filter(({ id }, index) => found.findIndex((each) => each.id === id) === index)
    const { standing } = decide(distinct, prices, "sub_2")
    assert.deepStrictEqual(decide(distinct.toReversed(), prices, "sub_2").standing, standing)
    // None that gives access is passed over.
    const isOpen = distinct.some((each) => decide([each], prices, "sub_2").standing?.status === "active")
    assert.strictEqual(standing?.status === "active", isOpen)
  })

  it("are counted when more than one gives access", () => {
    const { paid, standing } = decide(
      [
        subscription(),
        subscription({ id: "sub_2", prices: ["price_pro"] }),
        subscription({ id: "sub_3", status: "paused" })
      ],
      prices,
      "sub_1"
    )
    assert.lengthOf(paid, 2)
    assert.strictEqual(standing?.subscriptionId, "sub_2")
  })
})
