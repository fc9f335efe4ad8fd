/** `search_shops` against the naive search, as SearchOracle.test.ts does for the other two; and `is_tracked`. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { byName } from "../../../src/domain/catalog/Figures.ts"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import type { FoundShop } from "../../../src/domain/catalog/ShopItem.ts"
import { ShopQuery, shopSorts } from "../../../src/domain/search/ShopQuery.ts"
import { ShopSearch } from "../../../src/services/search/Searches.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as NaiveSearch from "../../oracle/NaiveSearch.ts"
import { matcher } from "../../oracle/NaiveText.ts"
import * as Random from "../../oracle/Random.ts"
import { generators } from "../../oracle/RandomArguments.ts"
import { shrink, walkPages } from "../../oracle/walkPages.ts"
import type { PageOf } from "../../oracle/walkPages.ts"
import * as Searches from "../../support/Searches.ts"
import { indexed, stampAndIndex } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const casesPerCatalog = Number(process.env["ORACLE_CASES"] ?? 30)

const services = Searches.layer.pipe(Layer.provideMerge(TestDatabase.layer))

const decode = Schema.decodeUnknownEffect(ShopQuery)

/** Nobody: an account that tracks nothing. */
const nobody = 0 as AccountId

const check = (catalog: NaiveCatalog.NaiveCatalog, query: ShopQuery) => {
  const stores = NaiveSearch.storesOf(catalog)
  return (found: FoundShop): string | undefined => {
    const store = stores.get(found.id)
    if (store === undefined) return `store ${found.id} does not exist`
    const niche = catalog.niches.find(({ id }) => id === store.niche_id)
    const wanted: FoundShop = {
      id: store.id,
      name: store.name,
      domain: store.domain,
      country: store.country,
      currency: store.currency,
      niche: niche === undefined ? null : { id: niche.id, name: niche.name },
      languages: store.languages,
      ...byName("answer", ({ isRounded }, name) => {
        const value = NaiveSearch.valueOf(store, name)
        return isRounded ? NaiveSearch.shown(value) : value
      }),
      active_ads: store.activeAds,
      created_on: store.created_on,
      is_tracked: false,
      ...NaiveSearch.changeShown(query, store)
    }
    const [got, want] = [JSON.stringify(found), JSON.stringify(wanted)]
    return got === want ? undefined : `store ${found.id} is ${got}, not ${want}`
  }
}

const failure = Effect.fnUntraced(function* (catalog: NaiveCatalog.NaiveCatalog, args: Record<string, unknown>) {
  const shopSearch = yield* ShopSearch
  // That such a query is refused is SearchOracle's to prove: all three decode it alike.
  if (typeof args["query"] === "string" && matcher(args["query"]) === undefined) return undefined
  const query = yield* decode(args)
  const { items, total } = NaiveSearch.searchShops(catalog, query)
  return yield* walkPages(
    query.per_page ?? 10,
    { ids: items.map(({ id }) => id), total },
    (page) =>
      Effect.map(shopSearch.search({ ...query, page }, nobody), ({ pagination, shops }): PageOf<FoundShop> => ({
        items: shops,
        pagination
      })),
    check(catalog, query)
  )
})

for (const [index, size] of [30, 80, 150].entries()) {
  const catalogSeed = seed * 1_000 + index
  const catalog = NaiveCatalog.generate(catalogSeed, size)

  layer(services, { excludeTestServices: true })(`catalog ${catalogSeed} of ${size} stores`, (it) => {
    const load = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const loaded = yield* sql`SELECT 1 FROM shop LIMIT 1`
      if (loaded.length > 0) return
      yield* loadCatalog(catalog)
      yield* indexed
    })

    const prove = Effect.fnUntraced(function* (args: Record<string, unknown>) {
      if ((yield* failure(catalog, args)) === undefined) return
      const smallest = yield* shrink(args, (fewer) => failure(catalog, fewer))
      assert.fail(`${JSON.stringify(smallest)}: ${yield* failure(catalog, smallest)}`)
    })

    it.effect(
      `${casesPerCatalog} searches for stores`,
      () =>
        Effect.gen(function* () {
          yield* load
          const { shop } = generators(Random.make(catalogSeed + 3), catalog)
          for (let number = 0; number < casesPerCatalog; number++) yield* prove(shop(number))
        }),
      600_000
    )

    it.effect("every sort of all stores, both ways", () =>
      Effect.gen(function* () {
        yield* load
        for (const sort_by of shopSorts) {
          for (const sort_order of ["asc", "desc"]) yield* prove({ sort_by, sort_order, per_page: 7 })
        }
      })
    )
  })
}

layer(services, { excludeTestServices: true })("ShopSearch", (it) => {
  it.effect("finds a store by its niche as soon as that is there, and refuses it once it is gone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const shopSearch = yield* ShopSearch
      const refused = Effect.flip(shopSearch.search({ niches: ["Desks"] }, nobody))
      assert.strictEqual((yield* refused)._tag, "InvalidArguments")
      yield* sql`INSERT INTO niche VALUES (7, NULL, 'Desks')`
      yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country, niche_id)
        VALUES (1, 'a.com', '.com', 'A', 'US', 7)`
      yield* stampAndIndex
      assert.strictEqual((yield* shopSearch.search({ niches: ["desks"] }, nobody)).pagination.total, 1)
      yield* sql`DELETE FROM shop`
      yield* sql`DELETE FROM niche`
      yield* stampAndIndex
      assert.strictEqual((yield* refused)._tag, "InvalidArguments")
      assert.strictEqual((yield* shopSearch.search({}, nobody)).pagination.total, 0)
    })
  )

  it.effect("counts again as soon as there is another store, also after other searches", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const shopSearch = yield* ShopSearch
      for (const id of [11, 12, 13]) {
        yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country)
          VALUES (${id}, ${`n${id}.nz`}, '.nz', 'N', 'NZ')`
        yield* stampAndIndex
        for (const page of [1, 2]) {
          const { pagination } = yield* shopSearch.search({ countries: ["NZ"], per_page: 1, page }, nobody)
          assert.strictEqual(pagination.total, id - 10)
        }
      }
      yield* sql`DELETE FROM shop`
      yield* stampAndIndex
    })
  )

  it.effect("ads without a store make none", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const shopSearch = yield* ShopSearch
      yield* sql`INSERT INTO ad (key, page_name, is_active, media_type, started_on, last_seen_on)
        VALUES ('k', 'P', true, 'image', '2026-01-01', '2026-01-02')`
      yield* stampAndIndex
      for (const query of [{}, { active_ads: { min: 1 } }, { sort_order: "asc" as const }]) {
        const { pagination, shops } = yield* shopSearch.search(query, nobody)
        assert.deepStrictEqual([shops.length, pagination.total], [0, 0])
      }
    })
  )
})
