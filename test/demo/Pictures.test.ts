/** The pictures of the demo data, as they are drawn (D61). */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { demoRecords } from "../../demo/DemoData.ts"
import { lexiconOf } from "../../demo/Lexicons.ts"
import { niches } from "../../demo/Niches.ts"
import { adPicture } from "../../demo/pictures/AdPicture.ts"
import { escape, fitted } from "../../demo/pictures/Lines.ts"
import * as PictureName from "../../demo/pictures/PictureName.ts"
import * as Pictures from "../../demo/pictures/Pictures.ts"
import nouns from "../../demo/pictures/nouns.json" with { type: "json" }
import * as DemoPictures from "../../src/domain/catalog/PictureNames.ts"
import { languages, mediaTypes } from "../../src/domain/catalog/Enumerations.ts"

const maxBytes = 16_384

const tiny = Array.from(demoRecords({ size: "tiny", seed: "discovery", asOf: "2026-01-15" })).flat()

/** An SVG whose elements and attributes are those that the drawings have, and nothing that runs or is loaded. */
const isHarmless = (svg: string): boolean =>
  /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^<>]*>(?:<\/?(?:svg|rect|circle|ellipse|path|g|text)(?: [a-z-]+="[^"<>]*")*\/?>|[^<>])*<\/svg>$/iu.test(
    svg
  ) && !/href|url\(|[\s"]on[a-z]+=|<script|<foreignObject/iu.test(svg.replaceAll(/<text [^>]*>[^<]*/gu, "<text>"))

describe("the names of pictures", () => {
  it("are in the addresses of all records, and name what the server draws", () => {
    const served = DemoPictures.served({ baseUrl: "http://localhost:1" })
    for (const record of tiny) {
      if (record.type !== "product" && record.type !== "ad") continue
      if (record.image_url === null) continue
      const { pathname } = new URL(served(record.image_url))
      assert.isTrue(DemoPictures.isPath(pathname), pathname)
      if (record.type === "product") {
        assert.isDefined(Pictures.product(DemoPictures.nameOf("products", record.image_url)), record.image_url)
      } else {
        assert.strictEqual(pathname, `${DemoPictures.root}/ads/${record.key}.svg`)
        const words = { headline: null, pageName: "Oakline", mediaType: record.media_type }
        assert.isDefined(Pictures.ad(DemoPictures.nameOf("ads", record.image_url), words), record.image_url)
      }
    }
  })

  it("are written and read alike", () => {
    for (const motif of PictureName.motifNames) {
      for (const color of PictureName.colorNames) {
        const look = { motif, color, store: PictureName.stores - 1, view: PictureName.views - 1 }
        assert.deepStrictEqual(PictureName.read(PictureName.write(look)), look)
      }
    }
    for (const name of ["", "lamp", "lamp-rust", "lamp952", "lamp017", "lamp1e1", "constructor417", "Lamp417"]) {
      assert.isUndefined(PictureName.read(name), name)
      assert.isUndefined(Pictures.product(name), name)
    }
  })

  it("know every English noun, and a motif of each niche for other languages", () => {
    const known = new Set(Object.values(nouns.nouns).flat())
    for (const niche of niches) {
      for (const noun of niche.children.flatMap((child) => child.nouns)) assert.isTrue(known.has(noun), noun)
      assert.isDefined(Object.entries(nouns.niches).find(([key]) => key === niche.key))
    }
    for (const motif of [...Object.keys(nouns.nouns), ...Object.values(nouns.niches).flat()]) {
      assert.include(PictureName.motifNames, motif)
    }
  })

  it("follow the words of a title", () => {
    const of = (nouns: ReadonlyArray<string>, title: string) => {
      const { color, motif } = PictureName.lookOf({ shop: "Velmora", niche: "decor", nouns }, title)
      return `${motif} ${color}`
    }
    assert.strictEqual(of(["Table Lamp", "Soy Candle"], "Handmade Soy Candle – Sage Green | Table Lamp"), "candle sage")
    assert.strictEqual(of(lexiconOf("German").nouns?.["decor"] ?? [], "Klassische Duftkerze – Rost"), "candle rust")
  })

  it("name a color for each that a title can have", () => {
    for (const language of languages) {
      for (const color of lexiconOf(language).colors) {
        const named = [1, 2].map((title) =>
          PictureName.lookOf({ shop: `${title}`, niche: "decor", nouns: ["Vase"] }, `Vase ${title} – ${color}`)
        )
        assert.strictEqual(named[0]?.color, named[1]?.color, color)
      }
    }
  })
})

describe("drawings", () => {
  it("are small, harmless and the same each time, in every motif and color", () => {
    const drawn = PictureName.motifNames.flatMap((motif, index) =>
      PictureName.colorNames.map((color, place) => {
        const name = PictureName.write({
          motif,
          color,
          store: index % PictureName.stores,
          view: (place * 7 + index) % PictureName.views
        })
        const picture = Pictures.product(name) ?? ""
        assert.strictEqual(picture, Pictures.product(name))
        assert.isTrue(isHarmless(picture), name)
        assert.isAtMost(Buffer.byteLength(picture), maxBytes)
        assert.notInclude(picture, "NaN")
        assert.notInclude(picture, `"none" stroke="none"`)
        return picture
      })
    )
    // Browsers keep pictures for a year: other drawings need another version in `DemoPictures.root`.
    assert.deepStrictEqual(
      { [DemoPictures.root]: createHash("sha256").update(drawn.join("")).digest("hex").slice(0, 16) },
      { "/demo/v1": "edd11962f8b12ea2" }
    )
  })

  it.prop(
    "write any words of an ad as text",
    [Schema.NullOr(Schema.String), Schema.String, Schema.Literals(mediaTypes)],
    ([headline, pageName, mediaType]) => {
      const look = PictureName.read("lamp417")
      const picture = look === undefined ? "" : adPicture(look, { headline, pageName, mediaType })
      assert.isTrue(isHarmless(picture), picture)
      assert.isAtMost(Buffer.byteLength(picture), maxBytes)
    }
  )

  it.each([
    [`</text><script>alert(1)</script>`, "&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;"],
    [`"&'`, "&quot;&amp;&#39;"],
    ["a\u0000b\ud800c\uffff", "abc"]
  ])("escape %j", (text, expected) => {
    assert.strictEqual(escape(text), expected)
  })

  it("break a headline into lines that fit, and cut what has no room", () => {
    const box = { width: 70, height: 58 }
    const sizes = [11, 8, 6]
    assert.deepStrictEqual(fitted("New at Velmora", box, sizes), { size: 11, lines: ["New at", "Velmora"] })
    const long = fitted("word ".repeat(500), box, sizes)
    assert.isAtMost(long.lines.length * long.size * 1.2, box.height)
    assert.match(long.lines.at(-1) ?? "", /…$/u)
    assert.deepStrictEqual(fitted("x".repeat(5_000), box, sizes).lines.length, 1)
    assert.deepStrictEqual(fitted("", box, sizes).lines, [])
    // Japanese has no blanks between words.
    assert.isAbove(fitted("筆ではじめる朝のための小さな道具", box, sizes).lines.length, 1)
  })
})
