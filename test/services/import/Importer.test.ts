import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { decode } from "../../../src/domain/catalog/Records.ts"
import { GroupLimits } from "../../../src/services/import/GroupLoader.ts"
import { UnreadableInput } from "../../../src/services/import/ImportError.ts"
import { Importer } from "../../../src/services/import/Importer.ts"
import type { ImportOptions } from "../../../src/services/import/Importer.ts"
import type { ImportChunk, ImportRow, Reject } from "../../../src/services/import/ImportSource.ts"
import * as Niches from "../../../src/services/import/Niches.ts"
import * as Pacing from "../../../src/services/import/Pacing.ts"
import { Sources } from "../../../src/services/import/Sources.ts"
import * as Database from "../../../src/services/database/Database.ts"
import { eventually } from "../../support/RunningQueries.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const provenance = { source: "test", license: null, asOf: "2026-02-01" }

/** Every test has its own database, because an import depends on the catalog. */
const onFreshDatabase = <A, E>(effect: Effect.Effect<A, E, Importer | Sources | SqlClient.SqlClient | TestDatabase>) =>
  Effect.provide(effect, Layer.merge(Importer.layer, Sources.layer).pipe(Layer.provideMerge(TestDatabase.layer)), {
    local: true
  })

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
  position: records.length
})

const run = Effect.fnUntraced(function* (
  source: ReadonlyArray<object> | ImportChunk,
  maxRejects = 100,
  options: Partial<ImportOptions> = {}
) {
  const importer = yield* Importer
  const rejects: Array<Reject> = []
  const report = yield* importer.run(Stream.succeed("rows" in source ? source : chunk(source)), {
    provenance,
    maxRejects,
    onRejects: (more) => Effect.sync(() => void rejects.push(...more)),
    onProgress: () => Effect.void,
    ...options
  })
  return {
    ...report,
    rejects: rejects.map(({ field, file = "", line, reason }) => `${file}${line} ${field}: ${reason}`)
  }
})

/** Every stored row with the transaction that wrote it, which shows rows that were written again. */
const versions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* Effect.forEach(
    ["niche", "shop", "traffic_month", "product", "ad", "shop_change", "catalog", "catalog_version"],
    (table) => sql<{ version: string }>`SELECT xmin || ' ' || t::text AS version FROM ${sql(table)} AS t ORDER BY 1`
  )
  return tables.map((rows) => rows.map(({ version }) => version))
})

const version = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ version: number }>`SELECT version FROM catalog`, ([row]) => row?.version ?? 0)
)

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

/** Far more than are imported while reads are counted. */
const many = 2_000
const few = 20
/** How many rows are read for one record at most: what it refers to, and itself to compare and to write it. */
const readsOfARecord = 8
/** How many for an ad that gets its store: itself to find and to write it. */
const readsOfALink = 3
const times = <A>(count: number, make: (at: number) => A) => Array.from({ length: count }, (_, at) => make(at))

/** Ads as they are in an ad library. */
const libraryAds = (
  ads: ReadonlyArray<{ key: string; shop?: string; page: string; target?: string }>
): ImportChunk => ({
  ...chunk([]),
  rows: ads.map(({ key, page, shop, target }, index): ImportRow => {
    const landing_url = target === undefined ? null : `https://${target}/`
    const record = chunk([ad(key, shop ?? null, { landing_url })]).rows[0]?.record
    if (record?.type !== "ad") throw new Error("expected an ad")
    return { line: index + 1, record: { type: "library_ad", ad: record, page_id: page, caption: null } }
  })
})

/** How many rows of the catalog an effect reads. */
const readBy = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const read = Effect.map(
    sql<{ n: number }>`
      SELECT sum(seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_user_tables
      WHERE relname IN ('shop', 'traffic_month', 'product', 'ad', 'page_store')`,
    ([row]) => row?.n ?? 0
  )
  return yield* Effect.gen(function* () {
    const before = yield* read
    const answer = yield* effect
    return { answer, rows: (yield* read) - before }
  }).pipe(sql.withTransaction)
})

