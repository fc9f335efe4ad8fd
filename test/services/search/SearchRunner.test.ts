/** What a search does when the database is busy, slow, changed meanwhile, or gone. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Latch, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import * as Database from "../../../src/services/database/Database.ts"
import { AdSearch } from "../../../src/services/search/AdSearch.ts"
import { Catalogue } from "../../../src/services/search/Catalogue.ts"
import { DerivedData } from "../../../src/services/search/DerivedData.ts"
import { ProductSearch } from "../../../src/services/search/ProductSearch.ts"
import { SearchRunner } from "../../../src/services/search/SearchRunner.ts"
import { Vocabulary } from "../../../src/services/search/Vocabulary.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const accountId = 0 as AccountId

const searches = Layer.mergeAll(AdSearch.layer, ProductSearch.layer, Vocabulary.layer).pipe(
  Layer.provide(SearchRunner.layer),
  Layer.provide(Catalogue.layer)
)

/** Searches over a pool of their own, with its own limits and caches. */
const searchesOver = (options: Partial<Database.DatabaseOptions>) =>
  Layer.unwrap(
    Effect.map(TestDatabase, ({ connection }) =>
      searches.pipe(Layer.provide(Database.layer({ source: connection, ...options })))
    )
  )

/** Searches, and the small pool that they share with others. */
const searchesAndPool = Layer.unwrap(
  Effect.map(TestDatabase, ({ connection }) =>
    searches.pipe(
      Layer.provideMerge(Database.layer({ source: connection, maxConnections: 6, statementTimeoutMillis: 500 }))
    )
  )
)

const services = Layer.mergeAll(searches, DerivedData.layer).pipe(Layer.provideMerge(TestDatabase.layer))

