import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { clean, cleanOrNull, cut } from "../../../src/domain/catalog/ThirdPartyText.ts"

/** Strings made of what breaks text handling: joiners, marks, flags, skin tones, overrides, surrogates, Hangul, Thai. */
const Piece = Schema.Literals([
  "a",
  "Z",
  " ",
  "\n",
  "\u0000",
  "\u0007",
  "\u202E",
  "\u2066",
  "\u200B",
  "\u200D",
  "\u200C",
  "\uFEFF",
  "\uD83D",
  "\uDE00",
  "é",
  "e\u0301",
  "👩‍👩‍👧",
  "👍🏽",
  "🇩🇪",
  "ห้",
  "한",
  "नि",
  "العربية",
  "❤️",
  "\u{E0041}",
  "𝗯"
])
const Hostile = Schema.Array(Piece).pipe(Schema.check(Schema.isMaxLength(40)))

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })
const split = (text: string) => Array.from(graphemes.segment(text), ({ segment }) => segment)

describe("clean", () => {
  it.effect.prop("is idempotent and leaves nothing that hides, reorders or breaks", [Hostile], ([pieces]) =>
    Effect.sync(() => {
      const cleaned = clean(pieces.join(""))
      assert.strictEqual(clean(cleaned), cleaned)
      assert.notMatch(cleaned, /[\u0000-\u0008\u200B\u202A-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/u)
      assert.isTrue(cleaned.isWellFormed())
    })
  )

  it("keeps text in every script, emoji that are joined, and line breaks", () => {
    for (const text of ["Größe\nZwei", "👩‍👩‍👧", "❤️", "می‌خواهم", "ห้องน้ำ", "👍🏽", "𝗯𝗼𝗹𝗱", "🇩🇪"])
      assert.strictEqual(clean(text), text)
  })

  it("removes overrides, zero-width characters, NUL and the ends' white space", () => {
    assert.strictEqual(clean(" \u202Eevil\u202C a\u200Bb\u0000c \uFEFF"), "evil abc")
    assert.strictEqual(clean("a\u200D b"), "a b")
  })

  it("is null where nothing is left", () => {
    assert.isNull(cleanOrNull("\u200B \u202E"))
    assert.isNull(cleanOrNull(undefined))
    assert.strictEqual(cleanOrNull(" x "), "x")
  })
})

describe("cut", () => {
  const Limit = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))

  it.effect.prop(
    "never ends inside a grapheme, never exceeds the limit, and loses no more than it must",
    [Hostile, Limit],
    ([pieces, limit]) =>
      Effect.sync(() => {
        const text = clean(pieces.join(""))
        const short = cut(text, limit)
        const all = split(text)
        const kept = split(short)
        assert.isTrue(text.startsWith(short))
        assert.deepStrictEqual(kept, all.slice(0, kept.length))
        assert.isAtMost(Array.from(short).length, limit)
        const next = all[kept.length]
        if (next !== undefined) assert.isAbove(Array.from(short).length + Array.from(next).length, limit)
      })
  )

  it("counts characters, not UTF-16 units", () => {
    assert.strictEqual(cut("😀".repeat(300), 200), "😀".repeat(200))
    assert.strictEqual(cut("ab👩‍👩‍👧", 4), "ab")
  })
})
