/** The stores of the demo data: their figures, and how many products and ads each has. */
import { pixels, socialNetworks } from "../src/domain/catalog/Enumerations.ts"
import type { Language, Pixel, SocialNetwork } from "../src/domain/catalog/Enumerations.ts"
import type { ShopRecord, TrafficMonthRecord } from "../src/domain/catalog/Records.ts"
import { countries, wholeCurrencies } from "./Countries.ts"
import type { Country } from "./Countries.ts"
import { dateOf, dayOf, monthBefore } from "./Days.ts"
import { lexiconOf } from "./Lexicons.ts"
import { apps, shopName, themes } from "./Names.ts"
import { niches } from "./Niches.ts"
import { Prng } from "./Prng.ts"
import type { Subject } from "./Texts.ts"

export interface DemoShop {
  readonly index: number
  readonly record: ShopRecord
  readonly traffic: ReadonlyArray<TrafficMonthRecord>
  readonly subject: Subject
  readonly isWholeCurrency: boolean
  /** In the store's currency. */
  readonly medianPrice: number
  /** Number of products; the record has it too, unless there it is unknown. */
  readonly catalog: number
  readonly visits: number
}

const oldestDay = dayOf("2009-06-01")

const pixelShares: Record<Pixel, number> = {
  TikTok: 0.34,
  Snapchat: 0.1,
  Facebook: 0.68,
  Instagram: 0.22,
  Google: 0.62,
  Twitter: 0.05,
  Pinterest: 0.19,
  Reddit: 0.03,
  TripleWhale: 0.05,
  Applovin: 0.03
}

const networkShares: Record<SocialNetwork, number> = {
  Facebook: 0.72,
  Instagram: 0.81,
  TikTok: 0.41,
  YouTube: 0.29,
  Pinterest: 0.24,
  Twitter: 0.2,
  Snapchat: 0.04,
  Reddit: 0.02
}

/** Draws the n-th name about n times less often than the first. */
const popular = (prng: Prng, names: ReadonlyArray<string>): string =>
  names[Math.floor(names.length ** prng.unit()) - 1] ?? prng.pick(names)

export const demoShop = (seed: string, index: number, today: number, taken: Set<string>): DemoShop => {
  const prng = new Prng(seed, "shop", index)
  const country = prng.weighted(countries.map((country) => [country, country.weight]))
  const second = country.languages.length > 1 && prng.chance(0.25) ? country.languages[1] : undefined
  const language = second ?? country.languages[0]
  const lexicon = lexiconOf(language)
  const parent = prng.pick(niches)
  const child = prng.chance(0.92) ? prng.pick(parent.children) : undefined
  const english = child === undefined ? parent.children.flatMap(({ nouns }) => nouns) : child.nouns
  const { domain, name } = shopName(prng, country, lexicon, taken)
  const subject: Subject = {
    shop: name,
    lexicon,
    kind: parent.kind,
    niche: parent.key,
    nouns: lexicon.nouns === undefined ? english : (lexicon.nouns[parent.key] ?? [])
  }

  const medianPrice = prng.logNormal(85, 0.75) * Math.sqrt(parent.priceFactor) * country.perDollar
  const catalog = prng.chance(0.02) ? 0 : Math.round(prng.logNormal(86, 1.6))
  const visits = Math.min(40_000_000, Math.round(prng.logNormal(7_500, 1.9)))
  const traffic = prng.chance(0.06) ? [] : months(prng, domain, visits, today)
  const visitsNow = traffic.at(-1)?.visits ?? visits
  const orders = Math.round(visitsNow * prng.logNormal(0.013, 0.6))
  const basket = medianPrice * prng.logNormal(1.1, 0.3)
  const unknown = (share: number) => prng.chance(share)
  const hasRating = prng.chance(0.46)

  const record: ShopRecord = {
    type: "shop",
    domain,
    name,
    country: country.code,
    currency: unknown(0.03) ? null : country.currency,
    niche: unknown(0.04) ? null : (child?.id ?? parent.id),
    languages: unknown(0.03) ? [] : spoken(prng, country, language),
    pixels: pixels.filter((pixel) => prng.chance(pixelShares[pixel])),
    social_networks: socialNetworks.filter((network) => prng.chance(networkShares[network])),
    apps: unknown(0.07) ? [] : installed(prng),
    theme: unknown(0.06) ? null : popular(prng, themes),
    created_on: unknown(0.04) ? null : dateOf(today - Math.round((today - oldestDay) * prng.unit() ** 1.7)),
    monthly_revenue: unknown(0.08) ? null : roughly(orders * basket),
    monthly_orders: unknown(0.08) ? null : orders,
    products_count: unknown(0.03) ? null : catalog,
    trustpilot_rating: hasRating ? Math.round(Math.min(5, Math.max(1, 4.2 + 0.7 * prng.normal())) * 10) / 10 : null,
    trustpilot_reviews: hasRating ? Math.round(prng.logNormal(70, 1.8)) : null
  }
  return {
    index,
    record,
    traffic,
    subject,
    isWholeCurrency: wholeCurrencies.has(country.currency),
    medianPrice,
    catalog,
    visits: visitsNow
  }
}

/** Estimates have four significant digits. */
const roughly = (value: number): number => (value === 0 ? 0 : Number(value.toPrecision(4)))

const spoken = (prng: Prng, country: Country, language: Language) => (prng.chance(0.2) ? country.languages : [language])

const installed = (prng: Prng): ReadonlyArray<string> =>
  Array.from(
    new Set(Array.from({ length: Math.min(24, Math.round(prng.logNormal(6, 0.7))) }, () => popular(prng, apps)))
  )

/** Up to twelve months, ending with the last full month; a new store has fewer. */
const months = (prng: Prng, shop: string, visits: number, today: number): ReadonlyArray<TrafficMonthRecord> => {
  const count = prng.chance(0.85) ? 12 : prng.int(1, 11)
  const trend = 0.015 + 0.06 * prng.normal()
  return Array.from({ length: count }, (_, index) => ({
    type: "traffic_month",
    shop,
    month: monthBefore(today, count - index),
    visits: Math.min(2_000_000_000, Math.round(visits * Math.exp(trend * (index - count + 1) + 0.12 * prng.normal())))
  }))
}

/** Divides a total by weight; what rounding leaves goes to the largest remainders. */
export const shareOut = (weights: ReadonlyArray<number>, total: number): ReadonlyArray<number> => {
  const sum = weights.reduce((sum, weight) => sum + weight, 0)
  const exact = weights.map((weight) => (weight / sum) * total)
  const shares = exact.map(Math.floor)
  const left = total - shares.reduce((sum, share) => sum + share, 0)
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index)
  for (const { index } of byRemainder.slice(0, left)) shares[index] = (shares[index] ?? 0) + 1
  return shares
}

/** A third of the stores advertise. The numbers of their ads follow Zipf's law, roughly by visits. */
export const adWeights = (
  seed: string,
  shops: ReadonlyArray<Pick<DemoShop, "index" | "visits">>
): ReadonlyArray<number> => {
  const weights = shops.map(() => 0)
  shops
    .flatMap((shop) => {
      const prng = new Prng(seed, "advertises", shop.index)
      return prng.chance(1 / 3) ? [{ index: shop.index, score: prng.logNormal(shop.visits + 1, 1.5) }] : []
    })
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .forEach(({ index }, rank) => {
      weights[index] = 1 / (rank + 1) ** 0.9
    })
  return weights
}
