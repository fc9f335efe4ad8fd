/**
 * Searches of the index against the naive ones, on catalogs and arguments at random, in memory: every page of every case,
 * for one segment, for several with dead stores in them, for what is merged of those, and divided over threads, with what warnings count (D90, D93),
 * bounds that are inclusive (D105) and as figures are shown (D91), phrases (D101), ads without a store (D102) and days of creation
 * (D103). Seeds are fixed, so a failure comes again; `ORACLE_SEED` and `ORACLE_CASES` look further.
 */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as AdQuery from "../../../../src/domain/search/AdQuery.ts"
import * as ProductQuery from "../../../../src/domain/search/ProductQuery.ts"
import { shopSorts } from "../../../../src/domain/search/ShopQuery.ts"
import * as ShopQuery from "../../../../src/domain/search/ShopQuery.ts"
import { defaultTuning } from "../../../../src/services/search/index/Run.ts"
import type { Tuning } from "../../../../src/services/search/index/Run.ts"
import * as Parts from "../../../../src/services/search/index/Parts.ts"
import type { Query } from "../../../../src/domain/search/CatalogQuery.ts"
import type { SearchResult } from "../../../../src/domain/search/CatalogAnswer.ts"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import { search } from "../../../../src/services/search/index/Search.ts"
import type { SegmentList } from "../../../../src/services/search/index/Segment.ts"
import * as Queries from "../../../../src/services/search/Queries.ts"
import type { CurrencyCount } from "../../../../src/domain/search/Warnings.ts"
import { currenciesOf } from "../../../../src/services/search/SearchRunner.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import * as NaiveFindings from "../../../oracle/NaiveFindings.ts"
import * as NaiveSearch from "../../../oracle/NaiveSearch.ts"
import { matcher } from "../../../oracle/NaiveText.ts"
import * as Random from "../../../oracle/Random.ts"
import { generators } from "../../../oracle/RandomArguments.ts"
import { nameCodes, segmentations } from "../../../oracle/segments.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const casesPerCatalog = Number(process.env["ORACLE_CASES"] ?? 200)

const decode = {
  ad: Schema.decodeUnknownSync(AdQuery.AdQuery),
  product: Schema.decodeUnknownSync(ProductQuery.ProductQuery),
  shop: Schema.decodeUnknownSync(ShopQuery.ShopQuery)
}

describe("the random arguments", () => {
  const draw = generators(Random.make(seed), NaiveCatalog.generate(seed, 10))

  it.each([
    ["ads", draw.ad, AdQuery.AdQuery.fields],
    ["products", draw.product, ProductQuery.ProductQuery.fields],
    ["stores", draw.shop, ShopQuery.ShopQuery.fields]
  ] as const)("of searches for %s have each argument but the page, which is walked", (_, of, fields) => {
    const drawn = new Set(Array.from({ length: 200 }, (_each, index) => Object.keys(of(index))).flat())
    assert.sameMembers([...drawn, "page"], Object.keys(fields))
  })
})

const neverCanceled = { check: () => {} }

/** Small segments go the ways of large ones too: bitmaps for few hits, scans, walks that are given up. */
const tunings: ReadonlyArray<Tuning> = [
  defaultTuning,
  { ...defaultTuning, fewHits: 0, leastSteps: 0, stepsAMatch: 0, firstStores: 0, bestStores: 0 },
  { ...defaultTuning, fewHits: 3, leastSteps: 20, stepsAMatch: 1, firstStores: 20, bestStores: 3 }
]
const lastPage = 20

interface Expected {
  readonly ids: ReadonlyArray<number>
  readonly total: number
  readonly isGrouped: boolean
  readonly storeless: number
  readonly unknownIds: ReadonlyArray<number>
  readonly currencies: ReadonlyArray<CurrencyCount>
}

/** As by three threads, each with some of the segments. */
const searchDivided = (list: SegmentList, query: Query, tuning: Tuning) =>
  Parts.mergeParts(
    query,
    Parts.divide(list, 3).map((views) => Parts.searchPart(list, { query, views }, neverCanceled, tuning))
  )

const textOf = ({ currencies, page, stores, storeless, total, unknownIds }: SearchResult): string =>
  JSON.stringify({ currencies, page, stores, storeless, total, unknownIds })

/** What is wrong with the pages of a query, or `undefined`. */
const failure = (list: SegmentList, query: Query, expected: Expected, tuning: Tuning): string | undefined => {
  const pages = Math.max(1, Math.min(lastPage, Math.ceil(expected.ids.length / query.limit) + 1))
  for (let page = 1; page <= pages; page++) {
    const found = search(list, { ...query, offset: (page - 1) * query.limit }, neverCanceled, tuning)
    const ids = found.page.map(({ id }) => id)
    if (Parts.isDivisible(query)) {
      const merged = searchDivided(list, { ...query, offset: (page - 1) * query.limit }, tuning)
      const [one, other] = [found, merged].map(textOf)
      if (one !== other) return `page ${page}: by several threads it is ${other}, not ${one}`
    }
    const wanted = expected.ids.slice((page - 1) * query.limit, page * query.limit)
    if (found.total !== expected.total) return `page ${page}: total is ${found.total}, not ${expected.total}`
    if (expected.isGrouped && found.stores !== expected.ids.length) {
      return `page ${page}: stores are ${found.stores}, not ${expected.ids.length}`
    }
    if (found.storeless !== expected.storeless) {
      return `page ${page}: ${found.storeless} ads have no store, not ${expected.storeless}`
    }
    if (found.unknownIds.join() !== expected.unknownIds.join()) {
      return `page ${page}: unknown ids are ${found.unknownIds.join()}, not ${expected.unknownIds.join()}`
    }
    const [counts, wantedCounts] = [currenciesOf(found), expected.currencies].map((all) => JSON.stringify(all))
    if (counts !== wantedCounts) return `page ${page}: currencies are ${counts}, not ${wantedCounts}`
    if (ids.join() !== wanted.join()) return `page ${page}: ids are ${ids.join()}, not ${wanted.join()}`
  }
  return undefined
}

