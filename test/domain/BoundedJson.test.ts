import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as BoundedJson from "../../src/domain/BoundedJson.ts"

const excessive = Result.fail("excessive" as const)

describe("BoundedJson", () => {
  it.effect.prop(
    "reads what JSON.parse reads, also when strings are full of brackets",
    [Schema.Json, Schema.String],
    ([json, text]) =>
      Effect.sync(() => {
        const value = { json, text: `{[":${text}\\"[[{` }
        const written = JSON.stringify(value)
        assert.deepStrictEqual(BoundedJson.parse(written), Result.succeed(JSON.parse(written)))
      })
  )

  it.effect.prop(
    "refuses a name that an object has twice, however it is written and wherever it stands, and in files takes the last value",
    [Schema.Json, Schema.String, Schema.Boolean, Schema.Array(Schema.Boolean)],
    ([json, name, isEscaped, levels]) =>
      Effect.sync(() => {
        const written = JSON.stringify(name)
        const unit = name.charCodeAt(0).toString(16).padStart(4, "0")
        const other = isEscaped && name !== "" ? `"\\u${unit}${JSON.stringify(name.slice(1)).slice(1)}` : written
        const object = `{${written}:${JSON.stringify(json)},${other}:[{${written}:1}]}`
        const text = levels
          .slice(0, 20)
          .reduce((inner, isList) => (isList ? `[${inner},{"a":1}]` : `{"b":{"a":1},"a":${inner}}`), object)
        assert.deepStrictEqual(BoundedJson.parse(text), Result.fail({ repeated: JSON.parse(other) }))
        assert.deepStrictEqual(BoundedJson.parse(text, BoundedJson.ofFile), Result.succeed(JSON.parse(text)))
      })
  )

  it.each(["", "{", "[1,]", '"open', '"\\', "nul", "{}]"])("%s is malformed", (text) => {
    assert.deepStrictEqual(BoundedJson.parse(text), Result.fail("malformed"))
  })

  const { maxContainers, maxDepth, maxNames } = BoundedJson
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
  const row = (count: number, of: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => of(index)).join()
  const limits: ReadonlyArray<readonly [string, (count: number) => string, number]> = [
    ["levels of arrays", nested, maxDepth],
    ["levels of objects", (levels) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`, maxDepth],
    ["names", (count) => `{${row(count, (index) => `"n${index}":1`)}}`, maxNames],
    ["objects", (count) => `[${row(count - 1, (index) => `{"n${index}":1}`)}]`, maxContainers],
    ["arrays", (count) => `[${row(count - 1, () => "[]")}]`, maxContainers]
  ]

  it.each(limits)("parses as many %s as there may be, and nothing of a text with more", (_, of, most) => {
    assert.isTrue(Result.isSuccess(BoundedJson.parse(of(most))))
    const spy = vi.spyOn(JSON, "parse")
    assert.deepStrictEqual(BoundedJson.parse(of(most + 1)), excessive)
    assert.deepStrictEqual(BoundedJson.parse(of(25_000)), excessive)
    assert.lengthOf(spy.mock.calls, 0)
    spy.mockRestore()
  })

  it("reads each character once", () => {
    const text = `["${'\\"'.repeat(30_000)}",${nested(50)},"${"[".repeat(100_000)}"]`
    const spy = vi.spyOn(String.prototype, "charCodeAt")
    assert.isTrue(Result.isSuccess(BoundedJson.parse(text)))
    assert.isAtMost(spy.mock.calls.length, text.length)
    spy.mockRestore()
  })
})
