/**
 * Exact totals are counted once for all pages of a search, and only as long as they are exact: the key that they are kept
 * under changes with the catalogue, with the UTC day where the day matters, and with whatever else can change the total.
 */
import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import * as AdQuery from "../../../src/domain/search/AdQuery.ts"
import * as ProductQuery from "../../../src/domain/search/ProductQuery.ts"
import * as ShopQuery from "../../../src/domain/search/ShopQuery.ts"
import { AdSearch } from "../../../src/services/search/AdSearch.ts"
import { Catalogue } from "../../../src/services/search/Catalogue.ts"
import { DerivedData } from "../../../src/services/search/DerivedData.ts"
import * as Names from "../../../src/services/search/Names.ts"
import { ProductSearch } from "../../../src/services/search/ProductSearch.ts"
import { SearchRunner } from "../../../src/services/search/SearchRunner.ts"
import * as SearchRequest from "../../../src/services/search/SearchRequest.ts"
import * as ShopRequest from "../../../src/services/search/ShopRequest.ts"
import { ShopSearch } from "../../../src/services/search/ShopSearch.ts"
import { loadCatalogue } from "../../oracle/loadCatalogue.ts"
import * as NaiveCatalogue from "../../oracle/NaiveCatalogue.ts"
import * as NaiveSearch from "../../oracle/NaiveSearch.ts"
import { matcher } from "../../oracle/NaiveText.ts"
import * as Random from "../../oracle/Random.ts"
import { generators } from "../../oracle/RandomArguments.ts"
import { SetClock } from "../../support/SetClock.ts"
import { recorded } from "../../support/Statements.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const catalogue = NaiveCatalogue.generate(77, 80)
const nobody = 0 as AccountId

const decoders = {
  ad: Schema.decodeUnknownSync(AdQuery.AdQuery),
  product: Schema.decodeUnknownSync(ProductQuery.ProductQuery),
  shop: Schema.decodeUnknownSync(ShopQuery.ShopQuery)
}

const tools = ["ad", "product", "shop"] as const
type Tool = (typeof tools)[number]

const services = Layer.mergeAll(AdSearch.layer, ProductSearch.layer, ShopSearch.layer).pipe(
  Layer.provide(SearchRunner.layer),
  Layer.provide(Catalogue.layer),
  Layer.provideMerge(DerivedData.layer),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(`${NaiveCatalogue.today}T23:59:00Z`))
)

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

