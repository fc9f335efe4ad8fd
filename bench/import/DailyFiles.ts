/**
 * Files of a catalog as a source delivers it day by day: the demo's own stores with all of their products and ads, and each day what
 * changes in one. A day has two files, of all records and of those that differ; both are made from that of the day before.
 */
import { Effect } from "effect"
import * as fs from "node:fs"
import * as readline from "node:readline"
import { finished } from "node:stream/promises"
import { dateOf, monthBefore } from "../../demo/Days.ts"
import { archiveId, demoAds } from "../../demo/DemoAds.ts"
import { demoProducts } from "../../demo/DemoProducts.ts"
import { adWeights, demoShop, shareOut } from "../../demo/DemoShops.ts"
import { niches } from "../../demo/Niches.ts"
import { Prng } from "../../demo/Prng.ts"
import type { AdRecord, ProductRecord, ShopRecord, TrafficMonthRecord } from "../../src/domain/catalog/Records.ts"

type Item = ShopRecord | TrafficMonthRecord | ProductRecord | AdRecord

const seed = "daily"
const productsPerShop = 25
const adsPerShop = 10

/** What changes in a day; of the prices, a share that the caller says. */
const shares = {
  /** Of products, those that go, and as many that come. */
  products: 0.001,
  /** Of ads that run, those that stop, and nearly as many that begin. */
  ads: 0.015,
  /** Of stopped ads, those that run again. */
  again: 0.001,
  apps: 0.003,
  stores: 0.0003
}
/** Estimates change once a week, and once a month there is a month of visits. */
const week = 7
const month = 30

async function* written(path: string) {
  yield* readline.createInterface({ input: fs.createReadStream(path), crlfDelay: Infinity })
}

/** A file to which lines are written; gives their number when it ends. */
const open = (path: string) => {
  const file = fs.createWriteStream(path, { highWaterMark: 1 << 20 })
  let records = 0
  return {
    write: async (line: string) => {
      records++
      if (!file.write(`${line}\n`)) await new Promise((resolve) => file.once("drain", resolve))
    },
    end: async () => {
      file.end()
      await finished(file)
      return records
    }
  }
}

function* firstLines(shops: number, today: number): Generator<string> {
  for (const { children, id, name } of niches) {
    yield JSON.stringify({ type: "niche", id, name })
    for (const child of children) yield JSON.stringify({ type: "niche", id: child.id, parent_id: id, name: child.name })
  }
  const taken = new Set<string>()
  const stores = Array.from({ length: shops }, (_, index) => demoShop(seed, index, today, taken))
  const products = shareOut(
    stores.map(({ catalog }) => catalog),
    shops * productsPerShop
  )
  const ads = shareOut(adWeights(seed, stores), shops * adsPerShop)
  let nextAd = 0
  for (const [index, store] of stores.entries()) {
    const adCount = ads[index] ?? 0
    const items: ReadonlyArray<Item> = [
      store.record,
      ...store.traffic,
      ...demoProducts(seed, store, products[index] ?? 0, today, false),
      ...demoAds(seed, store, nextAd, adCount, today)
    ]
    nextAd += adCount
    for (const item of items) yield JSON.stringify(item)
  }
}

/** The file of the first day. Gives its number of records. */
export const first = (path: string, shops: number, today: number): Effect.Effect<number> =>
  Effect.promise(async () => {
    const file = open(path)
    for (const line of firstLines(shops, today)) await file.write(line)
    return file.end()
  })

export interface Day {
  /** Counted from the first one, which is 0. */
  readonly day: number
  readonly today: number
  /** Of a thousand products, those that have another price. */
  readonly permille: number
}

const moved = (prng: Prng, price: number): number => {
  const next = price * prng.pick([0.7, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25])
  const rounded = Number.isInteger(price) ? Math.max(1, Math.round(next)) : Math.max(0.01, Math.round(next * 100) / 100)
  return rounded === price ? price + 1 : rounded
}

const estimate = (prng: Prng, value: number | null): number | null =>
  value === null ? null : Math.round(value * (0.92 + 0.16 * prng.unit()))

