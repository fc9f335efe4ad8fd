import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { recorded } from "../../src/domain/catalog/Figures.ts"
import { createHash } from "node:crypto"
import { ctas, mediaTypes } from "../../src/domain/catalog/Enumerations.ts"
import { decode } from "../../src/domain/catalog/Records.ts"
import * as StoreDomain from "../../src/domain/catalog/StoreDomain.ts"
import type { AdRecord, CatalogRecord, ProductRecord, ShopRecord } from "../../src/domain/catalog/Records.ts"
import { dateOf, dayOf, monthBefore } from "../../demo/Days.ts"
import { demoRecords, demoSizes } from "../../demo/DemoData.ts"
import type { DemoOptions } from "../../demo/DemoData.ts"
import { shareOut } from "../../demo/DemoShops.ts"
import { apps, themes } from "../../demo/Names.ts"
import { niches } from "../../demo/Niches.ts"
import { Prng } from "../../demo/Prng.ts"
import * as MonthBefore from "../../demo/MonthBefore.ts"

const asOf = "2026-07-01"
const generate = (options: Partial<DemoOptions>): ReadonlyArray<CatalogRecord> =>
  Array.from(demoRecords({ size: "tiny", seed: "discovery", asOf, ...options })).flat()

const hash = (records: ReadonlyArray<CatalogRecord>) =>
  createHash("sha256")
    .update(records.map((record) => JSON.stringify(record)).join("\n"))
    .digest("hex")

const tiny = generate({})
const demo = generate({ size: "demo" })

const ofType = (records: ReadonlyArray<CatalogRecord>) => {
  const shops: Array<ShopRecord> = []
  const products: Array<ProductRecord> = []
  const ads: Array<AdRecord> = []
  for (const record of records) {
    if (record.type === "shop") shops.push(record)
    else if (record.type === "product") products.push(record)
    else if (record.type === "ad") ads.push(record)
  }
  return { shops, products, ads }
}

const { ads, products, shops } = ofType(demo)

const characters = (text: string | null) => Array.from(text ?? "").length

const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

const shareOf = <A>(items: ReadonlyArray<A>, is: (item: A) => boolean) => items.filter(is).length / items.length

const groupSizes = (keys: ReadonlyArray<string | null>): ReadonlyArray<number> => {
  const sizes = new Map<string, number>()
  for (const key of keys) if (key !== null) sizes.set(key, (sizes.get(key) ?? 0) + 1)
  return Array.from(sizes.values()).toSorted((a, b) => b - a)
}

