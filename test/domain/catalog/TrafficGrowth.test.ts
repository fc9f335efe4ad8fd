import { assert, describe, it } from "@effect/vitest"
import { trafficGrowthPct } from "../../../src/domain/catalog/TrafficGrowth.ts"

describe("trafficGrowthPct", () => {
  it("S27, D35 is the sum of the month-over-month changes in percent", () => {
    assert.strictEqual(trafficGrowthPct([100, 150, 75]), 0)
    assert.strictEqual(trafficGrowthPct([100, 200, 400]), 200)
    assert.strictEqual(trafficGrowthPct([200, 100]), -50)
  })

  it("leaves out a pair whose earlier month is 0", () => {
    assert.strictEqual(trafficGrowthPct([0, 500, 1000]), 100)
    assert.strictEqual(trafficGrowthPct([0, 0]), 0)
  })

  it("is unknown with fewer than two months", () => {
    assert.isNull(trafficGrowthPct([]))
    assert.isNull(trafficGrowthPct([100]))
  })
})
