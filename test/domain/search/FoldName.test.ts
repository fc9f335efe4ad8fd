import { assert, describe, it } from "@effect/vitest"
import { foldName } from "../../../src/domain/search/FoldName.ts"

describe("names are one name", () => {
  it.each([
    ["in any case", "Home & GARDEN", "home & Garden"],
    ["in any case of other scripts", "ДОМ", "дом"],
    ["composed or not", "Caf\u00E9", "CAFE\u0301"],
    ["composed in one case only", "\u01F0ogo", "J\u030COGO"]
  ])("%s", (_, one, other) => assert.strictEqual(foldName(one), foldName(other)))

  it.each([
    ["with an accent", "Café", "Cafe"],
    ["with a blank", "Tea Pots", "Teapots"]
  ])("not if one is %s", (_, one, other) => assert.notStrictEqual(foldName(one), foldName(other)))

  it("in linear time, whatever marks they have", () => {
    const marks = "\u0301\u0316".repeat(100_000)
    assert.isBelow(foldName(`a${marks}`).length, 100)
  })
})