describe("the demo data", () => {
  it("D43, D61 has addresses of pages that lead to their stores", () => {
    const addresses = [
      ...products.map(({ shop, url }) => [shop, url] as const),
      ...ads.map(({ landing_url, shop }) => [shop, landing_url] as const)
    ]
    let led = 0
    for (const [shop, address] of addresses) {
      if (shop === null || address === null) continue
      assert.strictEqual(StoreDomain.candidates(address)[0], StoreDomain.normalize(shop), address)
      led++
    }
    assert.isAbove(led, 1_000)
  })

  it("D61 is the same on every machine for one seed and day, down to the byte", () => {
    assert.strictEqual(hash(generate({})), hash(tiny))
    assert.strictEqual(hash(tiny), "cc5c4d8f245a19e6d246a6d63482f5f91b5ee240fd2efeff1d7122ed7d313f20")
  })

  it("D61 is what a month before and what differs since then make together", () => {
    const day = MonthBefore.dayBefore(asOf)
    const keyOf = (record: CatalogRecord) =>
      record.type === "shop"
        ? record.domain
        : record.type === "niche"
          ? String(record.id)
          : `${record.type} ${record.shop} ${record.type === "traffic_month" ? record.month : record.key}`
    const stored = new Map<string, CatalogRecord>()
    const kinds = new Map<string, number>()
    const count = (kind: string) => kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    for (const records of demoRecords({ size: "demo", seed: "discovery", asOf })) {
      const { before, differing } = MonthBefore.split("discovery", records, day)
      for (const record of before) {
        const dates = record.type === "ad" ? record.last_seen_on : record.type === "product" ? record.created_at : null
        assert.isTrue(dates === null || dates.slice(0, 10) <= day, JSON.stringify(record))
        stored.set(keyOf(record), record)
      }
      for (const record of differing) {
        const was = stored.get(keyOf(record))
        if (was === undefined) count(`new ${record.type}`)
        else {
          assert.isTrue(Result.isSuccess(decode(was)), JSON.stringify(was))
          if (record.type === "product" && was.type === "product" && record.price !== was.price) count("price")
          if (record.type === "shop" && was.type === "shop" && record.monthly_revenue !== was.monthly_revenue)
            count("figure")
          if (record.type === "shop" && was.type === "shop" && record.theme !== was.theme) count("theme")
          if (record.type === "ad" && was.type === "ad" && record.status !== was.status) count("ad stopped")
        }
        stored.set(keyOf(record), record)
      }
    }
    assert.strictEqual(stored.size, demo.length)
    for (const record of demo) assert.strictEqual(JSON.stringify(stored.get(keyOf(record))), JSON.stringify(record))
    for (const kind of ["new shop", "new product", "new ad", "price", "figure", "theme", "ad stopped"]) {
      assert.isAbove(kinds.get(kind) ?? 0, 5, kind)
    }
  })

  it("differs by seed, and by day", () => {
    assert.notStrictEqual(hash(generate({ seed: "another" })), hash(tiny))
    assert.notStrictEqual(hash(generate({ asOf: "2026-07-02" })), hash(tiny))
  })

  it.each([
    ["tiny", tiny],
    ["demo", demo]
  ] as const)("%s is exactly as large as it says", (name, records) => {
    const found = ofType(records)
    const { ads, products, shops } = demoSizes[name]
    assert.deepStrictEqual([found.shops.length, found.products.length, found.ads.length], [shops, products, ads])
  })

  it("holds only records that an import takes as they are", () => {
    for (const record of [...tiny, ...demo.filter((_, index) => index % 17 === 0)]) {
      assert.deepStrictEqual(decode(record), Result.succeed(record))
    }
  })

  it("names every store and every niche before what refers to it, and no key twice", () => {
    const known = new Set<string>()
    for (const record of demo) {
      if (record.type === "niche") {
        assert.isTrue(record.parent_id === null || known.has(`niche ${record.parent_id}`))
        assert.isFalse(known.has(`name ${record.name.toLowerCase()}`), record.name)
        known.add(`niche ${record.id}`).add(`name ${record.name.toLowerCase()}`)
      } else if (record.type === "shop") {
        assert.isFalse(known.has(record.domain), record.domain)
        known.add(record.domain)
      } else {
        assert.isTrue(record.shop === null || known.has(record.shop))
        const key = record.type === "traffic_month" ? record.month : record.key
        assert.isFalse(known.has(`${record.type} ${record.type === "ad" ? "" : record.shop} ${key}`))
        known.add(`${record.type} ${record.type === "ad" ? "" : record.shop} ${key}`)
      }
    }
  })

  it("has a tree of niches of two levels, 24 parents with 6 to 10 children each", () => {
    assert.lengthOf(niches, 24)
    for (const { children, id } of niches) {
      assert.isTrue(children.length >= 6 && children.length <= 10)
      assert.deepStrictEqual(
        children.map((child) => child.id),
        children.map((_, index) => id + index + 1)
      )
      assert.isTrue(children.every(({ name, nouns }) => name !== "" && nouns.length >= 3))
    }
  })

  it("has apps and themes enough to search among, none twice", () => {
    assert.strictEqual(new Set(apps).size, apps.length)
    assert.strictEqual(new Set(themes).size, themes.length)
    assert.isAtLeast(apps.length, 60)
    assert.isAtLeast(themes.length, 40)
  })

  it("has only URLs under the reserved domain", () => {
    for (const record of tiny) {
      const urls = [
        ...(record.type === "product" ? [record.url, record.image_url] : []),
        ...(record.type === "product" ? (record.details?.images ?? []).map(({ url }) => url) : []),
        ...(record.type === "ad" ? [record.landing_url, record.image_url, record.ad_library_url] : [])
      ]
      for (const url of urls) if (url !== null) assert.match(new URL(url).hostname, /\.discovery\.example$/)
    }
  })
})

