/**
 * Sorts a batch of records by type. Records that refer to unknown records are rejected; of several records with one key, the
 * last one counts.
 */
import { englishOf } from "../../domain/ArgumentIssue.ts"
import type {
  AdRecord,
  NicheRecord,
  ProductRecord,
  ShopRecord,
  TrafficMonthRecord
} from "../../domain/catalog/Records.ts"
import type { ImportRow, Reject, StorefrontShop } from "./ImportSource.ts"
import type { NicheTree } from "./NicheTree.ts"

export interface Batch {
  readonly niches: ReadonlyMap<number, NicheRecord>
  readonly storefronts: ReadonlyMap<string, StorefrontShop>
  readonly shops: ReadonlyMap<string, ShopRecord>
  readonly trafficMonths: ReadonlyMap<string, TrafficMonthRecord>
  readonly products: ReadonlyMap<string, ProductRecord>
  readonly ads: ReadonlyMap<string, AdRecord>
  readonly rejects: ReadonlyArray<Reject>
}

/**
 * `known` is the catalog before the batch; niches of the batch are added to its tree. A reference is valid only if its record
 * came earlier.
 */
export const sortOut = (
  rows: ReadonlyArray<ImportRow>,
  known: { readonly niches: NicheTree; readonly shops: ReadonlySet<string> }
): Batch => {
  const niches = new Map<number, NicheRecord>()
  const storefronts = new Map<string, StorefrontShop>()
  const shops = new Map<string, ShopRecord>()
  const trafficMonths = new Map<string, TrafficMonthRecord>()
  const products = new Map<string, ProductRecord>()
  const ads = new Map<string, AdRecord>()
  const rejects: Array<Reject> = []

  const isKnown = (domain: string) => known.shops.has(domain) || shops.has(domain) || storefronts.has(domain)
  const unknownShop = (domain: string): Omit<Reject, "line"> => ({
    field: "shop",
    reason: `no store ${domain} is known; its record must come earlier`
  })

  /** Adds the record, or returns its invalid reference. */
  const take = ({ record }: ImportRow): Omit<Reject, "line"> | undefined => {
    switch (record.type) {
      case "niche": {
        const issue = known.niches.add(record)
        if (issue !== undefined) return { field: issue.path, reason: englishOf(issue) }
        niches.set(record.id, record)
        return undefined
      }
      case "storefront_shop":
        storefronts.set(record.domain, record)
        return undefined
      case "shop":
        if (record.niche !== null && !known.niches.has(record.niche)) {
          return { field: "niche", reason: `no niche ${record.niche} is known; its record must come earlier` }
        }
        shops.set(record.domain, record)
        return undefined
      case "traffic_month":
        if (!isKnown(record.shop)) return unknownShop(record.shop)
        trafficMonths.set(`${record.shop} ${record.month}`, record)
        return undefined
      case "product":
        if (!isKnown(record.shop)) return unknownShop(record.shop)
        products.set(`${record.shop} ${record.key}`, record)
        return undefined
      case "ad":
        if (record.shop !== null && !isKnown(record.shop)) return unknownShop(record.shop)
        ads.set(record.key, record)
        return undefined
    }
  }

  for (const row of rows) {
    const reject = take(row)
    if (reject !== undefined) rejects.push({ line: row.line, ...reject })
  }
  return { niches, storefronts, shops, trafficMonths, products, ads, rejects }
}

/** The domains of all stores in the rows. */
export const domainsOf = (rows: ReadonlyArray<ImportRow>): ReadonlySet<string> => {
  const domains = new Set<string>()
  for (const { record } of rows) {
    if (record.type === "shop" || record.type === "storefront_shop") domains.add(record.domain)
    else if (record.type !== "niche" && record.shop !== null) domains.add(record.shop)
  }
  return domains
}
