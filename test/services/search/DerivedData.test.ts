import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { AdSearch } from "../../../src/services/search/AdSearch.ts"
import { Catalogue } from "../../../src/services/search/Catalogue.ts"
import { DerivedData } from "../../../src/services/search/DerivedData.ts"
import { ProductSearch } from "../../../src/services/search/ProductSearch.ts"
import { SearchRunner } from "../../../src/services/search/SearchRunner.ts"
import { loadCatalogue } from "../../oracle/loadCatalogue.ts"
import * as NaiveCatalogue from "../../oracle/NaiveCatalogue.ts"
import * as Random from "../../oracle/Random.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const catalogue = NaiveCatalogue.generate(7, 40)
const unchanged = { shops: 0, products: 0, ads: 0, names: 0 }

interface Id {
  readonly id: number
}

/** One change of the records, and what an import would say that it touched. */
const changes = {
  "a store's figures": (sql: SqlClient.SqlClient, shop: number) =>
    sql`UPDATE shop SET monthly_revenue = coalesce(monthly_revenue, 0) + 1, apps = apps || 'New App'::text,
      theme = 'DAWN', domain_extension = '.new', trustpilot_rating = NULL WHERE id = ${shop}`,
  "a store's name": (sql: SqlClient.SqlClient, shop: number) =>
    sql`UPDATE shop SET name = name || ' Renamed' WHERE id = ${shop}`,
  "a store's traffic": (sql: SqlClient.SqlClient, shop: number) =>
    sql`INSERT INTO traffic_month VALUES (${shop}, '2026-03-01', 12345)
      ON CONFLICT (shop_id, month) DO UPDATE SET visits = traffic_month.visits + 1`,
  "a product less": (sql: SqlClient.SqlClient, shop: number) =>
    sql`DELETE FROM product WHERE id = (SELECT min(id) FROM product WHERE shop_id = ${shop})`,
  "a product more": (sql: SqlClient.SqlClient, shop: number) =>
    sql`INSERT INTO product (shop_id, key, title, price) VALUES (${shop}, gen_random_uuid(), 'Brand new', 5)`,
  "another price": (sql: SqlClient.SqlClient, shop: number) =>
    sql`UPDATE product SET price = price + 1 WHERE id = (SELECT max(id) FROM product WHERE shop_id = ${shop})`,
  "an ad that stops": (sql: SqlClient.SqlClient, shop: number) =>
    sql`UPDATE ad SET is_active = NOT is_active WHERE shop_id = ${shop}`,
  "an ad less": (sql: SqlClient.SqlClient, shop: number) =>
    sql`DELETE FROM ad WHERE id = (SELECT min(id) FROM ad WHERE shop_id = ${shop})`,
  "an ad taken over from another store": (sql: SqlClient.SqlClient, shop: number) =>
    sql`UPDATE ad SET shop_id = ${shop} WHERE id = (SELECT min(id) FROM ad WHERE shop_id <> ${shop})`,
  "an ad whose store becomes known": (sql: SqlClient.SqlClient, shop: number) =>
    sql`UPDATE ad SET shop_id = ${shop} WHERE id = (SELECT min(id) FROM ad WHERE shop_id IS NULL)`,
  "a store less": (sql: SqlClient.SqlClient, shop: number) => sql`DELETE FROM shop WHERE id = ${shop}`
} as const

/** Changes of ads without a store, which are told by the ads' ids. */
const storelessChanges = {
  "an ad whose store becomes unknown": (sql: SqlClient.SqlClient) =>
    sql<Id>`UPDATE ad SET shop_id = NULL WHERE id = (SELECT max(id) FROM ad WHERE shop_id IS NOT NULL) RETURNING id`,
  "an ad without a store more": (sql: SqlClient.SqlClient) =>
    sql<Id>`INSERT INTO ad (key, page_name, is_active, media_type, started_on, last_seen_on)
      VALUES (gen_random_uuid(), 'Nobody', true, 'video', '2026-01-01', '2026-01-02') RETURNING id`,
  "an ad taken over from another store and deleted": (sql: SqlClient.SqlClient) =>
    Effect.andThen(
      sql`UPDATE ad SET shop_id = (SELECT min(id) FROM shop)
        WHERE id = (SELECT max(id) FROM ad WHERE shop_id > (SELECT min(id) FROM shop))`,
      sql<Id>`DELETE FROM ad WHERE id IN (
          SELECT a.id FROM ad a JOIN ad_search o USING (id) WHERE a.shop_id <> o.shop_id
        ) RETURNING id`
    ),
  "an ad without a store less": (sql: SqlClient.SqlClient) =>
    sql<Id>`DELETE FROM ad WHERE id = (SELECT max(id) FROM ad WHERE shop_id IS NULL) RETURNING id`,
  "an ad without a store that stops": (sql: SqlClient.SqlClient) =>
    sql<Id>`UPDATE ad SET is_active = NOT is_active, headline = 'changed'
      WHERE id = (SELECT min(id) FROM ad WHERE shop_id IS NULL) RETURNING id`
} as const

