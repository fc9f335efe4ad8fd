/**
 * The demo data set: the same for the same seed, day and size, on every machine. It is generated store by store, each
 * with its months of traffic, products and ads, as records of the native import format.
 */
import { Stream } from "effect"
import type { CatalogRecord } from "../src/domain/catalog/Records.ts"
import { dayOf } from "./Days.ts"
import { demoAds } from "./DemoAds.ts"
import { demoProducts } from "./DemoProducts.ts"
import { adWeights, demoShop, shareOut } from "./DemoShops.ts"
import type { DemoShop } from "./DemoShops.ts"
import { edgeCases } from "./EdgeCases.ts"
import { niches } from "./Niches.ts"
import * as MonthBefore from "./MonthBefore.ts"

/** Numbers of records, without niches and months of traffic. */
export interface DemoSize {
  readonly shops: number
  readonly products: number
  readonly ads: number
  /** Descriptions, variants and images of products, which `get_product` returns. */
  readonly hasDetails: boolean
  /** A store with the largest possible figures, for tests: it is first in every ranking. */
  readonly hasExtremes: boolean
}

export const demoSizes = {
  /** For tests. */
  tiny: { shops: 60, products: 600, ads: 400, hasDetails: true, hasExtremes: true },
  /** For trying the service out. */
  demo: { shops: 2_000, products: 60_000, ads: 25_000, hasDetails: true, hasExtremes: false },
  /** For measuring. */
  large: { shops: 20_000, products: 600_000, ads: 250_000, hasDetails: false, hasExtremes: false }
} as const satisfies Record<string, DemoSize>

export type DemoSizeName = keyof typeof demoSizes

export interface DemoOptions {
  readonly size: DemoSizeName
  readonly seed: string
  /** Today in the data, as `YYYY-MM-DD`. */
  readonly asOf: string
}

/** One store at a time; the first piece has the niches and the edge cases. */
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

/** The total of the progress bar, in stores. */
export const demoTotal = (options: DemoOptions): number => demoSizes[options.size].shops

/** A source for the importer, of some of the records. One store at a time is in memory. */
export const demoSource = (
  options: DemoOptions,
  some: (records: ReadonlyArray<CatalogRecord>) => ReadonlyArray<CatalogRecord> = (all) => all
) =>
  Stream.suspend(() => {
    let line = 0
    let position = 0
    return Stream.fromIterable(demoRecords(options), { chunkSize: 1 }).pipe(
      Stream.map((records) => {
        position += records.filter(({ type }) => type === "shop").length
        return { rows: some(records).map((record) => ({ line: ++line, record })), rejects: [], skipped: 0, position }
      })
    )
  })

/** Two imports that lead to the same data, with what changed in the month between them. */
export const demoMonth = (options: DemoOptions) => {
  const day = MonthBefore.dayBefore(options.asOf)
  const split = (records: ReadonlyArray<CatalogRecord>) => MonthBefore.split(options.seed, records, day)
  return {
    before: { asOf: day, source: demoSource(options, (records) => split(records).before) },
    differing: { asOf: options.asOf, source: demoSource(options, (records) => split(records).differing) }
  }
}

/** Lines of the native import format. */
export const demoLines = (options: DemoOptions): Stream.Stream<string> =>
  Stream.fromIterable(demoRecords(options), { chunkSize: 1 }).pipe(
    Stream.map((records) => `${records.map((record) => JSON.stringify(record)).join("\n")}\n`)
  )
