import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Truncation from "../../src/domain/Truncation.ts"

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

interface Page {
  readonly results: ReadonlyArray<unknown>
  readonly pagination: unknown
  readonly truncated?: boolean
  readonly warnings?: ReadonlyArray<string>
}

const parse = (json: string): Page => JSON.parse(json)

/** Texts of one to four bytes a character, and ones that JSON escapes. */
const filler = Schema.Struct({
  unit: Schema.Literals(["a", "é", "€", "🧦", '"', "\u0001"]),
  length: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4000 }))
})

const pagination = { page: 1, per_page: 25, total: 999, has_more: true }

describe("Truncation", () => {
  it.prop(
    "S32, D30 keeps as many of the first items as fit into 64 KiB, and says when it dropped some",
    [Schema.Array(filler).check(Schema.isMaxLength(25))],
    ([fillers]) => {
      const results = fillers.map(({ length, unit }, id) => ({ id, text: unit.repeat(length) }))
      const warnings = ["This is said of any page."]
      const whole = { results, pagination, warnings }
      const json = Truncation.toJson(whole)
      const cut = parse(json)

      assert.isAtMost(Buffer.byteLength(json), 65_536)
      assert.deepStrictEqual(cut.pagination, pagination)
      assert.deepStrictEqual(cut.warnings, warnings)
      assert.deepStrictEqual(cut.results, results.slice(0, cut.results.length))
      if (bytes(whole) <= 65_536) {
        assert.deepStrictEqual(cut, whole)
      } else {
        assert.strictEqual(cut.truncated, true)
        const oneMore = { ...whole, results: results.slice(0, cut.results.length + 1), truncated: true }
        assert.isAbove(bytes(oneMore), 65_536)
      }
    },
    { arbitrary: { runs: 300 } }
  )

  const page = (textLength: number) => ({ results: [{ text: "x".repeat(textLength) }], pagination })

  it("keeps exactly 64 KiB, and truncates one byte more", () => {
    const room = 65_536 - bytes(page(0))
    assert.strictEqual(Buffer.byteLength(Truncation.toJson(page(room))), 65_536)
    assert.notProperty(parse(Truncation.toJson(page(room))), "truncated")
    assert.deepStrictEqual(parse(Truncation.toJson(page(room + 1))), { results: [], pagination, truncated: true })
  })

  it.each(["a", "é", "€", "🧦", '"'])("counts bytes, not characters: of %s", (unit) => {
    const page = (units: number, letters: number) => ({
      results: [{ text: unit.repeat(units) + "x".repeat(letters) }],
      notice: unit.repeat(500),
      pagination
    })
    const [empty, one] = [bytes(page(0, 0)), bytes(page(1, 0))]
    const units = Math.floor((65_536 - empty) / (one - empty))
    const letters = 65_536 - bytes(page(units, 0))
    assert.notProperty(parse(Truncation.toJson(page(units, letters))), "truncated")
    const cut = Truncation.toJson(page(units, letters + 1))
    assert.deepStrictEqual(parse(cut).results, [])

    // Two items, of which both fit beside the rest of the answer, or the first alone.
    const items = (letters: number) => [
      { text: unit.repeat(units - 200) },
      { text: "x".repeat(letters) },
      { text: "x".repeat(2_000) }
    ]
    const of = (letters: number) => ({ results: items(letters), notice: unit.repeat(500), pagination })
    const room = 65_536 - bytes({ ...of(0), results: items(0).slice(0, 2), truncated: true })
    assert.lengthOf(parse(Truncation.toJson(of(room))).results, 2)
    assert.lengthOf(parse(Truncation.toJson(of(room + 1))).results, 1)
  })

  it("fills a truncated page to the last byte", () => {
    const items = (length: number) => [
      { text: "x".repeat(30_000) },
      { text: "y".repeat(length) },
      { text: "z".repeat(30_000) }
    ]
    const twoOf = (length: number) => bytes({ results: items(length).slice(0, 2), pagination, truncated: true })
    const room = 65_536 - twoOf(0)
    assert.strictEqual(parse(Truncation.toJson({ results: items(room), pagination })).results.length, 2)
    assert.strictEqual(parse(Truncation.toJson({ results: items(room + 1), pagination })).results.length, 1)
  })

  it("D30 returns at least the pagination", () => {
    assert.deepStrictEqual(parse(Truncation.toJson(page(100_000))), { results: [], pagination, truncated: true })
  })
})

describe("truncated lists", () => {
  it("keep their first items, as many as fit the count and the bytes", () => {
    assert.deepStrictEqual(Truncation.fit(["a", "b", "c"], { maxItems: 2, maxBytes: 100 }), ["a", "b"])
    assert.deepStrictEqual(Truncation.fit(["aa", "bb", "cc"], { maxItems: 9, maxBytes: 10 }), ["aa", "bb"])
    assert.deepStrictEqual(Truncation.fit(["éé", "bb"], { maxItems: 9, maxBytes: 6 }), [])
    assert.deepStrictEqual(Truncation.fit([], { maxItems: 0, maxBytes: 0 }), [])
  })
})
