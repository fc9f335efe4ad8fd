/**
 * Stores, products and ads that are rare in real data: figures that are all unknown, all zero or all equal, texts that
 * are too long, in mathematical bold or right-to-left, ads without a store, a result page over 64 KiB.
 */
import { byField } from "../src/domain/catalog/Figures.ts"
import * as DemoPages from "../src/domain/catalog/DemoPages.ts"
import { ctas, mediaTypes } from "../src/domain/catalog/Enumerations.ts"
import type {
  AdRecord,
  CatalogRecord,
  ProductRecord,
  ShopRecord,
  TrafficMonthRecord
} from "../src/domain/catalog/Records.ts"
import { dateOf, monthBefore, timeOf } from "./Days.ts"
import { adImage, archiveId, libraryUrl } from "./DemoAds.ts"
import { productImage } from "./DemoProducts.ts"
import type { Pictured } from "./pictures/PictureName.ts"

/** The word whose search returns a page over 64 KiB, of ads and of products. */
const longform = "longform"

/** Mathematical bold letters: four bytes each in UTF-8. */
const bold = (text: string): string =>
  Array.from(text, (character) => {
    const code = character.charCodeAt(0)
    if (code >= 97 && code <= 122) return String.fromCodePoint(0x1d5ee + code - 97)
    return code >= 65 && code <= 90 ? String.fromCodePoint(0x1d5d4 + code - 65) : character
  }).join("")

const essay = "Every letter on this page was set by hand and printed on a press older than the street it stands in. "

/** A store of which no figure and no list is known. */
export const unknownShop = (domain: string, name: string): ShopRecord => ({
  type: "shop",
  domain,
  name,
  country: "US",
  currency: null,
  niche: null,
  languages: [],
  pixels: [],
  social_networks: [],
  apps: [],
  theme: null,
  created_on: null,
  ...byField(() => null)
})

const picturedAt = (shop: string): Pictured => ({
  shop,
  niche: "crafts",
  nouns: ["Fountain Pen", "Dotted Notebook", "Ink Bottle", "Brush Set", "Matching Mug"]
})

