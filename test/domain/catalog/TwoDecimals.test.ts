/** D91: figures that are computed, as they are shown, and the bounds that are compared with what is shown. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { storedBounds, twoDecimals } from "../../../src/domain/catalog/TwoDecimals.ts"

const Value = Schema.Finite.check(Schema.isBetween({ minimum: -1e6, maximum: 1e6 }))
/** Stored figures around a value, also those next to the middle of two shown ones. */
const around = (value: number): ReadonlyArray<number> => {
  const shown = twoDecimals(value)
  const middles = [shown - 0.005, shown + 0.005]
  return [value, shown, shown - 0.01, shown + 0.01, ...middles, ...middles.flatMap((at) => [at - 1e-9, at + 1e-9])]
}

describe("two decimals", () => {
  it("are what is shown", () => {
    assert.strictEqual(twoDecimals(164.0140694920675), 164.01)
    assert.strictEqual(twoDecimals(26.560000000000002), 26.56)
    assert.strictEqual(twoDecimals(-12.999), -13)
    assert.isTrue(Object.is(twoDecimals(-0.001), 0))
    assert.strictEqual(twoDecimals(Number.MAX_VALUE), Number.MAX_VALUE)
  })

  it.prop("a bound with two decimals finds exactly what is shown within it", [Value, Value], ([one, other]) => {
    const bound = twoDecimals(one)
    const { max = Number.NaN, min = Number.NaN } = storedBounds({ min: bound, max: bound })
    for (const stored of [...around(one), ...around(other)]) {
      assert.strictEqual(stored >= min, twoDecimals(stored) >= bound, `${stored} from ${bound}`)
      assert.strictEqual(stored <= max, twoDecimals(stored) <= bound, `${stored} to ${bound}`)
    }
  })

  it.prop("a bound with more decimals stays as it is", [Value], ([value]) => {
    const bound = value + 1 / 3
    if (twoDecimals(bound) === bound) return
    assert.deepStrictEqual(storedBounds({ min: bound, max: bound }), { min: bound, max: bound })
  })

  it("absent and extreme bounds stay as they are", () => {
    assert.deepStrictEqual(storedBounds({}), {})
    assert.deepStrictEqual(storedBounds({ min: Number.MAX_VALUE }), { min: Number.MAX_VALUE })
    assert.deepStrictEqual(storedBounds({ max: -Number.MAX_VALUE }), { max: -Number.MAX_VALUE })
  })
})
