/**
 * Builds a segment from records, store by store in ascending order of id, pseudo-stores first.
 *
 * Pure functions derive what the records do not contain: visits and growth from traffic; running ads, products on record
 * and the average price from items; relevance from all of these; words from the texts. Words take most of the time: about
 * 7 us a product and 25 us an ad.
 */
import { domainToUnicode } from "node:url"
import { languages, pixels, socialNetworks } from "../../../domain/catalog/Enumerations.ts"
import { trafficGrowthPct } from "../../../domain/catalog/TrafficGrowth.ts"
import * as Relevance from "../../../domain/search/Relevance.ts"
import * as AdKey from "./AdKey.ts"
import { Growing } from "./Growing.ts"
import { sortedRows } from "./Permutation.ts"
import type { AdRecord, ProductRecord, PseudoStoreContent, Spellings, StoreContent, StoreRecord } from "./Records.ts"
import { codes, figures, lettersCode, masks, shared, sharedCopy } from "./Segment.ts"
import type { Ads, Code, Figure, Items, Mask, Products, SegmentView, StoreColumns } from "./Segment.ts"
import { WordsBuilder } from "./WordsBuilder.ts"
import type { WordIds, WordsOptions } from "./WordsBuilder.ts"

/** The spellings of a normalized domain: unchanged, and for an international domain also in Unicode. */
export const domainSpellings = (domain: string): ReadonlyArray<string> => {
  if (!domain.includes("xn--")) return [domain]
  const unicode = domainToUnicode(domain)
  return unicode === "" || unicode === domain ? [domain] : [domain, unicode]
}

/** Figures derived from the items of a store. */
export interface ItemFigures {
  readonly activeAds: number
  readonly products: number
  /** NaN without products. */
  readonly averagePrice: number
}

/** One row of {@link StoreColumns}. */
interface StoreRow {
  readonly figures: Readonly<Record<Figure, number>>
  readonly codes: Readonly<Record<Code, number>>
  readonly masks: Readonly<Record<Mask, number>>
  readonly relevance: number
  /** Ascending and distinct. */
  readonly apps: ReadonlyArray<number>
}

const unknown = Number.NaN

export const record = <K extends string, A>(keys: ReadonlyArray<K>, value: (key: K) => A): Record<K, A> =>
  // Object.fromEntries loses the type of the keys.
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, A>

/** A pseudo-store has no figures. */
const pseudoRow: StoreRow = {
  figures: record(figures, () => unknown),
  codes: record(codes, () => 0),
  masks: record(masks, () => 0),
  relevance: 0,
  apps: []
}

const maskOf = (vocabulary: ReadonlyArray<string>, values: ReadonlyArray<string>): number =>
  vocabulary.reduce((mask, value, bit) => (values.includes(value) ? mask | (1 << bit) : mask), 0)

/** Adds the prices in ascending order, so that the floating-point sum does not depend on the order of rows. */
export const averagePrice = (prices: Float64Array): number => {
  if (prices.length === 0) return unknown
  let sum = 0
  for (const price of prices.sort()) sum += price
  return sum / prices.length
}

export const storeRow = (store: StoreRecord, items: ItemFigures, spellings: Spellings): StoreRow => {
  const visits = store.visits.at(-1) ?? null
  const growth = trafficGrowthPct(store.visits)
  return {
    figures: {
      revenue: store.monthlyRevenue ?? unknown,
      orders: store.monthlyOrders ?? unknown,
      visits: visits ?? unknown,
      growth: growth ?? unknown,
      active_ads: items.activeAds,
      products_count: store.productsCount ?? (items.products > 0 ? items.products : unknown),
      avg_price: items.averagePrice,
      rating: store.trustpilotRating ?? unknown,
      reviews: store.trustpilotReviews ?? unknown,
      created: store.createdDay ?? unknown
    },
    codes: {
      niche: store.nicheId ?? 0,
      country: lettersCode(store.country),
      currency: store.currency === null ? 0 : lettersCode(store.currency),
      theme: store.theme === null ? 0 : spellings.intern("theme", store.theme),
      extension: spellings.intern("extension", store.extension)
    },
    masks: {
      languages: maskOf(languages, store.languages),
      pixels: maskOf(pixels, store.pixels),
      networks: maskOf(socialNetworks, store.socialNetworks)
    },
    relevance: Relevance.storeMicros({
      monthlyVisits: visits,
      trafficGrowthPct: growth,
      activeAds: items.activeAds
    }),
    apps: Array.from(new Set(store.apps.map((app) => spellings.intern("app", app)))).sort((a, b) => a - b)
  }
}

/** Builds the columns of stores row by row. */
export class ColumnsBuilder {
  readonly #figures = record(figures, () => new Growing("Float64Array"))
  readonly #codes = record(codes, () => new Growing("Uint32Array"))
  readonly #masks = record(masks, () => new Growing("Uint32Array"))
  readonly #relevance = new Growing("Int32Array")
  readonly #appOffsets = new Growing("Uint32Array")
  readonly #apps = new Growing("Uint32Array")