/** D61: the distributions of real data. */
describe("the demo data is distributed as real data is", () => {
  const isAbout = (value: number, expected: number, tolerance: number) =>
    assert.isTrue(Math.abs(value - expected) <= expected * tolerance, `${value} is not about ${expected}`)

  it("in the lengths of titles", () => {
    const lengths = products.map(({ title }) => characters(title))
    isAbout(quantile(lengths, 0.05), 11, 0.25)
    isAbout(quantile(lengths, 0.5), 40, 0.15)
    isAbout(quantile(lengths, 0.95), 92, 0.15)
    isAbout(quantile(lengths, 0.99), 127, 0.15)
    const words = products.map(({ title }) => title.split(/\s+/).length)
    isAbout(quantile(words, 0.05), 2, 0.15)
    isAbout(quantile(words, 0.5), 7, 0.15)
    isAbout(quantile(words, 0.95), 15, 0.15)
    isAbout(quantile(words, 0.99), 23, 0.15)
  })

  it("in what products have besides: variants, images, lengths of descriptions", () => {
    const details = products.flatMap(({ details }) => (details === null ? [] : [details]))
    const isDistributed = (values: ReadonlyArray<number>, expected: ReadonlyArray<number>) => {
      for (const [index, share] of [0.05, 0.5, 0.95, 0.99].entries()) {
        isAbout(quantile(values, share), expected[index] ?? 0, 0.2)
      }
    }
    isDistributed(
      details.map(({ variants }) => variants.length),
      [1, 1, 10, 42]
    )
    isDistributed(
      details.map(({ images }) => images.length),
      [0, 3, 11, 18]
    )
    isDistributed(
      details.map(({ description_html }) => (description_html ?? "").length),
      [0, 759, 2_743, 6_055]
    )
  })

  it("in the lengths of ads", () => {
    const bodies = ads.flatMap(({ ad_text }) => (ad_text === null ? [] : [characters(ad_text)]))
    const median = quantile(bodies, 0.5)
    assert.isTrue(median >= 173 && median <= 309, `${median}`)
    const long = quantile(bodies, 0.95)
    assert.isTrue(long >= 931 && long <= 2_000, `${long}`)
    isAbout(
      quantile(
        ads.flatMap(({ headline }) => (headline === null ? [] : [characters(headline)])),
        0.5
      ),
      35,
      0.25
    )
  })

  it("in the sizes of catalogs", () => {
    const sizes = shops.flatMap(({ products_count }) => (products_count === null ? [] : [products_count]))
    isAbout(quantile(sizes, 0.25), 28, 0.2)
    isAbout(quantile(sizes, 0.5), 86, 0.2)
    isAbout(quantile(sizes, 0.75), 248, 0.2)
    isAbout(quantile(sizes, 0.95), 1_069, 0.25)
  })

  it("in prices: their spread within a store, their level, their endings", () => {
    const byShop = new Map<string, Array<number>>()
    for (const { price, shop } of products)
      if (price > 0) byShop.set(shop, [...(byShop.get(shop) ?? []), Math.log(price)])
    const deviations = Array.from(byShop.values()).flatMap((logs) => {
      const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
      return logs.length < 20 ? [] : logs.map((log) => (log - mean) ** 2 * (logs.length / (logs.length - 1)))
    })
    isAbout(Math.sqrt(deviations.reduce((sum, square) => sum + square, 0) / deviations.length), 0.93, 0.1)

    const inDollars = new Set(shops.flatMap(({ currency, domain }) => (currency === "USD" ? [domain] : [])))
    const medians = Array.from(byShop).flatMap(([shop, logs]) =>
      inDollars.has(shop) && logs.length >= 5 ? [Math.exp(quantile(logs, 0.5))] : []
    )
    isAbout(quantile(medians, 0.5), 85, 0.3)

    const dollars = products.filter(({ shop }) => inDollars.has(shop))
    const endsIn = (cents: number) => shareOf(dollars, ({ price }) => Math.round(price * 100) % 100 === cents)
    assert.isTrue(endsIn(0) > endsIn(99) && endsIn(99) > endsIn(95) && endsIn(95) > endsIn(90))
    const isWhole = (currency: string | null) => currency === "JPY" || currency === "KRW" || currency === "VND"
    const withoutCents = new Set(shops.flatMap(({ currency, domain }) => (isWhole(currency) ? [domain] : [])))
    assert.isTrue(products.every(({ price, shop }) => !withoutCents.has(shop) || Number.isInteger(price)))
  })

  it("in the kinds of ads and their calls to action", () => {
    const media = { video: 0.45, image: 0.3, carousel: 0.1, dco: 0.08, dpa: 0.07 }
    for (const type of mediaTypes)
      isAbout(
        shareOf(ads, ({ media_type }) => media_type === type),
        media[type],
        0.1
      )
    isAbout(
      shareOf(ads, ({ cta }) => cta === "Shop Now"),
      0.7,
      0.05
    )
    isAbout(
      shareOf(ads, ({ cta }) => cta === "Learn More"),
      0.12,
      0.1
    )
    isAbout(
      shareOf(ads, ({ cta }) => cta === null),
      0.04,
      0.15
    )
  })

  it("in where stores are, and who advertises", () => {
    const share = (code: string) => shareOf(shops, ({ country }) => country === code)
    assert.isTrue(share("US") >= 0.54 && share("US") <= 0.61)
    for (const code of ["GB", "CA", "AU"]) assert.isTrue(share(code) >= 0.03 && share(code) <= 0.06, code)
    for (const code of ["DE", "FR", "NL", "IT", "ES"]) assert.isTrue(share(code) >= 0.01 && share(code) <= 0.045, code)
    const sizes = groupSizes(ads.map(({ shop }) => shop))
    isAbout(sizes.length / shops.length, 1 / 3, 0.1)
    // Zipf: the first tenth of the advertisers has more than half of the ads.
    const first = sizes.slice(0, Math.ceil(sizes.length / 10)).reduce((sum, size) => sum + size, 0)
    assert.isAbove(first, ads.length / 2)
  })
})

