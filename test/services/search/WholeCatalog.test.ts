/** Words that every document has, and stores that are all equally good: what a catalog of variety never shows. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { AdSearch, ProductSearch } from "../../../src/services/search/Searches.ts"
import * as Searches from "../../support/Searches.ts"
import { stampAndIndex } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const ads = 2_000
const stores = 40
const nobody = 0 as AccountId

/** Product 1 is the last store's; all are as old, and of stores of which nothing is known. */
const load = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO shop (id, domain, domain_extension, name, country)
    SELECT n, 's' || n || '.com', '.com', 'Store', 'US' FROM generate_series(1, ${stores}::int) n`
  yield* sql`
    INSERT INTO product (id, shop_id, key, title, price)
    SELECT n, ${stores}::int + 1 - n, 'p', 'Desk', 1 FROM generate_series(1, ${stores}::int) n`
  yield* sql`
    INSERT INTO ad (id, shop_id, key, page_name, is_active, media_type, headline, ad_text, started_on, last_seen_on)
    SELECT n, 1 + n % ${stores}::int, 'a' || n, 'Page', true, 'image', 'Everywhere', 'word' || n % 300, '2026-01-01',
      '2026-02-01'
    FROM generate_series(1, ${ads}::int) n`
  yield* stampAndIndex
})

const services = Layer.effectDiscard(load).pipe(
  Layer.provideMerge(Searches.layer),
  Layer.provideMerge(TestDatabase.layer)
)

const range = (from: number, count: number, step: number) => Array.from({ length: count }, (_, at) => from + at * step)

layer(services, { excludeTestServices: true })("a catalog without variety", (it) => {
  it.effect("a word that every ad has leaves all of them, in every order", () =>
    Effect.gen(function* () {
      const wanted = {
        // Store 1 has the ads 40, 80 to 2,000, the highest of them first.
        recommended: range(ads, 3, 1 - stores).map((_, at) => (at === 0 ? ads : ads - stores + at)),
        revenue: range(ads, 3, -stores),
        newest: range(ads, 3, -1),
        oldest: [1, 2, 3]
      }
      for (const [sort_by, ids] of Object.entries(wanted)) {
        const found = yield* (yield* AdSearch).search({
          query: "everywhere",
          sort_by: sort_by as keyof typeof wanted,
          per_page: 3
        })
        assert.strictEqual(found.pagination.total, ads, sort_by)
        assert.deepStrictEqual(
          found.ads.map(({ id }) => id),
          ids,
          sort_by
        )
      }
    })
  )

  it.effect("of stores that are equally good, those with the lowest products come first", () =>
    Effect.gen(function* () {
      for (const page of [1, 2, 5]) {
        const { products } = yield* (yield* ProductSearch).search({ countries: ["US"], per_page: 3, page }, nobody)
        assert.deepStrictEqual(
          products.map(({ id }) => id),
          range((page - 1) * 3 + 1, 3, 1),
          `page ${page}`
        )
      }
    })
  )
})
