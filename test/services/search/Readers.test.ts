/** `get_shop` and `get_product`: what they read, for whom. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../../src/Config.ts"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { maxTrackedShops, TrackedShops } from "../../../src/services/accounts/TrackedShops.ts"
import { ProductReader } from "../../../src/services/search/ProductReader.ts"
import { ProductSearch, ShopSearch } from "../../../src/services/search/Searches.ts"
import { ShopReader } from "../../../src/services/search/ShopReader.ts"
import * as Access from "../../support/Access.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import { storesOf } from "../../oracle/NaiveSearch.ts"
import * as Searches from "../../support/Searches.ts"
import { indexed } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const catalog = NaiveCatalog.generate(77, 40)

const services = Layer.effectDiscard(Effect.andThen(loadCatalog(catalog), indexed)).pipe(
  Layer.provideMerge(Layer.mergeAll(Searches.layer, ProductReader.layer, Access.layerUnhashed, TrackedShops.layer)),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(AppConfig.layerOf({ baseUrl: "https://discovery.test" }))
)

const nobody = 0 as AccountId

const newAccount = Effect.map(Access.subscriber(), ({ caller }) => caller.accountId)

const [firstProduct = assert.fail()] = catalog.products
const shopOf = (id: number) => catalog.shops.find((shop) => shop.id === id) ?? assert.fail()

layer(services, { excludeTestServices: true })("readers", (it) => {
  describe("ShopReader", () => {
    it.effect("gives every store as the search does, with its niches up to the root, its traffic and the rest", () =>
      Effect.gen(function* () {
        const reader = yield* ShopReader
        for (const store of storesOf(catalog).values()) {
          const { apps, is_own, niches, pixels, social_networks, theme, traffic, ...facts } = yield* reader.get(
            store.id,
            nobody
          )
          const niche = (id: number | null): ReadonlyArray<object> => {
            const found = catalog.niches.find((each) => each.id === id)
            return found === undefined ? [] : [{ id: found.id, name: found.name }, ...niche(found.parent_id)]
          }
          assert.deepStrictEqual(
            { apps, is_own, niches, pixels, social_networks, theme, traffic },
            {
              apps: store.apps,
              is_own: false,
              niches: niche(store.niche_id),
              pixels: store.pixels,
              social_networks: store.social_networks,
              theme: store.theme,
              traffic: catalog.traffic
                .filter(({ shop_id }) => shop_id === store.id)
                .map(({ month, visits }) => ({ month: month.slice(0, 7), visits }))
                .sort((a, b) => (a.month < b.month ? -1 : 1))
            }
          )
          const { shops } = yield* (yield* ShopSearch).search({ query: store.domain, per_page: 25 }, nobody)
          assert.deepStrictEqual(
            shops.find(({ id }) => id === store.id),
            facts
          )
        }
      })
    )

    it.effect("knows no other ids, and not the row that stands for ads without a store", () =>
      Effect.gen(function* () {
        const reader = yield* ShopReader
        for (const id of [0, 2, 2_147_483_647]) {
          assert.strictEqual((yield* Effect.flip(reader.get(id, nobody)))._tag, "NotFound")
        }
      })
    )
  })

  describe("ProductReader", () => {
    it.effect("returns details only to accounts that track or own the store", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const reader = yield* ProductReader
        const tracked = yield* TrackedShops
        const shop = shopOf(firstProduct.shop_id)
        yield* sql`
          UPDATE product SET details = ${JSON.stringify({
            description_html: "<p>Soft</p>",
            variants: [{ price: 3, options: ["M"] }],
            images: [{ url: "https://a.com/1.jpg" }]
          })}::jsonb WHERE id = ${firstProduct.id}`
        const [one, other] = [yield* newAccount, yield* newAccount]
        yield* tracked.add(one, shop.domain, "tracked")
        const item = yield* reader.get(firstProduct.id, one)
        assert.deepInclude(item, { title: firstProduct.title, created_at: firstProduct.created_at })
        assert.deepInclude(item.shop, { id: shop.id, is_tracked: true, is_own: false })
        assert.strictEqual(item.details?.description_html, "<p>Soft</p>")

        const refused = yield* Effect.flip(reader.get(firstProduct.id, other))
        assert.strictEqual(refused._tag, "ShopNotTracked")
        assert.include("hint" in refused ? refused.hint : "", `https://discovery.test/dashboard/shops/${shop.id}`)

        yield* tracked.add(other, shop.domain, "own")
        assert.deepInclude((yield* reader.get(firstProduct.id, other)).shop, { is_tracked: false, is_own: true })
        yield* tracked.remove(one, shop.domain)
        assert.strictEqual((yield* Effect.flip(reader.get(firstProduct.id, one)))._tag, "ShopNotTracked")
      })
    )

    it.effect("returns not_found for a product that does not exist, to any account", () =>
      Effect.gen(function* () {
        const reader = yield* ProductReader
        assert.strictEqual((yield* Effect.flip(reader.get(2_147_483_647, yield* newAccount)))._tag, "NotFound")
      })
    )
  })

  describe("TrackedShops", () => {
    it.effect("makes a store tracked everywhere, for this account only", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* newAccount, yield* newAccount]
        const shop = shopOf(firstProduct.shop_id)
        yield* (yield* TrackedShops).add(one, ` WWW.${shop.domain.toUpperCase()}`, "tracked")
        for (const [account, expected] of [
          [one, true],
          [other, false]
        ] as const) {
          const { shops } = yield* (yield* ShopSearch).search({ query: shop.domain }, account)
          assert.strictEqual(shops.find(({ id }) => id === shop.id)?.is_tracked, expected)
          assert.strictEqual((yield* (yield* ShopReader).get(shop.id, account)).is_tracked, expected)
          const { products } = yield* (yield* ProductSearch).search({ query: shop.domain, per_page: 25 }, account)
          assert.strictEqual(products.find((product) => product.shop.id === shop.id)?.shop.is_tracked, expected)
        }
      })
    )

    it.effect("takes at most 1,000 stores an account, also when they come at once", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tracked = yield* TrackedShops
        const account = yield* newAccount
        yield* sql`
          INSERT INTO shop (domain, domain_extension, name, country)
          SELECT 'many-' || n || '.com', '.com', 'Many', 'US' FROM generate_series(1, 1010) n`
        yield* sql`
          INSERT INTO tracked_shop (account_id, shop_id, kind)
          SELECT ${account}::int, id, 'tracked' FROM shop WHERE name = 'Many' ORDER BY id LIMIT ${maxTrackedShops - 2}`
        const results = yield* Effect.forEach(
          [1005, 1006, 1007, 1008],
          (n) => Effect.result(tracked.add(account, `many-${n}.com`, "tracked")),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 2)
        const stores = yield* tracked.list(account)
        assert.strictEqual(stores.length, maxTrackedShops)
        // One that is there already can still change its kind.
        yield* tracked.add(account, "many-1.com", "own")
        assert.deepInclude(
          (yield* tracked.list(account)).find(({ domain }) => domain === "many-1.com"),
          { kind: "own" }
        )
      })
    )
  })
})
