/** What a search does when the catalog has changed meanwhile, and when the database is busy, slow or gone. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import * as Database from "../../../src/services/database/Database.ts"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import { AdSearch, ProductSearch, ShopSearch } from "../../../src/services/search/Searches.ts"
import { CatalogSearch } from "../../../src/services/search/CatalogSearch.ts"
import { SearchRunner } from "../../../src/services/search/SearchRunner.ts"
import { ShopReader } from "../../../src/services/search/ShopReader.ts"
import { TrackedShopReader } from "../../../src/services/search/TrackedShopReader.ts"
import * as Searches from "../../support/Searches.ts"
import { indexed, stampAndIndex, stampEverything } from "../../support/Stamps.ts"
import { recorded } from "../../support/Statements.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const accountId = 0 as AccountId

const services = Searches.layer.pipe(Layer.provideMerge(TestDatabase.layer))

/** Makes the catalog one store with `count` products that cost `price`, as one import would, and tells nobody. */
const become = Effect.fnUntraced(function* (count: number, price: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      const [catalog] = yield* sql<{ version: number }>`SELECT version FROM catalog FOR UPDATE`
      const version = (catalog?.version ?? 0) + 1
      yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country) VALUES (1, 'a.com', '.com', 'A', 'US')
        ON CONFLICT DO NOTHING`
      yield* sql`DELETE FROM product`
      yield* sql`INSERT INTO product (id, shop_id, key, title, price, version)
        SELECT n, 1, n, 'Desk tray ' || n, ${price}::int, ${version}::int FROM generate_series(1, ${count}::int) n`
      yield* stampEverything
    })
  )
})

const repeated = Metrics.searchesRepeated.value({})

/** The searches over an index that stays as it is, whoever waits for it. */
const overStillIndex = Layer.unwrap(
  Effect.map(CatalogSearch, (index) =>
    Layer.mergeAll(AdSearch.layer, ProductSearch.layer, ShopSearch.layer, ShopReader.layer).pipe(
      Layer.provide(SearchRunner.layer),
      Layer.provide(Layer.succeed(CatalogSearch, { ...index, awaitVersion: () => Effect.void })),
      Layer.fresh
    )
  )
)

const ownRunner = Layer.fresh(SearchRunner.layer)

layer(services, { excludeTestServices: true })("SearchRunner", (it) => {
  it.effect("a search sees a change that its records show, as soon as it is committed", () =>
    Effect.gen(function* () {
      const productSearch = yield* ProductSearch
      yield* become(1, 1)
      yield* indexed
      for (const [count, price] of [
        [3, 5],
        [4, 6],
        [2, 5]
      ] as const) {
        yield* become(count, price)
        // What was found is newer or gone.
        const { pagination, products } = yield* productSearch.search({}, accountId)
        assert.deepStrictEqual([pagination.total, products.length], [count, count])
        for (const min of [price, price + 1]) {
          const found = yield* productSearch.search({ price: { min, max: min } }, accountId)
          assert.strictEqual(found.pagination.total, min === price ? count : 0)
        }
      }
    })
  )

  it.effect("page and count are of one state, however often imports come in between", () =>
    Effect.gen(function* () {
      const productSearch = yield* ProductSearch
      yield* become(12, 10)
      yield* indexed
      const importing = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 60 }), (_, index) => (index % 2 === 0 ? become(12, 10) : become(7, 20)), {
          discard: true
        })
      )
      const seen = new Set<string>()
      let searches = 0
      while (importing.pollUnsafe() === undefined || searches < 20) {
        searches++
        if (searches % 5 === 0) yield* indexed
        const query = searches % 2 === 0 ? {} : { query: "desk" }
        const { pagination } = yield* productSearch.search({ ...query, sort_by: "price", per_page: 25 }, accountId)
        seen.add(JSON.stringify(pagination.total))
      }
      yield* Fiber.join(importing)
      assert.deepStrictEqual(Array.from(seen).sort(), ["12", "7"])
    })
  )

  it.effect("a niche can be asked for as soon as it is there, and not once it is gone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const adSearch = yield* AdSearch
      const refused = Effect.flip(adSearch.search({ niches: ["Desks"] }))
      assert.deepInclude(yield* refused, {
        _tag: "InvalidArguments",
        issues: [{ path: "niches.0", code: "unknown_niche", params: { value: "Desks" } }]
      })
      yield* sql`INSERT INTO niche VALUES (7, NULL, 'Desks')`
      yield* stampAndIndex
      assert.strictEqual((yield* adSearch.search({ niches: ["desks"] })).pagination.total, 0)
      yield* sql`DELETE FROM niche`
      yield* stampAndIndex
      assert.strictEqual((yield* refused)._tag, "InvalidArguments")
    })
  )

  it.effect("where the index stays behind, what is there is shown, and such answers are counted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const productSearch = yield* ProductSearch
      yield* become(5, 5)
      yield* indexed
      const before = yield* repeated
      assert.strictEqual((yield* productSearch.search({}, accountId)).products.length, 5)
      assert.strictEqual(yield* repeated, before)
      yield* become(2, 7)
      const { pagination, products } = yield* productSearch.search({}, accountId)
      assert.deepStrictEqual(
        [pagination.total, products.map(({ id, price }) => [id, price])],
        [
          5,
          [
            [1, 7],
            [2, 7]
          ]
        ]
      )
      assert.strictEqual(yield* repeated, before + 1)
      // A change of the store alone makes its products newer, and what the index does not read makes nothing newer.
      yield* indexed
      yield* sql`UPDATE product SET url = 'https://a.com/1'`
      yield* productSearch.search({}, accountId)
      assert.strictEqual(yield* repeated, before + 1)
      yield* sql`UPDATE shop SET version = version + 1000000`
      yield* productSearch.search({}, accountId)
      assert.strictEqual(yield* repeated, before + 2)
      yield* sql`UPDATE shop SET version = 0`
    }).pipe(Effect.provide(overStillIndex, { local: true }))
  )

  it.effect("a store that is not in the index yet is returned from the records, without figures", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country, monthly_revenue)
        VALUES (77, 'new.com', '.com', 'New', 'FR', 5)`
      yield* sql`INSERT INTO product (id, shop_id, key, title, price) VALUES (770, 77, 'a', 'New', 1)`
      const shop = yield* (yield* ShopReader).get(77, accountId)
      assert.deepInclude(shop, { name: "New", estimated_monthly_revenue: null, active_ads: 0 })
      const { products } = yield* (yield* ProductSearch).search({ shop_ids: [77] }, accountId)
      assert.deepStrictEqual(products, [])
    }).pipe(Effect.provide(overStillIndex, { local: true }))
  )

  it.effect("and with its figures and items once the index has been waited for", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [account] = yield* sql<{ id: number }>`
        INSERT INTO account (email, plan, status, created_at) VALUES ('n@example.com', 'starter', 'active', now()) RETURNING id`
      yield* sql`INSERT INTO tracked_shop (account_id, shop_id, kind) VALUES (${account?.id ?? 0}, 77, 'tracked')`
      yield* stampEverything
      const [first] = (yield* (yield* TrackedShopReader).page((account?.id ?? 0) as AccountId, 1)).shops
      assert.deepInclude(first, { id: 77, estimated_monthly_revenue: 5 })
      yield* sql`UPDATE shop SET monthly_revenue = 6, version = (SELECT version + 1 FROM catalog) WHERE id = 77`
      yield* stampEverything
      assert.deepInclude(yield* (yield* ShopReader).get(77, accountId), { estimated_monthly_revenue: 6 })
      yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country) VALUES (78, 'newer.com', '.com', 'N', 'FR')`
      yield* sql`INSERT INTO product (id, shop_id, key, title, price) VALUES (780, 78, 'a', 'Newer', 1)`
      yield* stampEverything
      // The page of a store reads its record first: whoever has it finds its products.
      yield* (yield* ShopReader).get(78, accountId)
      const { products } = yield* (yield* ProductSearch).search({ shop_ids: [78] }, accountId)
      assert.lengthOf(products, 1)
    })
  )

  it.effect("what searches read at the same time is one statement, in which each account has its own stores", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const shopSearch = yield* ShopSearch
      yield* become(1, 5)
      yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country) VALUES (2, 'b.com', '.com', 'B', 'US')
        ON CONFLICT DO NOTHING`
      yield* stampAndIndex
      const accounts = yield* Effect.forEach([1, 2], (shopId) =>
        Effect.gen(function* () {
          const [account] = yield* sql<{ id: AccountId }>`
            INSERT INTO account (email, plan, status, created_at)
            VALUES (${`shop${shopId}@discovery.test`}, 'starter', 'active', now()) RETURNING id`
          const id = account?.id ?? assert.fail()
          yield* sql`INSERT INTO tracked_shop (account_id, shop_id, kind) VALUES (${id}, ${shopId}, 'tracked')`
          return id
        })
      )
      const search = (account: AccountId, perPage: number) =>
        shopSearch.search({ shop_ids: [1, 2], per_page: perPage }, account)
      const { answer, statements } = yield* recorded(
        Effect.all([...accounts.map((account) => search(account, 25)), search(accountId, 1)], {
          concurrency: "unbounded"
        })
      )
      assert.lengthOf(statements, 1)
      assert.deepStrictEqual(
        answer.map(({ shops }) => shops.map(({ id, is_tracked: isTracked }) => [id, isTracked])),
        [
          [
            [1, true],
            [2, false]
          ],
          [
            [1, false],
            [2, true]
          ],
          [[1, false]]
        ]
      )
      yield* sql`DELETE FROM tracked_shop`
      yield* sql`DELETE FROM shop WHERE id = 2`
      yield* stampAndIndex
    })
  )

  it.effect(
    "many reads at once each get their own records, and a row that does not decode fails its own read only",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const runner = yield* SearchRunner
        const bad = 50
        const reader = runner.reader((wanted) =>
          sql<{
            request: number
            id: number
            version: number
          }>`SELECT w.request, w.id, 0 AS version FROM ${wanted}`.pipe(
            Effect.tap((rows) => (rows.some(({ id }) => id === bad) ? Effect.die("a bad row") : Effect.void))
          )
        )
        const ids = Array.from({ length: 100 }, (_, index) => index + 1)
        const exits = yield* Effect.all(
          ids.map((id) => Effect.exit(reader([id, id + 1_000]))),
          { concurrency: "unbounded" }
        )
        const found = exits.map((exit) => (Exit.isSuccess(exit) ? exit.value.map(({ id }) => id) : "failed"))
        assert.deepStrictEqual(
          found,
          ids.map((id) => (id === bad ? "failed" : [id, id + 1_000]))
        )
      }).pipe(Effect.provide(ownRunner, { local: true }))
  )

  it.effect("a statement ends with the last of its callers, and none begins for callers that are gone", () =>
    Effect.gen(function* () {
      const runner = yield* SearchRunner
      const statements = { begun: 0, ended: 0 }
      const reader = runner.reader<{ readonly id: number; readonly version: number }>(() =>
        Effect.suspend(() => {
          statements.begun++
          return Effect.never
        }).pipe(Effect.onInterrupt(() => Effect.sync(() => void statements.ended++)))
      )
      const fibers = yield* Effect.forEach(Array.from({ length: 60 }), (_, id) => Effect.forkChild(reader([id])))
      while (statements.begun < 2) yield* Effect.yieldNow
      yield* Fiber.interruptAll(fibers.slice(1))
      for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      // Of the first forty one waits, of the other twenty none.
      assert.deepStrictEqual(statements, { begun: 2, ended: 1 })
      yield* Fiber.interruptAll(fibers)
      while (statements.ended < 2) yield* Effect.yieldNow
      assert.strictEqual(statements.begun, 2)
    }).pipe(Effect.provide(ownRunner, { local: true }))
  )

  it.effect("a page of whose records none is left is empty, and one behind the last asks the database nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const productSearch = yield* ProductSearch
      yield* become(2, 5)
      yield* indexed
      const { statements } = yield* recorded(productSearch.search({ page: 20 }, accountId))
      assert.deepStrictEqual(statements, [])
      yield* sql`DELETE FROM product`
      const { products } = yield* productSearch.search({ query: "tray" }, accountId)
      assert.deepStrictEqual(products, [])
    })
  )
})

