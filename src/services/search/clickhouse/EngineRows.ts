/**
 * The rows of stores, products and ads in ClickHouse (EngineTables), from the records that the index in memory is built of and by the
 * same code, so that both answer alike.
 */
import * as AdKey from "../index/AdKey.ts"
import { recencyOf } from "../index/Build.ts"
import { Spellings, texts } from "../index/IndexedRecords.ts"
import type {
  IndexedAd,
  IndexedProduct,
  IndexedStore,
  PseudoStoreContent,
  StoreContent
} from "../index/IndexedRecords.ts"
import { itemFigures, storeRow } from "../index/StoreColumns.ts"
import type { ItemFigures } from "../index/StoreColumns.ts"
import { byFigureColumn, columns, forever } from "./EngineTables.ts"
import type { Column, Kind } from "./EngineTables.ts"
import { tokensOf } from "./EngineWords.ts"
import type { Row, Value } from "./InsertBody.ts"

/** Of an ad without one. */
export const noStore = 0

/** JSON has no such number; ClickHouse reads this text as one. */
const float = (value: number): Value => (Number.isNaN(value) ? "nan" : value)

/** The names of the columns, in the order of the values of a row. */
export const namesOf = (kind: Kind): ReadonlyArray<string> => Object.keys(columns[kind])

const rowOf = <K extends Kind>(kind: K, values: Readonly<Record<Column<K>, Value>>): Row => {
  const byName: Readonly<Record<string, Value>> = values
  return namesOf(kind).map((name) => byName[name] ?? null)
}

const since = (version: number) => ({ from_version: version, until_version: forever })

/** The row of a store since a version. */
export const ofStore = (store: IndexedStore, items: ItemFigures, version: number): Row => {
  const row = storeRow(store, items, new Spellings())
  const { niche, country, currency } = row.codes
  return rowOf("store", {
    id: store.id,
    ...byFigureColumn((figure) => float(row.figures[figure])),
    relevance: row.relevance,
    niche,
    country,
    currency,
    ...row.masks,
    theme: store.theme ?? "",
    extension: store.extension,
    apps: Array.from(new Set(store.apps)),
    words: Array.from(tokensOf(texts.ofStore(store))),
    ...since(version)
  })
}

export const ofContent = (content: StoreContent, version: number): Row =>
  ofStore(content.store, itemFigures(content), version)

const ofProduct = (product: IndexedProduct, storeId: number, storeTokens: ReadonlySet<string>, version: number): Row =>
  rowOf("product", {
    shop_id: storeId,
    id: product.id,
    price: product.price,
    created: float(product.createdAt ?? Number.NaN),
    recency: recencyOf(product),
    words: Array.from(tokensOf(texts.ofProduct(product), storeTokens)),
    ...since(version)
  })

/** The rows of the products of a store since a version. */
export const ofProducts = ({ products, store }: StoreContent, version: number): ReadonlyArray<Row> => {
  const tokens = tokensOf(texts.ofStore(store))
  return products.map((product) => ofProduct(product, store.id, tokens, version))
}

const ofAd = (ad: IndexedAd, storeId: number, storeTokens: ReadonlySet<string>, version: number): Row => {
  const key = AdKey.keyOf(ad)
  const flags = AdKey.flagsOf(key)
  return rowOf("ad", {
    shop_id: storeId,
    id: ad.id,
    running: Number(AdKey.isRunning(flags)),
    media: AdKey.mediaOf(flags),
    cta: AdKey.ctaOf(flags),
    partnership: Number(AdKey.isPartnership(flags)),
    started: AdKey.startDayOf(key),
    words: Array.from(tokensOf(texts.ofAd(ad), storeTokens)),
    ...since(version)
  })
}

/** The rows of the ads of a store, or of a pseudo-store, since a version. */
export const ofAds = (content: StoreContent | PseudoStoreContent, version: number): ReadonlyArray<Row> => {
  if (!("store" in content)) return content.ads.map((ad) => ofAd(ad, noStore, new Set(), version))
  const tokens = tokensOf(texts.ofAdsOf(content.store))
  return content.ads.map((ad) => ofAd(ad, content.store.id, tokens, version))
}