describe("the demo data has, in every size, the edge cases", () => {
  const { ads, products, shops } = ofType(tiny)
  const today = dayOf(asOf)
  const some = (what: string, is: boolean) => assert.isTrue(is, what)

  it("of ads", () => {
    some(
      "long headline",
      ads.some(({ headline }) => characters(headline) > 200)
    )
    some(
      "long text",
      ads.some(({ ad_text }) => characters(ad_text) > 500)
    )
    some(
      "emoji of several characters",
      ads.some(({ ad_text }) => ad_text?.includes("👨‍👩‍👧") === true)
    )
    some(
      "right to left",
      ads.some(({ headline }) => /\p{Script=Arabic}/u.test(headline ?? ""))
    )
    some(
      "bold letters",
      ads.some(({ headline }) => /[\u{1D5D4}-\u{1D607}]/u.test(headline ?? ""))
    )
    some(
      "no store",
      ads.some(({ shop }) => shop === null)
    )
    some(
      "no landing page",
      ads.some(({ landing_url }) => landing_url === null)
    )
    some(
      "partnership",
      ads.some(({ is_partnership }) => is_partnership)
    )
    some(
      "started and stopped on one day",
      ads.some(({ last_seen_on, started_on, status }) => status === "inactive" && started_on === last_seen_on)
    )
    some(
      "started today",
      ads.some(({ started_on }) => started_on === dateOf(today))
    )
    for (const cta of [...ctas, null])
      some(
        `${cta}`,
        ads.some((ad) => ad.cta === cta)
      )
    for (const type of mediaTypes)
      some(
        type,
        ads.some(({ media_type }) => media_type === type)
      )
    for (const field of ["headline", "ad_text", "image_url", "ad_library_url", "ad_archive_id"] as const) {
      some(
        `${field} unknown`,
        ads.some((ad) => ad[field] === null)
      )
    }
    assert.isTrue(ads.every(({ last_seen_on }) => last_seen_on <= asOf))
  })

  it("of stores: unknown and zero in every figure, ties, one month, no month, growth from zero", () => {
    for (const { field: figure } of recorded) {
      assert.isAbove(new Set(shops.map((shop) => shop[figure])).size, 5, figure)
      some(
        `${figure} unknown`,
        shops.some((shop) => shop[figure] === null)
      )
      some(
        `${figure} zero`,
        shops.some((shop) => shop[figure] === 0)
      )
      some(
        `${figure} tied`,
        shops.filter((shop) => shop[figure] === shops.find(({ name }) => name === "Twin one")?.[figure]).length >= 4
      )
    }
    for (const field of ["currency", "niche", "theme", "created_on"] as const) {
      some(
        `${field} unknown`,
        shops.some((shop) => shop[field] === null)
      )
    }
    for (const field of ["languages", "pixels", "social_networks", "apps"] as const) {
      some(
        `${field} empty`,
        shops.some((shop) => shop[field].length === 0)
      )
    }
    const months = groupSizes(tiny.flatMap((record) => (record.type === "traffic_month" ? [record.shop] : [])))
    some("one month", months.includes(1))
    some("no month", months.length < shops.length)
    some(
      "zero",
      tiny.some((record) => record.type === "traffic_month" && record.visits === 0)
    )
    some(
      "at a parent niche",
      shops.some(({ niche }) => niche !== null && niche % 100 === 0)
    )
    const isLargest = (record: CatalogRecord) => record.type === "traffic_month" && record.visits === 2_147_483_647
    some("the largest figures", tiny.some(isLargest))
    assert.isFalse(demo.some(isLargest))
    some(
      "an international domain",
      shops.some(({ domain }) => domain.startsWith("xn--"))
    )
  })

  it("of products: unknown fields, free, ties in price and time", () => {
    some(
      "no address",
      products.some(({ url }) => url === null)
    )
    some(
      "no image",
      products.some(({ image_url }) => image_url === null)
    )
    some(
      "no time",
      products.some(({ created_at }) => created_at === null)
    )
    some(
      "free",
      products.some(({ price }) => price === 0)
    )
    const twins = products.filter(({ title }) => title === "Matching Mug")
    assert.strictEqual(new Set(twins.map(({ created_at, price }) => `${created_at} ${price}`)).size, 1)
    assert.isAtLeast(twins.length, 10)
  })

  it("of a page over 64 KiB: 25 ads, or 25 products, that the word longform finds", () => {
    const isFound = (text: string | null) => text?.normalize("NFKC").toLowerCase().includes("longform") === true
    const bytes = (texts: ReadonlyArray<string | null>) => Buffer.byteLength(JSON.stringify(texts))
    const shown = (text: string | null, maxCharacters: number) =>
      Array.from(text ?? "")
        .slice(0, maxCharacters)
        .join("")
    const page = (sizes: ReadonlyArray<number>) =>
      sizes
        .toSorted((a, b) => a - b)
        .slice(0, 25)
        .reduce((sum, size) => sum + size, 0)
    const longAds = ads.filter(({ headline }) => isFound(headline))
    const longProducts = products.filter(({ title }) => isFound(title))
    assert.isAtLeast(longAds.length, 25)
    assert.isAtLeast(longProducts.length, 25)
    const adBytes = longAds.map((ad) => bytes([shown(ad.headline, 200), shown(ad.ad_text, 500), ad.landing_url]))
    assert.isAbove(page(adBytes), 65_536)
    assert.isAbove(page(longProducts.map(({ title, url }) => bytes([title, url]))), 65_536)
  })
})

