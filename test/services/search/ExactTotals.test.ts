/** Totals are exact: on every page, after every change, and on the UTC day of asking where the day matters. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import * as AdQuery from "../../../src/domain/search/AdQuery.ts"
import * as ProductQuery from "../../../src/domain/search/ProductQuery.ts"
import * as ShopQuery from "../../../src/domain/search/ShopQuery.ts"
import { AdSearch, ProductSearch, ShopSearch } from "../../../src/services/search/Searches.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as NaiveSearch from "../../oracle/NaiveSearch.ts"
import * as Searches from "../../support/Searches.ts"
import { SetClock } from "../../support/SetClock.ts"
import { indexed, stampAndIndex } from "../../support/Stamps.ts"
import { recorded } from "../../support/Statements.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const catalog = NaiveCatalog.generate(77, 80)
const nobody = 0 as AccountId

const decoders = {
  ad: Schema.decodeUnknownSync(AdQuery.AdQuery),
  product: Schema.decodeUnknownSync(ProductQuery.ProductQuery),
  shop: Schema.decodeUnknownSync(ShopQuery.ShopQuery)
}

const services = Layer.effectDiscard(Effect.andThen(loadCatalog(catalog), indexed)).pipe(
  Layer.provideMerge(Searches.layer),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T23:59:00Z`))
)

type Tool = keyof typeof decoders

const search = Effect.fnUntraced(function* (tool: Tool, args: object) {
  const [ads, products, shops] = [yield* AdSearch, yield* ProductSearch, yield* ShopSearch]
  const total = {
    ad: Effect.suspend(() => Effect.map(ads.search(decoders.ad(args)), ({ pagination }) => pagination.total)),
    product: Effect.suspend(() =>
      Effect.map(products.search(decoders.product(args), nobody), ({ pagination }) => pagination.total)
    ),
    shop: Effect.suspend(() =>
      Effect.map(shops.search(decoders.shop(args), nobody), ({ pagination }) => pagination.total)
    )
  }
  const { answer, statements } = yield* recorded(total[tool])
  return { total: answer, statements }
})

const naive = (tool: Tool, args: object): number => {
  if (tool === "ad") return NaiveSearch.searchAds(catalog, decoders.ad(args)).total
  return tool === "product"
    ? NaiveSearch.searchProducts(catalog, decoders.product(args)).total
    : NaiveSearch.searchShops(catalog, decoders.shop(args)).total
}

/** Some match several pages of two, and each counts in another way. */
const searches: ReadonlyArray<readonly [Tool, object]> = [
  ["ad", {}],
  ["ad", { sort_by: "newest" }],
  ["ad", { countries: ["US", "GB"] }],
  ["ad", { media_types: ["video"], sort_by: "traffic" }],
  ["ad", { query: "red" }],
  ["ad", { query: "red", monthly_visits: { min: 1 }, sort_by: "oldest" }],
  ["product", {}],
  ["product", { currencies: ["USD", "EUR"] }],
  ["product", { price: { min: 9 }, sort_by: "price" }],
  ["product", { query: "red" }],
  ["product", { query: "red", price: { max: 20 }, sort_by: "revenue" }],
  ["shop", { countries: ["US", "GB"] }],
  ["shop", { query: "red" }],
  ["shop", { query: "red", active_ads: { min: 0 }, sort_by: "newest" }]
]

layer(services, { excludeTestServices: true })("exact totals", (it) => {
  it.effect(
    "are the same on every page, and cost the database nothing: it is asked for the records of a page alone",
    () =>
      Effect.gen(function* () {
        for (const [tool, args] of searches) {
          const told = `${tool} ${JSON.stringify(args)}`
          for (const page of [1, 2, 3, 1, 20]) {
            const { statements, total } = yield* search(tool, { ...args, per_page: 2, page })
            assert.strictEqual(total, naive(tool, args), told)
            assert.isAtMost(statements.length, 1, told)
            for (const text of statements)
              assert.match(text, /AS w \(id, account_id, request\) JOIN \w+ [aps] ON [aps]\.id = w\.id/u, told)
          }
          // None matches, and nothing is read.
          const { statements, total } = yield* search(tool, { ...args, countries: ["AQ"] })
          assert.deepStrictEqual([total, statements], [0, []], told)
        }
      })
  )

  it.effect("change with the catalog, and not before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const total = Effect.map(search("shop", { countries: ["NZ"] }), ({ total }) => total)
      for (const id of [9001, 9002, 9003]) {
        yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country)
          VALUES (${id}, ${`z${id}.com`}, '.com', 'Z', 'NZ')`
        assert.strictEqual(yield* total, id - 9001)
        yield* stampAndIndex
        assert.strictEqual(yield* total, id - 9000)
      }
    })
  )

  it.effect("that depend on the day are those of the day of asking", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      const running = { active_days: { min: 1, max: 300 } }
      const naive = (daysPassed: number) =>
        catalog.ads.filter(({ is_active, started_on }) => {
          const days = (Date.parse(NaiveCatalog.today) - Date.parse(started_on)) / 86_400_000 + daysPassed
          return is_active && days >= 1 && days <= 300
        }).length
      assert.notStrictEqual(naive(0), naive(1))
      yield* clock.set(`${NaiveCatalog.today}T23:59:59.999Z`)
      assert.strictEqual((yield* search("ad", running)).total, naive(0))
      yield* clock.advance(1)
      assert.strictEqual((yield* search("ad", running)).total, naive(1))
      yield* clock.set(`${NaiveCatalog.today}T12:00:00Z`)
      assert.strictEqual((yield* search("ad", running)).total, naive(0))
    })
  )
})
