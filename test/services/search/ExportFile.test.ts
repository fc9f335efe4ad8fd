/** Files of exports: read back as they were, and without formulas (D68). */
import { assert, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect, Schema } from "effect"
import * as AdItem from "../../../src/domain/catalog/AdItem.ts"
import * as ProductItem from "../../../src/domain/catalog/ProductItem.ts"
import { ShopItem } from "../../../src/domain/catalog/ShopItem.ts"
import * as ExportFile from "../../../src/services/search/ExportFile.ts"
import { links } from "../../../src/services/tools/DashboardUrl.ts"
import * as FakeSearch from "../../support/FakeSearch.ts"

/** What spreadsheets take for a formula, with the forms that they normalize. */
const formula = /^[=+\-@\t\r＝＋－＠]/u

const beginnings = [
  "",
  "=",
  "+",
  "-",
  "@",
  "\t",
  "\r",
  "\n",
  "＝",
  "＋",
  "－",
  "＠",
  "'",
  '"',
  ",",
  ";",
  "\uFEFF"
] as const

/** Texts of third parties, many of which begin as a formula does. */
const Text = Schema.Struct({
  first: Schema.Literals(beginnings),
  rest: Schema.String,
  separator: Schema.Literals(["", ";", "; ", "\n", "\t", "\r\n"]),
  second: Schema.Literals(beginnings),
  last: Schema.String
})
const Texts = Schema.Array(Schema.Struct({ page: Text, headline: Schema.NullOr(Text), store: Text }))

/** Half a surrogate pair has no UTF-8. */
const textOf = ({ first, last, rest, second, separator: between }: typeof Text.Type) =>
  (first + rest + between + second + last).toWellFormed()

const context = links({ baseUrl: "https://discovery.test" })

const ad = (overrides: Partial<AdItem.AdItem> = {}): AdItem.AdItem => ({
  ...AdItem.present(FakeSearch.ad(1), { ...context, today: "2026-01-12" }),
  ...overrides
})

const product = ProductItem.present(FakeSearch.product(1), context)

const store: ShopItem = {
  id: 7,
  name: "Socks",
  domain: "socks.example",
  country: "FR",
  currency: null,
  niche: { id: 2, name: "Socks" },
  languages: ["French", "German"],
  estimated_monthly_revenue: null,
  estimated_monthly_orders: null,
  monthly_visits: 1,
  traffic_growth_pct: -3.25,
  active_ads: 3,
  products_count: null,
  avg_price: null,
  trustpilot_rating: null,
  trustpilot_reviews: null,
  created_on: null,
  is_tracked: true,
  dashboard_url: context.dashboardUrl(7)
}

const { columns } = ExportFile

const fileOf = (...args: Parameters<typeof ExportFile.fileOf>) => Effect.runSync(ExportFile.fileOf(...args))

const rowsOf = (csv: string): ReadonlyArray<ReadonlyArray<string>> => parse(csv, { bom: true })

/** Where a spreadsheet may begin another cell, if semicolons or tabs separate its cells. */
const separator = /([;\t\r\n]\s*)/u
const isFormulaWithin = (part: string) => /^(?:[=+@＝＋＠]|[-－]\S)/u.test(part)

const defused = (value: string) => {
  const [first = "", ...others] = value.split(separator)
  const text = [first, ...others.map((part) => (isFormulaWithin(part) ? `'${part}` : part))].join("")
  return formula.test(text) ? `'${text}` : text
}

