/** D43: every address that an answer has of a store leads `get_shop` to it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { AppConfig } from "../../../src/Config.ts"
import { AccountId } from "../../../src/domain/access/Account.ts"
import * as DemoPages from "../../../src/domain/catalog/DemoPages.ts"
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
  Layer.provideMerge(Searches.layer),
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
})
