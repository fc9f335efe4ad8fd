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
})
