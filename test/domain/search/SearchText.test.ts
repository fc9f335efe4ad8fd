import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { eachPart, queryWords, wholeOf } from "../../../src/domain/search/SearchText.ts"
import { wantedWords } from "../../../src/domain/search/WantedWords.ts"
import { matcher } from "../../oracle/NaiveText.ts"
import { documentWords } from "../../oracle/documentWords.ts"
import { normalizedBy } from "../../support/Work.ts"

const document = (texts: ReadonlyArray<string | null>): string => Array.from(documentWords(texts)).join(" ")

/** Whether a query finds a text, by the rule that the index follows. */
const finds = (query: string, text: string): boolean => {
  const words = Array.from(documentWords([text]))
  return wantedWords(query).every((spellings) =>
    spellings.some((spelling) => {
      const whole = wholeOf(spelling)
      return words.some((word) => (whole === undefined ? word.startsWith(spelling) : word === whole))
    })
  )
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
    ["katakana, also half-width", "ガギ ｶﾞｷﾞ ヴァヽ ヶ", ["がぎ", "ゔぁ", "ぁゝ", "ゖ"]],
    ["Arabic alef, heh and yeh, and tatweel", "أإآٱ قهوة على كـتاب", ["اااا", "قهوه", "علي", "كتاب"]],
    ["Persian and Urdu letters and digits", "کتابی ۀ ہے ۲۵۶ ٢٥٦", ["كتابي", "ه", "هي", "256"]],
    ["punycode", "xn--mnchen-3ya.de XN--FIQS8S", ["munchen", "de", "中国"]],
    ["what is no punycode", "xn--- xn--a-b-c-d axn--fiqs8s", ["xn", "a", "b", "c", "d", "axn", "fiqs8s"]],
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
    ["half-width kana", "ﾃｽﾄ", ["てす", "すと"]],
    ["a run inside a word", "Tシャツ", ["t", "しゃ", "ゃつ"]],
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

  it.each([
    ["www.oakline-case.com", "oakline-case.com", true],
    ["https://oakline-case.com/", "oakline-case.com", true],
    ["HTTP://WWW.Oakline-Case.com:8080/products/lamp?ref=ad#top", "oakline-case.com", true],
    ["oakline-case.com/products", "oakline-case.com", true],
    ["lamp (https://oakline-case.com/products),", "Lamp oakline-case.com", true],
    ["https://münchen.de/x", "xn--mnchen-3ya.de", true],
    ["https://xn--mnchen-3ya.de/x", "münchen.de", true],
    ["www.oakline.example", "oakline.example", true],
    ["https://m.oakline-case.com/products", "oakline-case.com", true],
    ["https://shop.oakline-case.com/", "shop.oakline-case.com", true],
    ["https://oakline.myshopify.com/", "myshopify.com", false],
    ["www.com", "www.com", true],
    ["www.com", "oakline.com", false],
    ["www.oakline/lamp", "www.oakline", true],
    ["info@oakline.com", "oakline.com", false],
    ["mailto:info@oakline.com", "oakline.com", false],
    ["and/or", "and", false],
    ["node.js/react", "node.js", false],
    ["https:lamp", "lamp", false]
  ])("an address is its host: %s finds %s: %s", (query, text, expected) => {
    assert.strictEqual(finds(query, text), expected)
  })

  it.each([
    ["guertel", "Gürtel", true],
    ["gürtel", "Guertel", true],
    ["gürtel", "gurtel", true],
    ["gurtel", "Gürtel", true],
    ["guertel", "gurtel", false],
    ["gü", "Guertel", true],
    ["Smoerrebroed", "Smørrebrød", true],
    ["ÅLBORG", "Aalborg", true],
    ["aalborg", "A\u030Alborg", true],
    ["muenchen", "xn--mnchen-3ya.de", true],
    ["mnchen", "xn--mnchen-3ya.de", false],
    ["xn", "xn--mnchen-3ya.de", false],
    ["naieve", "naïve", false],
    ["500ml", "Shampoo 500 ml", true],
    ["500 ml", "500ML", true],
    ["500ml", "500\u00A0ml", true],
    ["500ml", "500, ml", false],
    ["500ml", "ml 500", false],
    ["iphone15", "iPhone 15 case", true],
    ["iphone15case", "iPhone 15 case", true],
    ["iphone15case", "iPhone15 case", true],
    ["15case", "iPhone15case", true],
    ["iphone15", "l'iPhone 15", true],
    ["256 gb", "256GB", true],
    ["gb", "256GB", true],
    ["10x15cm", "10 x 15 cm", true],
    ["10 x 15", "10x15cm", true],
    ["4x6", "4x5, 5x6", false],
    ["4x6", "4 x 5, 5 x 6", true],
    ["3d", "3D printer", true],
    ["3d", "3 drawers", false],
    ["t-shirt", "tshirts", true],
    ["t shirt", "tshirts", true],
    ["tshirt", "T Shirts", true],
    ["t-shirt", "T Shirts", true],
    ["usbc", "USB C cable", true],
    ["usb c", "usbc", true],
    ["tank top", "Tanktops", true],
    ["tanktop", "Tank Top", false],
    ["about", "a boutique", false],
    ["hotchili", "red-hot-chili", true],
    ["x-a1b", "xa1b", true],
    ["emailadresse", "E-Mail-Adresse", true],
    ["e-mail-adresse", "Emailadresse", true],
    ["どりる", "電動ドリル", true],
    ["ﾄﾞﾘﾙ", "どりる", true],
    ["shirts", "Shirt", true],
    ["shirts", "T-Shirt-Dress", true],
    ["shirts", "Shirting", false],
    ["shirt", "Shirts", true],
    ["bags", "Bag", false],
    ["dress", "Dres", false],
    ["bonus", "Bonu", false],
    ["Schnürsenkels", "Schnuersenkel", true],
    ["a=b", "a = b", true]
  ])("D40 another spelling: %s finds %s: %s", (query, text, expected) => {
    assert.strictEqual(finds(query, text), expected)
  })

  /** Two words that are written together, with a hyphen or as two; a blank between letters is one only for some of them. */
  const compounds = ["t|shirt", "e|bike", "usb|c", "tank+top", "iphone#15", "500#ml", "ps#5#pro", "10#x#15#cm"]
  const simple = ["gürtel", "smørrebrød", "ålborg", "straße", "قهوة", "کتاب", "ドリル", "電動", "it's", "é", "50", "🔥"]
  const Atom = Schema.Struct({
    word: Schema.Literals([...compounds, ...simple]),
    /** How a compound is written in the document and in the query. */
    links: Schema.Tuple([Schema.Literals(["", "-", " "]), Schema.Literals(["", "-", " "])]),
    separator: Schema.Literals([" ", "  ", "\n", ", ", "\u00A0", " / "])
  })
  type Letters = "own" | "two" | "plain"
  /** Of a document and a query, what people mean the same by. */
  const meant: ReadonlyArray<readonly [document: Letters, query: Letters]> = [
    ["own", "own"],
    ["own", "two"],
    ["own", "plain"],
    ["two", "own"],
    ["two", "two"],
    ["plain", "own"],
    ["plain", "plain"]
  ]
  const twoLetters: Readonly<Record<string, string>> = { ü: "ue", ø: "oe", å: "aa", ß: "ss" }
  const plainLetters: Readonly<Record<string, string>> = { ü: "u", ø: "o", å: "a", ß: "ss" }
  const spelled = (text: string, how: Letters) =>
    how === "own"
      ? text
      : text.replaceAll(/[üøåß]/gu, (letter) => (how === "two" ? twoLetters : plainLetters)[letter] ?? "")
  const others: Readonly<Record<string, string>> = { ة: "ه", ک: "ك", ド: "ど", リ: "り", ル: "る", "'": "’" }
  const written = (word: string, link: string) =>
    word.replaceAll("+", link === " " ? "-" : link).replaceAll(/[|#]/gu, link)

  const At = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 839 }))

  it.effect.prop(
    "D40 every part of a text between two places finds it, in every spelling",
    [Schema.Array(Atom).check(Schema.isMinLength(1), Schema.isMaxLength(5)), At, At, At, Schema.Boolean],
    ([atoms, from, to, how, isOther]) =>
      Effect.sync(() => {
        const [own, asked] = meant[how % meant.length] ?? ["own", "own"]
        const text = spelled(
          atoms.map(({ links, separator, word }) => `${written(word, links[0])}${separator}`).join(""),
          own
        )
        const [first = 0, last = 0] = [from, to].map((at) => at % atoms.length).sort((a, b) => a - b)
        const part = atoms.slice(first, last + 1).map(({ links, word }, at) => {
          const pieces = word.split(/(?=[|+#])/u)
          // A part may begin and end where letters and digits meet, and at a hyphen of the document.
          const isParted = word.includes("#") || links[0] === "-"
          const start = isParted && at === 0 ? from % pieces.length : 0
          const end = isParted && at === last - first ? start + 1 + (to % (pieces.length - start)) : pieces.length
          const kept = pieces
            .slice(start, end)
            .join("")
            .replace(/^[|+#]/u, "")
          return word.includes("+") ? kept.replaceAll("+", links[1]) : written(kept, links[1])
        })
        const spelling = spelled(part.join(" "), asked)
        const query = isOther
          ? spelling.replaceAll(/[ةکドリル']/gu, (letter) => others[letter] ?? "").toUpperCase()
          : spelling
        assert.isTrue(finds(query, text), `${query} | ${text}`)
        assert.isTrue(finds(query.normalize("NFD"), text.normalize("NFD")), `${query} | ${text}`)
      }),
    { arbitrary: { runs: 5_000 } }
  )

  const Character = Schema.Literals(Array.from("tsa12 -'ü\nく,"))
  const Characters = Schema.Array(
    Schema.Union([Character, Schema.Literals([" t ", " s ", "a1", "uue", "ク", "tatat", "tatats"])])
  )

  it.effect.prop(
    "D40 the naive search finds the same",
    [Characters, Characters, At, At],
    ([document, other, from, to]) =>
      Effect.sync(() => {
        const text = document.join("")
        const part = text.slice(...[from, to].map((at) => at % (text.length + 1)).sort((a, b) => a - b))
        for (const query of [other.join(""), part, part.replaceAll(" ", ""), part.replaceAll(" ", "-")]) {
          const isFound = matcher(query)?.([text])
          if (isFound !== undefined) assert.strictEqual(finds(query, text), isFound, `${query} | ${text}`)
        }
      }),
    { arbitrary: { runs: 10_000 } }
  )

  it("a letter that stands alone joins its neighbor, unless it often is a word", () => {
    const letters = Array.from("abcdefghijklmnopqrstuvwxyz")
    const joinsNext = letters.filter((letter) => finds(`${letter}bike`, `${letter} bikes`))
    const joinsBefore = letters.filter((letter) => finds(`usb${letter}`, `usb ${letter} cable`))
    assert.strictEqual(joinsNext.join(""), "bcdefghijklmnopqrstuvwxz")
    assert.strictEqual(joinsBefore.join(""), "bcdfghjklmnpqrstvwxz")
  })

  it("a code finds itself, although its last parts are behind the places at which a word can be parted", () => {
    assert.isTrue(finds("1a1s2aa1", "a1tatatss1a1s2aa1"))
    assert.isTrue(finds("a1tatatss1a1s2aa1", "a1tatatss1a1s2aa1"))
    assert.isFalse(finds("1a1s2ab1", "a1tatatss1a1s2aa1"))
  })

  it("an unknown text has no words, and words of several texts are kept apart", () => {
    assert.strictEqual(document([null, "red", null, "黒", "猫"]), "red 黒 猫")
  })

  it("words are bounded, documents are not", () => {
    assert.deepStrictEqual(queryWords("x".repeat(1_000)), ["x".repeat(64)])
    assert.deepStrictEqual(queryWords("𐐨".repeat(100)), ["𐐨".repeat(64)])
    const many = Array.from(
      { length: 200_000 },
      (_, index) => `w${(index + 1e6).toString(26).replaceAll(/\d/gu, "x")}${"q".repeat(index % 7)}`
    )
    assert.deepStrictEqual(documentWords([many.join(" ")]), new Set(many))
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

  it.each([
    [
      "short words",
      (at: number) => `${String.fromCharCode(98 + (at % 20))}${String.fromCharCode(98 + Math.floor(at / 20))} `
    ],
    ["long words with two spellings", (at: number) => `tür${String.fromCharCode(98 + at)}s `],
    ["the same with hyphens", (at: number) => `tü${String.fromCharCode(98 + (at % 20))}s${at % 4 === 3 ? " " : "-"}`],
    ["letters and digits in turn", (at: number) => `${String.fromCharCode(98 + (at % 23))}${at % 10}`],
    ["words of letters and digits in turn", (at: number) => `ü${at % 10}ö${Math.floor(at / 10)} `]
  ])("%s ask for a bounded number of spellings", (_, piece) => {
    const query = Array.from({ length: 200 }, (_each, at) => piece(at))
      .join("")
      .slice(0, 200)
    const spellings = wantedWords(query).flat()
    assert.isAtLeast(spellings.length, 1)
    assert.isAtMost(spellings.length, 7 * query.length)
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
