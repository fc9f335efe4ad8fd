/** What the compiler does not see of the declarations of figures. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { argumentDecoder } from "../../../src/domain/ArgumentDecoder.ts"
import { figures, recorded, storeFigures } from "../../../src/domain/catalog/Figures.ts"
import { ShopQuery } from "../../../src/domain/search/ShopQuery.ts"

describe("the figures of a store", () => {
  it("have names of their own, and bits that no other field has", () => {
    for (const names of [
      figures.map((figure) => storeFigures[figure].argument),
      figures.map((figure) => storeFigures[figure].answer),
      recorded.map(({ field }) => field),
      recorded.flatMap(({ columns }) => columns),
      recorded.map(({ bit }) => bit)
    ])
      assert.lengthOf(new Set<unknown>(names), names.length)
    // StoreDates has the bits 0 to 9 for other fields; a bit must be one of a 32-bit integer that has a sign.
    for (const { bit } of recorded) assert.isTrue(bit >= 10 && bit < 31)
  })

  const decode = argumentDecoder(ShopQuery)
  const accepts = (argument: string, each: object) => Result.isSuccess(decode({ [argument]: each }).result)
  /** Bounds that each unit has, and bounds that it cannot have. */
  const bounds = {
    money: { valid: [{ min: 0.5, max: 1e15 }], invalid: [{ min: -1 }, { max: -0.01 }, { min: "much" }] },
    count: { valid: [{ min: 0, max: 2_147_483_647 }], invalid: [{ min: -1 }] },
    percentage: { valid: [{ min: -99.5, max: 250 }], invalid: [{ min: "much" }] },
    rating: { valid: [{ min: 0, max: 5 }], invalid: [{ min: 5.1 }, { max: 6 }, { min: -0.1 }] },
    day: { valid: [{ from: "2024-02-29", to: "2025-01-01" }], invalid: [{ from: "2025-02-29" }, { min: 5 }] }
  } satisfies Readonly<Record<(typeof storeFigures)[(typeof figures)[number]]["unit"], object>>

  it.each(figures)("%s is filtered by bounds that its unit can have", (figure) => {
    const { argument, unit } = storeFigures[figure]
    for (const each of bounds[unit].valid) assert.isTrue(accepts(argument, each), JSON.stringify(each))
    for (const each of bounds[unit].invalid) assert.isFalse(accepts(argument, each), JSON.stringify(each))
  })
})
