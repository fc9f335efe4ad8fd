/**
 * Small random catalogs with rare cases: unknown figures, ties, deep niches, shared words in many scripts, empty lists,
 * ads without a store, equal prices, boundary dates.
 */
import { ctas, languages, mediaTypes, pixels, socialNetworks } from "../../src/domain/catalog/Enumerations.ts"
import type { Cta, MediaType } from "../../src/domain/catalog/Enumerations.ts"
import { byField } from "../../src/domain/catalog/Figures.ts"
import type { RecordedField } from "../../src/domain/catalog/Figures.ts"
import * as Movers from "../../src/domain/catalog/Movers.ts"
import * as Random from "./Random.ts"

export interface Niche {
  readonly id: number
  readonly parent_id: number | null
  readonly name: string
}

/** Its numbers are those of the record, by their fields. */
export interface Shop extends Readonly<Record<RecordedField, number | null>> {
  readonly id: number
  readonly domain: string
  readonly domain_extension: string
  readonly name: string
  readonly country: string
  readonly currency: string | null
  readonly niche_id: number | null
  readonly languages: ReadonlyArray<string>
  readonly pixels: ReadonlyArray<string>
  readonly social_networks: ReadonlyArray<string>
  readonly apps: ReadonlyArray<string>
  readonly theme: string | null
  readonly created_on: string | null
}

/** Changes over the last days, in any order of stores; a store without a row has none. */
export type Mover = { readonly shop_id: number } & Readonly<Record<Movers.Mover, number | null>>

export interface TrafficMonth {
  readonly shop_id: number
  readonly month: string
  readonly visits: number
}

export interface Product {
  readonly id: number
  readonly shop_id: number
  readonly key: string
  readonly title: string
  readonly url: string | null
  readonly image_url: string | null
  readonly price: number
  readonly created_at: string | null
  readonly first_seen: string
}

export interface Ad {
  readonly id: number
  readonly shop_id: number | null
  readonly key: string
  readonly ad_archive_id: string | null
  readonly page_name: string
  readonly is_active: boolean
  readonly media_type: MediaType
  readonly headline: string | null
  readonly ad_text: string | null
  readonly cta: Cta | null
  readonly landing_url: string | null
  readonly image_url: string | null
  readonly ad_library_url: string | null
  readonly started_on: string
  readonly last_seen_on: string
  readonly is_partnership: boolean
  readonly first_seen: string
}

export interface NaiveCatalog {
  readonly niches: ReadonlyArray<Niche>
  readonly shops: ReadonlyArray<Shop>
  readonly traffic: ReadonlyArray<TrafficMonth>
  readonly products: ReadonlyArray<Product>
  readonly ads: ReadonlyArray<Ad>
  readonly movers: ReadonlyArray<Mover>
}

export const today = "2026-03-15"

/** Words of every script that share prefixes, differ only in case, accents or width, or contain each other. */
export const words = [
  "red",
  "Red",
  "RED-hot",
  "reddish",
  "café",
  "CAFE",
  "Cafés",
  "Straße",
  "strasse",
  "naïve",
  "𝗯𝗼𝗹𝗱",
  "bold",
  "Bolder",
  "🔥",
  "👍🏽",
  "👍",
  "★",
  "黒猫",
  "猫",
  "猫の手",
  "シャツ",
  "Tシャツ",
  "강아지",
  "강",
  "고양이 강아지",
  "สวัสดี",
  "สวัส",
  "ｆｕｌｌ",
  "full",
  "don't",
  "50%",
  "50",
  "500",
  "e",
  "ear",
  "earring",
  "rings",
  "c++",
  "日本語テスト",
  "ﾃｽﾄ",
  "the",
  "The",
  "Gürtel",
  "guertel",
  "Smørrebrød",
  "T-Shirt",
  "tshirts",
  "Shirt",
  "shirts",
  "t shirt",
  "USB C",
  "usbc",
  "500 ml",
  "500ml",
  "iPhone 15",
  "iphone15case",
  "10x15",
  "10 x 15 cm",
  "l'iPhone",
  "قهوة",
  "قهوه",
  "کتابی",
  "كتاب",
  "ドリル",
  "どりる"
] as const

