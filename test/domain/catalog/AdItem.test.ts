import { assert, describe, it } from "@effect/vitest"
import { type FoundAd, present } from "../../../src/domain/catalog/AdItem.ts"
import { daysBetween } from "../../../src/domain/Days.ts"
import { links } from "../../../src/domain/catalog/DashboardUrl.ts"

const ad: FoundAd = {
  id: 7,
  ad_archive_id: null,
  page_name: "Oakline",
  status: "active",
  media_type: "image",
  headline: "h".repeat(250),
  ad_text: "t".repeat(600),
  cta: "Shop Now",
  landing_url: null,
  image_url: "https://images.discovery.example/ads/lamp417-7.svg",
  ad_library_url: null,
  started_at: "2026-01-30",
  last_seen_at: "2026-02-10",
  is_partnership: false,
  shop: { id: 3, name: "Oakline", domain: "oakline.test", country: "GB", active_ads: 1 }
}

const context = { today: "2026-03-01", ...links({ baseUrl: "https://d.test" }) }

describe("present", () => {
  it("D61 has pictures of the demo data where this server draws them, and other images where they are", () => {
    assert.strictEqual(present(ad, context).image_url, "https://d.test/demo/v1/ads/7.svg")
    for (const image_url of [
      "https://images.discovery.example.test/ads/a.svg",
      "https://cdn.test/demo/v1/ads/a.svg",
      null
    ]) {
      assert.strictEqual(present({ ...ad, image_url }, context).image_url, image_url)
    }
  })

  it("S11 cuts the headline to 200 and the text to 500 characters", () => {
    const item = present(ad, context)
    assert.strictEqual(item.headline?.length, 200)
    assert.strictEqual(item.ad_text?.length, 500)
  })

  it("S14, S34 counts active_days to today while the ad runs, to last_seen_at once stopped", () => {
    assert.strictEqual(present(ad, context).active_days, 30)
    assert.strictEqual(present({ ...ad, status: "inactive" }, context).active_days, 11)
  })

  it("counts 0 days for an ad that starts and stops on one day, or starts tomorrow", () => {
    assert.strictEqual(daysBetween("2026-02-28", "2026-02-28"), 0)
    assert.strictEqual(daysBetween("2026-03-02", "2026-03-01"), 0)
  })

  it("S16 links to the store's page, and nowhere without a store", () => {
    assert.strictEqual(present(ad, context).dashboard_url, "https://d.test/dashboard/shops/3")
    const item = present({ ...ad, shop: null }, context)
    assert.isNull(item.dashboard_url)
    assert.isNull(item.shop)
  })
})
