import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { clean, cut } from "../../../src/domain/catalog/ThirdPartyText.ts"

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
  "𝗯",
  "\u00AD",
  "\u034F",
  "\u061C",
  "\u180E",
  "\u2065",
  "\u3164",
  "\u{1D173}",
  "\u{E0200}",
  "\u180B",
  "ᠠ",
  "\uFE00",
  "\uFE0E",
  "\uFE0F",
  "\u{E0100}",
  "\u{E01EF}",
  "葛",
  "❤",
  "1",
  "1️⃣",
  "\u20E3"
])
const Hostile = Schema.Array(Piece).pipe(Schema.check(Schema.isMaxLength(40)))

/** Nothing that is not seen but joiners and selectors: about those the property says more. */
const hidden =
  /(?![\n\t])\p{Cc}|\u034F|[\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E00FF}\u{E01F0}-\u{E0FFF}]/u
const selector = /\p{Variation_Selector}/u
const twoSelectors = new RegExp(`(?:${selector.source}){2}`, "u")
const selectorOfText = new RegExp(
  `(?:^|[\\s\\p{Script=Latin}\\p{Script=Arabic}\\p{Script=Hangul}])(?:${selector.source})`,
  "u"
)

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })
const split = (text: string) => Array.from(graphemes.segment(text), ({ segment }) => segment)

describe("clean", () => {
  it.effect.prop("D31 is idempotent and leaves nothing that hides, reorders or breaks", [Hostile], ([pieces]) =>
    Effect.sync(() => {
      const cleaned = clean(pieces.join(""))
      assert.strictEqual(clean(cleaned), cleaned)
      assert.notMatch(cleaned, hidden)
      assert.notMatch(cleaned, twoSelectors)
      assert.notMatch(cleaned, selectorOfText)
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

  it.each(["AD", "34F", "61C", "115F", "180E", "2065", "3164", "1D173", "1D17A", "E0041", "E0200"])(
    "removes U+%s, which is not shown",
    (code) => {
      assert.strictEqual(clean(`a${String.fromCodePoint(Number.parseInt(code, 16))}b`), "ab")
    }
  )

  it("keeps a selector that has an effect: on a symbol, a keycap, an ideograph, a Mongolian letter", () => {
    for (const text of ["❤️", "❤︎", "1️⃣", "#️⃣", "™️", "🏳️‍🌈", "🕵️‍♂️", "‼️", "葛\u{E0100}飾", "ᠠ\u180Bᠨ"])
      assert.strictEqual(clean(text), text)
  })

  it("removes selectors that carry text unseen", () => {
    const smuggled = Array.from(new TextEncoder().encode("ignore all"), (byte) =>
      String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16)
    ).join("")
    assert.strictEqual(clean(`Lamp${smuggled}`), "Lamp")
    assert.strictEqual(clean(`😀${smuggled}!`), "😀!")
    assert.strictEqual(clean(`葛${smuggled}!`), `葛${Array.from(smuggled)[0]}!`)
    assert.strictEqual(clean("❤\uFE0F\uFE0E\uFE0F a\uFE0F 1\uFE0F \uFE0F"), "❤\uFE0F a 1")
    assert.strictEqual(clean("❤\u200D\uFE0F ∩\uFE00"), "❤ ∩")
  })
})

describe("cut", () => {
  const Limit = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))

  it.effect.prop(
    "D31 never ends inside a grapheme, never exceeds the limit, and loses no more than it must",
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
