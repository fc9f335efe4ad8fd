/**
 * The demo data as they were a month before their day. They are loaded first, so that the second import, of what differs, makes changes
 * to show (D111). Dates of the records decide what was not there yet and which ads were running; a few prices, figures, apps and themes
 * differ.
 */
import type { CatalogRecord, ProductRecord, ShopRecord } from "../src/domain/catalog/Records.ts"
import { dateOf, dayOf } from "./Days.ts"
import { themes } from "./Names.ts"
import { Prng } from "./Prng.ts"

export const dayBefore = (asOf: string): string => dateOf(dayOf(asOf) - 30)

const shopBefore = (prng: Prng, shop: ShopRecord): ShopRecord => {
  const factor = prng.logNormal(1, 0.1)
  const { apps, monthly_orders: orders, monthly_revenue: revenue, theme } = shop
  const was: Partial<ShopRecord> = {
    ...(prng.chance(0.15) && typeof revenue === "number" && typeof orders === "number"
      ? { monthly_revenue: Math.round(revenue * factor), monthly_orders: Math.round(orders * factor) }
      : {}),
    ...(prng.chance(0.05) && apps.length > 0 ? { apps: apps.slice(1) } : {}),
    ...(prng.chance(0.02) && theme !== null ? { theme: prng.pick(themes) } : {})
  }
  return Object.keys(was).length === 0 ? shop : { ...shop, ...was }
}

/** A few products had another price, with the same digits after the decimal point. */
const productBefore = (prng: Prng, product: ProductRecord): ProductRecord => {
  if (!prng.chance(0.02)) return product
  const ending = product.price % 1
  const whole = Math.round((product.price - ending) * prng.pick([0.8, 0.9, 1.1, 1.25]))
  return { ...product, price: Math.round((whole + ending) * 100) / 100 }
}

/** The record as it was on the day: the same object if nothing has changed since, `undefined` if it was not there yet. */
const recordBefore = (prng: Prng, record: CatalogRecord, day: string): CatalogRecord | undefined => {
  switch (record.type) {
    case "niche":
      return record
    case "shop":
      return shopBefore(prng, record)
    case "traffic_month":
      return record.month < day.slice(0, 7) ? record : undefined
    case "product":
      return record.created_at !== null && record.created_at > day ? undefined : productBefore(prng, record)
    case "ad":
      if (record.started_on > day) return undefined
      return record.last_seen_on > day ? { ...record, status: "active", last_seen_on: day } : record
  }
}

/** Of the records of some stores, each behind its store. */
export const split = (
  seed: string,
  records: ReadonlyArray<CatalogRecord>,
  day: string
): {
  /** All of that day. */
  readonly before: ReadonlyArray<CatalogRecord>
  /** Those that differ since then, or were not there. */
  readonly differing: ReadonlyArray<CatalogRecord>
} => {
  const before: Array<CatalogRecord> = []
  const differing: Array<CatalogRecord> = []
  const newShops = new Set<string | null>()
  let prng = new Prng(seed, "before")
  for (const record of records) {
    if (record.type === "shop") {
      prng = new Prng(seed, "before", record.domain)
      if (record.created_on !== null && record.created_on > day) newShops.add(record.domain)
    }
    const isNew = record.type !== "niche" && newShops.has(record.type === "shop" ? record.domain : record.shop)
    const was = isNew ? undefined : recordBefore(prng, record, day)
    if (was !== undefined) before.push(was)
    if (was !== record) differing.push(record)
  }
  return { before, differing }
}
