/** What the server of the benchmark has, as the oracle reads it: the demo data, and texts that give orders to an agent. */
import { demoRecords } from "../../demo/DemoData.ts"
import type { DemoOptions } from "../../demo/DemoData.ts"
import * as StoreDomain from "../../src/domain/catalog/StoreDomain.ts"
import type { NaiveCatalog } from "../../test/oracle/NaiveCatalog.ts"
import * as Orders from "./Orders.ts"

/** Ids count from 1 in the order of the records. */
export const make = (options: DemoOptions): NaiveCatalog => {
  const niches: Array<NaiveCatalog["niches"][number]> = []
  const shops: Array<NaiveCatalog["shops"][number]> = []
  const traffic: Array<NaiveCatalog["traffic"][number]> = []
  const products: Array<NaiveCatalog["products"][number]> = []
  const ads: Array<NaiveCatalog["ads"][number]> = []
  const ids = new Map<string, number>()
  const first_seen = `${options.asOf}T00:00:00Z`
  const shopId = (domain: string): number => ids.get(StoreDomain.normalize(domain)) ?? 0
  for (const record of [...Array.from(demoRecords(options)).flat(), ...Orders.records(options.asOf)]) {
    switch (record.type) {
      case "niche":
        niches.push({ id: record.id, parent_id: record.parent_id, name: record.name })
        break
      case "shop": {
        const { niche, type: _, ...shop } = record
        const domain = StoreDomain.normalize(shop.domain)
        ids.set(domain, shops.length + 1)
        const domain_extension = StoreDomain.extension(domain) ?? ""
        shops.push({ ...shop, id: shops.length + 1, domain, domain_extension, niche_id: niche })
        break
      }
      case "traffic_month":
        traffic.push({ shop_id: shopId(record.shop), month: `${record.month}-01`, visits: record.visits })
        break
      case "product": {
        const { details: _, shop, type: _type, ...product } = record
        products.push({ ...product, id: products.length + 1, shop_id: shopId(shop), first_seen })
        break
      }
      case "ad": {
        const { shop, status, type: _, ...ad } = record
        const id = ads.length + 1
        ads.push({
          ...ad,
          id,
          shop_id: shop === null ? null : shopId(shop),
          is_active: status === "active",
          first_seen
        })
      }
    }
  }
  return { niches, shops, traffic, products, ads, movers: [] }
}
