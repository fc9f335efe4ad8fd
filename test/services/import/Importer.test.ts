import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { decode } from "../../../src/domain/catalog/Records.ts"
import { GroupLimits } from "../../../src/services/import/GroupLoader.ts"
import { Importer } from "../../../src/services/import/Importer.ts"
import type { ImportChunk, ImportRow, Reject } from "../../../src/services/import/ImportSource.ts"
import * as Database from "../../../src/services/database/Database.ts"
import { DerivedData } from "../../../src/services/search/DerivedData.ts"
import { assertAsFromScratch } from "../../support/FromScratch.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const Services = Importer.layer.pipe(Layer.provideMerge(DerivedData.layer))

/** Every test has a database of its own: what is in the catalogue decides how an import goes. */
const onFreshDatabase = <A, E>(
  effect: Effect.Effect<A, E, Importer | DerivedData | SqlClient.SqlClient | TestDatabase>
) => Effect.provide(effect, Services.pipe(Layer.provideMerge(TestDatabase.layer)), { local: true })

const shop = (domain: string, changes: object = {}) => ({
  type: "shop",
  domain,
  name: domain,
  country: "US",
  ...changes
})
const month = (shop: string, month: string, visits: number) => ({ type: "traffic_month", shop, month, visits })
const product = (shop: string, key: string, changes: object = {}) => ({
  type: "product",
  shop,
  key,
  title: `Product ${key}`,
  price: 10,
  ...changes
})
const ad = (key: string, shop: string | null, changes: object = {}) => ({
  type: "ad",
  key,
  shop,
  page_name: "Page",
  status: "active",
  media_type: "image",
  started_on: "2026-01-01",
  last_seen_on: "2026-02-01",
  ...changes
})
const niche = (id: number, name: string, parent_id: number | null = null) => ({ type: "niche", id, name, parent_id })

const chunk = (records: ReadonlyArray<object>): ImportChunk => ({
  rows: records.map((record, index): ImportRow => ({
    line: index + 1,
    record: Result.getOrThrowWith(decode(record), (issues) => new Error(JSON.stringify(issues)))
  })),
  rejects: [],
  skipped: 0,
  position: records.length
})

const run = Effect.fnUntraced(function* (source: ReadonlyArray<object> | ImportChunk, maxRejects = 100) {
  const importer = yield* Importer
  const rejects: Array<Reject> = []
  const report = yield* importer.run(Stream.succeed("rows" in source ? source : chunk(source)), {
    maxRejects,
    onRejects: (more) => Effect.sync(() => void rejects.push(...more)),
    onProgress: () => Effect.void
  })
  return { ...report, rejects: rejects.map(({ field, line, reason }) => `${line} ${field}: ${reason}`) }
})

/** Every stored row with the transaction that wrote it: a row that was written again is another one. */
const versions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* Effect.forEach(
    ["niche", "shop", "traffic_month", "product", "ad", "shop_search", "product_search", "ad_search", "catalogue"],
    (table) => sql<{ version: string }>`SELECT xmin || ' ' || t::text AS version FROM ${sql(table)} AS t ORDER BY 1`
  )
  return tables.map((rows) => rows.map(({ version }) => version))
})

/** What searches read is what the records say. */
const assertInStep = Effect.gen(function* () {
  const derived = yield* DerivedData
  const { version: _, ...changes } = yield* derived.verify
  assert.deepStrictEqual(changes, { shops: 0, products: 0, ads: 0, names: 0 })
})

const small = [
  niche(1, "Home"),
  niche(2, "Lamps", 1),
  shop("a.com", {
    niche: 2,
    currency: "USD",
    apps: ['Quote " App', "Back\\slash", "Ünï, {code}"],
    languages: ["English"]
  }),
  shop("b.co.uk", { country: "GB" }),
  month("a.com", "2026-01", 100),
  month("a.com", "2026-02", 150),
  product("a.com", "1", {
    created_at: "2026-01-01T00:00:00+02:00",
    details: { variants: [{ price: 10, title: "S" }] }
  }),
  product("a.com", "2", { price: 0.1 }),
  product("b.co.uk", "1"),
  ad("x", "a.com", { cta: "Shop Now" }),
  ad("y", null, { status: "inactive" })
]

