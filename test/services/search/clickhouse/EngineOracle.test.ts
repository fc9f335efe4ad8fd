/**
 * Searches by ClickHouse against the index in memory and the naive search, on one node and on two shards: the same catalogs and arguments
 * as the index (index/SearchOracle.test.ts), with rows of other versions beside those that are searched.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as AdQuery from "../../../../src/domain/search/AdQuery.ts"
import { movers } from "../../../../src/domain/catalog/Movers.ts"
import type { StoreValues } from "../../../../src/domain/search/CatalogAnswer.ts"
import type { Query } from "../../../../src/domain/search/CatalogQuery.ts"
import * as ProductQuery from "../../../../src/domain/search/ProductQuery.ts"
import * as ShopQuery from "../../../../src/domain/search/ShopQuery.ts"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import { search } from "../../../../src/services/search/index/Search.ts"
import { findStore, record } from "../../../../src/services/search/index/Segment.ts"
import * as Names from "../../../../src/services/search/Names.ts"
import * as Queries from "../../../../src/services/search/Queries.ts"
import type { NameCodes } from "../../../../src/services/search/Queries.ts"
import { allShown } from "../../../../src/services/search/ShopFigures.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import * as NaiveSearch from "../../../oracle/NaiveSearch.ts"
import { matcher } from "../../../oracle/NaiveText.ts"
import * as Random from "../../../oracle/Random.ts"
import { generators } from "../../../oracle/RandomArguments.ts"
import { nameCodes, segmentOf } from "../../../oracle/segments.ts"
import * as ClickHousePackage from "../../../support/ClickHousePackage.ts"
import * as Engines from "../../../support/Engines.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const cases = Number(process.env["ORACLE_CASES"] ?? 66)
const sizes = [30, 80, 150]

const decode = {
  ad: Schema.decodeUnknownSync(AdQuery.AdQuery),
  product: Schema.decodeUnknownSync(ProductQuery.ProductQuery),
  shop: Schema.decodeUnknownSync(ShopQuery.ShopQuery)
}

/** A search with arguments, by whatever codes its names have. */
interface Case {
  readonly query: (names: NameCodes) => Query
  readonly ids: ReadonlyArray<number>
  readonly total: number
}

type Args = Record<string, unknown>

const figuresOf = (valueOf: StoreValues) => ({ ...allShown(valueOf), changes: record(movers, valueOf) })

describe.skipIf(!ClickHousePackage.isAvailable)("searches by ClickHouse", () => {
  for (const [index, size] of sizes.entries()) {
    const catalogSeed = seed * 1_000 + index
    const catalog = NaiveCatalog.generate(catalogSeed, size)
    const spellings = new Spellings()
    const list = [segmentOf(catalog, spellings)]
    const codes = nameCodes(catalog, spellings)

    layer(Engines.layer(catalog), { excludeTestServices: true, timeout: "1 minute" })(
      `catalog ${catalogSeed} of ${size} stores`,
      (it) => {
        const expectedFigures = (id: number) => {
          const store = findStore(list, id)
          assert(store !== undefined)
          return figuresOf((figure) => store.view.columns.figures[figure][store.row] ?? Number.NaN)
        }

        const check = Effect.fnUntraced(function* ({ ids, query, total }: Case, context: string) {
          const engines = yield* Engines.Engines
          const { limit } = query(codes)
          const last = Math.max(0, Math.floor((Math.min(500, ids.length) - 1) / limit) * limit)
          for (const window of [{ offset: 0, limit: 500 }, ...(last === 0 ? [] : [{ offset: last, limit }])]) {
            const asked = { ...query(codes), ...window }
            const expected = search(list, asked, { check: () => {} })
            assert.deepStrictEqual(
              expected.page.map(({ id }) => id),
              ids.slice(window.offset, window.offset + window.limit)
            )
            assert.strictEqual(expected.total, total)
            const stores = new Set(expected.page.flatMap(({ storeId }) => (storeId === null ? [] : [storeId])))
            const figures = new Map(Array.from(stores, (id) => [id, expectedFigures(id)]))
            yield* Effect.forEach(
              engines,
              Effect.fnUntraced(function* ({ catalog, search: by, where }) {
                const found = yield* by.search({ ...query(Names.of(catalog)), ...window })
                assert.deepStrictEqual(found.answer, expected, `${where}: ${context}`)
                assert.deepStrictEqual(
                  new Map(Array.from(found.figures, ([id, of]) => [id, figuresOf(of)])),
                  figures,
                  `${where}: ${context}`
                )
              }),
              { concurrency: "unbounded", discard: true }
            )
          }
        })

        const prove = Effect.fnUntraced(function* (
          makeArguments: (index: number) => Args,
          toCase: (args: Args) => Case
        ) {
          // Each catalog has a third of the cases: half of them one filter alone, half several and words.
          for (let number = index; number < cases; number += sizes.length) {
            const place = number % 2 === 0 ? number : 500 + number
            let args = makeArguments(place)
            while (typeof args["query"] === "string" && matcher(args["query"]) === undefined)
              args = makeArguments(place)
            yield* check(toCase(args), JSON.stringify(args))
          }
        })

        it.effect(
          `${Math.ceil((cases - index) / sizes.length)} searches for ads`,
          () =>
            prove(generators(Random.make(catalogSeed + 1), catalog).ad, (args) => {
              const query = decode.ad(args)
              const { items, total } = NaiveSearch.searchAds(catalog, query)
              return {
                query: (names) => Queries.fromAdQuery(query, names, NaiveCatalog.today),
                ids: items.map(({ id }) => id),
                total
              }
            }),
          180_000
        )

        it.effect(
          `${Math.ceil((cases - index) / sizes.length)} searches for products`,
          () =>
            prove(generators(Random.make(catalogSeed + 2), catalog).product, (args) => {
              const query = decode.product(args)
              const { items, total } = NaiveSearch.searchProducts(catalog, query)
              return {
                query: (names) => Queries.fromProductQuery(query, names),
                ids: items.map(({ id }) => id),
                total
              }
            }),
          180_000
        )

        it.effect(
          `${Math.ceil((cases - index) / sizes.length)} searches for stores`,
          () =>
            prove(generators(Random.make(catalogSeed + 3), catalog).shop, (args) => {
              const query = decode.shop(args)
              const { items, total } = NaiveSearch.searchShops(catalog, query)
              return {
                query: (names) => Queries.fromShopQuery(query, names),
                ids: items.map(({ id }) => id),
                total
              }
            }),
          180_000
        )
      }
    )
  }
})
