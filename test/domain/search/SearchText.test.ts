import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { eachPart, queryWords } from "../../../src/domain/search/SearchText.ts"
import { documentWords } from "../../oracle/documentWords.ts"
import { normalizedBy } from "../../support/Work.ts"

const document = (texts: ReadonlyArray<string | null>): string => Array.from(documentWords(texts)).join(" ")

/** Whether a query finds a text, by the rule that the index follows. */
const finds = (query: string, text: string): boolean => {
  const words = document([text]).split(" ")
  return queryWords(query).every((wanted) => words.some((word) => word.startsWith(wanted)))
}

/** Characters that fold, join, part and combine, and any others. */
const special = [
  ...Array.from(" \t\n'-´’a1ßΣ★"),
  "e\u0301",
  "\u0308",
  "\u0E34",
  "\u200D",
  "\u00A8",
  "\uFF9E",
  "シ",
  "黒",
  "🇫",
  "🇷",
  "👩🏽"
]
const Pieces = Schema.Array(Schema.Union([Schema.Literals(special), Schema.String.check(Schema.isMaxLength(3))]))

describe("SearchText", () => {
  it.each([
    ["case", "SHOP Now", ["shop", "now"]],
    ["accents", "Crème Brûlée Ångström", ["creme", "brulee", "angstrom"]],
    [
      "letters that do not decompose",
      "Straße Łódź Ærø İstanbul ıssız",
      ["strasse", "lodz", "aero", "istanbul", "issiz"]
    ],
    ["the end of a Greek word", "ΟΔΟΣ οδος", ["οδοσ"]],
    ["bold and other mathematical letters", "𝗕𝗼𝗹𝗱 𝒮𝒸𝓇𝒾𝓅𝓉 ｆｕｌｌ", ["bold", "script", "full"]],
    ["ligatures and fractions", "ﬁne ½", ["fine", "1", "⁄", "2"]],
    ["vowel marks of Arabic and Hebrew", "مَرْحَبًا שָׁלוֹם", ["مرحبا", "שלום"]],
    ["marks that make another letter", "がぎ कि", ["がぎ", "कि"]],
    ["punctuation", "RED-hot, yes! a.b_c/d", ["red", "hot", "yes", "a", "b", "c", "d"]],
    ["apostrophes", "don't Men’s d´été Hawaiʻi 'n' 'quoted'", ["dont", "mens", "dete", "hawaii", "n", "quoted"]],
    ["hyphens", "T‐Shirt t‑shirt", ["t", "shirt"]],
    ["letters made of others", "ʙᴏʟᴅ 🅑🅞🅛🅓 🅱🅾🅻🅳 🄱🄾🄻🄳 Ⓑⓞⓛⓓ ᵇᵒˡᵈ", ["bold"]],
    ["symbols, each a word", "50% c++ €20", ["50", "c", "+", "€", "20"]],
    ["emoji without skin tone, joiner and variation", "👩🏽‍🚀❤️ 1️⃣", ["👩", "🚀", "❤", "1"]],
    ["flags", "🇫🇷🇩🇪", ["🇫🇷", "🇩🇪"]],
    ["invisible characters within a word", "he\u00ADllo wo\u200Brld", ["hello", "world"]],
    ["control characters", "a\u0000b\tc", ["a", "b", "c"]],
    ["repetition", "very very Very", ["very"]],
    ["runs without blanks", "黒猫の เสื้อ 한국어", ["黒猫", "猫の", "เส", "สื", "ื้", "้อ", "한국", "국어"]],
    ["half-width kana", "ﾃｽﾄ", ["テス", "スト"]],
    ["a run inside a word", "Tシャツ", ["t", "シャ", "ャツ"]],
    ["a single character of a run", "猫", ["猫"]],
    ["nothing", " .,!? \n", []]
  ])("a query folds %s", (_, text, words) => {
    assert.deepStrictEqual(queryWords(text), words)
  })

  it.each([
    ["creme", "Crème fraîche", true],
    ["CRÈME", "creme", true],
    ["bru cre", "Crème Brûlée", true],
    ["rulee", "Crème Brûlée", false],
    ["猫", "黒猫", true],
    ["猫", "犬", false],
    ["黒猫", "黒い猫", false],
    ["👍", "Great 👍🏿!", true],
    ["my-shop.co.uk", "my-shop.co.uk", true],
    ["my shop", "my-shop.co.uk", true],
    ["myshop", "my-shop.co.uk", true],
    ["shopco", "my-shop.co.uk", false],
    ["tshirt", "T-Shirt", true],
    ["t-shirt", "T Shirt", true],
    ["shirt", "T-Shirt", true],
    ["mens", "Men's shoes", true],
    ["men's", "Mens shoes", true],
    ["men", "Men’s shoes", true],
    ["men's", "Men shoes", false],
    ["kids mens", "kids-men's", true],
    ["kidsmens", "kids-men's", true],
    ["été", "L'été", true],
    ["2026", "2026-01-15", true],
    ["20260115", "2026-01-15", false],
    ["abcd", "a-b-c-d", true],
    ["abcde", "a-b-c-d-e", false],
    ["redhot", "red -hot", false],
    ["redhot", "red--hot", false],
    ["bold", "𝗕𝗢𝗟𝗗 claims", true]
  ])("D40 %s finds %s: %s", (query, text, expected) => {
    assert.strictEqual(finds(query, text), expected)
  })

  it("an unknown text has no words, and words of several texts are kept apart", () => {
    assert.strictEqual(document([null, "red", null, "黒", "猫"]), "red 黒 猫")
  })

  it("words are bounded, documents are not", () => {
    assert.deepStrictEqual(queryWords("x".repeat(1_000)), ["x".repeat(64)])
    assert.deepStrictEqual(queryWords("𐐨".repeat(100)), ["𐐨".repeat(64)])
    const many = Array.from({ length: 200_000 }, (_, index) => `w${index}`)
    assert.deepStrictEqual(Array.from(documentWords([many.join(" ")])), many)
  })

  it.each([
    ["marks of two classes", `a${"\u0344".repeat(65_000)}${"\u0316".repeat(65_000)}`],
    ["marks of two classes in turn", `a${"\u0301\u0316".repeat(65_000)}`],
    ["half-width kana marks between others", `ｶ${"\uFF9E\u0316".repeat(65_000)}`]
  ])("never normalizes a long row of %s: that takes the square of its length", (_, text) => {
    const rows = normalizedBy(() => [queryWords(text), document([text])]).flatMap((normalized) =>
      Array.from(normalized.matchAll(/[\p{M}\uFF9E\uFF9F]+/gu), ([row]) => row.length)
    )
    assert.isNotEmpty(rows)
    // Each of 30 marks may have become two.
    assert.isAtMost(Math.max(...rows), 60)
  })

  it("a query is cut to 1,000 characters", () => {
    const words = Array.from({ length: 1_000 }, (_, index) => String(index))
    assert.deepStrictEqual(queryWords(words.join(" ")), queryWords(words.join(" ").slice(0, 1_000)))
  })

  /** What an ad's document is made of, each as long as the importer takes: see Records.ts. */
  const longest = 300 + 200 + 2_000 + 20_000

  const letters = (...ranges: ReadonlyArray<readonly [number, number]>) =>
    ranges.flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index))
    )

  it.each([
    ["Chinese", letters([0x4e00, 0x9fff])],
    ["rare Chinese, two UTF-16 units each", letters([0x20000, 0x2a6df])],
    ["Korean", letters([0xac00, 0xd7a3])],
    ["Thai", letters([0x0e01, 0x0e3a], [0x0e40, 0x0e4e])],
    ["squared kana, up to six letters each", letters([0x3300, 0x3357])],
    ["Roman numerals, up to four letters each, with hyphens and apostrophes", [...letters([0x2160, 0x217f]), "-", "'"]],
    ["Arabic ligatures, up to eighteen letters each", letters([0xfdf0, 0xfdfb], [0xfb50, 0xfbb1])],
    ["words of all lengths", [...letters([97, 122], [97, 122], [97, 122]), " ", " ", "-", "'"]],
    ["bold letters", [...letters([0x1d400, 0x1d433]), " ", "-"]],
    ["emoji", letters([0x1f300, 0x1f64f])]
  ])("the longest text of %s is searched to its end", (_, alphabet) => {
    // Steps that do not divide the alphabet, so that as many pairs as can be are different.
    const text = Array.from(
      { length: longest },
      (_, index) => alphabet[(index * 7 + Math.floor(index / alphabet.length) * 13) % alphabet.length] ?? ""
    ).join("")
    assert.match(document([text, "The very last 猫"]), / very last 猫$/u)
  })

  /** Any code points of the first two planes, where all living scripts, symbols and emoji are, and plain text between. */
  const CodePoint = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0x1ffff }))
  const Text = Schema.Array(Schema.Union([CodePoint, Schema.String]))
  const textOf = (parts: typeof Text.Type): string =>
    parts.map((part) => (typeof part === "string" ? part : String.fromCodePoint(part))).join("")

  it.effect.prop(
    "every text is found by itself, however it is written",
    [Text],
    ([parts]) =>
      Effect.sync(() => {
        const text = textOf(parts)
        assert.isTrue(finds(text, text))
        assert.isTrue(finds(text.normalize("NFD"), text))
        assert.isTrue(finds(text, text.normalize("NFC")))
      }),
    { arbitrary: { runs: 3_000 } }
  )

  it.effect.prop(
    "folding what is folded changes nothing",
    [Text],
    ([parts]) =>
      Effect.sync(() => {
        const text = textOf(parts)
        const words = queryWords(text)
        assert.deepStrictEqual(queryWords(words.join(" ")), words)
      }),
    { arbitrary: { runs: 3_000 } }
  )

  it.effect.prop(
    "no word holds a blank",
    [Text],
    ([parts]) =>
      Effect.sync(() => {
        const text = textOf(parts)
        for (const word of [...queryWords(text), ...document([text]).split(" ")]) assert.notMatch(word, /\s/u)
      }),
    { arbitrary: { runs: 3_000 } }
  )

  it.effect.prop(
    "no word is of two parts of a text",
    [Pieces],
    ([pieces]) =>
      Effect.sync(() => {
        const text = pieces.join("")
        const ofParts = new Set<string>()
        eachPart([text], (part) => queryWords(part).forEach((word) => ofParts.add(word)))
        assert.deepStrictEqual(Array.from(ofParts), queryWords(text))
      }),
    { arbitrary: { runs: 3_000 } }
  )
})