/** `hasExtremes` adds the largest possible figures, which are first in every ranking. */
export const edgeCases = (today: number, hasExtremes: boolean): ReadonlyArray<CatalogRecord> => {
  const records: Array<CatalogRecord> = []
  let numberOfAds = 0

  const traffic = (shop: string, ...visits: ReadonlyArray<number>): ReadonlyArray<TrafficMonthRecord> =>
    visits.map((visits, index, all) => ({
      type: "traffic_month",
      shop,
      month: monthBefore(today, all.length - index),
      visits
    }))
  const product = (shop: string, key: string, title: string, changes: Partial<ProductRecord> = {}): ProductRecord => ({
    type: "product",
    shop,
    key,
    title,
    url: `${DemoPages.addressOf(shop)}/products/${key}`,
    image_url: productImage(picturedAt(shop), title),
    price: 25,
    created_at: timeOf(today - 30, 36_000),
    details: null,
    ...changes
  })
  const ad = (shop: string | null, changes: Partial<AdRecord> = {}): AdRecord => {
    const id = archiveId(numberOfAds++)
    return {
      type: "ad",
      key: id,
      shop,
      ad_archive_id: id,
      page_name: "Edgewise Almanac",
      status: "active",
      media_type: "image",
      headline: "A plain headline",
      ad_text: "A plain text.",
      cta: "Shop Now",
      landing_url: `${DemoPages.addressOf(shop ?? "unknown")}/`,
      image_url: adImage(picturedAt(shop ?? "unknown"), changes.headline ?? null, id),
      ad_library_url: libraryUrl(id),
      started_on: dateOf(today - 20),
      last_seen_on: dateOf(today),
      is_partnership: false,
      ...changes
    }
  }

  // Every optional field is null.
  const blank = "unwritten-tessorraquill.com"
  records.push(
    unknownShop(blank, "Unwritten Tessorra"),
    product(blank, "blank-page", "Blank Page", { url: null, image_url: null, created_at: null }),
    product(blank, "free-sample", "Free Sample", { price: 0 }),
    ad(blank, {
      ad_archive_id: null,
      headline: null,
      ad_text: null,
      cta: null,
      landing_url: null,
      image_url: null,
      ad_library_url: null
    })
  )

  // Every figure is zero; growth from zero has no percentage.
  const zero = "null-and-ovibleumi.co.uk"
  records.push(
    {
      ...unknownShop(zero, "Null & Ovible"),
      country: "GB",
      currency: "GBP",
      niche: 100,
      ...byField(() => 0)
    },
    ...traffic(zero, 0, 0, 500)
  )

  const giant = "colossa-umberella-emporium.com"
  const extremes: ReadonlyArray<CatalogRecord> = [
    {
      ...unknownShop(giant, "Colossa Umberella Emporium"),
      currency: "USD",
      niche: 1003,
      languages: ["English", "Spanish"],
      pixels: ["Facebook", "TikTok"],
      social_networks: ["Instagram"],
      ...byField(({ maximum = 2_147_483_647 }) => maximum),
      monthly_revenue: 1_000_000_000_000
    },
    ...traffic(giant, 2_147_483_647, 1, 2_147_483_647),
    product(giant, "gold-plated-anvil", "Gold Plated Anvil", { price: 1_000_000_000 })
  ]
  if (hasExtremes) records.push(...extremes)

  // One month of traffic, so no growth.
  const oneMonth = "firstlight-nimuvatesk.de"
  records.push(
    {
      ...unknownShop(oneMonth, "Firstlight Nimuva"),
      country: "DE",
      currency: "EUR",
      niche: 1001,
      languages: ["German"]
    },
    ...traffic(oneMonth, 1_234)
  )

  // Four stores whose records are equal in every sort key but the id.
  for (const twin of ["one", "two", "three", "four"]) {
    const domain = `twin-${twin}-galelinumber.com`
    records.push(
      {
        ...unknownShop(domain, `Twin ${twin}`),
        currency: "USD",
        niche: 1800,
        languages: ["English"],
        created_on: "2021-03-14",
        ...byField(({ unit }) => (unit === "rating" ? 4.4 : 120)),
        monthly_revenue: 50_000,
        monthly_orders: 1_000,
        products_count: 40
      },
      ...traffic(domain, 10_000, 12_000),
      ...["a", "b", "c"].map((key) => product(domain, key, "Matching Mug", { price: 19.99 })),
      ad(domain),
      ad(domain)
    )
  }

  // Texts in other scripts, in mathematical bold, with emoji of several code points, and longer than answers show.
  const scripts = "xn--lettertrm-quorand-82b.com"
  const rightToLeft = "متجر الخط العربي يقدم أقلام القصب والحبر الأسود مع توصيل مجاني"
  records.push(
    {
      ...unknownShop(scripts, "Lettertürm ✍️ خط"),
      country: "AE",
      currency: "AED",
      niche: 2205,
      languages: ["Arabic", "Japanese", "Thai"]
    },
    ...traffic(scripts, 3_000, 3_300, 2_900),
    product(scripts, "qalam", rightToLeft, { price: 49.5 }),
    product(scripts, "fude", "筆ペンと和紙のセット 送料無料", { price: 80 }),
    product(scripts, "emoji", "Family Stamp 👩‍👩‍👧‍👦 in Crème Brûlée 🇫🇷", { price: 12 }),
    product(scripts, "bold", `${bold("Calligraphy")} Starter Set`, { price: 30 }),
    ad(scripts, { headline: rightToLeft, ad_text: `${rightToLeft} 🖋️ ${rightToLeft}`, media_type: "video" }),
    ad(scripts, { headline: bold("Now on sale"), ad_text: `${bold("Only this week")}: ink, paper and patience.` }),
    ad(scripts, { headline: "筆ではじめる朝", ad_text: "ปากกาพู่กันสำหรับทุกวัน ส่งฟรีทั่วประเทศ 👨‍👩‍👧" }),
    ad(scripts, { headline: essay.repeat(3).trim(), ad_text: essay.repeat(9).trim(), landing_url: null }),
    ad(scripts, { is_partnership: true, page_name: "Studio Inkwell with Lettertürm" }),
    ad(scripts, { status: "inactive", started_on: dateOf(today - 9), last_seen_on: dateOf(today - 9) }),
    ad(scripts, { started_on: dateOf(today), last_seen_on: dateOf(today) })
  )

  // Every media type and every call to action, some without a store.
  for (const [index, cta] of ctas.entries()) {
    records.push(
      ad(index % 3 === 0 ? null : oneMonth, {
        cta,
        media_type: mediaTypes[index % mediaTypes.length] ?? "image",
        status: index % 2 === 0 ? "active" : "inactive",
        last_seen_on: dateOf(today - (index % 2))
      })
    )
  }

  // 30 ads and products, so long that a page of 25 exceeds 64 KiB.
  const press = "longform-letterpress-ilmarne.com"
  const long = (characters: number) =>
    Array.from(bold(essay.repeat(9)))
      .slice(0, characters)
      .join("")
      .trim()
  records.push(
    {
      ...unknownShop(press, "Longform Letterpress"),
      currency: "USD",
      niche: 2204,
      languages: ["English"],
      created_on: "2016-02-29",
      monthly_revenue: 84_000,
      monthly_orders: 900,
      products_count: 30
    },
    ...traffic(press, 9_000, 9_400, 9_900, 9_100)
  )
  for (let index = 0; index < 30; index++) {
    const path = `${longform}-${"broadside-".repeat(110)}${index}`
    records.push(
      product(press, `broadside-${index}`, `${bold("Longform")} ${index + 1}: ${long(470)}`, {
        url: `${DemoPages.addressOf(press)}/products/${path}`,
        price: 40 + index,
        created_at: timeOf(today - 700 - index, 0)
      }),
      ad(press, {
        page_name: "Longform Letterpress",
        headline: `${bold("Longform")} ${long(190)}`,
        ad_text: long(700),
        landing_url: `${DemoPages.addressOf(press)}/${path}`,
        started_on: dateOf(today - 300 - index)
      })
    )
  }
  return records
}
