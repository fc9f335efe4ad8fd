/**
 * Builds a segment from records, store by store in ascending order of id, pseudo-stores first (S46, S47). Words take
 * most of the time: about 7 us a product and 25 us an ad.
 */
import { dayMillis } from "../../../domain/Days.ts"
import * as Relevance from "../../../domain/search/Relevance.ts"
import * as AdKey from "./AdKey.ts"
import { Growing } from "./Growing.ts"
import { sortedRows } from "./Permutation.ts"
import { texts } from "./IndexedRecords.ts"
import type { IndexedAd, IndexedProduct, PseudoStoreContent, Spellings, StoreContent } from "./IndexedRecords.ts"
import { shared } from "./Segment.ts"
import type { Ads, Items, Products, SegmentView } from "./Segment.ts"
import { ColumnsBuilder, itemFigures, pseudoRow, storeRow } from "./StoreColumns.ts"
import { WordsBuilder } from "./WordsBuilder.ts"
import type { WordIds, WordsOptions } from "./WordsBuilder.ts"

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
  readonly product: IndexedProduct
  readonly recency: number
}

/** A creation date in the future is replaced by the time of the first import. */
export const recencyOf = ({ createdAt, firstSeen }: IndexedProduct): number =>
  Relevance.recencyMicros(createdAt === null ? null : Math.min(createdAt, firstSeen * 1_000) / dayMillis)

const rank = (product: IndexedProduct): RankedProduct => ({ product, recency: recencyOf(product) })

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

  /** Without pseudo-stores. */
  get stores(): number {
    return this.#storeIds.length - this.#pseudoStores
  }

  get isEmpty(): boolean {
    return this.#storeIds.length === 0
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
    const ofStore = texts.ofStore(store)
    this.#words.add(this.#words.wordsOf(ofStore))
    this.#addProducts(products, ofStore)
    this.#addAds(ads, texts.ofAdsOf(store))
    this.#columns.add(storeRow(store, itemFigures({ ads, products }), this.#spellings))
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
  #addProducts(products: ReadonlyArray<IndexedProduct>, ofStore: ReadonlyArray<string>): void {
    const storeWords = this.#products.words.wordsOf(ofStore)
    const ranked = products.map(rank).sort((a, b) => b.recency - a.recency || a.product.id - b.product.id)
    for (const { product, recency } of ranked) {
      this.#products.add(product.id, storeWords, texts.ofProduct(product))
      this.#prices.push(product.price)
      this.#created.push(product.createdAt ?? Number.NaN)
      this.#recency.push(recency)
    }
    this.#products.endStore()
  }

  #addAds(ads: ReadonlyArray<IndexedAd>, ofStore: ReadonlyArray<string>): void {
    const storeWords = this.#ads.words.wordsOf(ofStore)
    const keyed = ads
      .map((ad) => ({ ad, key: AdKey.keyOf(ad) }))
      .sort((a, b) => AdKey.rankOf(b.key) - AdKey.rankOf(a.key) || b.ad.id - a.ad.id)
    for (const { ad, key } of keyed) {
      this.#ads.add(ad.id, storeWords, texts.ofAd(ad))
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