/** How the planner's statistics come to know little of what is stored, beside the store `a.com`. */
const staleStatistics = {
  "know of one record only": run([shop("a.com"), product("a.com", "0", { alias: "a-0" }), ad("0", "a.com")]),
  "say that there is none": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const importer = yield* Importer
    yield* run([shop("a.com")])
    const records = times(many, (at) => [
      shop(`${at}.com`),
      product("a.com", `${at}`, { alias: `a-${at}` }),
      ad(`${at}`, null)
    ])
    const cut = new UnreadableInput({ message: "cut off" })
    yield* Effect.flip(
      importer.run(Stream.concat(Stream.succeed(chunk(records.flat())), Stream.fail(cut)), {
        provenance,
        maxRejects: 0,
        onRejects: () => Effect.void,
        onProgress: () => Effect.void
      })
    )
    yield* sql`ANALYZE shop, product, ad`
    assert.lengthOf(
      yield* sql`SELECT FROM pg_class WHERE relname IN ('product', 'ad') AND reltuples = 0 AND relpages > 0`,
      2
    )
  })
}

layer(Layer.empty, { excludeTestServices: true })("Importer", (it) => {
  it.effect("counts the records of a first load by their tables", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const report = yield* run(small)
        assert.deepInclude(report, { accepted: 11, rejected: 0, rejects: [] })
        assert.deepStrictEqual(report.tallies, {
          niche: { added: 2, changed: 0, removed: 0 },
          category: { added: 0, changed: 0, removed: 0 },
          shop: { added: 2, changed: 0, removed: 0 },
          traffic_month: { added: 2, changed: 0, removed: 0 },
          product: { added: 3, changed: 0, removed: 0 },
          ad: { added: 2, changed: 0, removed: 0 }
        })
      })
    )
  )

  it.effect("D58 changes nothing when the same is imported again, by the first load and by batches", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* run(small)
        const before = yield* versions
        const report = yield* run(small)
        assert.deepStrictEqual(yield* versions, before)
        assert.isTrue(Object.values(report.tallies).every(({ added, changed }) => added + changed === 0))
      })
    )
  )

  it.effect("writes what differs and nothing else", () =>
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
        assert.deepStrictEqual(report.tallies.product, { added: 0, changed: 1, removed: 0 })
        assert.deepStrictEqual(report.tallies.ad, { added: 0, changed: 1, removed: 0 })
        assert.deepStrictEqual(report.tallies.traffic_month, { added: 1, changed: 0, removed: 0 })
        const after = new Set(yield* recordRows)
        assert.deepStrictEqual(
          before.filter((row) => !after.has(row)).map((row) => /Product 2|Page/.exec(row)?.[0]),
          ["Product 2", "Page"]
        )
        assert.strictEqual(after.size, before.length + 1)
        assert.deepStrictEqual(
          yield* sql`SELECT domain FROM shop_change JOIN shop ON id = shop_id WHERE items_version = 2 ORDER BY domain`,
          [{ domain: "a.com" }, { domain: "b.co.uk" }]
        )
      })
    )
  )

  it.effect("adds what a storefront knows to a store, and keeps the store's figures", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* run([shop("a.com", { monthly_revenue: 5, currency: "USD", products_count: 9 })])
        const storefront = {
          type: "partial_shop" as const,
          domain: "a.com",
          name: "Renamed",
          country: "CA"
        }
        const source = (record: ImportRow["record"]): ImportChunk => ({ ...chunk([]), rows: [{ line: 1, record }] })
        assert.deepStrictEqual((yield* run(source(storefront))).tallies.shop, { added: 0, changed: 1, removed: 0 })
        assert.deepStrictEqual(yield* sql`SELECT name, country, currency, monthly_revenue, products_count FROM shop`, [
          { name: "Renamed", country: "CA", currency: "USD", monthly_revenue: 5, products_count: 9 }
        ])
        assert.deepStrictEqual((yield* run(source(storefront))).tallies.shop, { added: 0, changed: 0, removed: 0 })
        const news = { ...storefront, domain: "new.com", currency: "CAD" }
        const { rows } = source(news)
        const both = { ...source(news), rows: [...rows, ...chunk([product("new.com", "1")]).rows] }
        assert.deepStrictEqual((yield* run(both)).tallies.product, { added: 1, changed: 0, removed: 0 })
      })
    )
  )

  it.effect(
    "an ad belongs to the store that it names, else to the one at its landing page, else to that of its page",
    () =>
      onFreshDatabase(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const domains = ["named.com", "shop.landing.com", "landing.com", "page.com"]
          yield* run(domains.map((domain) => shop(domain)))
          yield* run(libraryAds([{ key: "known", page: "known page", target: "page.com" }]))
          const targets = [
            { target: "shop.landing.com", ofTarget: "shop.landing.com" },
            { target: "other.landing.com", ofTarget: "landing.com" },
            { target: "unknown.com", ofTarget: undefined },
            { target: undefined, ofTarget: undefined }
          ]
          const cases = targets.flatMap(({ ofTarget, target }) =>
            [undefined, "named.com"].flatMap((named) =>
              ["known page", "another"].map((page) => ({
                key: [named, target, page].join(),
                // A page of each ad's own, unless it is the known one.
                page: page === "another" ? [named, target].join() : page,
                store: named ?? ofTarget ?? (page === "another" ? null : "page.com"),
                ...(named === undefined ? {} : { shop: named }),
                ...(target === undefined ? {} : { target })
              }))
            )
          )
          // One by one, so that no ad of the same import shows the store of a page.
          for (const one of cases) {
            yield* run(libraryAds([one]))
            yield* sql`UPDATE page_store SET shop_id = (SELECT id FROM shop WHERE domain = 'page.com') WHERE page_id = 'known page'`
          }
          // Two ads of one page in one import, of which each leads to a store.
          const pair = ["page.com", "landing.com"].map((target) => ({
            key: target,
            page: "both",
            target,
            store: target
          }))
          yield* run(libraryAds(pair))
          cases.push(...pair)
          assert.deepStrictEqual(
            yield* sql`SELECT a.key, s.domain AS store FROM ad a LEFT JOIN shop s ON s.id = a.shop_id WHERE key <> 'known' ORDER BY a.id`,
            cases.map(({ key, store }) => ({ key, store }))
          )
        })
      )
  )

  it.effect("uses the last of several records with one key", () =>
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

  it.effect("stores products with the longest handle of the platform, in any script", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const handles = ["o", "机", "🪑"].map((character) => character.repeat(255))
        const products = handles.map((handle) => product("a.com", handle, { alias: handle }))
        const { accepted, rejects } = yield* run([shop("a.com"), ...products])
        assert.deepStrictEqual([accepted, rejects], [4, []])
      })
    )
  )

  it.effect("rejects references to unknown or later records, wherever a batch begins", () =>
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
      })
    )
  )

  it.effect("rejects the one row that only the database can detect as invalid, and loads the others", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* run([shop("a.com")])
        yield* sql`ALTER TABLE product ADD CONSTRAINT no_thirteen CHECK (key NOT IN ('13', '700'))`
        const products = chunk(Array.from({ length: 1_000 }, (_, index) => product("a.com", String(index))))
        const { accepted, rejects, tallies } = yield* run({
          ...products,
          rows: products.rows.map((row) => ({ ...row, file: "a:" }))
        })
        assert.deepStrictEqual(
          rejects.map((reject) => reject.split(": new row", 1)[0]),
          ["a:14 : the database refused it", "a:701 : the database refused it"]
        )
        assert.deepStrictEqual([accepted, tallies.product.added], [998, 998])
      })
    )
  )

  it.effect("commits a file in several transactions, however little of it is new", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const records = (price: (index: number) => number) => [
          shop("a.com"),
          ...Array.from({ length: 12_000 }, (_, index) => product("a.com", String(index), { price: price(index) }))
        ]
        yield* run(records(() => 10))
        assert.strictEqual(yield* version, 1)
        yield* run(records((index) => (index % 1_000 === 0 ? 11 : 10)))
        assert.strictEqual(yield* version, 3)
      }).pipe(Effect.provideService(GroupLimits, { rows: 10_000, millis: 3_600_000 }))
    )
  )

  it.effect("D108 may pause after each batch, but not in the first load, which nobody can search", () => {
    let batches = 0
    const pacing = { look: Effect.void, pauseAfter: () => Effect.sync(() => void batches++) }
    return onFreshDatabase(
      Effect.gen(function* () {
        yield* run(small)
        assert.strictEqual(batches, 0)
        yield* run(Array.from({ length: 5_001 }, (_, index) => product("a.com", `more ${index}`)))
        assert.strictEqual(batches, 2)
      }).pipe(Effect.provideService(Pacing.Pacer, () => Effect.succeed(pacing)))
    )
  })

  it.effect("D108 goes on when it cannot look for calls", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* run(small)
        yield* sql`DROP TABLE activity_writer CASCADE`
        const { tallies } = yield* run([product("a.com", "3")])
        assert.strictEqual(tallies.product.added, 1)
      })
    )
  )

  it.effect("commits while it waits for its input", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const importer = yield* Importer
        const mayEnd = yield* Deferred.make<void>()
        yield* run(small)
        const batch = (title: string) =>
          Array.from({ length: 5_000 }, (_, index) => product("a.com", `${title} ${index}`))
        const source = Stream.concat(
          Stream.succeed(chunk(batch("early"))),
          Stream.fromEffect(Effect.as(Deferred.await(mayEnd), chunk(batch("late"))))
        )
        const fiber = yield* Effect.forkChild(
          importer.run(source, {
            provenance,
            maxRejects: 0,
            onRejects: () => Effect.void,
            onProgress: () => Effect.void
          })
        )
        yield* eventually(Effect.filterOrFail(version, (current) => current === 2))
        yield* Deferred.succeed(mayEnd, undefined)
        assert.strictEqual((yield* Fiber.join(fiber)).tallies.product.added, 10_000)
        assert.strictEqual(yield* version, 3)
      }).pipe(Effect.provideService(GroupLimits, { rows: 50_000, millis: 100 }))
    )
  )

  it.effect("deletes versions that are older than 30 days, and changes nothing else", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* run(small)
        yield* run([product("a.com", "3")])
        yield* sql`UPDATE catalog_version SET committed_at = now() - interval '31 days' WHERE version < 2`
        yield* run(small)
        assert.deepStrictEqual(yield* sql`SELECT version, oldest_version FROM catalog`, [
          { version: 2, oldest_version: 1 }
        ])
        assert.deepStrictEqual(yield* sql`SELECT version FROM catalog_version ORDER BY 1`, [
          { version: 1 },
          { version: 2 }
        ])
      })
    )
  )

  it.effect("does not change the settings of the pool's connections", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // On every connection of the pool.
        const limits = Effect.map(
          Effect.all(
            Array.from(
              { length: 10 },
              () => sql`
                SELECT current_setting('statement_timeout') || current_setting('enable_hashjoin') AS limits, pg_sleep(0.1)::text`
            ),
            { concurrency: "unbounded" }
          ),
          (rows) => new Set(rows.map(([row]) => row?.["limits"]))
        )
        const before = yield* limits
        yield* run(small)
        yield* run([product("a.com", "3")])
        assert.deepStrictEqual(yield* limits, before)
        assert.strictEqual(before.size, 1)
      })
    )
  )

  it.effect("gives niches to stores in a statement that takes longer than the pool allows", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { connection } = yield* TestDatabase
        const importId = 1
        yield* run([niche(1, "Lamps"), shop("a.com"), shop("b.com")])
        yield* sql`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1.5); RETURN NULL; END'`
        yield* sql`CREATE TRIGGER slow AFTER UPDATE ON shop FOR EACH STATEMENT EXECUTE FUNCTION wait()`
        const stores = yield* sql`SELECT id FROM shop`
        const votes = new Map(stores.map(({ id }) => [Number(id), new Map([[1, 1]])]))
        const { chosen } = yield* Effect.flatMap(SqlClient.SqlClient, (pool) =>
          Niches.choose(pool, { votes, unstated: new Set() }, importId)
        ).pipe(Effect.provide(Database.layer({ source: connection, maxConnections: 1, statementTimeoutMillis: 1_000 })))
        assert.strictEqual(chosen, 2)
      })
    )
  )

  it.effect("reads products with the same alias once, however many records have it", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* run([shop("a.com"), ...times(many, (at) => product("a.com", `p-${at}`))])
        yield* run(times(many, (at) => product("a.com", `p-${at}`, { alias: "0" })))
        const { rows } = yield* readBy(run(times(few, (at) => product("a.com", `n-${at}`, { alias: "0" }))))
        assert.isAtMost(rows, many + few * readsOfARecord)
      })
    )
  )

  for (const [statistics, prepare] of Object.entries(staleStatistics)) {
    const prepared = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const table of ["shop", "product", "ad"])
        yield* sql`ALTER TABLE ${sql(table)} SET (autovacuum_enabled = false)`
      yield* prepare
    })

    it.effect(`looks each product up by an index, also if the statistics ${statistics}`, () =>
      onFreshDatabase(
        Effect.gen(function* () {
          yield* prepared
          yield* run(times(many, (at) => product("a.com", `p-${at}`, { alias: `a-${at}` })))
          const wholeStores = times(few, (at) => `whole-${at}.com`)
          yield* run(wholeStores.flatMap((domain) => [shop(domain), product(domain, "gone")]))
          const kept = times(few, (at) => ({ shop: "a.com", key: at % 2 === 0 ? `p-${at}` : `a-${at}` }))
          const imports = {
            changed: run(times(few, (at) => product("a.com", `p-${at}`, { price: 11 }))),
            noted: run(
              times(few, (at) => product("a.com", `p-${at}`, { price: 12 })),
              0,
              { notesProducts: () => true }
            ),
            "by alias": run(times(few, (at) => product("a.com", `a-${at}`, { price: 13 }))),
            renamed: run(times(few, (at) => product("a.com", `n-${at}`, { alias: `a-${at}`, price: 13 }))),
            added: run(times(few, (at) => product("a.com", `new-${at}`, { alias: `b-${at}` }))),
            removed: run(
              times(few, (at) => ({
                type: "removed",
                record: "product",
                shop: "a.com",
                key: at % 2 === 0 ? `n-${at}` : `a-${at}`
              }))
            ),
            gone: run([], 0, { outcome: () => ({ files: [], wholeStores, kept, lacksAds: false }) })
          }
          for (const [name, effect] of Object.entries(imports)) {
            const { answer, rows } = yield* readBy(effect)
            assert.isAtMost(rows, few * readsOfARecord, name)
            assert.strictEqual(
              answer.tallies.product.changed + answer.tallies.product.added + answer.tallies.product.removed,
              few,
              name
            )
          }
        })
      )
    )

    it.effect(`looks up the ads of each new store by an index, also if the statistics ${statistics}`, () =>
      onFreshDatabase(
        Effect.gen(function* () {
          yield* prepared
          const stored = libraryAds(
            times(many, (at) => ({
              key: `l-${at}`,
              page: `page-${at % 100}`,
              // The others of a page are found by the page.
              ...(at < many / 2 ? { target: `s-${at % 100}.com` } : {})
            }))
          )
          yield* run(stored)
          const adsOfAStore = many / 100
          const ofStores = yield* readBy(run(times(few, (at) => shop(`s-${at}.com`))))
          assert.strictEqual(ofStores.answer.links.later, few * adsOfAStore)
          assert.isAtMost(ofStores.rows, few * adsOfAStore * readsOfALink)
          const ofPages = yield* readBy(
            run(libraryAds(times(few, (at) => ({ key: `n-${at}`, page: `page-${at + few}`, shop: "a.com" }))))
          )
          assert.strictEqual(ofPages.answer.links.later, few * adsOfAStore)
          assert.isAtMost(ofPages.rows, few * adsOfAStore * readsOfALink)
          const again = yield* readBy(run({ ...stored, rows: stored.rows.slice(-few) }))
          assert.isAtMost(again.rows, few * readsOfARecord)
          const gone = yield* readBy(
            run(times(few, (at) => ({ type: "removed", record: "ad", key: `l-${many - 1 - at}` })))
          )
          assert.strictEqual(gone.answer.tallies.ad.removed, few)
          assert.isAtMost(gone.rows, few * readsOfARecord)
        })
      )
    )

    it.effect(`looks up each store that gets a niche by an index, also if the statistics ${statistics}`, () =>
      onFreshDatabase(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* prepared
          yield* run([niche(1, "Home"), ...times(many, (at) => shop(`n-${at}.com`))])
          const stores = yield* sql<{ id: number }>`SELECT id FROM shop ORDER BY id DESC LIMIT ${few}`
          const votes = new Map(stores.map(({ id }) => [id, new Map([[1, 1]])]))
          const { answer, rows } = yield* readBy(Niches.choose(sql, { votes, unstated: new Set() }, 1))
          assert.strictEqual(answer.chosen, few)
          assert.isAtMost(rows, few * readsOfARecord)
        })
      )
    )

    it.effect(`forgets a source without reading all records for each store, also if the statistics ${statistics}`, () =>
      onFreshDatabase(
        Effect.gen(function* () {
          const sources = yield* Sources
          yield* prepared
          yield* run(times(many, (at) => [product("a.com", `p-${at}`), ad(`a-${at}`, "a.com")]).flat())
          const second = times(few, (at) => [
            shop(`s-${at}.com`),
            product(`s-${at}.com`, "1"),
            ad(`s-${at}`, `s-${at}.com`)
          ])
          yield* run(second.flat(), 0, { provenance: { ...provenance, source: "second" } })
          const { answer, rows } = yield* readBy(sources.forget("second"))
          assert.deepStrictEqual(answer, { shops: few, products: few, ads: few })
          // All products and all ads are read twice, because none of their indexes has the source.
          assert.isAtMost(rows, 4 * (many + few) + few * readsOfARecord)
        })
      )
    )
  }

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
          importer.run(source, {
            provenance,
            maxRejects: 0,
            onRejects: () => Effect.void,
            onProgress: () => Effect.void
          })
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
          importer.run(slow, { provenance, maxRejects: 0, onRejects: () => Effect.void, onProgress: () => Effect.void })
        )
        yield* Deferred.await(isReading)
        assert.strictEqual((yield* Effect.flip(run(small)))._tag, "ImportRunning")
        yield* Deferred.succeed(mayEnd, undefined)
        assert.strictEqual((yield* Fiber.join(first)).accepted, small.length)
        // A lock that is not released would block all but the connection that holds it.
        const sql = yield* SqlClient.SqlClient
        // Other tests use their own databases on the same server.
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
            SELECT (SELECT count(*)::int FROM product) AS products, (SELECT version FROM catalog) AS version`
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
          assert.deepStrictEqual(yield* count, [{ products: 2_003, version: 2 }])
        }).pipe(Effect.provide(Database.layer({ source: connection, maxConnections: 1 })))
      })
    )
  )
})
