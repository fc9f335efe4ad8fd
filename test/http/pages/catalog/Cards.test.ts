/** What a card shows of a product, an ad and their store. */
import { assert, describe, it } from "@effect/vitest"
import type { AdItem } from "../../../../src/domain/catalog/AdItem.ts"
import type { ProductItem } from "../../../../src/domain/catalog/ProductItem.ts"
import { adCard } from "../../../../src/http/pages/catalog/AdCard.ts"
import { productCard } from "../../../../src/http/pages/catalog/ProductCard.ts"
import type { Html } from "../../../../src/http/pages/shared/Html.ts"
import * as Locale from "../../../../src/http/pages/shared/Locale.ts"

const locale = Locale.of("en")

/** Names and values, in order. */
const factsOf = (card: Html): ReadonlyArray<readonly [string, string]> =>
  Array.from(String(card).matchAll(/<dt>([^<]*)<\/dt>\s*<dd>(.*?)<\/dd>/gsu), ([, name = "", value = ""]) => [
    name,
    value.replaceAll(/<[^>]*>/gu, "").trim()
  ])

const shop: ProductItem["shop"] = {
  id: 3,
  name: "Velmora",
  domain: "velmora.test",
  country: "US",
  estimated_monthly_revenue: 12_345,
  estimated_monthly_orders: 300,
  monthly_visits: 8_240,
  traffic_growth_pct: 4.56,
  active_ads: 12,
  is_tracked: false
}

const product: ProductItem = {
  id: 1,
  title: "Table Lamp",
  url: null,
  image_url: "http://localhost:3000/demo/v1/products/lamp417.svg",
  price: 25,
  currency: "USD",
  created_at: null,
  shop,
  dashboard_url: "http://localhost:3000/dashboard/shops/3"
}

const ad: AdItem = {
  id: 1,
  ad_archive_id: null,
  page_name: "Velmora",
  status: "active",
  media_type: "image",
  headline: null,
  ad_text: null,
  cta: null,
  landing_url: null,
  image_url: "http://velmora.test/ad.jpg",
  ad_library_url: null,
  started_at: "2026-01-30",
  last_seen_at: "2026-02-10",
  active_days: 1,
  is_partnership: false,
  shop: { id: 3, name: "Velmora", domain: "velmora.test", country: "US", active_ads: 12 },
  dashboard_url: null
}

describe("a card", () => {
  it("of a product shows the figures of its store, and growth with its sign", () => {
    assert.deepStrictEqual(factsOf(productCard(product, locale, { shop: true })), [
      ["Revenue a month", "$12.3K"],
      ["Visits a month", "8.2K"],
      ["Growth", "+4.56%"],
      ["Running ads", "12"]
    ])
    const falling = { ...product, shop: { ...shop, traffic_growth_pct: -4.56, estimated_monthly_revenue: null } }
    assert.deepStrictEqual(factsOf(productCard(falling, locale, { shop: true })).slice(0, 3), [
      ["Revenue a month", "Not known"],
      ["Visits a month", "8.2K"],
      ["Growth", "-4.56%"]
    ])
    // On the page of the store, which shows the figures itself.
    assert.deepStrictEqual(factsOf(productCard(product, locale)), [])
  })

  it("of an ad shows how long it runs, and how many running ads the store has", () => {
    assert.deepStrictEqual(factsOf(adCard(ad, locale, { shop: true })), [
      ["Running time", "1 day"],
      ["Running ads", "12"]
    ])
    assert.deepStrictEqual(factsOf(adCard({ ...ad, active_days: 24, shop: null }, locale, { shop: true })), [
      ["Running time", "24 days"]
    ])
  })

  it("shows images of this origin, and of others only by https", () => {
    assert.include(String(productCard(product, locale)), `<img src="/demo/v1/products/lamp417.svg"`)
    for (const [address, isShown] of [
      ["https://cdn.test/a.jpg", true],
      ["http://cdn.test/a.jpg", false],
      ["http://cdn.test/demo/v1/products/../../dashboard/ads", false],
      ["http://user@cdn.test/demo/v1/products/lamp417.svg", false],
      ["javascript:alert(1)", false]
    ] as const) {
      assert.strictEqual(String(adCard({ ...ad, image_url: address }, locale)).includes("<img"), isShown, address)
    }
  })
})
