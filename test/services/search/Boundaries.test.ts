/** What random cases meet too seldom: bounds on every single figure, words in every script, whom a store is tracked by. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../../src/domain/access/Account.ts"
import type { ProductQuery } from "../../../src/domain/search/ProductQuery.ts"
import { AdSearch, ProductSearch } from "../../../src/services/search/Searches.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import { byName } from "../../../src/domain/catalog/Figures.ts"
import * as NaiveSearch from "../../oracle/NaiveSearch.ts"
import * as Searches from "../../support/Searches.ts"
import { SetClock } from "../../support/SetClock.ts"
import { indexed, stampAndIndex } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const catalog = NaiveCatalog.generate(99, 60)
const stores = Array.from(NaiveSearch.storesOf(catalog).values())

const services = Searches.layer.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T12:00:00Z`))
)

/** An account that tracks nothing. */
const nobody = AccountId.make(1_000_000)

/** Of each argument, the figure that its bounds are about. */
const figures = byName("argument", (_, name) => (store: NaiveSearch.Store) => NaiveSearch.valueOf(store, name))

layer(services, { excludeTestServices: true })("boundaries of searches", (it) => {
  it.effect("a bound on a figure is that figure to the last bit, and includes it", () =>
    Effect.gen(function* () {
      yield* loadCatalog(catalog)
      yield* indexed
      const adSearch = yield* AdSearch
      for (const [name, figure] of Object.entries(figures)) {
        const values = new Set(stores.map(figure).filter((value) => value !== null))
        assert.isAbove(values.size, 3, name)
        for (const value of values) {
          const query = { [name]: { min: value, max: value } }
          const { pagination } = yield* adSearch.search(query)
          assert.strictEqual(
            pagination.matching_shops,
            NaiveSearch.searchAds(catalog, query).items.length,
            JSON.stringify(query)
          )
        }
      }
    })
  )

  it.effect("a catalog's size is the figure given, else the products on record, else unknown", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const adSearch = yield* AdSearch
      yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country, products_count) VALUES
        (9010, 'a.com', '.com', 'Sized', 'FR', 0), (9011, 'b.com', '.com', 'Sized', 'FR', 7),
        (9012, 'c.com', '.com', 'Sized', 'FR', NULL), (9013, 'd.com', '.com', 'Sized', 'FR', NULL)`
      yield* sql`INSERT INTO product (shop_id, key, title, price) SELECT unnest('{9010,9011,9012}'::int[]), 'a', 'Cup', 1`
      yield* sql`INSERT INTO ad (shop_id, key, page_name, is_active, media_type, started_on, last_seen_on)
        SELECT id, 'size' || id, 'Page', true, 'video', '2026-01-01', '2026-01-02' FROM generate_series(9010, 9013) id`
      yield* stampAndIndex
      const sized = (products_count: { readonly min?: number; readonly max?: number }) =>
        Effect.map(adSearch.search({ query: "sized", products_count }), ({ ads }) => ads.map(({ shop }) => shop?.id))
      assert.deepStrictEqual(yield* sized({}), [9010, 9011, 9012, 9013])
      assert.deepStrictEqual(yield* sized({ max: 0 }), [9010])
      assert.deepStrictEqual(yield* sized({ min: 0 }), [9010, 9011, 9012])
      assert.deepStrictEqual(yield* sized({ min: 1, max: 1 }), [9012])
    })
  )

  it.effect("an average does not depend on the order of its prices", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country) VALUES (9001, 'sum.com', '.com', 'Sum', 'FR')`
      const prices = [1e15, 0.1, 0.2, 0.3, 1e15, 0.7]
      yield* sql`INSERT INTO product (shop_id, key, title, price)
        SELECT 9001, n, 'Sum', p::float8 FROM unnest(${prices.map(String)}::text[]) WITH ORDINALITY u(p, n)`
      yield* sql`INSERT INTO ad (shop_id, key, page_name, is_active, media_type, started_on, last_seen_on)
        VALUES (9001, 'sum', 'Sum', true, 'video', '2026-01-01', '2026-01-02')`
      yield* stampAndIndex
      const average = prices.sort((a, b) => a - b).reduce((sum, price) => sum + price, 0) / prices.length
      const found = yield* (yield* AdSearch).search({ avg_price: { min: average, max: average } })
      assert.deepStrictEqual(
        found.ads.map((ad) => ad.shop?.id),
        [9001]
      )
    })
  )

  it.effect("is_tracked is the caller's own, and not set by owning the store", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const productSearch = yield* ProductSearch
      const accounts = yield* sql<{ id: number }>`
        INSERT INTO account (email, plan, status, created_at)
        VALUES ('a@example.com', 'starter', 'active', now()), ('b@example.com', 'starter', 'active', now()) RETURNING id`
      const [tracker, owner] = accounts.map(({ id }) => AccountId.make(id))
      assert.isDefined(tracker)
      assert.isDefined(owner)
      yield* sql`INSERT INTO tracked_shop (account_id, shop_id, kind)
        VALUES (${tracker}, 9001, 'tracked'), (${owner}, 9001, 'own')`
      const isTracked = (account: AccountId) =>
        Effect.map(productSearch.search({ query: "sum", per_page: 1 }, account), ({ products }) =>
          products.map(({ shop }) => shop.is_tracked)
        )
      assert.deepStrictEqual(yield* isTracked(tracker), [true])
      assert.deepStrictEqual(yield* isTracked(owner), [false])
    })
  )

  it.effect("international domains are found as people write them and as records do", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const productSearch = yield* ProductSearch
      yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country) VALUES
        (9003, 'xn--80aairftm.xn--p1ai', '.xn--p1ai', 'Shop', 'RU'), (9004, 'xn--mnchen-laden-dlb.de', '.de', 'Shop', 'DE')`
      yield* sql`INSERT INTO product (shop_id, key, title, price) VALUES (9003, 'a', 'Cup', 1), (9004, 'a', 'Cup', 1)`
      yield* stampAndIndex
      const storesFor = (query: ProductQuery) =>
        Effect.map(productSearch.search(query, nobody), ({ products }) => products.map(({ shop }) => shop.id))
      for (const extension of [".рф", ".РФ", ".xn--p1ai", ".XN--P1AI"]) {
        assert.deepStrictEqual(yield* storesFor({ domains: [extension] }), [9003], extension)
      }
      for (const query of ["магазин.рф", "Магазин", "xn--80aairftm.xn--p1ai"]) {
        assert.deepStrictEqual(yield* storesFor({ query }), [9003], query)
      }
      for (const query of ["münchen-laden.de", "munchen laden", "xn--mnchen-laden-dlb.de"]) {
        assert.deepStrictEqual(yield* storesFor({ query }), [9004], query)
      }
      for (const extension of [".ελ", ".é%"]) assert.deepStrictEqual(yield* storesFor({ domains: [extension] }), [])
    })
  )

  it.effect("an ad is found by its page, store and headline, and by any part of its text, however long that is", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const adSearch = yield* AdSearch
      // The pairs of 20,000 characters in this order are all different.
      const text = String.fromCodePoint(...Array.from({ length: 20_000 }, (_, index) => 0x4e00 + index))
      yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country) VALUES (9002, 'long.com', '.com', 'Storename', 'FR')`
      yield* sql`INSERT INTO ad (shop_id, key, page_name, headline, ad_text, is_active, media_type, started_on, last_seen_on)
        VALUES (9002, 'long', 'Pagename', 'Headlinename', ${text}, true, 'video', '2026-01-01', '2026-01-02')`
      yield* stampAndIndex
      const isFound = (query: string) =>
        Effect.map(adSearch.search({ query }), ({ pagination }) => pagination.total === 1)
      for (const query of ["pagename", "storename", "headlinename", text.slice(0, 100), text.slice(-100)]) {
        assert.isTrue(yield* isFound(query), query)
      }
      assert.isFalse(yield* isFound(`${text.slice(0, 50)}${text.slice(-50)}`))
    })
  )

  it.effect("a store is indexed even if all of its ads have the longest texts that an import accepts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // Of characters of four bytes: more than 20 MB. The driver refuses a row of more than 16 MiB.
      const ads = 256
      yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country) VALUES (9005, 'longest.com', '.com', 'Longest', 'FR')`
      yield* sql`INSERT INTO ad (shop_id, key, page_name, headline, ad_text, is_active, media_type, started_on, last_seen_on)
        SELECT 9005, 'longest-' || n, repeat('𠮷', 300), repeat('𠮷', 2000), repeat('𠮷', 20000), true, 'video', '2026-01-01', '2026-01-02'
        FROM generate_series(1, ${ads}::int) n`
      yield* stampAndIndex
      const { pagination } = yield* (yield* AdSearch).search({ query: "𠮷𠮷" })
      assert.strictEqual(pagination.total, ads)
    })
  )
})
