/** Words that every document has, and stores that are all equally good: what a catalogue of variety never shows. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import type { AdQuery } from "../../../src/domain/search/AdQuery.ts"
import { Catalogue } from "../../../src/services/search/Catalogue.ts"
import * as CountSql from "../../../src/services/search/CountSql.ts"
import { DerivedData } from "../../../src/services/search/DerivedData.ts"
import * as Estimates from "../../../src/services/search/Estimates.ts"
import * as PageSql from "../../../src/services/search/PageSql.ts"
import * as Plan from "../../../src/services/search/Plan.ts"
import * as Planner from "../../../src/services/search/Planner.ts"
import * as SearchRequest from "../../../src/services/search/SearchRequest.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const services = Layer.mergeAll(Catalogue.layer, DerivedData.layer).pipe(Layer.provideMerge(TestDatabase.layer))

const ads = 2_000
const stores = 40

layer(services, { excludeTestServices: true })("a catalogue without variety", (it) => {
  /** Product 1 is the last store's; all are as old, and of stores of which nothing is known. */
  const load = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const loaded = yield* sql`SELECT FROM shop LIMIT 1`
    if (loaded.length > 0) return
    yield* sql`
      INSERT INTO shop (id, domain, domain_extension, name, country)
      SELECT n, 's' || n || '.com', '.com', 'Store', 'US' FROM generate_series(1, ${stores}::int) n`
    yield* sql`
      INSERT INTO product (id, shop_id, key, title, price)
      SELECT n, ${stores}::int + 1 - n, 'p', 'Desk', 1 FROM generate_series(1, ${stores}::int) n`
    yield* sql`
      INSERT INTO ad (shop_id, key, page_name, is_active, media_type, headline, ad_text, started_on, last_seen_on)
      SELECT 1 + n % ${stores}::int, 'a' || n, 'Page', true, 'image', 'Everywhere', 'word' || n % 300, '2026-01-01', '2026-02-01'
      FROM generate_series(1, ${ads}::int) n`
    yield* (yield* DerivedData).rebuild()
  })

  for (const sort_by of ["recommended", "revenue", "newest"] as const) {
    it.effect(`a word that every ad has is looked up in the index, by ${sort_by}`, () =>
      Effect.gen(function* () {
        yield* load
        const sql = yield* SqlClient.SqlClient
        const { names } = yield* (yield* Catalogue).latest
        const query: AdQuery = { query: "everywhere", sort_by }
        const request = Result.getOrThrow(SearchRequest.fromAdQuery(query, names, "2026-03-15"))
        const hits = yield* Estimates.make(sql).hits(1, "ad_search", request.words)
        assert.isAbove(hits, ads * 0.99)
        const facts = { stores, holders: stores, items: ads, text: { hits, candidates: ads } }
        const explained = Effect.fnUntraced(function* (statement: Statement.Fragment) {
          const lines = yield* sql<{ "QUERY PLAN": string }>`EXPLAIN ${statement}`.unprepared
          const told = lines.map((line) => line["QUERY PLAN"]).join("\n")
          assert.include(told, "Bitmap Index Scan on ad_search_words")
          assert.notMatch(told, /Seq Scan on ad_search/u)
        })
        yield* explained(CountSql.count(sql, request, Planner.chooseCount(request, facts)))
        const atOnce = Planner.chooseAtOnce(request, facts)
        if (sort_by !== "newest") assert.isTrue(Option.isSome(atOnce))
        if (Option.isSome(atOnce)) yield* explained(PageSql.pageAndCount(sql, request, atOnce.value))
      })
    )
  }

  it.effect("of stores that are equally good, those with the lowest products come first, whatever the plan", () =>
    Effect.gen(function* () {
      yield* load
      const sql = yield* SqlClient.SqlClient
      const { names } = yield* (yield* Catalogue).latest
      for (const page of [1, 2, 5]) {
        const query = { countries: ["US"], per_page: 3, page }
        const request = Result.getOrThrow(SearchRequest.fromProductQuery(query, names))
        const wanted = [1, 2, 3].map((n) => (page - 1) * 3 + n)
        for (const plan of Plan.validPages(request)) {
          const rows = yield* sql<{ id: number }>`${PageSql.page(sql, request, plan)}`.unprepared
          assert.deepStrictEqual(
            rows.map(({ id }) => id),
            wanted,
            `${plan._tag}, page ${page}`
          )
        }
      }
    })
  )
})
