/** D69: a compact answer has every value of the whole one: it is read back. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ProductRecordItem } from "../../../src/domain/catalog/ProductRecordItem.ts"
import { ShopRecordItem } from "../../../src/domain/catalog/ShopItem.ts"
import { AdPage, ProductPage, ShopPage } from "../../../src/domain/search/Page.ts"
import * as CompactText from "../../../src/http/mcp/CompactText.ts"
import { Usage } from "../../../src/services/tools/GetUsage.ts"
import * as CompactReader from "../../support/CompactReader.ts"

const Text = Schema.Literals([
  "",
  '""',
  "[]",
  "[a; b]",
  "plain",
  "Plàin!",
  "two\nlines\r\n",
  "\u2028results[9]:\u2029\u0085\v\f\u001E",
  "\\u2028",
  "a\ttab",
  "back\\slash\\n",
  "{shop.id}*",
  "a; b",
  "x=y",
  "shop[1]:",
  "results[1], every row: x=1",
  "null",
  " ",
  "-",
  "- a",
  "long text ".repeat(30)
])
const Address = Schema.Literals([
  "https://a.com/1",
  "https://a.com/plain",
  "https://a.com/plain-2",
  "https://a.com/-plain",
  "https://a.com/null",
  "https://a.com/70",
  "https://a.com/70/x-1.jpg",
  "https://a.com/71/x-1.jpg",
  "https://b.shop/70/x-1.jpg",
  "https://b.shop/é/{shop.id}/*",
  "https://a.com/one-two-three-four-five-six-seven-eight",
  "https://a.com/-one--two-three-four-five-six-seven-eight-",
  "http://a.com/"
])
const Row = Schema.Struct({
  id: Schema.Literals([1, 2, 70, 71]),
  title: Schema.NullOr(Text),
  created_at: Schema.NullOr(
    Schema.Literals([
      "2026-01-02T03:04:05.000Z",
      "2025-12-31T23:59:59.000Z",
      "2025-12-31T23:59:59.999Z",
      "2026-01-02T03:04:05Z",
      "2026-01-02"
    ])
  ),
  url: Schema.NullOr(Address),
  image_url: Schema.NullOr(Address),
  started_at: Schema.NullOr(Schema.Literals(["2026-01-02", "2026-01-03", "2025-12-31"])),
  tags: Schema.Array(Text),
  shop: Schema.NullOr(
    Schema.Struct({
      id: Schema.Literals([7, 70]),
      domain: Schema.Literals(["a.com", "b.shop", "plain.com", "plain-2.com"]),
      name: Text
    })
  )
})

describe("CompactText", () => {
  it.prop(
    "has every value, whatever texts and addresses are",
    [Schema.Struct({ results: Schema.Array(Row), notice: Schema.optionalKey(Text) })],
    ([answer]) => {
      const text = CompactText.of(JSON.stringify(answer))
      CompactReader.assertSame(text, answer)
      assert.notMatch(text, /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}]/u, "a row on more than one line")
    },
    { arbitrary: { runs: 1_000 } }
  )

  describe.each([
    ["search_ads", AdPage],
    ["search_products", ProductPage],
    ["search_shops", ShopPage],
    ["get_shop", ShopRecordItem],
    ["get_product", ProductRecordItem],
    ["get_usage", Usage]
  ] as const)("%s", (_, schema: Schema.Codec<object, unknown>) => {
    it.prop(
      "has every value that its schema allows",
      [schema],
      ([answer]) => CompactReader.assertSame(CompactText.of(JSON.stringify(answer)), answer),
      { arbitrary: { runs: 100 } }
    )
  })

  it("is one table, with ids first and what all rows share said once", () => {
    const shop = { id: 7, name: "Socks", domain: "socks.example" }
    const answer = {
      results: [
        { id: 1, title: "Wool", url: "https://socks.example/wool", price: 9.5, note: null, shop },
        { id: 2, title: "Silk", url: "https://socks.example/silk", price: null, note: null, shop },
        { id: 3, title: "A\tB", url: null, price: 3, note: null, shop: { id: 8, name: "Hats", domain: "hats.example" } }
      ],
      pagination: { page: 1, has_more: false }
    }
    assert.deepStrictEqual(CompactText.of(JSON.stringify(answer)).split("\n"), [
      "pagination: page=1\thas_more=false",
      "results[3], every row: note=-\turl=https://{shop.domain}/*",
      "id\tshop.id\ttitle\turl\tprice",
      "1\t7\tWool\twool\t9.5",
      "2\t7\tSilk\tsilk\t-",
      "3\t8\tA\\tB\t-\t3",
      "shop[2]:",
      "id\tname\tdomain",
      "7\tSocks\tsocks.example",
      "8\tHats\thats.example"
    ])
  })

  it("says once what addresses have in common, which may be another column", () => {
    const ad = (id: number | null, landing: string | null) => ({
      id: 1,
      ad_archive_id: id,
      landing_url: landing,
      image_url: id === null ? null : `https://img.example/${id}.svg`
    })
    const answer = {
      results: [ad(70, "https://a.example/x?ad=7"), ad(null, null), ad(71, "https://a.example/x?ad=")]
    }
    const text = CompactText.of(JSON.stringify(answer))
    assert.deepStrictEqual(text.split("\n"), [
      "results[3], every row: landing_url=https://a.example/x?ad=*\timage_url=https://img.example/{ad_archive_id}.svg",
      "id\tad_archive_id\tlanding_url",
      "1\t70\t7",
      "1\t-\t-",
      '1\t71\t""'
    ])
    CompactReader.assertSame(text, answer)
  })

  it("cuts the texts of many rows, and leaves those of a few whole", () => {
    const long = `Soft\n\nand ${"warm slippers, knitted by hand in Porto. ".repeat(12)}`
    const ads = (rows: number) => ({
      results: Array.from({ length: rows }, (_, id) => ({
        id,
        headline: `Slippers ${id}`,
        ad_text: id % 4 === 0 ? "Wool" : long
      }))
    })
    const few = CompactText.of(JSON.stringify(ads(5)))
    assert.notInclude(few, "…")
    CompactReader.assertSame(few, ads(5))
    const many = CompactText.of(JSON.stringify(ads(20)))
    CompactReader.assertSame(many, ads(20))
    for (const [id, row] of many.split("\n").slice(2).entries()) {
      const cells = row.split("\t")
      assert.strictEqual(cells[1], `Slippers ${id}`)
      if (id % 4 === 0) assert.strictEqual(cells[2], "Wool")
      else {
        assert.match(cells[2] ?? "", /^Soft and warm.*…$/u)
        assert.isAtMost(Buffer.byteLength(cells[2] ?? ""), 54)
      }
    }
  })
})
