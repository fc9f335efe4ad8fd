import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Lines, maxLineBytes } from "../../../src/services/import/Lines.ts"
import type { Line } from "../../../src/services/import/Lines.ts"

const utf8 = new TextEncoder()

/** Feeds bytes in pieces of the given sizes, repeatedly. */
const cut = (bytes: Uint8Array, sizes: ReadonlyArray<number>): ReadonlyArray<Line> => {
  const lines = new Lines()
  const found: Array<Line> = []
  for (let offset = 0, turn = 0; offset < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? bytes.length)
    found.push(...lines.push(bytes.subarray(offset, offset + size)))
    offset += size
  }
  return [...found, ...lines.end()]
}

const texts = (lines: ReadonlyArray<Line>) => lines.map((line) => ("text" in line ? line.text : line.problem))

/** Without the signs that end a text in DOS. */
const withoutLast = (text: string): string => (text.endsWith("\u001A") ? withoutLast(text.slice(0, -1)) : text)

const PlainLine = Schema.String.check(Schema.isMaxLength(40))
const Sizes = Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })))

describe("lines", () => {
  it.effect.prop(
    "are the same however the bytes are split",
    [Schema.Array(PlainLine), Sizes, Schema.Boolean, Schema.Boolean],
    ([raw, sizes, isCrlf, hasMark]) =>
      Effect.sync(() => {
        // Unpaired surrogates have no UTF-8, and ends of lines would split a line.
        const plain = raw.map((line) => line.toWellFormed().replaceAll(/[\n\r\uFEFF]/g, "-"))
        const end = isCrlf ? "\r\n" : "\n"
        const bytes = utf8.encode((hasMark ? "\uFEFF" : "") + plain.map((line) => `${line}${end}`).join(""))
        const found = cut(bytes, sizes)
        const filled = plain.flatMap((text, index) =>
          /[^\s\p{Cc}\p{Cf}]/u.test(text) ? [{ text: withoutLast(text), number: index + 1 }] : []
        )
        assert.deepStrictEqual(
          found.map((line) => ({ text: "text" in line ? line.text : line.problem, number: line.number })),
          filled
        )
      })
  )

  it.each([[[1_000_000_000]], [[1]], [[7]]])("are counted but dropped if they are blank, in pieces of %j", (sizes) => {
    const found = cut(utf8.encode(`\n\r\n${"\n".repeat(10_000)}a\n \t\r\n${"\n".repeat(10_000)}b\n \n `), sizes)
    assert.deepStrictEqual(found, [
      { number: 10_003, text: "a", isUnfinished: false },
      { number: 20_005, text: "b", isUnfinished: false }
    ])
  })

  it("end before the sign that ends a text in DOS, and such a line is none", () => {
    assert.deepStrictEqual(texts(cut(utf8.encode("a\u001A\r\n\u001A\nb\n\u001A"), [100])), ["a", "b"])
  })

  it("report a last line without an end", () => {
    assert.deepStrictEqual(cut(utf8.encode("a\nb"), [100]), [
      { number: 1, text: "a", isUnfinished: false },
      { number: 2, text: "b", isUnfinished: true }
    ])
    assert.deepStrictEqual(cut(utf8.encode("a\n"), [100]).length, 1)
    assert.deepStrictEqual(cut(utf8.encode("é").subarray(0, 1), [100]), [
      { number: 1, problem: "the input ends in the middle of this record" }
    ])
  })

  it.each([[[1_000_000_000]], [[7]], [[65_536]]])(
    "report the one that is not UTF-8 and keep the others, in pieces of %j",
    (sizes) => {
      const bytes = Uint8Array.from([...utf8.encode("a\nb\n"), 0xff, 0x0a, ...utf8.encode("c\n")])
      assert.deepStrictEqual(texts(cut(bytes, sizes)), ["a", "b", "is not UTF-8 text", "c"])
    }
  )

  it.each([[[1_000_000_000]], [[65_536]]])(
    "report the one that is too long and keep the others, in pieces of %j",
    (sizes) => {
      const long = "x".repeat(maxLineBytes + 1)
      const fitting = "y".repeat(maxLineBytes)
      const found = texts(cut(utf8.encode(`a\n${long}\n${fitting}\n${long}${long}\nb\n`), sizes))
      assert.deepStrictEqual(
        found.map((text) => (text === fitting ? "fits" : text)),
        ["a", "is longer than 1048576 bytes", "fits", "is longer than 1048576 bytes", "b"]
      )
    }
  )

  it("end where the input is damaged", () => {
    const lines = new Lines()
    lines.push(utf8.encode("a\nhalf"))
    assert.deepStrictEqual(lines.breakOff("broken"), { number: 2, problem: "broken" })
    assert.deepStrictEqual(lines.end(), [])
  })
})