describe("the file of an export", () => {
  it.prop("has every text as it was, but for an apostrophe before a formula", [Texts], ([texts]) => {
    const { text: csv } = fileOf(
      "csv",
      "ads",
      texts.map(({ headline, page, store }, index) =>
        ad({
          id: index + 1,
          page_name: textOf(page),
          headline: headline === null ? null : textOf(headline),
          shop: { id: 7, name: textOf(store), domain: "a.com", country: "FR", active_ads: 3 }
        })
      )
    )
    const [head = [], ...rows] = rowsOf(csv)
    assert.deepStrictEqual(head, columns.ads)
    assert.deepStrictEqual(
      rows.map((row) => ["id", "page_name", "headline", "shop.name"].map((name) => row[head.indexOf(name)])),
      texts.map(({ headline, page, store }, index) => [
        String(index + 1),
        defused(textOf(page)),
        headline === null ? "" : defused(textOf(headline)),
        defused(textOf(store))
      ])
    )
    for (const value of rows.flat()) {
      assert.notMatch(value, formula)
      assert.isFalse(value.split(separator).slice(1).some(isFormulaWithin), value)
    }
  })

  it("ends its lines as RFC 4180 has it, begins with a byte order mark, and quotes what it has to", () => {
    const { contentType, text } = fileOf("csv", "ads", [ad({ page_name: 'a "b", c', headline: "two\nlines" })])
    assert.strictEqual(contentType, "text/csv; charset=utf-8; header=present")
    assert.isTrue(text.startsWith("\uFEFFid,ad_archive_id,page_name,"))
    assert.include(text, '"a ""b"", c"')
    assert.include(text, '"two\nlines"')
    assert.strictEqual(text.split("\r\n").length, 3)
    assert.isTrue(text.endsWith("\r\n"))
  })

  it("has no formula after a semicolon or a line break, and leaves lists of hyphens", () => {
    const headline = "Sale;=cmd|'/c calc'!A0;x"
    const text = "Sale;-;\n=HYPERLINK(1)\n- one\n-2+3; @x;\t+1"
    const [head = [], row = []] = rowsOf(fileOf("csv", "ads", [ad({ headline, ad_text: text })]).text)
    assert.strictEqual(row[head.indexOf("headline")], "Sale;'=cmd|'/c calc'!A0;x")
    assert.strictEqual(row[head.indexOf("ad_text")], "Sale;-;\n'=HYPERLINK(1)\n- one\n'-2+3; '@x;\t'+1")
  })

  it("keeps negative figures numbers, lists in one cell, and what is unknown empty", () => {
    const [head = [], row = []] = rowsOf(fileOf("csv", "products", [product]).text)
    const cell = (name: string) => row[head.indexOf(name)]
    assert.strictEqual(cell("shop.traffic_growth_pct"), "-3.25")
    assert.strictEqual(cell("shop.monthly_visits"), "")
    assert.strictEqual(cell("shop.is_tracked"), "false")
    const [storeHead = [], cells = []] = rowsOf(fileOf("csv", "stores", [store]).text)
    assert.strictEqual(cells[storeHead.indexOf("languages")], "French; German")
    assert.strictEqual(cells[storeHead.indexOf("niche.name")], "Socks")
  })

  it("has a column for every field, and the header alone without items", () => {
    for (const [subject, schema] of [
      ["ads", AdItem.AdItem],
      ["products", ProductItem.ProductItem],
      ["stores", ShopItem]
    ] as const) {
      const [head, ...rows] = rowsOf(fileOf("csv", subject, []).text)
      assert.deepStrictEqual(head, columns[subject])
      assert.deepStrictEqual(rows, [])
      const first = columns[subject].map((column) => column.split(".", 1)[0])
      assert.deepStrictEqual([...new Set(first)], Object.keys(schema.fields))
    }
    assert.strictEqual(fileOf("ndjson", "ads", []).text, "")
  })

  it("has one item of the tool's answer a line as NDJSON", () => {
    const items = [ad({ headline: "two\nlines" }), ad({ id: 2, shop: null })]
    const { contentType, text } = fileOf("ndjson", "ads", items)
    assert.strictEqual(contentType, "application/x-ndjson; charset=utf-8")
    const lines = text.split("\n")
    assert.strictEqual(lines.pop(), "")
    assert.deepStrictEqual(
      lines.map((line) => Schema.decodeSync(Schema.fromJsonString(AdItem.AdItem))(line)),
      items
    )
  })
})