/** Makes the catalogue one store with `count` products that cost `price`, as one import would. */
const become = Effect.fnUntraced(function* (count: number, price: number) {
  const sql = yield* SqlClient.SqlClient
  const derived = yield* DerivedData
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* derived.lock
      yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country) VALUES (1, 'a.com', '.com', 'A', 'US')
        ON CONFLICT DO NOTHING`
      yield* sql`DELETE FROM product`
      yield* sql`INSERT INTO product (id, shop_id, key, title, price)
        SELECT n, 1, n, 'Desk tray ' || n, ${price}::int FROM generate_series(1, ${count}::int) n`
      yield* derived.refresh({ shopIds: [1] })
    })
  )
})

layer(services, { excludeTestServices: true })("SearchRunner", (it) => {
  it.effect("a search sees a change as soon as it is committed, also when it had found nothing before", () =>
    Effect.gen(function* () {
      const productSearch = yield* ProductSearch
      const total = (price: number) =>
        Effect.map(
          productSearch.search({ price: { min: price, max: price } }, accountId),
          ({ pagination }) => pagination.total
        )
      for (const [count, price] of [
        [3, 5],
        [4, 6],
        [2, 5]
      ] as const) {
        yield* become(count, price)
        assert.strictEqual(yield* total(price), count)
        assert.strictEqual(yield* total(price + 1), 0)
      }
    })
  )

  it.effect("a niche can be asked for as soon as it is there, and not once it is gone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const derived = yield* DerivedData
      const adSearch = yield* AdSearch
      const refused = Effect.flip(adSearch.search({ niches: ["Desks"] }))
      assert.deepInclude(yield* refused, {
        _tag: "InvalidArguments",
        issues: [{ path: "niches.0", message: "`Desks` is not a known niche" }]
      })
      yield* sql`INSERT INTO niche VALUES (7, NULL, 'Desks')`
      yield* derived.refresh({ shopIds: [] })
      assert.strictEqual((yield* adSearch.search({ niches: ["desks"] })).pagination.total, 0)
      yield* sql`DELETE FROM niche`
      yield* derived.refresh({ shopIds: [] })
      assert.strictEqual((yield* refused)._tag, "InvalidArguments")
    })
  )

  it.effect("page and count are of one state, however often imports come in between", () =>
    Effect.gen(function* () {
      const productSearch = yield* ProductSearch
      yield* become(12, 10)
      const importing = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 60 }), (_, index) => (index % 2 === 0 ? become(12, 10) : become(7, 20)), {
          discard: true
        })
      )
      const seen = new Set<string>()
      let searches = 0
      while (importing.pollUnsafe() === undefined || searches < 20) {
        searches++
        const query = searches % 2 === 0 ? {} : { query: "desk" }
        const { pagination, products } = yield* productSearch.search(
          { ...query, sort_by: "price", per_page: 25 },
          accountId
        )
        const prices = Array.from(new Set(products.map(({ price }) => price)))
        seen.add(JSON.stringify([pagination.total, products.length, ...prices]))
      }
      yield* Fiber.join(importing)
      assert.deepStrictEqual(
        Array.from(seen).filter((state) => state !== "[12,12,10]" && state !== "[7,7,20]"),
        []
      )
      assert.strictEqual(seen.size, 2)
    })
  )

  it.effect("page and count are of one state, also when an import is committed before each statement", () =>
    Effect.gen(function* () {
      const productSearch = yield* ProductSearch
      const { connection } = yield* TestDatabase
      yield* become(12, 10)
      const other = Context.get(
        yield* Layer.build(Database.layer({ source: connection, maxConnections: 1 })),
        SqlClient.SqlClient
      )
      let commits = 0
      const commit = Effect.andThen(
        other`UPDATE catalogue SET version = version + 1`,
        Effect.sync(() => commits++)
      ).pipe(Effect.provideService(Statement.CurrentTransformer, undefined), Effect.orDie)
      const { pagination, products } = yield* productSearch
        .search({ price: { min: 5 }, per_page: 5 }, accountId)
        .pipe(Effect.provideService(Statement.CurrentTransformer, (statement) => Effect.as(commit, statement)))
      assert.deepStrictEqual([pagination.total, products.length], [12, 5])
      // Twice in vain, then in a transaction.
      assert.isAbove(commits, 5)
    })
  )

  it.effect("records that vanish behind the back of derived data are left out, and nothing fails", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const productSearch = yield* ProductSearch
      yield* become(2, 5)
      yield* sql`DELETE FROM product`
      const { products } = yield* productSearch.search({}, accountId)
      assert.deepStrictEqual(products, [])
    })
  )

  it.effect("a search that takes too long says so and how to narrow it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const adSearch = yield* AdSearch
      const error = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`LOCK TABLE ad_search, shop_search IN ACCESS EXCLUSIVE MODE`
          return yield* Effect.flip(adSearch.search({ partnership_only: true }))
        })
      )
      assert.strictEqual(error._tag, "SearchTimeout")
      assert.include("hint" in error ? error.hint : "", "store filter")
    }).pipe(Effect.provide(searchesOver({ statementTimeoutMillis: 200 }), { local: true }))
  )

  it.effect("searches that are held up leave connections to whatever else needs one", () =>
    Effect.gen(function* () {
      const { connection } = yield* TestDatabase
      const other = yield* Layer.build(Layer.fresh(Database.layer({ source: connection, maxConnections: 2 })))
      const outside = Context.get(other, SqlClient.SqlClient)
      const sql = yield* SqlClient.SqlClient
      const adSearch = yield* AdSearch
      const vocabulary = yield* Vocabulary
      const locked = yield* Latch.make(false)
      const done = yield* Latch.make(false)
      const holder = yield* outside`LOCK TABLE ad_search, shop_search IN ACCESS EXCLUSIVE MODE`.pipe(
        Effect.andThen(locked.open),
        Effect.andThen(done.await),
        outside.withTransaction,
        Effect.forkScoped
      )
      yield* locked.await
      const heldUp = outside<{ count: number }>`SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(Effect.map(([row]) => row?.count))

      // Each another one, so that none is answered from what the last one counted.
      const waiting = yield* Effect.forEach(Array.from({ length: 12 }), (_, index) =>
        Effect.forkChild(
          Effect.flip(
            index % 2 === 0
              ? Effect.asVoid(adSearch.search({ query: `tray ${index}` }))
              : Effect.asVoid(vocabulary.list("themes", undefined))
          )
        )
      )
      let most = 0
      while (waiting.some((fiber) => fiber.pollUnsafe() === undefined)) {
        most = Math.max(most, (yield* heldUp) ?? 0)
        assert.lengthOf(yield* Effect.timeout(sql`SELECT 1`, "1 second"), 1)
      }
      // Of a pool of six.
      assert.strictEqual(most, 2)

      const errors = yield* Effect.forEach(waiting, (fiber) => Fiber.join(fiber))
      assert.deepStrictEqual(
        errors.filter(({ _tag }) => _tag !== "SearchTimeout" && _tag !== "ServiceUnavailable"),
        []
      )
      assert.strictEqual(yield* heldUp, 0)
      yield* done.open
      yield* Fiber.join(holder)
      assert.strictEqual((yield* adSearch.search({ partnership_only: true })).pagination.total, 0)
    }).pipe(Effect.provide(searchesAndPool, { local: true }))
  )

  it.effect("a database that cannot be reached is told as such", () =>
    Effect.gen(function* () {
      const productSearch = yield* ProductSearch
      const error = yield* Effect.flip(productSearch.search({}, accountId))
      assert.strictEqual(error._tag, "ServiceUnavailable")
    }).pipe(
      Effect.provide(searchesOver({ source: { host: "/nowhere", username: "nobody", database: "none" } }), {
        local: true
      })
    )
  )
})