for (const [index, size] of [30, 80, 150].entries()) {
  const catalogSeed = seed * 1_000 + index
  const catalog = NaiveCatalog.generate(catalogSeed, size)
  const spellings = new Spellings()
  const lists = segmentations(catalog, spellings, Random.make(catalogSeed + 7))
  const names = nameCodes(catalog, spellings)

  const prove = (
    makeArguments: (index: number) => Record<string, unknown>,
    toQuery: (args: Record<string, unknown>) => readonly [Query, Expected]
  ) => {
    let proven = 0
    for (let number = 0; number < casesPerCatalog; number++) {
      let args = makeArguments(number)
      // A query without words is refused before it is searched.
      while (typeof args["query"] === "string" && matcher(args["query"]) === undefined) args = makeArguments(number)
      const fails = (args: Record<string, unknown>) => {
        const [query, expected] = toQuery(args)
        for (const [at, [name, list]] of Object.entries(lists).entries()) {
          const tuning = tunings[(number + at) % tunings.length] ?? defaultTuning
          const wrong = failure(list, query, expected, tuning)
          if (wrong !== undefined) return `${name}, ${JSON.stringify(tuning)}: ${wrong}`
        }
        return undefined
      }
      if (fails(args) === undefined) {
        proven++
        continue
      }
      let smallest = args
      for (const name of Object.keys(args)) {
        const { [name]: _, ...fewer } = smallest
        if (fails(fewer) !== undefined) smallest = fewer
      }
      assert.fail(`case ${number}: ${JSON.stringify(smallest)}: ${fails(smallest)}`)
    }
    assert.strictEqual(proven, casesPerCatalog)
  }

  describe(`catalog ${catalogSeed} of ${size} stores`, () => {
    it(`${casesPerCatalog} searches for ads`, () => {
      prove(generators(Random.make(catalogSeed + 1), catalog).ad, (args) => {
        const query = decode.ad(args)
        const answer = NaiveSearch.searchAds(catalog, query)
        return [
          Queries.fromAdQuery(query, names, NaiveCatalog.today),
          {
            ids: answer.items.map(({ id }) => id),
            total: answer.total,
            isGrouped: AdQuery.mode(query) !== "flat",
            storeless: NaiveFindings.storeless(catalog, query),
            unknownIds: NaiveFindings.unknownIds(catalog, query),
            currencies: NaiveFindings.currencies(catalog, { of: "ads", query })
          }
        ]
      })
    }, 240_000)

    it(`${casesPerCatalog} searches for products`, () => {
      prove(generators(Random.make(catalogSeed + 2), catalog).product, (args) => {
        const query = decode.product(args)
        const answer = NaiveSearch.searchProducts(catalog, query)
        return [
          Queries.fromProductQuery(query, names),
          {
            ids: answer.items.map(({ id }) => id),
            total: answer.total,
            isGrouped: false,
            storeless: 0,
            unknownIds: NaiveFindings.unknownIds(catalog, query),
            currencies: NaiveFindings.currencies(catalog, { of: "products", query })
          }
        ]
      })
    }, 240_000)

    it(`${casesPerCatalog} searches for stores`, () => {
      prove(generators(Random.make(catalogSeed + 3), catalog).shop, (args) => {
        const query = decode.shop(args)
        const answer = NaiveSearch.searchShops(catalog, query)
        return [
          Queries.fromShopQuery(query, names),
          {
            ids: answer.items.map(({ id }) => id),
            total: answer.total,
            isGrouped: false,
            storeless: 0,
            unknownIds: NaiveFindings.unknownIds(catalog, query),
            currencies: NaiveFindings.currencies(catalog, { of: "stores", query })
          }
        ]
      })
    }, 240_000)

    it("all stores, in every order", () => {
      for (const sort of shopSorts) {
        for (const order of ["asc", "desc"]) {
          const query = decode.shop({ sort_by: sort, sort_order: order, per_page: 7 })
          const answer = NaiveSearch.searchShops(catalog, query)
          const expected = {
            ids: answer.items.map(({ id }) => id),
            total: answer.total,
            isGrouped: false,
            storeless: 0,
            unknownIds: NaiveFindings.unknownIds(catalog, query),
            currencies: NaiveFindings.currencies(catalog, { of: "stores", query })
          }
          for (const [name, list] of Object.entries(lists)) {
            for (const tuning of tunings) {
              // Again, for what the first search has kept.
              for (const time of ["first", "second"]) {
                const wrong = failure(list, Queries.fromShopQuery(query, names), expected, tuning)
                assert.isUndefined(wrong, `${sort} ${order}, ${name}, ${JSON.stringify(tuning)}, ${time}`)
              }
            }
          }
        }
      }
    })
  })
}