/** A total that is a parameter is known already. */
const counts = (statements: ReadonlyArray<string>): boolean =>
  statements.some((text) => /(?<!\$\d+::int) AS total\b/u.test(text))

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
  it.effect("are counted for the first page of a search, and for no other", () =>
    Effect.gen(function* () {
      yield* loadCatalogue(catalogue)
      yield* (yield* DerivedData).rebuild()
      // So that the version is known.
      yield* search("shop", { countries: ["NZ"] })
      for (const [tool, args] of searches) {
        const told = `${tool} ${JSON.stringify(args)}`
        const first = yield* search(tool, { ...args, per_page: 2 })
        assert.isAbove(first.total, 4, told)
        assert.isTrue(counts(first.statements), told)
        for (const page of [2, 3, 1]) {
          const { statements, total } = yield* search(tool, { ...args, per_page: 2, page })
          assert.strictEqual(statements.length, 1, told)
          assert.isFalse(counts(statements), `${told}: ${statements.join()}`)
          assert.strictEqual(total, first.total, told)
        }
      }
    })
  )

  it.effect("are counted anew as soon as the catalogue has changed, whichever the change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const derived = yield* DerivedData
      for (const [tool, args] of searches) yield* search(tool, { ...args, per_page: 2 })
      yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country) VALUES (9001, 'z.com', '.com', 'Z', 'NZ')`
      yield* derived.refresh({ shopIds: [9001] })
      for (const [tool, args] of searches) {
        const { statements } = yield* search(tool, { ...args, per_page: 2, page: 2 })
        assert.isTrue(counts(statements), `${tool} ${JSON.stringify(args)}`)
      }
    })
  )

  it.effect("that depend on the day are counted anew on the next, others are not", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      const running = { active_days: { min: 1, max: 300 } }
      const naive = (daysPassed: number) =>
        catalogue.ads.filter(({ is_active, started_on }) => {
          const days = (Date.parse(NaiveCatalogue.today) - Date.parse(started_on)) / 86_400_000 + daysPassed
          return is_active && days >= 1 && days <= 300
        }).length
      assert.notStrictEqual(naive(0), naive(1))
      yield* clock.set(`${NaiveCatalogue.today}T23:59:59.999Z`)
      const before = yield* search("ad", running)
      const plainBefore = yield* search("ad", { status: "active" })
      assert.strictEqual(before.total, naive(0))
      yield* clock.advance(1)
      const after = yield* search("ad", running)
      assert.isTrue(counts(after.statements))
      assert.strictEqual(after.total, naive(1))
      const plainAfter = yield* search("ad", { status: "active" })
      assert.isFalse(counts(plainAfter.statements))
      assert.strictEqual(plainAfter.total, plainBefore.total)
      yield* clock.set(`${NaiveCatalogue.today}T12:00:00Z`)
      assert.isFalse(counts((yield* search("ad", running)).statements))
    })
  )
})

describe("the key of a total", () => {
  const names = Names.make(
    catalogue.niches.map(({ id, name, parent_id }) => ({ id, name, parentId: parent_id })),
    [
      ...NaiveCatalogue.themes.map((name) => ({ kind: "theme" as const, name })),
      ...NaiveCatalogue.apps.map((name) => ({ kind: "app" as const, name })),
      ...NaiveCatalogue.extensions.map((name) => ({ kind: "domain_extension" as const, name }))
    ].map((each, index, all) => ({
      ...each,
      id: index + 1,
      canonicalId:
        all.findIndex(({ kind, name }) => kind === each.kind && Names.fold(name) === Names.fold(each.name)) + 1
    }))
  )
  const cases = Number(process.env["ORACLE_CASES"] ?? 200)

  /** The key, and the ids of all that matches. */
  const look = (tool: Tool, args: object): { readonly key: string; readonly matching: string } => {
    const ids = (items: ReadonlyArray<{ readonly id: number }>) =>
      items
        .map(({ id }) => id)
        .sort((a, b) => a - b)
        .join()
    if (tool === "ad") {
      // One order for all: only a grouped search counts stores as well.
      const query = { ...decoders.ad(args), sort_by: "newest" as const }
      const request = Result.getOrThrow(SearchRequest.fromAdQuery(query, names, NaiveCatalogue.today))
      return { key: SearchRequest.countKey(request), matching: ids(NaiveSearch.searchAds(catalogue, query).items) }
    }
    if (tool === "product") {
      const query = decoders.product(args)
      const request = Result.getOrThrow(SearchRequest.fromProductQuery(query, names))
      return { key: SearchRequest.countKey(request), matching: ids(NaiveSearch.searchProducts(catalogue, query).items) }
    }
    const query = decoders.shop(args)
    const request = Result.getOrThrow(ShopRequest.fromShopQuery(query, names))
    return { key: ShopRequest.countKey(request), matching: ids(NaiveSearch.searchShops(catalogue, query).items) }
  }

  const asksSomething = (args: Record<string, unknown>) =>
    typeof args["query"] !== "string" || matcher(args["query"]) !== undefined

  for (const tool of tools) {
    plain.each([1])(`${tool}: searches that find different things never share one`, (seed) => {
      const random = Random.make(seed)
      const make = generators(random, catalogue)[tool]
      const found = new Map<string, { readonly matching: string; readonly args: object }>()
      let shared = 0
      for (let index = 0; index < cases; index++) {
        const args = make(index)
        if (!asksSomething(args)) continue
        // And its neighbours: one argument taken away, and one of another search put in its place.
        const other = make(index + 7 * random.int(0, cases))
        const [name = ""] = random.some(Object.keys(args), 1, 1)
        const { [name]: _, ...fewer } = args
        const [otherName = ""] = random.some(Object.keys(other), 1, 1)
        const isConflict = (each: Record<string, unknown>) => each["status"] === "inactive" && "active_days" in each
        for (const each of [args, fewer, { ...fewer, [otherName]: other[otherName] }]) {
          if (!asksSomething(each) || isConflict(each)) continue
          const { key, matching } = look(tool, each)
          const known = found.get(key)
          if (known === undefined) found.set(key, { matching, args: each })
          else {
            shared++
            assert.strictEqual(matching, known.matching, `${JSON.stringify(each)} and ${JSON.stringify(known.args)}`)
          }
        }
      }
      assert.isAbove(shared, cases / 10)
      assert.isAbove(found.size, cases / 2)
    })

    plain.each([2])(`${tool}: searches that differ in order, repetition, page or sort alone share one`, (seed) => {
      const random = Random.make(seed)
      const make = generators(random, catalogue)[tool]
      let shuffled = 0
      for (let index = 0; index < cases; index++) {
        const args = make(index)
        if (!asksSomething(args)) continue
        const again = Object.entries(args)
          .map(([name, value]): [string, unknown] => {
            if (!Array.isArray(value) || value.length === 0) return [name, value]
            shuffled++
            return [name, [...value.toReversed(), value[0]].slice(0, name === "niches" ? 20 : 50)]
          })
          .toReversed()
        const { page: _, ...same } = { ...Object.fromEntries(again), page: 20 }
        const { sort_by: __, sort_order: ___, ...unsorted } = { sort_by: "", sort_order: "", ...same }
        assert.strictEqual(look(tool, unsorted).key, look(tool, args).key, JSON.stringify(args))
      }
      assert.isAbove(shuffled, cases / 4)
    })
  }

  plain("grouped and flat searches for ads have their own: only one of them counts stores", () => {
    const request = (sort_by: AdQuery.AdSort) =>
      Result.getOrThrow(SearchRequest.fromAdQuery({ sort_by }, names, NaiveCatalogue.today))
    assert.notStrictEqual(SearchRequest.countKey(request("recommended")), SearchRequest.countKey(request("newest")))
  })
})
