/** Tables of stores and their visits, and the taxonomy. */
import { Prng } from "../../demo/Prng.ts"
import { day, domain, row, rowOf, text, titled } from "./Values.ts"

const storeHeader = [
  ..."domain,merchant_name,title,country_code,currency,language_code,categories,platform,platform_rank,rank,created".split(
    ","
  ),
  ..."estimated_monthly_visits,estimated_monthly_pageviews,estimated_monthly_sales,estimated_yearly_sales,products_sold".split(
    ","
  ),
  ..."average_product_price,theme,theme_vendor,installed_apps_names,technologies,features,tags,trustpilot_avgrating".split(
    ","
  ),
  ..."trustpilot_reviews,facebook_url,instagram_url,tiktok_url,status,plan,emails,phones,street_address,zip".split(","),
  ...Array.from({ length: 30 }, (_, at) => `followers_${at}d`)
]

export function* stores(count: number): Generator<string> {
  yield row(storeHeader)
  const rowFrom = rowOf(storeHeader)
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "store", at)
    const sales = random.int(1_000, 5_000_000).toLocaleString("en-US")
    yield rowFrom({
      domain: domain(at),
      merchant_name: titled(random),
      title: titled(random),
      country_code: random.pick(["US", "GB", "DE", "FR"]),
      currency: "USD",
      language_code: random.pick(["en", "de", "fr"]),
      categories: "/Home & Garden/Furniture:/Apparel",
      platform: "shopify",
      rank: String(at),
      created: day(random).replaceAll("-", "/"),
      estimated_monthly_visits: String(random.int(0, 1e6)),
      estimated_monthly_sales: `USD $${sales}.53`,
      estimated_yearly_sales: `USD $${sales}.53`,
      products_sold: String(random.int(1, 900)),
      theme: "Dawn",
      installed_apps_names: "Klaviyo:Judge.me:Privy",
      technologies: "Facebook Pixel:Google Analytics:Cloudflare",
      trustpilot_avgrating: "4.3",
      trustpilot_reviews: "120",
      instagram_url: "https://instagram.com/oakline",
      emails: "someone@example.com",
      status: "Active"
    })
  }
}

export const months = ["2026-01", "2026-02", "2026-03", "2026-04", "2026-05", "2026-06"]

export function* traffic(count: number): Generator<string> {
  yield row(["domain", ...months])
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "traffic", at)
    yield row([domain(at), ...months.map(() => String(random.int(0, 1e6)))])
  }
}

export function* monthlyTraffic(count: number): Generator<string> {
  yield row(["domain", "month", "visits"])
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "traffic", at)
    for (const month of months) yield row([domain(at), month, String(random.int(0, 1e6))])
  }
}

export function* ratings(count: number): Generator<string> {
  yield row(["domain", "trustpilot_rating", "trustpilot_reviews"])
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "rating", at)
    yield row([domain(at), (random.int(10, 50) / 10).toFixed(1), random.int(0, 20_000).toLocaleString("en-US")])
  }
}

export function* taxonomy(count: number): Generator<string> {
  for (let at = 1; at <= count; at++) {
    const path = ["Furniture", `Group ${at % 900}`, `Part ${at}`].join(" > ")
    yield `gid://shopify/TaxonomyCategory/fr-${at} : ${path}\n`
  }
}

const mappedHeader = ["Website", "Company", "Land", "Umsatz", "Seit", "Apps", "Mail", "Telefon", "Notiz", "Rang"]

export function* mapped(count: number): Generator<string> {
  yield row(mappedHeader)
  const rowFrom = rowOf(mappedHeader)
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "mapped", at)
    yield rowFrom({
      Website: `https://www.${domain(at)}/`,
      Company: titled(random),
      Land: "DE",
      Umsatz: `${random.int(1_000, 900_000).toLocaleString("de-DE")},50 €`,
      Seit: day(random).split("-").toReversed().join("."),
      Apps: "Klaviyo|Judge.me",
      Mail: "someone@example.com",
      Notiz: text(random, 60),
      Rang: String(at)
    })
  }
}
