/** D69: a compact answer has every value of the whole one: it is read back. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ProductRecordItem } from "../../../src/domain/catalog/ProductRecordItem.ts"
import { ShopRecordItem } from "../../../src/domain/catalog/ShopItem.ts"
import { AdPage, ProductPage, ShopPage } from "../../../src/domain/search/Page.ts"
import * as CompactText from "../../../src/http/mcp/CompactText.ts"
import { Usage } from "../../../src/services/tools/GetUsage.ts"
import * as CompactReader from "../../support/CompactReader.ts"
import * as Tokens from "../../support/Tokens.ts"

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
  " "
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
      "results[3], every row: note=\turl=https://{shop.domain}/*",
      "id\tshop.id\ttitle\turl\tprice",
      "1\t7\tWool\twool\t9.5",
      "2\t7\tSilk\tsilk\t",
      "3\t8\tA\\tB\t\t3",
      "shop[2]:",
      "id\tname\tdomain",
      "7\tSocks\tsocks.example",
      "8\tHats\thats.example"
    ])
  })

  it("shortens times, and names that most rows have twice or as slugs, and says how", () => {
    const ad = (id: number, name: string, domain: string, page: string, landing: string) => ({
      id,
      page_name: page,
      landing_url: landing,
      started_at: `202${id}-0${id}-15`,
      created_at: `2026-1${id % 3}-0${id}T08:30:0${id}.000Z`,
      shop: { id: 10 + id, name, domain }
    })
    const answer = {
      results: [
        ad(1, "Warm Söcks", "warm.shop", "Warm Söcks", "https://warm.shop/warm-wool-socks"),
        ad(2, "Hats & Co", "hats-co-london.com", "Hats Outlet", "https://hats-co-london.com/hats"),
        ad(3, "Silk", "silk.example", "Silk", "https://silk.example/"),
        ad(4, "Tea Time", "tea-time-london.example", "Tea Time", "https://elsewhere.example/tea-time")
      ]
    }
    const text = CompactText.of(JSON.stringify(answer))
    assert.deepStrictEqual(text.split("\n"), [
      "results[4], every row: page_name={shop.name}\tlanding_url=https://{shop.domain}/*\tstarted_at={* as YYYYMMDD}\t" +
        "created_at={* as YYYYMMDDhhmmss}.000Z\tshop.domain={shop.name as slug}",
      "id\tshop.id\tpage_name\tlanding_url\tstarted_at\tcreated_at\tshop.name\tshop.domain",
      "1\t11\t\twarm-wool-socks\t20210115\t20261101083001\tWarm Söcks\twarm.shop",
      "2\t12\tHats Outlet\thats\t20220215\t20261202083002\tHats & Co\t-london.com",
      '3\t13\t\t""\t20230315\t20261003083003\tSilk\t.example',
      "4\t14\t\thttps://elsewhere.example/tea-time\t20240415\t20261104083004\tTea Time\t-london.example"
    ])
    CompactReader.assertSame(text, answer)
  })

  describe("of addresses that repeat titles", () => {
    const product = (id: number, title: string, url: string | null, time: string) => ({
      id,
      title,
      url,
      created_at: time,
      shop: { id: 1, domain: "a.example" }
    })

    it("says the title once, and what follows or replaces it", () => {
      const answer = {
        results: [
          product(
            1,
            "Wool Söcks – Red, Warm",
            "https://a.example/products/wool-socks-red-warm",
            "2026-01-02T10:00:00.5Z"
          ),
          product(2, "Silk", "https://a.example/products/silk-1", "2026-01-02T11:30:00Z"),
          product(3, "Tea", "https://a.example/products/tea", "2026-01-02T12:00:00.123Z"),
          product(4, "手袋", "https://a.example/products/7088", "2026-01-02T13:00:00Z"),
          product(5, "Hats", "https://a.example/products/-1", "2026-01-02T14:00:00Z"),
          product(6, "Null", "https://a.example/products/null-", "2026-01-02T15:00:00Z"),
          product(7, "A\\new", "https://a.example/products/", "2026-01-02T16:00:00Z"),
          product(8, "Bags", "https://b.example/products/bags", "2026-01-02T17:00:00Z"),
          product(9, "Rings", null, "2026-01-02T18:00:00Z"),
          product(10, "Lamps", "https://a.example/products/null", "2026-01-02T19:00:00Z")
        ]
      }
      const text = CompactText.of(JSON.stringify(answer))
      assert.deepStrictEqual(text.split("\n"), [
        "results[10], every row: shop.id=1\tshop.domain=a.example\turl=https://a.example/products/{title as slug}\t" +
          "created_at=2026-01-02T{* as hhmmss}Z",
        "id\ttitle\turl\tcreated_at",
        "1\tWool Söcks – Red, Warm\t\t100000.5",
        "2\tSilk\t-1\t113000",
        "3\tTea\t\t120000.123",
        "4\t手袋\t7088\t130000",
        "5\tHats\thttps://a.example/products/-1\t140000",
        "6\tNull\t-\t150000",
        '7\tA\\\\new\t""\t160000',
        "8\tBags\thttps://b.example/products/bags\t170000",
        "9\tRings\tnull\t180000",
        "10\tLamps\thttps://a.example/products/null\t190000"
      ])
      CompactReader.assertSame(text, answer)
    })

    it("does not cut a title before its address ends", () => {
      const words = (id: number) => `${id} Warm Wool Socks for Cold Days in Late Winter – Dusty Pink, Gift for Mom`
      const slug = "warm-wool-socks-for-cold-days-in-late-winter-dusty-pink-gift"
      const rows = Array.from({ length: 10 }, (_, id) =>
        product(
          id,
          `${words(id)}, ${"Free Shipping, ".repeat(20)}`,
          `https://a.example/products/${id}-${slug}`,
          "2026-01-02T10:00:00Z"
        )
      )
      const text = CompactText.of(JSON.stringify({ results: rows }))
      assert.include(text, "url=https://a.example/products/{title as slug}")
      for (const [id, row] of text.split("\n").slice(2).entries()) {
        assert.strictEqual(row.split("\t")[1], `${id} Warm Wool Socks for Cold Days in Late Winter – Dusty Pink, Gift…`)
      }
      CompactReader.assertSame(text, { results: rows })
    })
  })

  describe("of many long texts", () => {
    const phrase = "warm slippers, knitted by hand in Porto since 1987. "
    const long = `Soft\n\nand ${phrase.repeat(12)}`
    const ads = (rows: number) =>
      Array.from({ length: rows }, (_, id) => ({
        id,
        headline: `Slippers ${id}`,
        ad_text: id % 4 === 0 ? "Wool" : long
      }))
    const rowsOf = (text: string) => text.split("\n").slice(2)

    it("cuts the longest as far as the budget demands", () => {
      const text = CompactText.of(JSON.stringify({ results: ads(20) }))
      for (const [id, row] of rowsOf(text).entries()) {
        const cells = row.split("\t")
        assert.strictEqual(cells[1], `Slippers ${id}`)
        if (id % 4 === 0) assert.strictEqual(cells[2], "Wool")
        else {
          assert.match(cells[2] ?? "", /^Soft and warm.*…$/u)
          assert.include(`Soft and ${phrase.repeat(12)}`, (cells[2] ?? "").slice(0, -1))
        }
      }
      assert.isAbove(Tokens.of(text), 20 * 60)
      assert.isAtMost(Tokens.of(text), 20 * 90)
    })

    it("leaves them whole where there are few", () => {
      const text = CompactText.of(JSON.stringify({ results: ads(6) }))
      assert.notInclude(text, "…")
      CompactReader.assertSame(text, { results: ads(6) })
    })
  })
})
