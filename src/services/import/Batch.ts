/**
 * Sorts a batch of records by type. Records that refer to unknown records are rejected; of several records with the same key,
 * the last one counts, but each product votes for the niche of its store.
 */
import type {
  AdRecord,
  CategoryRecord,
  NicheRecord,
  PartialShop,
  RemovedRecord,
  ShopRecord,
  TrafficMonthRecord
} from "../../domain/catalog/Records.ts"
import { englishOf } from "../../domain/ArgumentIssue.ts"
import { rejectOf } from "./ImportSource.ts"
import type { ImportRow, LibraryAd, Reject, TaxonomyNiche } from "./ImportSource.ts"
import type { NicheTree } from "./NicheTree.ts"
import type * as ProductKeys from "./ProductKeys.ts"

/** The names of categories that a record gives to a store, the most specific one first. */
export interface Categories {
  readonly shop: string
  readonly names: ReadonlyArray<string | null>
  readonly isList: boolean
}

export interface Batch {
  readonly niches: ReadonlyMap<number, NicheRecord>
  readonly taxonomy: ReadonlyMap<string, TaxonomyNiche>
  /** The keys are names in lower case. */
  readonly categories: ReadonlyMap<string, CategoryRecord>
  readonly shops: ReadonlyMap<string, ShopRecord>
  readonly partialShops: ReadonlyMap<string, PartialShop>
  /** Of every record, so that they do not depend on where a batch begins. */
  readonly categorized: ReadonlyArray<Categories>
  readonly trafficMonths: ReadonlyMap<string, TrafficMonthRecord>
  readonly products: ProductKeys.Products
  readonly ads: ReadonlyMap<string, AdRecord>
  readonly libraryAds: ReadonlyMap<string, LibraryAd>
  /** Stores and ads to remove before the others are written. A record that follows its removal is a new one. */
  readonly removed: ReadonlyArray<RemovedRecord>
  /** How many records of the batch, which were accepted, remove others. */
  readonly removals: number
  /** How many accepted records are left out because newer data are known. */
  readonly older: number
  readonly rejects: ReadonlyArray<Reject>
  /** The keys of ads that were rejected: they were seen. */
  readonly rejectedAds: ReadonlyArray<string>
}

/** The catalog before a batch, as far as its rows refer to it. */
export interface Known {
  readonly niches: NicheTree
  /** The currencies of stores by their domains; `null` if it is unknown. */
  readonly shops: ReadonlyMap<string, string | null>
  readonly products: ProductKeys.Products
  /** Stores of which newer data had all products, and stores to remove of which there are newer data. */
  readonly newer: { readonly products: ReadonlySet<string>; readonly shops: ReadonlySet<string> }
}

/**
 * Niches of the batch are added to the tree of `known`, and its products are changed. A reference is valid only if the record that it
 * refers to came earlier.
 */