/** The records of a day that follow from one of the day before: that object itself if it has not changed, and new records. */
function* changed(item: Item, prng: Prng, { day, permille, today }: Day): Generator<object> {
  switch (item.type) {
    case "shop": {
      const { monthly_orders, monthly_revenue } = item
      const apps = prng.chance(shares.apps) ? { apps: [...item.apps.slice(1), `App of day ${day}`] } : {}
      const estimates =
        day % week === 0
          ? { monthly_orders: estimate(prng, monthly_orders), monthly_revenue: estimate(prng, monthly_revenue) }
          : {}
      yield "apps" in apps || day % week === 0 ? { ...item, ...apps, ...estimates } : item
      if (day % month === month / 2) {
        yield { type: "traffic_month", shop: item.domain, month: monthBefore(today, 0), visits: prng.int(100, 100_000) }
      }
      return
    }
    case "product": {
      if (prng.chance(shares.products)) {
        yield { type: "removed", record: "product", shop: item.shop, key: item.key }
        return
      }
      yield prng.chance(permille / 1_000) ? { ...item, price: moved(prng, item.price) } : item
      if (prng.chance(shares.products)) yield { ...item, key: `${item.key}${day}`, title: `${item.title} II` }
      return
    }
    case "ad": {
      if (item.status === "inactive") {
        yield prng.chance(shares.again) ? { ...item, status: "active", last_seen_on: dateOf(today) } : item
        return
      }
      yield prng.chance(shares.ads) ? { ...item, status: "inactive", last_seen_on: dateOf(today - 1) } : item
      if (prng.chance(shares.ads)) {
        const key = archiveId(100_000_000 + day * 1_000_000 + prng.int(0, 999_999))
        yield { ...item, key, ad_archive_id: key, started_on: dateOf(today), last_seen_on: dateOf(today) }
      }
      return
    }
    case "traffic_month":
      yield item
  }
}

/** The same record of a store that is new. */
const ofNewStore = (item: Item, day: number): object => {
  const domainOf = (domain: string) => `new-${day}-${domain}`
  switch (item.type) {
    case "shop":
      return { ...item, domain: domainOf(item.domain) }
    case "ad":
      return {
        ...item,
        shop: item.shop === null ? null : domainOf(item.shop),
        key: `${item.key}${day}`,
        ad_archive_id: null
      }
    case "product":
    case "traffic_month":
      return { ...item, shop: domainOf(item.shop) }
  }
}

interface Line {
  readonly text: string
  readonly differs: boolean
}

async function* nextLines(before: string, options: Day): AsyncGenerator<Line> {
  const { day } = options
  let index = 0
  let copies: Array<Line> = []
  let isCopied = false
  let prng = new Prng(seed, "day", day)
  for await (const text of written(before)) {
    // Each of these is of one day.
    if (text.startsWith('{"type":"removed"')) continue
    if (text.startsWith('{"type":"niche"')) {
      yield { text, differs: false }
      continue
    }
    // The lines of the file before are those that this program has written.
    const item = JSON.parse(text) as Item
    if (item.type === "shop") {
      yield* copies
      copies = []
      prng = new Prng(seed, "day", day, index++)
      isCopied = prng.chance(shares.stores)
    }
    if (isCopied) copies.push({ text: JSON.stringify(ofNewStore(item, day)), differs: true })
    for (const record of changed(item, prng, options)) {
      yield record === item ? { text, differs: false } : { text: JSON.stringify(record), differs: true }
    }
  }
  yield* copies
}

export interface Files {
  readonly all: string
  /** The records that differ from those of the day before. */
  readonly differing: string
}

/** The files of the next day, from that of all records of the day before. Gives the number of records that differ. */
export const next = (before: string, files: Files, options: Day): Effect.Effect<number> =>
  Effect.promise(async () => {
    const all = open(files.all)
    const differing = open(files.differing)
    for await (const { differs, text } of nextLines(before, options)) {
      await all.write(text)
      if (differs) await differing.write(text)
    }
    await all.end()
    return differing.end()
  })
