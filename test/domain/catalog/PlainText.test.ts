import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { fromHtml } from "../../../src/domain/catalog/PlainText.ts"
import * as ProductRecordItem from "../../../src/domain/catalog/ProductRecordItem.ts"
import { links } from "../../../src/domain/catalog/DashboardUrl.ts"

describe("markup as plain text", () => {
  const cases: ReadonlyArray<readonly [html: string, text: string]> = [
    ["<p>Soft &amp; <b>warm</b></p><p>New</p>", "Soft & warm\nNew"],
    ["<ul><li>One</li>\n<li> Two </li><li></li></ul>", "- One\n- Two"],
    ["a<br>b<BR/>c", "a\nb\nc"],
    ["<script>alert('<p>')</script >seen<style>p{}</style>", "seen"],
    ["<SCRIPT>never closed <p>x</p>", ""],
    ["before<!-- <p>not seen</p> -->after<!-- open", "beforeafter"],
    ["<a title=\"1 > 0\" href='x>y'>link</a>", "link"],
    ['<p class="it\'s">quoted</p>', "quoted"],
    ["3 < 4 and 5 <6 <3", "3 < 4 and 5 <6 <3"],
    ["&lt;b&gt; stays &amp;lt; once", "<b> stays &lt; once"],
    ["&#8364;&#x20AC;&euro; &unknown; &#xFFFFFF; &constructor;", "€€€ &unknown; &constructor;"],
    ["hid&#8238;den&#x200B;&#0;", "hidden"],
    ["<table><tr><td>Size</td><td>M</td></tr></table>", "Size M"],
    ["  many\n\n\n   lines&nbsp;&nbsp;here ", "many\nlines here"],
    ['<p>unclosed <a href="x', "unclosed"],
    ["", ""]
  ]
  it.each(cases)("%j is %j", (html, text) => assert.strictEqual(fromHtml(html), text))

  it.effect.prop("of text without markup is the text, line by line", [Schema.String], ([text]) =>
    Effect.sync(() => {
      const plain = fromHtml(text.replaceAll(/[<&]/gu, ""))
      assert.notMatch(plain, /<|\n\n|^\s|\s$|[\u202A-\u202E]/u)
      assert.strictEqual(fromHtml(plain), plain)
    })
  )

  it("reads the largest possible markup in one pass, however malformed", () => {
    // Quadratic work on any of these would outlast the test's own time limit by far.
    for (const part of ["<", "<a", "<!--", '<a b="', "<script>", "</", "&#", "<a b='\"", "<li>"]) {
      const html = part.repeat(Math.floor(200_000 / part.length))
      assert.isAtMost(fromHtml(html).length, html.length)
    }
  })
})

describe("a product of get_product", () => {
  const largest: ProductRecordItem.ProductOnRecord = {
    id: 1,
    title: "😀".repeat(500),
    url: `https://a.com/${"u".repeat(2_034)}`,
    image_url: `https://a.com/${"i".repeat(2_034)}`,
    price: 1_000_000_000,
    currency: "EUR",
    created_at: "2026-03-02T08:11:40.000Z",
    details: {
      description_html: `<p>${"😀".repeat(199_000)}</p>`,
      vendor: "😀".repeat(500),
      product_type: "😀".repeat(500),
      tags: [],
      options: [],
      variants: Array.from({ length: 2_048 }, (_, index) => ({
        id: String(index),
        title: "😀".repeat(index % 100),
        sku: `sku-${index}`,
        price: 1,
        compare_at_price: null,
        is_available: true,
        options: ["x".repeat(500)]
      })),
      images: Array.from({ length: 250 }, (_, index) => ({
        url: `https://a.com/${"i".repeat(1_000)}${index}`,
        width: 1,
        height: 1
      }))
    },
    shop: { id: 7, name: "😀".repeat(200), domain: "a.com", country: "FR", is_tracked: true, is_own: false }
  }
  const context = links({ baseUrl: "https://discovery.test" })

  it("D30, D45 stays within 64 KiB, and has the total counts", () => {
    const item = ProductRecordItem.present(largest, context)
    assert.isAtMost(Buffer.byteLength(JSON.stringify(item)), 64 * 1024)
    assert.strictEqual(Array.from(item.description ?? "").length, 5_000)
    assert.deepInclude(item, { variants_count: 2_048, images_count: 250 })
    assert.isAbove(item.variants.length, 10)
    assert.isAbove(item.images.length, 5)
  })

  it("without details has none", () => {
    assert.deepInclude(ProductRecordItem.present({ ...largest, details: null }, context), {
      description: null,
      vendor: null,
      variants_count: 0,
      variants: [],
      images_count: 0,
      images: [],
      dashboard_url: "https://discovery.test/dashboard/shops/7"
    })
  })
})
