import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { maxCompared, maxCounted, nearest, nearestOf } from "../../../src/domain/search/Nearest.ts"

describe("nearest", () => {
  it("finds the closest name in any case", () => {
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

  it("uses the first 100 characters only", () => {
    const name = "Shop".repeat(25)
    assert.strictEqual(nearest(`${name}${"x".repeat(1_000_000)}`, [name], 3), name)
    assert.isUndefined(nearest(`${"y".repeat(100)}${name}`, [name], 3))
  })

  it("is as strict with long text: a third of the first 100 characters may differ", () => {
    assert.isUndefined(nearest("x".repeat(1_000_000), ["Shop Now"]))
  })
})

describe("nearestOf", () => {
  const names = Array.from({ length: 6_000 }, (_, index) => `Theme ${index.toString(36)} of Studio ${index % 7}`)
  const near = nearestOf(names)
  const nearName = (text: string) => near.find(text, 1)[0]

  it("finds the closest name in any case, and nothing that is not close", () => {
    assert.strictEqual(nearName("theme 4m2 of studio 0"), nearest("theme 4m2 of studio 0", names))
    assert.strictEqual(nearestOf(["Dawn", "Impulse"]).find("dwan", 1)[0], undefined)
    assert.strictEqual(nearestOf(["Dawn", "Impulse"]).find("impulze", 1)[0], "Impulse")
    assert.isUndefined(nearName("zzzz"))
    assert.isUndefined(nearestOf([]).find("anything", 1)[0])
  })

  const Letter = Schema.Literals(["a", "b", "c", "d", "É", " "])
  const Text = Schema.Array(Letter).check(Schema.isBetweenLength(3, 12))

  it.effect.prop(
    "is as close as asking every name, of a text with a third that may differ",
    [Schema.Array(Text).check(Schema.isMaxLength(maxCompared)), Text],
    ([others, letters]) =>
      Effect.sync(() => {
        const candidates = others.map((each) => each.join(""))
        const text = letters.join("")
        assert.strictEqual(nearestOf(candidates).find(text, 1)[0], nearest(text, candidates))
      }),
    { arbitrary: { runs: 500 } }
  )

  it.effect("yields to other fibers while it is prepared", () =>
    Effect.gen(function* () {
      let turns = 0
      const count = (): NodeJS.Immediate =>
        setImmediate(() => {
          turns++
          next = count()
        })
      let next = count()
      const prepared = nearestOf(names)
      yield* prepared.prepare
      clearImmediate(next)
      assert.isAtLeast(turns, 10)
      assert.strictEqual(prepared.find("theme 4m2 of studio 0", 1)[0], nearName("theme 4m2 of studio 0"))
    })
  )

  it.each(["theme of studio", "Theme 4m2 of Studio", "e", "x".repeat(100), "theme studio ".repeat(8).slice(0, 100)])(
    "looks at a bounded number of characters for %s",
    (text) => {
      nearName(text)
      const spy = vi.spyOn(String.prototype, "charCodeAt")
      nearName(text)
      const looks = spy.mock.calls.length
      spy.mockRestore()
      const longest = names.reduce((most, { length }) => Math.max(most, length), 0)
      assert.isAtMost(looks, 2 * text.length + maxCompared * text.length * (longest + 1))
    }
  )

  it("counts a bounded number of the names that have a pair of the text", () => {
    /** Each has every pair of `ab`, and is too long to be near. */
    const others = (count: number) => Array.from({ length: count }, () => "abxxxxxxab")
    assert.strictEqual(nearestOf([...others(maxCounted / 4), "ab"]).find("ab", 1)[0], "ab")
    assert.isUndefined(nearestOf([...others(2 * maxCounted), "ab"]).find("ab", 1)[0])
  })
})
