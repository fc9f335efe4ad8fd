/** Files of exports: read back as they were, and without formulas (D68). */
import { assert, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect, Schema } from "effect"
import * as AdItem from "../../../src/domain/catalog/AdItem.ts"
import { byName } from "../../../src/domain/catalog/Figures.ts"
import * as ProductItem from "../../../src/domain/catalog/ProductItem.ts"
import { ShopItem } from "../../../src/domain/catalog/ShopItem.ts"
import * as ExportFile from "../../../src/services/search/ExportFile.ts"
import { links } from "../../../src/domain/catalog/DashboardUrl.ts"
import * as FakeSearch from "../../support/FakeSearch.ts"

/** What spreadsheets take for a formula, with the forms that they normalize, also behind blanks. */
const formula = /^\s*[=+\-@\u2212＝＋－＠﹦﹢﹣﹫]/u

const signs = ["=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", "\u2212"] as const
const separators = [",", ";", "\t", "|", "\n", "\r", "\r\n", "\u2028", "；"] as const
const delimiters = [",", ";", "\t", "|"]
const before = ["", " ", "\u00a0", '"', '""', '" ', "'", "\uFEFF", "\u200b"] as const

/** Texts of third parties, many of which have formulas where a cell may begin. */
const Text = Schema.Array(
  Schema.Struct({
    before: Schema.Literals(before),
    sign: Schema.Literals(["", ...signs]),
    rest: Schema.Union([Schema.String, Schema.Literals(["1+1", '1+1"', 'x"', '""'])]),
    separator: Schema.Literals(["", ...separators])
  })
)
const Texts = Schema.Array(Schema.Struct({ page: Text, headline: Schema.NullOr(Text), store: Text }))

/** Half a surrogate pair has no UTF-8. */
const textOf = (parts: typeof Text.Type) =>
  parts
    .map(({ before, rest, separator, sign }) => before + sign + rest + separator)
    .join("")
    .toWellFormed()

/**
 * Cells as spreadsheets read them that separate by `delimiter`: a quotation mark begins a quoted cell only at its beginning, and what
 * follows its end belongs to it.
 */
const cellsOf = (file: string, delimiter: string): ReadonlyArray<string> => {
  const cells: Array<string> = []
  let at = 0
  while (at <= file.length) {
    let cell = ""
    if (file[at] === '"') {
      for (at++; at < file.length; at++) {
        if (file[at] === '"' && file[++at] !== '"') break
        cell += file[at] ?? ""
      }
    }
    for (; at < file.length && file[at] !== delimiter && !/[\r\n]/u.test(file[at] ?? ""); at++) cell += file[at] ?? ""
    cells.push(cell)
    at++
  }
  return cells
}

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
  ...byName("answer", () => null),
  monthly_visits: 1,
  traffic_growth_pct: -3.25,
  active_ads: 3,
  created_on: null,
  is_tracked: true,
  dashboard_url: context.dashboardUrl(7)
}

const { columns } = ExportFile

const fileOf = (...args: Parameters<typeof ExportFile.fileOf>) => Effect.runSync(ExportFile.fileOf(...args))

const rowsOf = (csv: string): ReadonlyArray<ReadonlyArray<string>> => parse(csv, { bom: true })

/** Without the apostrophes before signs, which the texts may have had before. */
const bare = (value: string) => value.replace(/^'(?=[\t\r])/u, "").replaceAll(/'(?=[=+\-@\u2212＝＋－＠﹦])/gu, "")

describe("the file of an export", () => {
  it.prop("has every text as it was, but for an apostrophe before what begins as a formula", [Texts], ([texts]) => {
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
      rows.map((row) =>
        ["id", "page_name", "headline", "shop.name"].map((name) => bare(row[head.indexOf(name)] ?? ""))
      ),
      texts.map(({ headline, page, store }, index) => [
        String(index + 1),
        bare(textOf(page)),
        headline === null ? "" : bare(textOf(headline)),
        bare(textOf(store))
      ])
    )
    for (const value of rows.flat()) assert.notMatch(value, /^[\t\r]/u)
    for (const delimiter of delimiters) {
      for (const cell of cellsOf(csv.slice(1), delimiter)) assert.notMatch(cell, formula, delimiter)
    }
  })

  it.each(["ads", "products", "stores"] as const)("has no formula in any field of %s", (subject) => {
    const attacks = ["", ...separators.map((separator) => `a${separator}`)].flatMap((beginning) =>
      before.flatMap((first) => signs.map((sign) => `${beginning}${first}${sign}1+1;b`))
    )
    for (const text of attacks) {
      const item: Record<string, unknown> = {}
      for (const [name = "", field] of columns[subject].map((column) => column.split("."))) {
        item[name] = field === undefined ? text : Object.assign(item[name] ?? {}, { [field]: [text, text] })
      }
      // No item has a text in every field.
      const { text: csv } = fileOf("csv", subject, [item as unknown as ShopItem])
      for (const delimiter of delimiters) {
        for (const cell of cellsOf(csv.slice(1), delimiter)) assert.notMatch(cell, formula, text + delimiter)
      }
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

  it("has an apostrophe right before a sign that begins a cell, and nowhere else", () => {
    const written = (headline: string) => {
      const [head = [], row = []] = rowsOf(fileOf("csv", "ads", [ad({ headline })]).text)
      return row[head.indexOf("headline")]
    }
    for (const [text, expected] of [
      ["Sale;=cmd|'/c calc'!A0;x", "Sale;'=cmd|'/c calc'!A0;x"],
      ['a;"=1+1;b', `a;"'=1+1;b`],
      ['a;"" ""-1', `a;"" ""'-1`],
      ['"=1', `"'=1`],
      [" ＝1", " '＝1"],
      ["\t+1", "'\t'+1"],
      ["Sale\n- one\r\n@x", "Sale\n'- one\r\n'@x"],
      ["=1+1-1", "'=1+1-1"],
      ["5 - 3 = 2, a+b; c-d", "5 - 3 = 2, a+b; c-d"]
    ] as const) {
      assert.strictEqual(written(text), expected)
    }
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
