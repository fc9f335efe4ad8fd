/**
 * The demo data set: the same for the same seed, day and size, on every machine. It comes store by store, each with its
 * months, products and ads, as records of the catalog's own format.
 */
import { Stream } from "effect"
import type { CatalogRecord } from "../../../domain/catalog/Records.ts"
import type { ImportChunk } from "../ImportSource.ts"
import { dayOf } from "./Days.ts"
import { demoAds } from "./DemoAds.ts"
import { demoProducts } from "./DemoProducts.ts"
import { adWeights, demoShop, shareOut } from "./DemoShops.ts"
import type { DemoShop } from "./DemoShops.ts"
import { demoSizes } from "./DemoSize.ts"
import type { DemoSizeName } from "./DemoSize.ts"
import { edgeCases } from "./EdgeCases.ts"
import { niches } from "./Niches.ts"

export interface DemoOptions {
  readonly size: DemoSizeName
  readonly seed: string
  /** `YYYY-MM-DD`: what counts as today in the data. */
  readonly asOf: string
}

export const defaultSeed = "discovery"

/** In pieces of one store each; the first piece has the niches and the edge cases. */
export function* demoRecords(options: DemoOptions): Generator<ReadonlyArray<CatalogRecord>> {
  const size = demoSizes[options.size]
  const today = dayOf(options.asOf)
  const edges = edgeCases(today, size.hasExtremes)
  const edgeCount = (type: CatalogRecord["type"]) => edges.filter((record) => record.type === type).length
  yield [...nicheRecords(), ...edges]

  const taken = new Set(edges.flatMap((record) => (record.type === "shop" ? [record.domain] : [])))
  const shops: ReadonlyArray<DemoShop> = Array.from({ length: size.shops - edgeCount("shop") }, (_, index) =>
    demoShop(options.seed, index, today, taken)
  )
  const products = shareOut(
    shops.map(({ catalog }) => catalog),
    size.products - edgeCount("product")
  )
  const ads = shareOut(adWeights(options.seed, shops), size.ads - edgeCount("ad"))

  let nextAd = edgeCount("ad")
  for (const [index, shop] of shops.entries()) {
    const productCount = products[index] ?? 0
    const adCount = ads[index] ?? 0
    yield [
      shop.record,
      ...shop.traffic,
      ...demoProducts(options.seed, shop, productCount, today, size.hasDetails),
      ...demoAds(options.seed, shop, nextAd, adCount, today)
    ]
    nextAd += adCount
  }
}

const nicheRecords = (): ReadonlyArray<CatalogRecord> =>
  niches.flatMap((parent) => [
    { type: "niche", id: parent.id, parent_id: null, name: parent.name },
    ...parent.children.map(({ id, name }) => ({ type: "niche", id, parent_id: parent.id, name }) as const)
  ])

/** What a progress counts up to: stores, of which the first piece holds several. */
export const demoTotal = (options: DemoOptions): number => demoSizes[options.size].shops

/** For the importer, without a detour over text. One store at a time is in memory, not the thousands of a usual chunk. */
export const demoSource = (options: DemoOptions): Stream.Stream<ImportChunk> =>
  Stream.suspend(() => {
    let line = 0
    let position = 0
    return Stream.fromIterable(demoRecords(options), { chunkSize: 1 }).pipe(
      Stream.map((records) => {
        position += records.filter(({ type }) => type === "shop").length
        return { rows: records.map((record) => ({ line: ++line, record })), rejects: [], skipped: 0, position }
      })
    )
  })

/** For a file: lines of the catalog's own format. */
export const demoLines = (options: DemoOptions): Stream.Stream<string> =>
  Stream.fromIterable(demoRecords(options), { chunkSize: 1 }).pipe(
    Stream.map((records) => `${records.map((record) => JSON.stringify(record)).join("\n")}\n`)
  )