export const countries = ["US", "GB", "DE", "JP", "FR"] as const
export const currencies = ["USD", "GBP", "EUR", "JPY"] as const
export const extensions = [".com", ".co.uk", ".de", ".xn--fiqs8s"] as const

/** Native forms of names that records have in punycode. */
const international: Readonly<Record<string, string>> = { "xn--mnchen-3ya": "münchen", "xn--fiqs8s": "中国" }

export const typed = (domain: string): string =>
  domain
    .split(".")
    .map((label) => international[label] ?? label)
    .join(".")
export const themes = ["Dawn", "dawn", "Impulse", "Prestige", "Ünique"] as const
export const apps = ["Klaviyo", "KLAVIYO", "Judge.me", "Loox", "Été", "Gorgias"] as const

const days = ["2024-12-31", "2025-06-15", "2026-02-28", "2026-03-01", "2026-03-14", today, "2026-03-16", "1990-01-01"]
const figures = [0, 1, 2, 10, 100, 100, 1_000, 50_000]
const prices = [0, 0.01, 9.99, 9.99, 10, 19.99, 20, 20, 99.5, 1_000_000, 0.1 + 0.2, 0.3]
const revenues = [0, 0.5, 1_000, 1_000, 1_000.01, 99_999.99, 1e12]
const numbers = { money: revenues, count: figures, percentage: figures, rating: [0, 1.1, 4.5, 4.5, 4.7, 5] }
const moments = [
  "2015-01-01T00:00:00.000Z",
  "2020-01-01T00:00:00.000Z",
  "2025-11-30T23:59:59.999Z",
  "2025-11-30T23:59:59.999Z",
  "2026-03-15T00:00:00.000Z",
  "2026-03-15T12:30:00.001Z",
  "2099-01-01T00:00:00.000Z",
  "1999-12-31T00:00:00.000Z"
]
/** In whole seconds. */
const imports = ["2026-03-15T06:00:00Z", "2026-03-15T06:00:00Z", "2025-11-30T23:59:59Z", "2020-01-01T00:00:01Z"]

const text = (random: Random.Random, min: number, max: number): string =>
  Array.from({ length: random.int(min, max) }, () => random.pick(words)).join(random.pick([" ", " ", ", ", "-", "\n"]))

const maybe = <A>(random: Random.Random, value: () => A): A | null => (random.chance(0.75) ? value() : null)

/** Each niche has an earlier one as its parent, or none. */
const makeNiches = (random: Random.Random): ReadonlyArray<Niche> => {
  const niches: Array<Niche> = []
  for (const name of [
    "Pets",
    "Dogs",
    "Dog Beds",
    "Home",
    "Café",
    "ÉCLAIRS",
    "Toys",
    "Deep",
    "Deeper",
    "Deepest",
    "Empty"
  ]) {
    const parent = random.chance(0.7) && niches.length > 0 ? random.pick(niches).id : null
    niches.push({ id: niches.length * 3 + random.int(1, 3), parent_id: parent, name })
  }
  return niches
}

const makeShop = (random: Random.Random, id: number, niches: ReadonlyArray<Niche>): Shop => {
  const extension = random.pick(extensions)
  return {
    id,
    domain: `${random.pick(["red-", "blue-cat-", "full50-", "my-shop-", "xn--mnchen-3ya."])}${id}${extension}`,
    domain_extension: extension,
    name: text(random, 1, 3),
    country: random.pick(countries),
    currency: maybe(random, () => random.pick(currencies)),
    niche_id: maybe(random, () => random.pick(niches.filter((niche) => niche.name !== "Empty")).id),
    languages: random.some(languages, 0, 4),
    pixels: random.some(pixels, 0, 3),
    social_networks: random.some(socialNetworks, 0, 3),
    apps: random.some(apps, 0, 3),
    theme: maybe(random, () => random.pick(themes)),
    created_on: maybe(random, () => random.pick(days)),
    ...byField(({ unit }) => maybe(random, () => random.pick(numbers[unit])))
  }
}

