/**
 * The columns of stores. Pure functions derive what the records do not contain: visits and growth from traffic; running ads,
 * products on record and the average price from items; relevance from all of these.
 *
 * A figure is NaN, a code 0 and a mask without bits where it is unknown. Cost: 192 bytes a store and 4 for each of its apps.
 * Replacing some stores copies the columns of all stores of the segment, because a list that is in use must not change.
 *
 * Source: Copeland, Khoshafian, "A Decomposition Storage Model", 1985.
 */
import { languages, pixels, socialNetworks } from "../../../domain/catalog/Enumerations.ts"
import { recorded } from "../../../domain/catalog/Figures.ts"
import type { RecordedFigure } from "../../../domain/catalog/Figures.ts"
import { trafficGrowthPct } from "../../../domain/catalog/TrafficGrowth.ts"
import * as Relevance from "../../../domain/search/Relevance.ts"
import { Growing } from "./Growing.ts"
import type { IndexedStore, Spellings, StoreContent } from "./IndexedRecords.ts"
import { movers } from "../../../domain/catalog/Movers.ts"
import type { Mover } from "../../../domain/catalog/Movers.ts"
import { record, shared, sharedCopy } from "./Segment.ts"
import { codes, lettersCode, masks, storeNumbers } from "../../../domain/search/CatalogQuery.ts"
import type { SegmentView, StoreColumns } from "./Segment.ts"
import type { Code, Mask, StoreNumber } from "../../../domain/search/CatalogQuery.ts"

/** Figures derived from the items of a store. */
export interface ItemFigures {
  readonly activeAds: number
  readonly products: number
  /** NaN without products. */
  readonly averagePrice: number
}

/** One row of {@link StoreColumns}. */
interface StoreRow {
  readonly figures: Readonly<Record<StoreNumber, number>>
  readonly codes: Readonly<Record<Code, number>>
  readonly masks: Readonly<Record<Mask, number>>
  readonly relevance: number
  /** Ascending and distinct. */
  readonly apps: ReadonlyArray<number>
}

const unknown = Number.NaN

/** A pseudo-store has no figures. */
export const pseudoRow: StoreRow = {
  figures: record(storeNumbers, () => unknown),
  codes: record(codes, () => 0),
  masks: record(masks, () => 0),
  relevance: 0,
  apps: []
}

const maskOf = (vocabulary: ReadonlyArray<string>, values: ReadonlyArray<string>): number =>
  vocabulary.reduce((mask, value, bit) => (values.includes(value) ? mask | (1 << bit) : mask), 0)

/** Adds the prices in ascending order, so that the floating-point sum does not depend on the order of rows. */
const averagePrice = (prices: Float64Array): number => {
  if (prices.length === 0) return unknown
  let sum = 0
  for (const price of prices.sort()) sum += price
  return sum / prices.length
}

export const itemFigures = ({ ads, products }: Pick<StoreContent, "ads" | "products">): ItemFigures => ({
  activeAds: ads.filter((ad) => ad.isActive).length,
  products: products.length,
  averagePrice: averagePrice(Float64Array.from(products, ({ price }) => price))
})

const recordedFigures = (store: IndexedStore): Readonly<Record<RecordedFigure, number>> => {
  // The loop assigns every key.
  const values = {} as Record<RecordedFigure, number>
  for (const { field, figure } of recorded) values[figure] = store[field] ?? unknown
  return values
}

const changesOf = ({ changes }: IndexedStore): Readonly<Record<Mover, number>> =>
  record(movers, (mover) => changes?.[mover] ?? unknown)

export const storeRow = (store: IndexedStore, items: ItemFigures, spellings: Spellings): StoreRow => {
  const visits = store.visits.at(-1) ?? null
  const growth = trafficGrowthPct(store.visits)
  return {
    figures: {
      ...recordedFigures(store),
      ...changesOf(store),
      visits: visits ?? unknown,
      growth: growth ?? unknown,
      active_ads: items.activeAds,
      products_count: store.products_count ?? (items.products > 0 ? items.products : unknown),
      avg_price: items.averagePrice,
      created: store.created_day ?? unknown
    },
    codes: {
      niche: store.niche_id ?? 0,
      country: lettersCode(store.country),
      currency: store.currency === null ? 0 : lettersCode(store.currency),
      theme: store.theme === null ? 0 : spellings.theme.intern(store.theme),
      extension: spellings.extension.intern(store.extension)
    },
    masks: {
      languages: maskOf(languages, store.languages),
      pixels: maskOf(pixels, store.pixels),
      networks: maskOf(socialNetworks, store.social_networks)
    },
    relevance: Relevance.storeMicros({
      monthlyVisits: visits,
      trafficGrowthPct: growth,
      activeAds: items.activeAds
    }),
    apps: Array.from(new Set(store.apps.map((app) => spellings.app.intern(app)))).sort((a, b) => a - b)
  }
}

/** Builds the columns of stores row by row. */
export class ColumnsBuilder {
  readonly #figures = record(storeNumbers, () => new Growing("Float64Array"))
  readonly #codes = record(codes, () => new Growing("Uint32Array"))
  readonly #masks = record(masks, () => new Growing("Uint32Array"))
  readonly #relevance = new Growing("Int32Array")
  readonly #appOffsets = new Growing("Uint32Array")
  readonly #apps = new Growing("Uint32Array")

  constructor() {
    this.#appOffsets.push(0)
  }

  add(row: StoreRow): void {
    for (const name of storeNumbers) this.#figures[name].push(row.figures[name])
    for (const name of codes) this.#codes[name].push(row.codes[name])
    for (const name of masks) this.#masks[name].push(row.masks[name])
    this.#relevance.push(row.relevance)
    for (const app of row.apps) this.#apps.push(app)
    this.#appOffsets.push(this.#apps.length)
  }

  finish(): StoreColumns {
    return {
      figures: record(storeNumbers, (name) => this.#figures[name].finish()),
      codes: record(codes, (name) => this.#codes[name].finish()),
      masks: record(masks, (name) => this.#masks[name].finish()),
      relevance: this.#relevance.finish(),
      appOffsets: this.#appOffsets.finish(),
      apps: this.#apps.finish()
    }
  }
}

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
  records: ReadonlyMap<number, IndexedStore>,
  spellings: Spellings
): StoreColumns => {
  const { columns } = view
  const rows = new Map(
    Array.from(records, ([row, store]) => [row, storeRow(store, recordOfItems(view, row), spellings)] as const)
  )
  const replaced = {
    figures: record(storeNumbers, (name) => sharedCopy("Float64Array", columns.figures[name])),
    codes: record(codes, (name) => sharedCopy("Uint32Array", columns.codes[name])),
    masks: record(masks, (name) => sharedCopy("Uint32Array", columns.masks[name])),
    relevance: sharedCopy("Int32Array", columns.relevance)
  }
  for (const [row, values] of rows) {
    for (const name of storeNumbers) replaced.figures[name][row] = values.figures[name]
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