describe("the parts of the generator", () => {
  it("draw from the documented distributions", () => {
    const prng = new Prng("seed", 1)
    const units = Array.from({ length: 20_000 }, () => prng.unit())
    assert.isTrue(units.every((unit) => unit >= 0 && unit < 1))
    assert.approximately(units.reduce((sum, unit) => sum + unit, 0) / units.length, 0.5, 0.01)
    const rolls = new Set(Array.from({ length: 1_000 }, () => prng.int(1, 6)))
    assert.deepStrictEqual(
      Array.from(rolls).toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5, 6]
    )
    const heads = Array.from({ length: 10_000 }, () =>
      prng.weighted([
        ["head", 3],
        ["tail", 1]
      ] as const)
    )
    assert.approximately(
      shareOf(heads, (side) => side === "head"),
      0.75,
      0.02
    )
    const normal = Array.from({ length: 20_000 }, () => prng.normal())
    assert.approximately(normal.reduce((sum, z) => sum + z, 0) / normal.length, 0, 0.03)
    assert.approximately(Math.sqrt(normal.reduce((sum, z) => sum + z * z, 0) / normal.length), 1, 0.03)
    assert.deepStrictEqual(prng.some([1, 2, 3], 3), [1, 2, 3])
    assert.lengthOf(prng.some([1, 2, 3], 2), 2)
  })

  it("have independent sequences", () => {
    const first = (...path: ReadonlyArray<string | number>) => new Prng(...path).unit()
    assert.strictEqual(first("seed", "shop", 1), first("seed", "shop", 1))
    assert.strictEqual(
      new Set([first("seed", "shop", 1), first("seed", "shop", 2), first("seed", "ads", 1), first("s", "shop", 1)])
        .size,
      4
    )
  })

  it.effect.prop(
    "share out a total exactly",
    [
      Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))
    ],
    ([weights, total]) =>
      Effect.sync(() => {
        if (weights.every((weight) => weight === 0)) return
        const shares = shareOut(weights, total)
        assert.strictEqual(
          shares.reduce((sum, share) => sum + share, 0),
          total
        )
        assert.isTrue(shares.every((share) => Number.isInteger(share) && share >= 0))
      })
  )

  it("count days and months", () => {
    assert.strictEqual(dateOf(dayOf("2024-02-29") + 1), "2024-03-01")
    assert.strictEqual(monthBefore(dayOf("2026-01-31"), 0), "2026-01")
    assert.strictEqual(monthBefore(dayOf("2026-03-31"), 1), "2026-02")
    assert.strictEqual(monthBefore(dayOf("2026-01-31"), 13), "2024-12")
  })
})
