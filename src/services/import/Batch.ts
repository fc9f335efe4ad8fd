/**
 * Sorts a batch of records by type. Records that refer to unknown records are rejected; of several records with the same key,
 * the last one counts.
 */
import type {
  AdRecord,
  CategoryRecord,
  NicheRecord,
  PartialShop,
  ProductRecord,
  RemovedRecord,
  ShopRecord,
  TrafficMonthRecord
} from "../../domain/catalog/Records.ts"
import { englishOf } from "../../domain/ArgumentIssue.ts"
import { rejectOf } from "./ImportSource.ts"
import type { ImportRow, LibraryAd, Reject, TaxonomyNiche } from "./ImportSource.ts"
import type { NicheTree } from "./NicheTree.ts"
import * as ProductKeys from "./ProductKeys.ts"

export interface CategorizedProduct {
  readonly record: ProductRecord
  readonly category: string | null
  /** Whether a field without a value becomes unknown. */
  readonly isComplete: boolean
}

export interface Batch {
  readonly niches: ReadonlyMap<number, NicheRecord>
  readonly taxonomy: ReadonlyMap<string, TaxonomyNiche>
  /** The keys are names in lower case. */
  readonly categories: ReadonlyMap<string, CategoryRecord>
  readonly shops: ReadonlyMap<string, ShopRecord>
  readonly partialShops: ReadonlyMap<string, PartialShop>
  /** The names of categories that partial records give to stores, by domain. */
  readonly listed: ReadonlyMap<string, ReadonlyArray<string>>
  readonly trafficMonths: ReadonlyMap<string, TrafficMonthRecord>
  readonly products: ReadonlyMap<string, CategorizedProduct>
  readonly ads: ReadonlyMap<string, AdRecord>
  readonly libraryAds: ReadonlyMap<string, LibraryAd>
  /** Records to remove before the others are written. A record that follows its removal is a new one. */
  readonly removed: ReadonlyArray<RemovedRecord>
  /** How many records of the batch, which were accepted, remove others. */
  readonly removals: number
  readonly rejects: ReadonlyArray<Reject>
  /** The keys of ads that were rejected: they were seen. */
  readonly rejectedAds: ReadonlyArray<string>
}

/** The catalog before a batch, as far as its rows refer to it. */
export interface Known {
  readonly niches: NicheTree
  readonly shops: ReadonlySet<string>
  /** The stored products that a row removes, by the store and the key or alias that the row names. */
  readonly removed: ReadonlyMap<string, ReadonlyArray<ProductKeys.StoredNames>>
}

/**
 * Niches of the batch are added to the tree of `known`. A reference is valid only if the record that it refers to came earlier.
 */
export const sortByType = (rows: ReadonlyArray<ImportRow>, known: Known): Batch => {
  const niches = new Map<number, NicheRecord>()
  const taxonomy = new Map<string, TaxonomyNiche>()
  const categories = new Map<string, CategoryRecord>()
  const shops = new Map<string, ShopRecord>()
  const partialShops = new Map<string, PartialShop>()
  const listed = new Map<string, ReadonlyArray<string>>()
  const trafficMonths = new Map<string, TrafficMonthRecord>()
  const products = new Map<string, CategorizedProduct>()
  /** The ids in `products` by alias, because a record may remove a product by its alias. */
  const aliases = new Map<string, Set<string>>()
  const ads = new Map<string, AdRecord>()
  const libraryAds = new Map<string, LibraryAd>()
  const removed: Array<RemovedRecord> = []
  const gone = new Set<string>()
  let removals = 0
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

  /** The product of the batch that has one of the names as its key or its alias. */
  const ofNames = (shop: string, names: ReadonlyArray<string | null>): ProductRecord | undefined => {
    for (const name of names) {
      const ids = name === null ? [] : [`${shop} ${name}`, ...(aliases.get(`${shop} ${name}`) ?? [])]
      const found = ids.flatMap((id) => products.get(id)?.record ?? [])
      const own = found.find(({ alias, key }) => key === name || alias === name)
      if (own !== undefined) return own
    }
    return undefined
  }

  /** Removes a product of the batch, and what is stored by its key or its alias. */
  const removeProduct = ({ alias = null, key, shop }: ProductRecord) => {
    products.delete(`${shop} ${key}`)
    removed.push({ type: "removed", record: "product", shop, key })
    if (alias !== null) removed.push({ type: "removed", record: "product", shop, key: alias })
  }

  const remove = (record: RemovedRecord): Omit<Reject, "line"> | undefined => {
    const { key, shop } = record
    const needs = (field: string) => ({ field, reason: `is required to remove a record of this type` })
    if (record.record !== "ad" && shop === null) return needs("shop")
    if (record.record !== "shop" && key === null) return needs("key")
    if (record.record !== "product") removed.push(record)
    if (record.record === "ad") {
      ads.delete(key ?? "")
      libraryAds.delete(key ?? "")
    } else if (record.record === "product") {
      const renamed = (known.removed.get(`${shop} ${key}`) ?? []).map((stored) => {
        const own = ofNames(shop ?? "", [stored.key, stored.alias])
        const now = own === undefined ? stored : ProductKeys.renamed(stored, own)
        if (own !== undefined && (now.key === key || now.alias === key)) removeProduct(own)
        return now.key !== key && now.alias !== key
      })
      for (let own = ofNames(shop ?? "", [key]); own !== undefined; own = ofNames(shop ?? "", [key])) removeProduct(own)
      // A stored product that has other names by now stays, and keeps its id.
      if (renamed.length === 0 || renamed.includes(false)) removed.push(record)
    } else {
      gone.add(shop ?? "")
      shops.delete(shop ?? "")
      partialShops.delete(shop ?? "")
      listed.delete(shop ?? "")
      for (const [id, { record }] of products) if (record.shop === shop) products.delete(id)
      for (const [id, { shop: of }] of trafficMonths) if (of === shop) trafficMonths.delete(id)
      for (const [id, ad] of ads) if (ad.shop === shop) ads.delete(id)
      for (const [id, { ad }] of libraryAds) if (ad.shop === shop) libraryAds.delete(id)
    }
    return undefined
  }

  const setProduct = (id: string, product: CategorizedProduct) => {
    const record = ProductKeys.merged(products.get(id)?.record, product)
    const { alias, shop } = record
    products.set(id, { ...product, record })
    if (alias === undefined || alias === null) return
    const ofAlias = aliases.get(`${shop} ${alias}`)
    if (ofAlias === undefined) aliases.set(`${shop} ${alias}`, new Set([id]))
    else ofAlias.add(id)
  }

  const list = ({ categories, domain }: PartialShop) => {
    if (categories !== undefined) listed.set(domain, categories)
  }

  /** Adds the record to the batch, or returns why it is rejected. */
  const take = ({ category, record }: ImportRow): Omit<Reject, "line"> | undefined => {
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
              reason: `is required: the store ${record.domain} is not known yet; name its country with --country`
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
        setProduct(`${record.shop} ${record.key}`, {
          record,
          category: category ?? null,
          isComplete: category === undefined
        })
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
    else if (row.record.type === "removed") removals++
  }
  return {
    niches,
    taxonomy,
    categories,
    shops,
    partialShops,
    listed,
    trafficMonths,
    products,
    ads,
    libraryAds,
    removed,
    removals,
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
