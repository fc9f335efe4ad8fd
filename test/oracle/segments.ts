/** The naive catalog as input of the index, without a database. */
import type { IndexedAd, IndexedProduct, IndexedStore } from "../../src/services/search/index/IndexedRecords.ts"
import type { Spellings } from "../../src/services/search/index/IndexedRecords.ts"
import { SegmentBuilder } from "../../src/services/search/index/Build.ts"
import { merge } from "../../src/services/search/index/Merge.ts"
import { pseudoStoreOf } from "../../src/domain/catalog/StorelessAds.ts"
import type { SegmentView } from "../../src/services/search/index/Segment.ts"
import type { WordsOptions } from "../../src/services/search/index/WordsBuilder.ts"
import type { NameCodes } from "../../src/services/search/Queries.ts"
import { assert } from "@effect/vitest"
import type { Random } from "./Random.ts"
import type { Ad, NaiveCatalog, Niche, Product, Shop } from "./NaiveCatalog.ts"

const days = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000
const seconds = (time: string) => Date.parse(time) / 1_000

const storeRecord = (shop: Shop, catalog: NaiveCatalog): IndexedStore => ({
  ...shop,
  extension: shop.domain_extension,
  created_day: shop.created_on === null ? null : days(shop.created_on),
  visits: catalog.traffic
    .filter((month) => month.shop_id === shop.id)
    .sort((a, b) => (a.month < b.month ? -1 : 1))
    .map(({ visits }) => visits),
  changes: catalog.movers.find((mover) => mover.shop_id === shop.id) ?? null
})

const productRecord = (product: Product): IndexedProduct => ({
  id: product.id,
  title: product.title,
  price: product.price,
  createdAt: product.created_at === null ? null : Date.parse(product.created_at),
  firstSeen: seconds(product.first_seen)
})

const adRecord = (ad: Ad): IndexedAd => ({
  id: ad.id,
  isActive: ad.is_active,
  mediaType: ad.media_type,
  cta: ad.cta,
  isPartnership: ad.is_partnership,
  startedDay: days(ad.started_on),
  pageName: ad.page_name,
  headline: ad.headline,
  adText: ad.ad_text
})

/** Every store with its items, by id, pseudo-stores first. */
export const contents = (catalog: NaiveCatalog) => {
  const storeless = Map.groupBy(
    catalog.ads.filter((ad) => ad.shop_id === null),
    (ad) => pseudoStoreOf(ad.id)
  )
  return {
    pseudoStores: Array.from(storeless, ([id, ads]) => ({ id, ads: ads.map(adRecord) })).sort((a, b) => a.id - b.id),
    stores: catalog.shops
      .map((shop) => ({
        store: storeRecord(shop, catalog),
        products: catalog.products.filter((product) => product.shop_id === shop.id).map(productRecord),
        ads: catalog.ads.filter((ad) => ad.shop_id === shop.id).map(adRecord)
      }))
      .sort((a, b) => a.store.id - b.store.id)
  }
}

/** A segment of the stores that `isWanted` accepts. */
export const segmentOf = (
  catalog: NaiveCatalog,
  spellings: Spellings,
  isWanted: (storeId: number) => boolean = () => true,
  options?: WordsOptions
): SegmentView => {
  const { pseudoStores, stores } = contents(catalog)
  const builder = new SegmentBuilder(spellings, options)
  for (const content of pseudoStores) if (isWanted(content.id)) builder.addPseudoStore(content)
  for (const content of stores) if (isWanted(content.store.id)) builder.addStore(content)
  return builder.finish()
}

const options = { leastRowsForPrefixes: 0 }

/** The same catalog in several ways: whole, in pieces with outdated copies, and those merged in part and as a whole. */
export const segmentations = (catalog: NaiveCatalog, spellings: Spellings, random: Random) => {
  const { pseudoStores, stores } = contents(catalog)
  const ids = [...pseudoStores.map(({ id }) => id), ...stores.map(({ store }) => store.id)]
  const pieceOf = new Map(ids.map((id) => [id, random.int(0, 3)]))
  const outdated = new Set(random.some(ids, 0, ids.length / 3))
  const pieces = [0, 1, 2, 3].map((piece) => {
    // Outdated stores stand in an earlier piece as well, dead.
    const isThere = (id: number) => pieceOf.get(id) === piece || (outdated.has(id) && piece < (pieceOf.get(id) ?? 0))
    const view = segmentOf(catalog, spellings, isThere, options)
    const live = view.live.map((_, row) => Number(pieceOf.get(view.segment.storeIds[row] ?? 0) === piece))
    return { ...view, live }
  })
  const [first, second, third, fourth] = pieces
  assert(first !== undefined && second !== undefined && third !== undefined && fourth !== undefined)
  return {
    "one segment": [segmentOf(catalog, spellings, undefined, options)],
    "four segments": pieces,
    "two merged": [merge([third, first], options), second, fourth],
    "merged twice": [merge([merge([second, fourth]), merge([first, third], options)], options)]
  }
}

const subtree = (niches: ReadonlyArray<Niche>, roots: ReadonlyArray<number>): ReadonlyArray<number> => {
  const below = niches
    .filter((niche) => niche.parent_id !== null && roots.includes(niche.parent_id))
    .map(({ id }) => id)
  return below.length === 0 ? roots : [...roots, ...subtree(niches, below)]
}

export const nameCodes = ({ niches }: NaiveCatalog, spellings: Spellings): NameCodes => ({
  niche: (reference) => {
    const roots = niches.filter((niche) =>
      typeof reference === "string" ? niche.name.toLowerCase() === reference.toLowerCase() : niche.id === reference
    )
    return roots.length === 0
      ? undefined
      : subtree(
          niches,
          roots.map(({ id }) => id)
        )
  },
  spellings: (kind, name) =>
    spellings[kind].names.flatMap((spelling, index) =>
      spelling.toLowerCase() === name.toLowerCase() ? [index + 1] : []
    )
})