export const sortByType = (rows: ReadonlyArray<ImportRow>, known: Known): Batch => {
  const niches = new Map<number, NicheRecord>()
  const taxonomy = new Map<string, TaxonomyNiche>()
  const categories = new Map<string, CategoryRecord>()
  const shops = new Map<string, ShopRecord>()
  const partialShops = new Map<string, PartialShop>()
  const { products } = known
  let categorized: Array<Categories> = []
  const trafficMonths = new Map<string, TrafficMonthRecord>()
  const ads = new Map<string, AdRecord>()
  const libraryAds = new Map<string, LibraryAd>()
  const removed: Array<RemovedRecord> = []
  const gone = new Set<string>()
  let removals = 0
  let older = 0
  /** Newer data are known. */
  const leave = (): undefined => {
    older++
    return undefined
  }
  const rejects: Array<Reject> = []
  const rejectedAds: Array<string> = []

  const isKnown = (domain: string) =>
    shops.has(domain) || partialShops.has(domain) || (known.shops.has(domain) && !gone.has(domain))
  const unknownShop = (domain: string): Omit<Reject, "line"> => ({
    field: "shop",
    reason: `no store ${domain} is known; its record must come earlier`
  })
  const unknownNiche = (niche: number): Omit<Reject, "line"> => ({
    field: "niche",
    reason: `no niche ${niche} is known; its record must come earlier`
  })

  const remove = (record: RemovedRecord): Omit<Reject, "line"> | undefined => {
    const { key, shop } = record
    const needs = (field: string) => ({ field, reason: `is required to remove a record of this type` })
    if (record.record !== "ad" && shop === null) return needs("shop")
    if (record.record !== "shop" && key === null) return needs("key")
    const isOlder =
      record.record === "shop"
        ? known.newer.shops.has(shop ?? "")
        : record.record === "product" &&
          (known.newer.products.has(shop ?? "") || products.remove(shop ?? "", key ?? ""))
    if (isOlder) return leave()
    removals++
    if (record.record !== "product") removed.push(record)
    if (record.record === "ad") {
      ads.delete(key ?? "")
      libraryAds.delete(key ?? "")
    } else if (record.record === "shop") {
      gone.add(shop ?? "")
      shops.delete(shop ?? "")
      partialShops.delete(shop ?? "")
      categorized = categorized.filter((of) => of.shop !== shop)
      products.removeShop(shop ?? "")
      for (const [id, { shop: of }] of trafficMonths) if (of === shop) trafficMonths.delete(id)
      for (const [id, ad] of ads) if (ad.shop === shop) ads.delete(id)
      for (const [id, { ad }] of libraryAds) if (ad.shop === shop) libraryAds.delete(id)
    }
    return undefined
  }

  const list = ({ categories, domain }: PartialShop) => {
    if (categories !== undefined) categorized.push({ shop: domain, names: categories, isList: true })
  }

  const currencyOf = (domain: string) =>
    shops.get(domain)?.currency ?? partialShops.get(domain)?.currency ?? known.shops.get(domain) ?? null

  /** A store without a currency takes that of its products' prices. Others are not comparable with it. */
  const takeCurrency = (domain: string, currencies: ReadonlyArray<string>): Omit<Reject, "line"> | undefined => {
    const own = currencyOf(domain)
    if (own !== null) {
      return currencies.includes(own)
        ? undefined
        : {
            field: "price",
            reason: `is in ${currencies.join(" or ")}, and the currency of the store ${domain} is ${own}`
          }
    }
    const [currency, ...others] = currencies
    if (currency === undefined || others.length > 0) return undefined
    const whole = shops.get(domain)
    if (whole !== undefined) shops.set(domain, { ...whole, currency })
    else partialShops.set(domain, { type: "partial_shop", domain, ...partialShops.get(domain), currency })
    return undefined
  }

  /** Adds the record to the batch, or returns why it is rejected. */
  const take = ({ category, currencies, record }: ImportRow): Omit<Reject, "line"> | undefined => {
    switch (record.type) {
      case "niche": {
        const issue = known.niches.add(record)
        if (issue !== undefined) return { field: issue.path, reason: englishOf(issue) }
        niches.set(record.id, record)
        return undefined
      }
      case "taxonomy_niche":
        taxonomy.set(record.key, record)
        return undefined
      case "category":
        if (!known.niches.has(record.niche)) return unknownNiche(record.niche)
        categories.set(record.name.toLowerCase(), record)
        return undefined
      case "partial_shop": {
        if (!isKnown(record.domain)) {
          if (record.country === undefined) {
            return {
              field: "country",
              reason: `is not there, or cannot be read: the store ${record.domain} is not known yet; name its country with --country`
            }
          }
          partialShops.set(record.domain, { ...record, name: record.name ?? record.domain })
          list(record)
          return undefined
        }
        list(record)
        const whole = shops.get(record.domain)
        // A complete record of the same batch is updated, so that it keeps its other fields.
        if (whole !== undefined) shops.set(record.domain, updated(whole, record))
        else partialShops.set(record.domain, { ...partialShops.get(record.domain), ...record })
        return undefined
      }
      case "shop":
        if (record.niche !== null && !known.niches.has(record.niche)) return unknownNiche(record.niche)
        partialShops.delete(record.domain)
        shops.set(record.domain, record)
        return undefined
      case "traffic_month":
        if (!isKnown(record.shop)) return unknownShop(record.shop)
        trafficMonths.set(`${record.shop} ${record.month}`, record)
        return undefined
      case "product":
        if (!isKnown(record.shop)) return unknownShop(record.shop)
        if (known.newer.products.has(record.shop)) return leave()
        if (currencies !== undefined && currencies.length > 0) {
          const other = takeCurrency(record.shop, currencies)
          if (other !== undefined) return other
        }
        if (products.set({ record, isComplete: category === undefined })) return leave()
        // A native product has no category.
        if (category !== undefined && category !== null) {
          const names = [category, record.details?.product_type ?? null]
          categorized.push({ shop: record.shop, names, isList: false })
        }
        return undefined
      case "ad":
        if (record.shop !== null && !isKnown(record.shop)) return unknownShop(record.shop)
        libraryAds.delete(record.key)
        ads.set(record.key, record)
        return undefined
      case "library_ad":
        if (record.ad.shop !== null && !isKnown(record.ad.shop)) {
          rejectedAds.push(record.ad.key)
          return unknownShop(record.ad.shop)
        }
        ads.delete(record.ad.key)
        libraryAds.set(record.ad.key, record)
        return undefined
      case "removed":
        return remove(record)
    }
  }

  for (const row of rows) {
    const reject = take(row)
    if (reject !== undefined) rejects.push(rejectOf(row, reject))
  }
  return {
    niches,
    taxonomy,
    categories,
    shops,
    partialShops,
    categorized,
    trafficMonths,
    products,
    ads,
    libraryAds,
    removed,
    removals,
    older,
    rejects,
    rejectedAds
  }
}

const updated = (whole: ShopRecord, facts: PartialShop): ShopRecord => ({ ...whole, ...facts, type: "shop" })

/** The domains of all stores that the rows name. */
export const domainsOf = (rows: ReadonlyArray<ImportRow>): ReadonlySet<string> => {
  const domains = new Set<string>()
  for (const { record } of rows) {
    if (record.type === "shop" || record.type === "partial_shop") domains.add(record.domain)
    else {
      const named = record.type === "library_ad" ? record.ad : record
      if ("shop" in named && named.shop !== null) domains.add(named.shop)
    }
  }
  return domains
}
