import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Unread } from "../../../src/services/import/formats/Foreign.ts"
import { Ids } from "../../../src/services/import/formats/Ids.ts"

describe("an id", () => {
  it.each<readonly [written: unknown, expected: string | null]>([
    [" 77 ", "77"],
    ["77.0", "77"],
    ["77.00", "77"],
    [77, "77"],
    ["walnut-lamp", "walnut-lamp"],
    ["2e10", "2e10"],
    ["1.000", "1.000"],
    ["1.582241234567891e+15", "1582241234567891"],
    [" ", null],
    [null, null],
    [undefined, null]
  ])("written as %j is %j", (written, expected) => {
    assert.strictEqual(new Ids().read(written), expected)
  })

  it.each<readonly [written: unknown, reason: RegExp]>([
    ["1.58224E+15", /a spreadsheet has rounded it/],
    ["1,58224E+15", /a spreadsheet has rounded it/],
    ["1E+15", /a spreadsheet has rounded it/],
    ["1.58224e+15", /a spreadsheet has rounded it/],
    ["12345678901234567.0", /loses digits/],
    [2 ** 53, /loses digits/],
    [7.5, /must be text or a whole number/],
    [["77"], /must be text or a whole number/]
  ])("written as %j cannot be read", (written, reason) => {
    const found = new Ids().read(written)
    assert(found instanceof Unread)
    assert.match(found.reason, reason)
  })

  it("that ends in zeros after 15 digits is a rounded one in a column that shows exponents", () => {
    assert.strictEqual(new Ids().read("1582240000000000"), "1582240000000000")
    for (const written of ["1582240000000000", "1582240000000000.0"]) {
      assert.instanceOf(new Ids(["1.5E+15"]).read(written), Unread)
    }
    assert.strictEqual(new Ids(["1.5E+15"]).read("1582240000000001"), "1582240000000001")
    assert.strictEqual(new Ids(["1.5E+15"]).read("150000000000000"), "150000000000000")
  })

  it.prop(
    "is the same as a whole number, as text and as a data frame writes it",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))],
    ([id]) => {
      for (const written of [id, String(id), `${id}.0`]) assert.strictEqual(new Ids().read(written), String(id))
    }
  )
})