const makeTraffic = (random: Random.Random, shop: Shop): ReadonlyArray<TrafficMonth> =>
  random
    .some(["2025-09-01", "2025-10-01", "2025-12-01", "2026-01-01", "2026-02-01"], 0, 5)
    .map((month) => ({ shop_id: shop.id, month, visits: random.pick([0, 0, 3, 7, 100, 110, 1_000_000]) }))

const makeProduct = (random: Random.Random, id: number, shop: Shop): Product => ({
  id,
  shop_id: shop.id,
  key: `p${id}`,
  title: text(random, 1, 4),
  url: maybe(random, () => `https://${shop.domain}/products/${id}`),
  image_url: maybe(random, () => `https://cdn.example.com/${id}.jpg`),
  price: random.pick(prices),
  created_at: maybe(random, () => random.pick(moments)),
  first_seen: random.pick(imports)
})

const makeAd = (random: Random.Random, id: number, shop: Shop | null): Ad => {
  const [started = today, seen = today] = [random.pick(days), random.pick(days)].sort()
  return {
    id,
    shop_id: shop === null ? null : shop.id,
    key: `a${id}`,
    ad_archive_id: maybe(random, () => String(1_000_000_000_000 + id)),
    page_name: text(random, 1, 2),
    is_active: random.chance(0.5),
    media_type: random.pick(mediaTypes),
    headline: maybe(random, () => text(random, 1, 3)),
    ad_text: maybe(random, () => text(random, 1, 6)),
    cta: maybe(random, () => random.pick(ctas)),
    landing_url: maybe(random, () => `https://example.com/${id}`),
    image_url: maybe(random, () => `https://cdn.example.com/ad${id}.jpg`),
    ad_library_url: maybe(random, () => `https://library.example.com/?id=${id}`),
    started_on: started,
    last_seen_on: seen,
    is_partnership: random.chance(0.2),
    first_seen: random.pick(imports)
  }
}

const makeMover = (random: Random.Random, shop: Shop): Mover => ({
  shop_id: shop.id,
  // Every change has an entry.
  ...(Object.fromEntries(
    Movers.movers.map((mover) => [mover, maybe(random, () => random.pick([-50, -1, 0, 0, 0.5, 3, 3, 1_000]))])
  ) as Record<Movers.Mover, number | null>)
})

/** Distinct ids with gaps, in a different order than the stores. */
const shuffledIds = (random: Random.Random, count: number): ReadonlyArray<number> => {
  const ids = Array.from({ length: count }, (_, index) => index * 2 + 1)
  for (let index = ids.length - 1; index > 0; index--) {
    const other = random.int(0, index)
    const [a = 0, b = 0] = [ids[index], ids[other]]
    ids[index] = b
    ids[other] = a
  }
  return ids
}

export const generate = (seed: number, shopCount: number): NaiveCatalog => {
  const random = Random.make(seed)
  const niches = makeNiches(random)
  const shops = shuffledIds(random, shopCount).map((id) => makeShop(random, id, niches))
  const owners = shops.flatMap((shop) => Array.from({ length: random.pick([0, 1, 3, 10, 25]) }, () => shop))
  const advertisers = [
    ...shops.flatMap((shop) => Array.from({ length: random.pick([0, 0, 1, 5, 15]) }, () => shop)),
    ...Array.from({ length: shopCount }, () => null)
  ]
  const productIds = shuffledIds(random, owners.length)
  const adIds = shuffledIds(random, advertisers.length)
  return {
    niches,
    shops,
    traffic: shops.flatMap((shop) => makeTraffic(random, shop)),
    products: owners.map((shop, index) => makeProduct(random, productIds[index] ?? 0, shop)),
    ads: advertisers.map((shop, index) => makeAd(random, adIds[index] ?? 0, shop)),
    movers: shops.filter(() => random.chance(0.8)).map((shop) => makeMover(random, shop))
  }
}