  constructor() {
    this.#appOffsets.push(0)
  }

  add(row: StoreRow): void {
    for (const name of figures) this.#figures[name].push(row.figures[name])
    for (const name of codes) this.#codes[name].push(row.codes[name])
    for (const name of masks) this.#masks[name].push(row.masks[name])
    this.#relevance.push(row.relevance)
    for (const app of row.apps) this.#apps.push(app)
    this.#appOffsets.push(this.#apps.length)
  }

  finish(): StoreColumns {
    return {
      figures: record(figures, (name) => this.#figures[name].finish()),
      codes: record(codes, (name) => this.#codes[name].finish()),
      masks: record(masks, (name) => this.#masks[name].finish()),
      relevance: this.#relevance.finish(),
      appOffsets: this.#appOffsets.finish(),
      apps: this.#apps.finish()
    }
  }
}

/** The columns that products and ads share, row by row. */
class ItemsBuilder {
  readonly #offsets = new Growing("Uint32Array")
  readonly #ids = new Growing("Int32Array")
  readonly #stores = new Growing("Uint32Array")
  readonly #highestId = shared("Int32Array", 1)
  readonly words: WordsBuilder
  #storeRows = 0

  constructor(options?: WordsOptions) {
    this.words = new WordsBuilder(options)
    this.#offsets.push(0)
  }

  get length(): number {
    return this.#ids.length
  }

  add(id: number, words: WordIds, texts: ReadonlyArray<string | null>): void {
    this.#ids.push(id)
    this.#highestId[0] = Math.max(id, this.#highestId[0]!)
    this.#stores.push(this.#storeRows)
    this.words.add(words, texts)
  }

  endStore(): void {
    this.#offsets.push(this.#ids.length)
    this.#storeRows++
  }

  finish(): Items {
    return {
      offsets: this.#offsets.finish(),
      ids: this.#ids.finish(),
      stores: this.#stores.finish(),
      highestId: this.#highestId,
      words: this.words.finish()
    }
  }
}

interface RankedProduct {
  readonly product: ProductRecord
  readonly recency: number
}

const millisPerDay = 86_400_000

/** A creation date in the future is replaced by the time of the first import. */
const rank = (product: ProductRecord): RankedProduct => ({
  product,
  recency: Relevance.recencyMicros(
    product.createdAt === null ? null : Math.min(product.createdAt, product.firstSeen * 1_000) / millisPerDay
  )
})

export class SegmentBuilder {
  readonly #spellings: Spellings
  readonly #storeIds = new Growing("Int32Array")
  readonly #columns = new ColumnsBuilder()
  readonly #words: WordsBuilder
  readonly #products: ItemsBuilder
  readonly #prices = new Growing("Float64Array")
  readonly #created = new Growing("Float64Array")
  readonly #recency = new Growing("Int32Array")
  readonly #ads: ItemsBuilder
  readonly #adKeys = new Growing("Int32Array")
  #pseudoStores = 0
  #lastId = Number.NEGATIVE_INFINITY

  constructor(spellings: Spellings, options?: WordsOptions) {
    this.#spellings = spellings
    this.#words = new WordsBuilder(options)
    this.#products = new ItemsBuilder(options)
    this.#ads = new ItemsBuilder(options)
  }

  /** Number of products and ads so far. */
  get items(): number {
    return this.#products.length + this.#ads.length
  }

  addPseudoStore({ ads, id }: PseudoStoreContent): void {
    this.#begin(id)
    this.#pseudoStores++
    this.#words.add()
    this.#addAds(ads, [])
    this.#products.endStore()
    this.#columns.add(pseudoRow)
  }

  addStore({ ads, products, store }: StoreContent): void {
    this.#begin(store.id)
    const ofStore = [store.name, ...domainSpellings(store.domain)]
    this.#words.add(this.#words.wordsOf(ofStore))
    this.#addProducts(products, ofStore)
    this.#addAds(ads, [store.name])
    const itemFigures = {
      activeAds: ads.filter((ad) => ad.isActive).length,
      products: products.length,
      averagePrice: averagePrice(Float64Array.from(products, ({ price }) => price))
    }
    this.#columns.add(storeRow(store, itemFigures, this.#spellings))
  }

  finish(): SegmentView {
    const storeIds = this.#storeIds.finish()
    const segment = {
      storeIds,
      pseudoStores: this.#pseudoStores,
      words: this.#words.finish(),
      products: finishProducts(this.#products.finish(), {
        price: this.#prices.view(),
        created: this.#created.finish(),
        recency: this.#recency.finish()
      }),
      ads: finishAds(this.#ads.finish(), this.#adKeys.finish())
    }
    return { segment, columns: this.#columns.finish(), live: shared("Uint8Array", storeIds.length).fill(1) }
  }

  #begin(id: number): void {
    if (id <= this.#lastId) throw new RangeError(`store ${id} comes after store ${this.#lastId}`)
    this.#lastId = id
    this.#storeIds.push(id)
  }

  /** The words of the store belong to each of its products. They are computed once for all of them. */
  #addProducts(products: ReadonlyArray<ProductRecord>, ofStore: ReadonlyArray<string>): void {
    const storeWords = this.#products.words.wordsOf(ofStore)
    const ranked = products.map(rank).sort((a, b) => b.recency - a.recency || a.product.id - b.product.id)
    for (const { product, recency } of ranked) {
      this.#products.add(product.id, storeWords, [product.title])
      this.#prices.push(product.price)
      this.#created.push(product.createdAt ?? unknown)
      this.#recency.push(recency)
    }
    this.#products.endStore()
  }

  #addAds(ads: ReadonlyArray<AdRecord>, ofStore: ReadonlyArray<string>): void {
    const storeWords = this.#ads.words.wordsOf(ofStore)
    const keyed = ads
      .map((ad) => ({ ad, key: AdKey.keyOf(ad) }))
      .sort((a, b) => AdKey.rankOf(b.key) - AdKey.rankOf(a.key) || b.ad.id - a.ad.id)
    for (const { ad, key } of keyed) {
      this.#ads.add(ad.id, storeWords, [ad.pageName, ad.headline, ad.adText])
      this.#adKeys.push(key)
    }
    this.#ads.endStore()
  }
}

/** Adds what the columns of products determine: price codes and permutations. */
export const finishProducts = (
  items: Items,
  columns: { readonly price: Float64Array } & Pick<Products, "created" | "recency">
): Products => {
  const byPrice = sortedRows(columns.price, items.ids)
  const price = shared("Uint32Array", items.ids.length)
  const prices = new Growing("Float64Array")
  let previous = Number.NaN
  for (let at = 0; at < byPrice.length; at++) {
    const row = byPrice[at]!
    if (columns.price[row] !== previous) {
      previous = columns.price[row]!
      prices.push(previous)
    }
    price[row] = prices.length - 1
  }
  return {
    ...items,
    price,
    prices: prices.finish(),
    created: columns.created,
    recency: columns.recency,
    byPrice,
    byCreated: sortedRows(columns.created, items.ids)
  }
}

/** Adds the bitmaps of flags and the permutation by start day. */
export const finishAds = (items: Items, keys: Int32Array): Ads => ({
  ...items,
  keys,
  flags: AdKey.flagBitmaps(keys),
  byStarted: sortedRows(keys.map(AdKey.startDayOf), items.ids)
})

const recordOfItems = ({ columns, segment }: SegmentView, row: number): ItemFigures => {
  const { offsets, price, prices } = segment.products
  const own = price.slice(offsets[row], offsets[row + 1])
  return {
    activeAds: columns.figures.active_ads[row]!,
    products: own.length,
    averagePrice: averagePrice(Float64Array.from(own, (code) => prices[code]!))
  }
}

/** The columns with the rows of these stores replaced. Figures derived from items stay. */
export const replaceStores = (
  view: SegmentView,
  records: ReadonlyMap<number, StoreRecord>,
  spellings: Spellings
): StoreColumns => {
  const { columns } = view
  const rows = new Map(
    Array.from(records, ([row, store]) => [row, storeRow(store, recordOfItems(view, row), spellings)] as const)
  )
  const replaced = {
    figures: record(figures, (name) => sharedCopy("Float64Array", columns.figures[name])),
    codes: record(codes, (name) => sharedCopy("Uint32Array", columns.codes[name])),
    masks: record(masks, (name) => sharedCopy("Uint32Array", columns.masks[name])),
    relevance: sharedCopy("Int32Array", columns.relevance)
  }
  for (const [row, values] of rows) {
    for (const name of figures) replaced.figures[name][row] = values.figures[name]
    for (const name of codes) replaced.codes[name][row] = values.codes[name]
    for (const name of masks) replaced.masks[name][row] = values.masks[name]
    replaced.relevance[row] = values.relevance
  }
  return { ...replaced, ...replaceApps(columns, rows) }
}

const replaceApps = (
  { appOffsets, apps }: StoreColumns,
  rows: ReadonlyMap<number, StoreRow>
): Pick<StoreColumns, "appOffsets" | "apps"> => {
  const offsets = shared("Uint32Array", appOffsets.length)
  const all = new Growing("Uint32Array", apps.length + 1)
  for (let row = 0; row + 1 < appOffsets.length; row++) {
    const replacement = rows.get(row)?.apps
    if (replacement === undefined) {
      for (let at = appOffsets[row]!; at < appOffsets[row + 1]!; at++) all.push(apps[at]!)
    } else {
      for (const app of replacement) all.push(app)
    }
    offsets[row + 1] = all.length
  }
  return { appOffsets: offsets, apps: all.finish() }
}
