/** A store's newest products and running ads, and the stores that an account follows: what their pages read. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { TrackedShops } from "../../../src/services/accounts/TrackedShops.ts"
import { AdSearch, ProductSearch } from "../../../src/services/search/Searches.ts"
import { ShopItems, shownItems } from "../../../src/services/search/ShopItems.ts"
import { ShopReader } from "../../../src/services/search/ShopReader.ts"
import { shopsPerPage, TrackedShopReader } from "../../../src/services/search/TrackedShopReader.ts"
import * as Access from "../../support/Access.ts"
import * as Searches from "../../support/Searches.ts"
import { indexed } from "../../support/Stamps.ts"
import * as StoreRecords from "../../support/StoreRecords.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"

const services = Layer.mergeAll(Searches.layer, Access.layerUnhashed, TrackedShops.layer).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

const nobody = 0 as AccountId

const newAccount = Effect.map(Access.subscriber(), ({ caller }) => caller.accountId)

/** Highest first; of texts, the last. */
const descending =
  <A>(...keys: ReadonlyArray<(item: A) => string | number>) =>
  (one: A, other: A): number => {
    for (const key of keys) {
      const [a, b] = [key(one), key(other)]
      if (a !== b) return a < b ? 1 : -1
    }
    return 0
  }

const ids = (items: ReadonlyArray<{ readonly id: number }>) => items.map(({ id }) => id)

describe.each([11, 12, 13])("of a random catalog, seed %i", (seed) => {
  const catalog = NaiveCatalog.generate(seed, 30)

  layer(services, { excludeTestServices: true })((it) => {
    it.effect("the newest products and the running ads are those that the records say, in order", () =>
      Effect.gen(function* () {
        yield* loadCatalog(catalog)
        yield* indexed
        const items = yield* ShopItems
        let cut = 0
        for (const { id } of catalog.shops) {
          const { ads, products } = yield* items.newest(id, nobody)
          const sold = catalog.products
            .filter(({ shop_id }) => shop_id === id)
            .sort(
              descending(
                ({ created_at }) => created_at ?? "",
                (product) => product.id
              )
            )
          const run = catalog.ads
            .filter(({ is_active, shop_id }) => is_active && shop_id === id)
            .sort(
              descending(
                ({ started_on }) => started_on,
                (ad) => ad.id
              )
            )
          assert.deepStrictEqual(ids(products), ids(sold).slice(0, shownItems))
          assert.deepStrictEqual(ids(ads), ids(run).slice(0, shownItems))
          cut += Number(sold.length > shownItems)
        }
        // Else there would be nothing to leave out.
        assert.isAbove(cut, 0)
      })
    )

    it.effect("each item equals the item in search results", () =>
      Effect.gen(function* () {
        const items = yield* ShopItems
        for (const { domain, id, name } of catalog.shops) {
          const { ads, products } = yield* items.newest(id, nobody)
          const found = yield* (yield* ProductSearch).search({ query: domain, sort_by: "newest", per_page: 25 }, nobody)
          for (const product of products) {
            const same = found.products.find((each) => each.id === product.id)
            if (same !== undefined) assert.deepStrictEqual(product, same)
          }
          const told = yield* Effect.option((yield* AdSearch).search({ query: name, sort_by: "newest", per_page: 25 }))
          for (const ad of ads) {
            const same = told._tag === "Some" ? told.value.ads.find((each) => each.id === ad.id) : undefined
            if (same !== undefined) assert.deepStrictEqual(ad, same)
          }
        }
      })
    )
  })
})

layer(services, { excludeTestServices: true })("stores", (it) => {
  it.effect("a store that does not exist has no items, nor have the ads without a store a page", () =>
    Effect.gen(function* () {
      yield* StoreRecords.addAd(null)
      yield* StoreRecords.derive
      for (const id of [0, 999_999, 2_147_483_647]) {
        assert.deepStrictEqual(yield* (yield* ShopItems).newest(id, nobody), { products: [], ads: [] })
      }
    })
  )

  it.effect("the newest products of a store are found among its own, however many others are newer", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [old, busy] = [yield* StoreRecords.addStore(), yield* StoreRecords.addStore()]
      yield* sql`
        INSERT INTO product (shop_id, key, title, price, created_at)
        SELECT ${busy}::int, 'n' || n, 'New', 1, timestamptz '2026-01-01' + n * interval '1 second' FROM generate_series(1, 3000) n`
      yield* sql`
        INSERT INTO product (shop_id, key, title, price, created_at)
        SELECT ${old}::int, 'o' || n, 'Old', 1, timestamptz '2016-01-01' + n * interval '1 second' FROM generate_series(1, 3000) n`
      yield* StoreRecords.derive
      const { products } = yield* (yield* ShopItems).newest(old, nobody)
      assert.deepStrictEqual(
        products.map(({ created_at }) => created_at),
        Array.from({ length: shownItems }, (_, index) =>
          new Date(Date.UTC(2016, 0, 1, 0, 0, 3000 - index)).toISOString()
        )
      )
    })
  )

  it.effect("an account follows its own stores first, then those that it tracked last, fifty on a page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reader = yield* TrackedShopReader
      const [account, other] = [yield* newAccount, yield* newAccount]
      const stores: Array<number> = []
      for (let index = 0; index < shopsPerPage + 3; index++) {
        const id = yield* StoreRecords.addStore()
        yield* sql`
          INSERT INTO tracked_shop VALUES
            (${account}, ${id}, ${index === 20 ? "own" : "tracked"}, timestamptz '2026-01-01' + ${index}::int * interval '1 day')`
        stores.unshift(id)
      }
      yield* StoreRecords.derive
      const [own = 0] = stores.splice(stores.length - 21, 1)
      const [first, second, third] = [
        yield* reader.page(account, 1),
        yield* reader.page(account, 2),
        yield* reader.page(account, 3)
      ]
      assert.deepStrictEqual([...ids(first.shops), ...ids(second.shops)], [own, ...stores])
      assert.deepStrictEqual([first.shops.length, second.shops.length], [shopsPerPage, 3])
      assert.deepStrictEqual(third, { shops: [], total: shopsPerPage + 3 })
      const [head, next] = first.shops
      assert.deepInclude(head, { is_own: true, is_tracked: false })
      assert.deepInclude(next, { is_own: false, is_tracked: true })
      // Figures are those of the store's own page.
      const { is_own: _, ...facts } = head ?? assert.fail()
      assert.deepInclude(yield* (yield* ShopReader).get(own, account), facts)
      assert.deepStrictEqual(yield* reader.page(other, 1), { shops: [], total: 0 })
    })
  )
})
