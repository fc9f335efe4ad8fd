/** D43: every address that an answer has of a store leads `get_shop` to it. D112: the answer of one store has its history. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../../src/Config.ts"
import { AccountId } from "../../../src/domain/access/Account.ts"
import * as DemoPages from "../../../src/domain/catalog/DemoPages.ts"
import { History } from "../../../src/services/changes/History.ts"
import * as GetShop from "../../../src/services/tools/GetShop.ts"
import * as SearchShops from "../../../src/services/tools/SearchShops.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as Searches from "../../support/Searches.ts"
import { indexed } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const catalog = NaiveCatalog.generate(79, 20)
const accountId = AccountId.make(1)

const services = Layer.effectDiscard(Effect.andThen(loadCatalog(catalog), indexed)).pipe(
  Layer.provideMerge(Layer.merge(Searches.layer, History.layer)),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(AppConfig.layerOf({ baseUrl: "https://discovery.test" }))
)

const get = Effect.fnUntraced(function* (domain: string) {
  const tool = yield* GetShop.make
  const { result } = tool.decode({ domain })
  return yield* Result.getOrThrowWith(result, () => new Error(domain)).run({ accountId })
})

layer(services, { excludeTestServices: true })("get_shop", (it) => {
  it.effect("takes domains, pages, dashboard pages and demo pages of every store", () =>
    Effect.gen(function* () {
      const tool = yield* SearchShops.make
      const { result } = tool.decode({ per_page: 25 })
      const { results } = yield* Result.getOrThrow(result).run({ accountId })
      assert.isAbove(results.length, 10)
      for (const { dashboard_url, domain, id } of results) {
        for (const address of [
          domain,
          `https://www.${domain}/products/lamp?variant=1#top`,
          dashboard_url,
          dashboard_url.replace("https://", ""),
          ` ${dashboard_url}/?from=agent `,
          `${DemoPages.addressOf(domain)}/?ad=1`,
          `${DemoPages.addressOf(domain)}/products/lamp`
        ]) {
          assert.strictEqual((yield* get(address)).id, id, address)
        }
      }
    })
  )

  it.effect.each([
    "https://discovery.test/dashboard/shops/2147483647",
    "https://discovery.test/dashboard/shops/99999999999",
    "https://discovery.test/dashboard/products",
    `https://elsewhere.test/dashboard/shops/${catalog.shops[0]?.id}`,
    "https://shops.discovery.example/",
    DemoPages.addressOf("nobody.example")
  ])("finds no store at %s", (address) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(get(address))
      assert.strictEqual(error._tag, "NotFound")
    })
  )

  it.effect("D112 has the history of one store, and of several none", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [{ domain, id } = { domain: "", id: 0 }] = catalog.shops
      yield* sql`
        INSERT INTO history_start (shop_id, part, version, as_of)
        SELECT ${id}, part, 0, '2026-03-01' FROM unnest('{figures,products,ads}'::text[]) part`
      yield* sql`SELECT make_change_partitions()`
      yield* sql`INSERT INTO source (name) VALUES ('one')`
      yield* sql`
        INSERT INTO change (version, as_of, source_id, kind, shop_id, name, old)
        SELECT n, make_date(2026, 3, 1) + n, 1, 'figure_changed', ${id}, 'monthly_revenue', n FROM generate_series(1, 11) n`
      const { active_ads, estimated_monthly_revenue: revenue, history } = yield* get(domain)
      assert.deepStrictEqual(
        history?.map((row) => [row.on, row.estimated_monthly_revenue, row.active_ads]),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, revenue].map((value, at) => [
          `2026-03-${String(at + 1).padStart(2, "0")}`,
          value,
          active_ads
        ])
      )
      const { result } = (yield* GetShop.make).decode({ shop_ids: [id] })
      const { results = [] } = yield* Result.getOrThrow(result).run({ accountId })
      assert.strictEqual(results.length, 1)
      assert.notProperty(results[0], "history")
    })
  )
})
