/** What the compiler does not see of the declarations of figures. */
import { assert, describe, it } from "@effect/vitest"
import { figures, recorded, storeFigures } from "../../../src/domain/catalog/Figures.ts"

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
})