/** Searches, and the small pool that they share with others. */
const searchesAndPool = Layer.unwrap(
  Effect.map(TestDatabase, ({ connection }) =>
    Layer.fresh(Searches.layer).pipe(
      Layer.provideMerge(Database.layer({ source: connection, maxConnections: 6, statementTimeoutMillis: 500 }))
    )
  )
)

layer(TestDatabase.layer, { excludeTestServices: true })("records that are held up", (it) => {
  it.effect("leave connections for other work, and searches without results continue", () =>
    Effect.gen(function* () {
      const { connection } = yield* TestDatabase
      const other = yield* Layer.build(Layer.fresh(Database.layer({ source: connection, maxConnections: 2 })))
      const outside = Context.get(other, SqlClient.SqlClient)
      const sql = yield* SqlClient.SqlClient
      const productSearch = yield* ProductSearch
      yield* become(12, 5)
      yield* indexed
      const locked = yield* Latch.make(false)
      const done = yield* Latch.make(false)
      const holder = yield* outside`LOCK TABLE product IN ACCESS EXCLUSIVE MODE`.pipe(
        Effect.andThen(locked.open),
        Effect.andThen(done.await),
        outside.withTransaction,
        Effect.forkScoped
      )
      yield* locked.await
      const heldUp = outside<{ count: number }>`SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(Effect.map(([row]) => row?.count))

      // What begins at once is one statement.
      const waiting = yield* Effect.forEach(Array.from({ length: 12 }), (_, index) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(
            Effect.flip(productSearch.search({ query: `tray ${index + 1}` }, accountId))
          )
          const wanted = Math.min(index + 1, 2)
          while (((yield* heldUp) ?? 0) < wanted) yield* Effect.yieldNow
          return fiber
        })
      )
      let most = 0
      while (waiting.some((fiber) => fiber.pollUnsafe() === undefined)) {
        most = Math.max(most, (yield* heldUp) ?? 0)
        assert.lengthOf(yield* Effect.timeout(sql`SELECT 1`, "1 second"), 1)
        assert.strictEqual((yield* productSearch.search({ query: "nothing" }, accountId)).pagination.total, 0)
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
      assert.strictEqual((yield* productSearch.search({ query: "tray 3" }, accountId)).pagination.total, 1)
    }).pipe(Effect.provide(searchesAndPool, { local: true }))
  )
})
