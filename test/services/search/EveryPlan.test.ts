/** Plans differ in cost, never in answer: each one that is valid for a search is run, whether it would be chosen or not. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as AdQuery from "../../../src/domain/search/AdQuery.ts"
import * as Page from "../../../src/domain/search/Page.ts"
import * as ProductQuery from "../../../src/domain/search/ProductQuery.ts"
import { Catalogue } from "../../../src/services/search/Catalogue.ts"
import * as CountSql from "../../../src/services/search/CountSql.ts"
import { DerivedData } from "../../../src/services/search/DerivedData.ts"
import * as PageSql from "../../../src/services/search/PageSql.ts"
import * as Plan from "../../../src/services/search/Plan.ts"
import * as SearchRequest from "../../../src/services/search/SearchRequest.ts"
import { loadCatalogue } from "../../oracle/loadCatalogue.ts"
import * as NaiveCatalogue from "../../oracle/NaiveCatalogue.ts"
import * as NaiveSearch from "../../oracle/NaiveSearch.ts"
import { matcher } from "../../oracle/NaiveText.ts"
import * as Random from "../../oracle/Random.ts"
import { generators } from "../../oracle/RandomArguments.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1) * 1_000 + 500
const cases = Number(process.env["ORACLE_CASES"] ?? 300)
const catalogue = NaiveCatalogue.generate(seed, 60)

const services = Layer.mergeAll(Catalogue.layer, DerivedData.layer).pipe(Layer.provideMerge(TestDatabase.layer))

interface Case {
  readonly args: Record<string, unknown>
  readonly request: SearchRequest.SearchRequest
  readonly ids: ReadonlyArray<number>
  readonly total: number
}

const asksSomething = (args: Record<string, unknown>): boolean =>
  typeof args["query"] !== "string" || matcher(args["query"]) !== undefined

const casesOf = Effect.fnUntraced(function* (tool: "ad" | "product") {
  const { names } = yield* (yield* Catalogue).latest
  const random = Random.make(seed)
  const make = generators(random, catalogue)[tool]
  return Array.from({ length: cases }, (_, index) => ({ ...make(index), page: random.pick([1, 1, 1, 2, 3]) }))
    .filter(asksSomething)
    .map((args): Case => {
      if (tool === "ad") {
        const query = Schema.decodeSync(AdQuery.AdQuery)(args)
        const request = Result.getOrThrow(SearchRequest.fromAdQuery(query, names, NaiveCatalogue.today))
        const { items, total } = NaiveSearch.searchAds(catalogue, query)
        return { args, request, ids: items.map(({ id }) => id), total }
      }
      const query = Schema.decodeSync(ProductQuery.ProductQuery)(args)
      const request = Result.getOrThrow(SearchRequest.fromProductQuery(query, names))
      const { items, total } = NaiveSearch.searchProducts(catalogue, query)
      return { args, request, ids: items.map(({ id }) => id), total }
    })
})

layer(services, { excludeTestServices: true })(`every plan, catalogue ${seed}`, (it) => {
  const load = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const loaded = yield* sql`SELECT 1 FROM shop LIMIT 1`
    if (loaded.length > 0) return
    yield* loadCatalogue(catalogue)
    yield* (yield* DerivedData).rebuild()
  })

  for (const tool of ["ad", "product"] as const) {
    it.effect(
      `counts and pages of ${cases} ${tool} searches`,
      () =>
        Effect.gen(function* () {
          yield* load
          const sql = yield* SqlClient.SqlClient
          const used = new Set<string>()
          for (const { args, ids, request, total } of yield* casesOf(tool)) {
            const isGrouped = request.order._tag === "Grouped"
            for (const plan of Plan.validCounts(request)) {
              const [row] = yield* CountSql.count(sql, request, plan).unprepared
              const told = `${plan._tag} of ${JSON.stringify(args)}`
              assert.strictEqual(row?.total, total, told)
              if (isGrouped) assert.strictEqual(row?.stores, ids.length, told)
              used.add(JSON.stringify(plan))
            }
            const start = Page.offset(request.window)
            const wanted = ids.slice(start, start + request.window.perPage)
            for (const plan of Plan.validPages(request)) {
              const rows = yield* sql<{ id: number }>`${PageSql.page(sql, request, plan)}`.unprepared
              assert.deepStrictEqual(
                rows.map(({ id }) => id),
                wanted,
                `${plan._tag} of ${JSON.stringify(args)}`
              )
              used.add(plan._tag)
              if (plan._tag === "WalkItems" || plan._tag === "ProbeItems" || plan._tag === "WalkStores") continue
              const [gathered] = yield* PageSql.pageAndCount(sql, request, plan).unprepared
              const stores = isGrouped ? ids.length : gathered?.stores
              const { version: _, ...both } = gathered ?? { version: 0 }
              assert.deepStrictEqual(both, { total, stores, ids: wanted }, `at once: ${JSON.stringify(args)}`)
            }
          }
          for (const tag of [
            "Totals",
            "AddUpStores",
            "CountItems",
            "WalkStores",
            "SortStores",
            "WalkItems",
            "ProbeItems",
            "GatherItems",
            "GatherStores"
          ]) {
            assert.isTrue(
              Array.from(used).some((plan) => plan.includes(tag)),
              `${tag} was never run`
            )
          }
        }),
      600_000
    )
  }
})
