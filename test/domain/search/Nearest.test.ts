import { assert, describe, it } from "@effect/vitest"
import { nearest } from "../../../src/domain/search/Nearest.ts"

describe("nearest", () => {
  it("finds the closest name, whatever the case", () => {
    assert.strictEqual(nearest("shop now", ["Learn More", "Shop Now"]), "Shop Now")
    assert.strictEqual(nearest("Frnech", ["Greek", "French"]), "French")
  })

  it("suggests nothing that is not close", () => {
    assert.isUndefined(nearest("best", ["newest", "recommended"], 1))
    assert.isUndefined(nearest("zzzz", ["Shop Now"]))
    assert.isUndefined(nearest("anything", []))
  })

  it("is bounded for text of any length", () => {
    assert.isUndefined(nearest("x".repeat(1_000_000), ["Shop Now"], 3))
  })

  it("looks at the first 100 characters alone", () => {
    const name = "Shop".repeat(25)
    assert.strictEqual(nearest(`${name}${"x".repeat(1_000_000)}`, [name], 3), name)
    assert.isUndefined(nearest(`${"y".repeat(100)}${name}`, [name], 3))
  })

  it("is no less strict with a long text: a third of what is looked at may differ", () => {
    assert.isUndefined(nearest("x".repeat(1_000_000), ["Shop Now"]))
  })
})
