import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Credit from "../../../src/domain/access/Credit.ts"
import { apply, entryKinds, fold } from "../../oracle/CreditFold.ts"

const Amount = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
const Entry = Schema.Struct({
  kind: Schema.Literals(entryKinds),
  amount: Schema.Int.check(Schema.isBetween({ minimum: -1000, maximum: 1000 }))
})

describe("the ledger's fold", () => {
  it.prop("D14 remains the sum of its amounts", [Schema.Array(Entry)], ([entries]) => {
    assert.strictEqual(
      Credit.remaining(fold(entries)),
      entries.reduce((sum, { amount }) => sum + amount, 0)
    )
  })

  it.prop("folds in parts as in the whole", [Schema.Array(Entry), Schema.Array(Entry)], ([before, after]) => {
    assert.deepStrictEqual(fold([...before, ...after]), after.reduce(apply, fold(before)))
  })

  it("moves the allowance by grants and adjustments, and what is used by charges and refunds", () => {
    const entries = [
      { kind: "grant", amount: 10 },
      { kind: "charge", amount: -3 },
      { kind: "refund", amount: 1 },
      { kind: "adjustment", amount: -4 }
    ] as const
    assert.deepStrictEqual(fold(entries), { allowance: 6, used: 2 })
  })
})

describe("the allowance after a change of plan", () => {
  it.prop(
    "covers what is used and gains nothing by changing back",
    [Amount, Amount, Amount],
    ([plan, granted, used]) => {
      const changed = Credit.allowanceOnPlan(plan, granted, used)
      assert.isTrue(changed >= used)
      assert.strictEqual(changed, Math.max(plan + granted, used))
    }
  )
})

describe("the costs", () => {
  it("S6, D17 are those of the specification", () => {
    assert.deepStrictEqual(Credit.costs, {
      get_usage: 0,
      list_filter_options: 0,
      list_saved_searches: 0,
      search_ads: 1,
      search_products: 1,
      search_shops: 1,
      compare_markets: 1,
      compare_ads: 1,
      list_changes: 1,
      get_shop: 1,
      get_product: 1,
      run_saved_search: 1
    })
  })
})