layer(Layer.empty, { excludeTestServices: true })("Importer", (it) => {
  it.effect("writes every field of every record", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const report = yield* run(small)
        assert.deepInclude(report, { accepted: 11, rejected: 0, rejects: [] })
        assert.deepStrictEqual(report.tallies, {
          niche: { added: 2, changed: 0 },
          shop: { added: 2, changed: 0 },
          traffic_month: { added: 2, changed: 0 },
          product: { added: 3, changed: 0 },
          ad: { added: 2, changed: 0 }
        })
        const [stored] = yield* sql`
          SELECT domain, domain_extension, niche_id, currency, apps, languages, theme FROM shop WHERE domain = 'a.com'`
        assert.deepStrictEqual(stored, {
          domain: "a.com",
          domain_extension: ".com",
          niche_id: 2,
          currency: "USD",
          apps: ['Quote " App', "Back\\slash", "Ünï, {code}"],
          languages: ["English"],
          theme: null
        })
        const products = yield* sql`
          SELECT key, price, created_at::text AS created_at, details -> 'variants' -> 0 ->> 'title' AS variant
          FROM product JOIN shop ON shop.id = shop_id WHERE domain = 'a.com' ORDER BY key`
        assert.deepStrictEqual(products, [
          { key: "1", price: 10, created_at: "2025-12-31 22:00:00+00", variant: "S" },
          { key: "2", price: 0.1, created_at: null, variant: null }
        ])
        yield* assertInStep
      })
    )
  )

  it.effect("changes nothing when the same is imported again, by the first load and by batches", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* run(small)
        const before = yield* versions
        const report = yield* run(small)
        assert.deepStrictEqual(yield* versions, before)
        assert.isTrue(Object.values(report.tallies).every(({ added, changed }) => added + changed === 0))
        // The first load derives everything at its end, batches what they touched: both must come to the same.
        yield* assertInStep
      })
    )
  )

  it.effect("writes what differs and nothing else, and derives it anew", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* run(small)
        const recordRows = Effect.map(versions, (tables) => tables.slice(0, 5).flat())
        const before = yield* recordRows
        const report = yield* run([
          ...small.slice(0, 7),
          product("a.com", "2", { price: 0.2 }),
          ad("x", "b.co.uk", { cta: "Shop Now" }),
          month("a.com", "2026-03", 0)
        ])
        assert.deepStrictEqual(report.tallies.product, { added: 0, changed: 1 })
        assert.deepStrictEqual(report.tallies.ad, { added: 0, changed: 1 })
        assert.deepStrictEqual(report.tallies.traffic_month, { added: 1, changed: 0 })
        const after = new Set(yield* recordRows)
        assert.deepStrictEqual(
          before.filter((row) => !after.has(row)).map((row) => /Product 2|Page/.exec(row)?.[0]),
          ["Product 2", "Page"]
        )
        assert.strictEqual(after.size, before.length + 1)
        const shops = yield* sql`SELECT n_ads FROM shop_search JOIN shop USING (id) ORDER BY domain`
        assert.deepStrictEqual(shops, [{ n_ads: 0 }, { n_ads: 1 }])
        yield* assertInStep
      })
    )
  )

  it.effect("moves ads between stores, out of them and back: both sides follow", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* run(small)
        for (const moved of [
          ad("x", "b.co.uk"),
          ad("x", "a.com"),
          ad("x", null),
          ad("y", null),
          ad("y", "a.com"),
          ad("x", "b.co.uk")
        ]) {
          yield* run([moved])
          yield* assertInStep
        }
      })
    )
  )

  it.effect("forgets what a later record does not say", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* run(small)
        yield* run([shop("a.com")])
        assert.deepStrictEqual(yield* sql`SELECT niche_id, currency, apps FROM shop WHERE domain = 'a.com'`, [
          { niche_id: null, currency: null, apps: [] }
        ])
        yield* assertInStep
      })
    )
  )

  it.effect("lets a storefront add to a store what it knows, and leaves the figures alone", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* run([shop("a.com", { monthly_revenue: 5, currency: "USD", products_count: 9 })])
        const storefront = {
          type: "storefront_shop" as const,
          domain: "a.com",
          name: "Renamed",
          country: "CA",
          currency: null,
          products_count: null
        }
        const source = (record: ImportRow["record"]): ImportChunk => ({ ...chunk([]), rows: [{ line: 1, record }] })
        assert.deepStrictEqual((yield* run(source(storefront))).tallies.shop, { added: 0, changed: 1 })
        assert.deepStrictEqual(yield* sql`SELECT name, country, currency, monthly_revenue, products_count FROM shop`, [
          { name: "Renamed", country: "CA", currency: "USD", monthly_revenue: 5, products_count: 9 }
        ])
        yield* assertInStep
        assert.deepStrictEqual((yield* run(source(storefront))).tallies.shop, { added: 0, changed: 0 })
        const news = { ...storefront, domain: "new.com", currency: "CAD" }
        const { rows } = source(news)
        const both = { ...source(news), rows: [...rows, ...chunk([product("new.com", "1")]).rows] }
        assert.deepStrictEqual((yield* run(both)).tallies.product, { added: 1, changed: 0 })
        yield* assertInStep
      })
    )
  )

  it.effect("takes the last of several records with one key", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* run([
          shop("a.com", { name: "First" }),
          product("a.com", "1", { price: 1 }),
          shop("a.com", { name: "Last" }),
          product("a.com", "1", { price: 2 })
        ])
        assert.deepStrictEqual(yield* sql`SELECT name, price FROM shop JOIN product ON shop_id = shop.id`, [
          { name: "Last", price: 2 }
        ])
      })
    )
  )

  it.effect("rejects what refers to something unknown, or known only later, wherever a batch begins", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const { accepted, rejects } = yield* run([
          product("a.com", "1"),
          shop("a.com", { niche: 7 }),
          shop("b.com"),
          product("b.com", "1"),
          month("c.com", "2026-01", 1),
          ad("x", "c.com"),
          shop("c.com"),
          niche(3, "Child", 4),
          niche(4, "Parent"),
          niche(5, "PARENT"),
          niche(4, "Parent", 4)
        ])
        assert.strictEqual(accepted, 4)
        assert.deepStrictEqual(rejects, [
          "1 shop: no store a.com is known; its record must come earlier",
          "2 niche: no niche 7 is known; its record must come earlier",
          "5 shop: no store c.com is known; its record must come earlier",
          "6 shop: no store c.com is known; its record must come earlier",
          "8 parent_id: no niche 4 is known; its record must come earlier",
          "10 name: niche 4 has this name already",
          "11 parent_id: niche 4 is niche 4 itself, or below it"
        ])
        yield* assertInStep
      })
    )
  )

  it.effect("rejects the one row that only the database can tell is bad, and loads the others", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* run([shop("a.com")])
        yield* sql`ALTER TABLE product ADD CONSTRAINT no_thirteen CHECK (key NOT IN ('13', '700'))`
        const { accepted, rejects, tallies } = yield* run(
          Array.from({ length: 1_000 }, (_, index) => product("a.com", String(index)))
        )
        assert.deepStrictEqual(
          rejects.map((reject) => reject.split(": new row", 1)[0]),
          ["14 : the database refused it", "701 : the database refused it"]
        )
        assert.deepStrictEqual([accepted, tallies.product.added], [998, 998])
        yield* assertInStep
      })
    )
  )

  it.effect("commits what comes store by store by and by, and what is scattered over many stores at once", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const version = Effect.map(
          sql<{ version: number }>`SELECT version FROM catalogue`,
          ([row]) => row?.version ?? 0
        )
        const domains = Array.from({ length: 300 }, (_, index) => `shop${index}.com`)
        yield* run(domains.map((domain) => shop(domain)))
        const before = yield* version
        const inOrder = domains.flatMap((domain) =>
          Array.from({ length: 20 }, (_, index) => product(domain, String(index), { title: "Lamp" }))
        )
        const scattered = inOrder.toSorted((a, b) => Number(a.key) - Number(b.key))
        assert.strictEqual((yield* run(scattered)).tallies.product.added, 6_000)
        assert.strictEqual(yield* version, before + 1)
        const few = domains.slice(0, 100)
        const again = few.flatMap((domain) =>
          Array.from({ length: 60 }, (_, index) => product(domain, String(index), { title: "Chair" }))
        )
        assert.strictEqual((yield* run(again)).accepted, 6_000)
        assert.strictEqual(yield* version, before + 3)
        yield* assertInStep
      }).pipe(Effect.provideService(GroupLimits, { minWrittenRows: 2_000, maxRows: 250_000 }))
    )
  )

  it.effect("commits a file by and by, however little of it is new", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const version = Effect.map(
          sql<{ version: number }>`SELECT version FROM catalogue`,
          ([row]) => row?.version ?? 0
        )
        const records = (price: (index: number) => number) => [
          shop("a.com"),
          ...Array.from({ length: 12_000 }, (_, index) => product("a.com", String(index), { price: price(index) }))
        ]
        yield* run(records(() => 10))
        const before = yield* version
        yield* run(records((index) => (index % 1_000 === 0 ? 11 : 10)))
        assert.strictEqual(yield* version, before + 2)
      }).pipe(Effect.provideService(GroupLimits, { minWrittenRows: 100_000, maxRows: 10_000 }))
    )
  )

  it.effect("leaves nothing for searches to be slowed down by", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const vacuums = Effect.map(
          sql<{ count: number }>`
            SELECT vacuum_count::int AS count FROM pg_stat_user_tables WHERE relname = 'product_search'`,
          ([row]) => row?.count
        )
        const products = (count: number, price: number) =>
          Array.from({ length: count }, (_, index) => product("a.com", String(index), { price }))
        yield* run([shop("a.com"), ...products(1_000, 1)])
        assert.strictEqual(yield* vacuums, 1)
        yield* run(products(900, 2))
        assert.strictEqual(yield* vacuums, 2)
        yield* run(products(3, 3))
        assert.strictEqual(yield* vacuums, 2)
        assert.deepStrictEqual(yield* sql`SELECT gin_clean_pending_list('product_search_words')::int AS pages`, [
          { pages: 0 }
        ])
        // Every connection of the pool, whichever it was.
        const limits = yield* Effect.all(
          Array.from(
            { length: 10 },
            () => sql`SELECT current_setting('statement_timeout') AS limit, pg_sleep(0.1)::text`
          ),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(limits.map(([row]) => row?.["limit"])), new Set(["5s"]))
      })
    )
  )

  it.effect("stops at too many rejects, and a first load then leaves nothing behind", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const importer = yield* Importer
        const bad = Array.from({ length: 4 }, (_, index) => product("nowhere.com", String(index)))
        const error = yield* Effect.flip(run([shop("a.com"), ...bad], 3))
        assert.strictEqual(error._tag, "TooManyRejects")
        assert.isTrue(yield* importer.isEmpty)
        assert.strictEqual((yield* run([shop("a.com"), ...bad], 4)).rejected, 4)
        assert.isFalse(yield* importer.isEmpty)
      })
    )
  )

  it.effect("leaves nothing of a first load that is interrupted", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const importer = yield* Importer
        const isRead = yield* Deferred.make<void>()
        const rows = chunk(Array.from({ length: 6_000 }, (_, index) => shop(`shop${index}.com`)))
        const source = Stream.concat(
          Stream.succeed(rows),
          Stream.fromEffect(Effect.andThen(Deferred.succeed(isRead, undefined), Effect.never))
        )
        const fiber = yield* Effect.forkChild(
          importer.run(source, { maxRejects: 0, onRejects: () => Effect.void, onProgress: () => Effect.void })
        )
        yield* Deferred.await(isRead)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(yield* importer.isEmpty)
        assert.strictEqual((yield* run(small)).accepted, small.length)
      })
    )
  )

  it.effect("refuses to run beside another import, and runs when that has ended", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const importer = yield* Importer
        const isReading = yield* Deferred.make<void>()
        const mayEnd = yield* Deferred.make<void>()
        const slow = Stream.fromEffect(
          Effect.as(Effect.andThen(Deferred.succeed(isReading, undefined), Deferred.await(mayEnd)), chunk(small))
        )
        const first = yield* Effect.forkChild(
          importer.run(slow, { maxRejects: 0, onRejects: () => Effect.void, onProgress: () => Effect.void })
        )
        yield* Deferred.await(isReading)
        assert.strictEqual((yield* Effect.flip(run(small)))._tag, "ImportRunning")
        yield* Deferred.succeed(mayEnd, undefined)
        assert.strictEqual((yield* Fiber.join(first)).accepted, small.length)
        // A lock that is left behind would keep out all but the connection that has it.
        const sql = yield* SqlClient.SqlClient
        // Other tests import into databases of their own on the same server.
        const left = yield* sql`
          SELECT l.objid FROM pg_locks l JOIN pg_database d ON d.oid = l.database
          WHERE l.locktype = 'advisory' AND d.datname = current_database()`
        assert.deepStrictEqual(left, [])
        assert.strictEqual((yield* run(small)).accepted, small.length)
      })
    )
  )

  it.effect("does not wait for readers, and shows them a batch only as a whole", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* run(small)
        const count = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`
            SELECT (SELECT count(*)::int FROM product) AS records, (SELECT sum(n_products)::int FROM shop_search) AS derived`
        )
        const { connection } = yield* TestDatabase
        yield* Effect.gen(function* () {
          const reader = yield* SqlClient.SqlClient
          yield* reader.withTransaction(
            Effect.gen(function* () {
              yield* reader`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
              const before = yield* count
              yield* run(Array.from({ length: 2_000 }, (_, index) => product("a.com", `new ${index}`)))
              assert.deepStrictEqual(yield* count, before)
            })
          )
          assert.deepStrictEqual(yield* count, [{ records: 2_003, derived: 2_003 }])
        }).pipe(Effect.provide(Database.layer({ source: connection, maxConnections: 1 })))
      })
    )
  )

  const small3 = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
  const Steps = Schema.Array(
    Schema.Struct({
      what: Schema.Literals(["shop", "month", "product", "ad", "loose ad", "niche"]),
      shop: small3,
      key: small3,
      value: small3,
      endsImport: Schema.Boolean
    })
  ).check(Schema.isMinLength(1), Schema.isMaxLength(30))

  const toRecord = ({ key, shop: number, value, what }: (typeof Steps.Type)[number]): object => {
    const domain = `shop${number}.com`
    switch (what) {
      case "shop":
        return shop(domain, {
          name: `Name ${value}`,
          theme: value === 0 ? null : `Theme ${value}`,
          apps: [`App ${key}`, `App ${value}`],
          monthly_revenue: value === 3 ? null : value,
          country: value === 2 ? "DE" : "US"
        })
      case "month":
        return month(domain, `2026-0${key + 1}`, value * 10)
      case "product":
        return product(domain, String(key), { title: `Lamp ${value}`, price: value })
      case "ad":
        return ad(`ad ${key}`, domain, { headline: `Sale ${value}`, status: value > 1 ? "active" : "inactive" })
      case "loose ad":
        return ad(`ad ${key}`, null, { headline: `Sale ${value}` })
      case "niche":
        return niche(key + 1, `Niche ${value}`)
    }
  }

  it.effect.prop(
    "keeps what searches read in step with the records, whatever is imported in whatever order",
    [Steps],
    ([steps]) =>
      onFreshDatabase(
        Effect.gen(function* () {
          const records: Array<object> = []
          for (const step of steps) {
            records.push(toRecord(step))
            if (step.endsImport) yield* run(records.splice(0))
          }
          yield* run(records)
          yield* assertInStep
          yield* assertAsFromScratch
        })
      ),
    { arbitrary: { runs: 30 } }
  )
})