const services = Layer.mergeAll(AdSearch.layer, ProductSearch.layer).pipe(
  Layer.provide(SearchRunner.layer),
  Layer.provide(Catalogue.layer),
  Layer.provideMerge(DerivedData.layer),
  Layer.provideMerge(TestDatabase.layer)
)

/** Nobody: an account that tracks nothing. */
const accountId = 0 as AccountId

layer(services, { excludeTestServices: true })("DerivedData", (it) => {
  it.effect("a first load leaves nothing out of step and all indexes in place", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const derived = yield* DerivedData
      const indexes = sql`SELECT indexdef FROM pg_indexes WHERE tablename IN ('product_search', 'ad_search') ORDER BY 1`
      const before = yield* indexes
      yield* loadCatalogue(catalogue)
      const told: Array<readonly [number, number]> = []
      const rebuilt = yield* derived.rebuild((done, total) => Effect.sync(() => void told.push([done, total])))
      assert.strictEqual(rebuilt.products, catalogue.products.length)
      assert.strictEqual(rebuilt.ads, catalogue.ads.length)
      assert.deepStrictEqual(yield* indexes, before)
      assert.deepStrictEqual(yield* derived.verify, { ...unchanged, version: rebuilt.version })
      const items = catalogue.products.length + catalogue.ads.length
      assert.deepStrictEqual(told.at(-1), [items, items])
    })
  )

  it.effect("without a change nothing is written and the version stays", () =>
    Effect.gen(function* () {
      const derived = yield* DerivedData
      const { version } = yield* derived.verify
      const shopIds = catalogue.shops.map(({ id }) => id)
      const adIds = catalogue.ads.map(({ id }) => id)
      assert.deepStrictEqual(yield* derived.refresh({ shopIds, adIds }), { ...unchanged, version })
      assert.deepStrictEqual(yield* derived.rebuild(), { ...unchanged, version })
    })
  )

  for (const [name, change] of Object.entries(changes)) {
    it.effect(`${name}: after a refresh nothing is out of step`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const derived = yield* DerivedData
        const { version } = yield* derived.verify
        const random = Random.make(name.length)
        const shops = random.some(yield* sql<Id>`SELECT id FROM shop ORDER BY id`, 3, 3).map(({ id }) => id)
        for (const shop of shops) yield* change(sql, shop)
        const refreshed = yield* derived.refresh({ shopIds: shops })
        assert.strictEqual(refreshed.version, version + 1)
        assert.deepStrictEqual(yield* derived.verify, { ...unchanged, version: version + 1 })
      })
    )
  }

  for (const [name, change] of Object.entries(storelessChanges)) {
    it.effect(`${name}: after a refresh nothing is out of step`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const derived = yield* DerivedData
        const { version } = yield* derived.verify
        const adIds = (yield* change(sql)).map(({ id }) => id)
        assert.strictEqual((yield* derived.refresh({ shopIds: [], adIds })).version, version + 1)
        assert.deepStrictEqual(yield* derived.verify, { ...unchanged, version: version + 1 })
      })
    )
  }

  it.effect("after all these changes the rows are those that a first load would have made", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = Effect.forEach(
        ["shop_search", "product_search", "ad_search"],
        (table) => sql`SELECT to_jsonb(t) AS row FROM ${sql(table)} t ORDER BY id`
      )
      const before = yield* rows
      const totals = yield* sql`SELECT n_shops, n_products, n_ads, n_advertisers FROM catalogue`
      assert.isAbove(before.flat().length, 100)
      yield* sql`TRUNCATE product_search, ad_search`
      yield* sql`DELETE FROM shop_search WHERE id > 0`
      yield* (yield* DerivedData).rebuild()
      assert.deepStrictEqual(yield* rows, before)
      assert.deepStrictEqual(yield* sql`SELECT n_shops, n_products, n_ads, n_advertisers FROM catalogue`, totals)
      const [counted] = yield* sql`
          SELECT (SELECT count(*) FROM shop)::int AS n_shops, (SELECT count(*) FROM product)::int AS n_products,
            (SELECT count(*) FROM ad)::int AS n_ads, (SELECT count(DISTINCT shop_id) FROM ad)::int AS n_advertisers`
      assert.deepStrictEqual(totals[0], counted)
    })
  )

  it.effect("after a restore of the records alone, verify finds all missing and a rebuild brings it back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const derived = yield* DerivedData
      const found = Effect.gen(function* () {
        const ads = yield* (yield* AdSearch).search({ sort_by: "newest", per_page: 25 })
        const products = yield* (yield* ProductSearch).search({ apps: ["klaviyo"], per_page: 25 }, accountId)
        return { ads, products }
      })
      const rows = Effect.gen(function* () {
        const tables = yield* Effect.forEach(
          ["shop_search", "product_search", "ad_search"],
          // Spellings may have got other ids: which names there were in which order is not told by the records.
          (table) =>
            sql`SELECT to_jsonb(t) - '{theme_id,domain_id,apps}'::text[] AS row FROM ${sql(table)} t ORDER BY id`
        )
        const totals = yield* sql`SELECT n_shops, n_products, n_ads, n_advertisers FROM catalogue`
        return { tables, totals }
      })
      const before = { rows: yield* rows, found: yield* found }
      assert.isAbove(before.found.ads.pagination.total, 25)
      assert.isAbove(before.found.products.pagination.total, 0)
      const { version } = yield* derived.verify
      yield* sql`TRUNCATE shop_search, product_search, ad_search, spelling, catalogue`
      const [count] = yield* sql<{ shops: number; products: number; ads: number }>`
          SELECT (SELECT count(*) FROM shop)::int + 2 AS shops, (SELECT count(*) FROM product)::int AS products,
            (SELECT count(*) FROM ad)::int AS ads`
      assert.isDefined(count)
      assert.deepInclude(yield* derived.verify, count)
      const rebuilt = yield* derived.rebuild()
      assert.deepInclude(rebuilt, count)
      assert.isAbove(Math.abs(rebuilt.version - version), 1)
      assert.deepStrictEqual({ rows: yield* rows, found: yield* found }, before)
      assert.deepStrictEqual(yield* derived.verify, { ...unchanged, version: rebuilt.version })
    })
  )

  it.effect("verify finds totals, and niches, that are not those of the records", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const derived = yield* DerivedData
      const wrong = [
        ...["n_shops", "n_products", "n_ads", "n_advertisers"].map(
          (total) => sql`UPDATE catalogue SET ${sql(total)} = ${sql(total)} + 1`
        ),
        sql`UPDATE niche SET name = name || '!' WHERE id = (SELECT min(id) FROM niche)`
      ]
      for (const spoil of wrong) {
        yield* spoil
        assert.deepInclude(yield* derived.verify, { ...unchanged, shops: 1 })
        yield* derived.rebuild()
        assert.deepInclude(yield* derived.verify, unchanged)
      }
    })
  )

  it.effect("verify finds each of the two rows that no record stands for", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const derived = yield* DerivedData
      for (const lose of [sql`DELETE FROM catalogue`, sql`DELETE FROM shop_search WHERE id = 0`]) {
        yield* lose
        assert.deepInclude(yield* derived.verify, { ...unchanged, shops: 1 })
        yield* derived.rebuild()
        assert.deepInclude(yield* derived.verify, unchanged)
      }
    })
  )

  it.effect("verify tells what is out of step, and changes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const derived = yield* DerivedData
      yield* sql`UPDATE shop_search SET visits = visits + 1 WHERE id = (SELECT max(id) FROM shop_search)`
      yield* sql`DELETE FROM product_search WHERE id = (SELECT max(id) FROM product_search)`
      yield* sql`INSERT INTO ad_search VALUES (1, 1, 1000000, 0, 1, 1, '')`
      const { ads, names, products, shops } = yield* derived.verify
      assert.deepStrictEqual({ ads, names, products, shops }, { ads: 1, names: 0, products: 1, shops: 1 })
      assert.deepInclude(yield* derived.verify, { ads: 1, products: 1, shops: 1 })
      yield* derived.rebuild()
      assert.deepInclude(yield* derived.verify, unchanged)
    })
  )

  it.effect("a batch that is rolled back leaves what searches read as it was", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const derived = yield* DerivedData
      const before = yield* derived.verify
      const rolledBack = sql.withTransaction(
        Effect.gen(function* () {
          yield* derived.lock
          yield* sql`DELETE FROM ad`
          yield* derived.refresh({ shopIds: catalogue.shops.map(({ id }) => id), adIds: [] })
          return yield* Effect.fail("no" as const)
        })
      )
      assert.strictEqual(yield* Effect.flip(rolledBack), "no")
      assert.deepStrictEqual(yield* derived.verify, before)
    })
  )
})
