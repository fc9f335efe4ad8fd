import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decode } from "../../../src/domain/catalog/Records.ts"
import { sqlPseudoStoreOf } from "../../../src/domain/catalog/StorelessAds.ts"
import { loadBatch } from "../../../src/services/import/BatchLoader.ts"
import * as CatalogVersion from "../../../src/services/import/CatalogVersion.ts"
import type { Touched } from "../../../src/services/import/CatalogVersion.ts"
import * as Random from "../../oracle/Random.ts"
import { eventually } from "../../support/RunningQueries.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Few stores and keys, so that changes conflict. */
const Change = Schema.Struct({
  what: Schema.Literals([
    "shop",
    "month",
    "product",
    "ad",
    "ad",
    "ad of nobody",
    "niche",
    "remove shop",
    "remove product",
    "remove ad"
  ]),
  shop: upTo(3),
  key: upTo(4),
  /** Determines the columns that the search index reads. */
  value: upTo(2),
  /** Determines the columns that it does not read. */
  unread: upTo(1)
})
type Change = typeof Change.Type

const Transaction = Schema.Struct({
  changes: Schema.Array(Change).check(Schema.isMinLength(1), Schema.isMaxLength(6)),
  /** The transaction has no effect, and no notification is sent. */
  isRolledBack: Schema.Literals([false, false, false, false, true])
})
const Transactions = Schema.Array(Transaction).check(Schema.isMinLength(5), Schema.isMaxLength(25))

const domainOf = (shop: number) => `shop-${shop}.com`

/** Ads with ids on both sides of 1,024 and 2,048, so that there are three pseudo-stores. */
const firstAdId = 1_022

const beginning: ReadonlyArray<Change> = [
  ...[0, 1].map((key) => ({ what: "niche" as const, shop: 0, key, value: 0 })),
  ...[0, 1, 2].flatMap((shop) => [
    { what: "shop" as const, shop, key: 0, value: 0 },
    { what: "month" as const, shop, key: 0, value: 1 },
    { what: "product" as const, shop, key: 1, value: 1 },
    { what: "ad" as const, shop, key: shop, value: 1 }
  ]),
  { what: "ad of nobody" as const, shop: 0, key: 3, value: 0 }
].map((change) => ({ ...change, unread: 0 }))

const recordOf = ({ key, shop, unread, value, what }: Change): object | undefined => {
  const address = `https://example.com/${unread}`
  switch (what) {
    case "shop":
      return {
        type: "shop",
        domain: domainOf(shop),
        name: key === 4 ? "Renamed" : "Shop",
        country: value === 0 ? "US" : "DE",
        apps: value === 1 ? ["Loox"] : [],
        niche: value === 2 ? 1 : null,
        monthly_revenue: key === 3 ? null : key
      }
    case "month":
      return { type: "traffic_month", shop: domainOf(shop), month: `2026-0${key + 1}`, visits: value }
    case "product":
      return {
        type: "product",
        shop: domainOf(shop),
        key: String(key),
        title: value === 0 ? "Lamp" : "Chair",
        price: value,
        url: address,
        created_at: value === 2 ? "2026-01-01T00:00:00Z" : null,
        details: unread === 0 ? null : { vendor: "Oak" }
      }
    case "ad":
    case "ad of nobody":
      return {
        type: "ad",
        key: `ad ${key}`,
        shop: what === "ad" ? domainOf(shop) : null,
        page_name: "Page",
        headline: value === 0 ? null : "Sale",
        status: value === 2 ? "inactive" : "active",
        media_type: "image",
        landing_url: address,
        started_on: "2026-01-01",
        last_seen_on: `2026-02-0${unread + 1}`
      }
    case "niche":
      return {
        type: "niche",
        id: key + 1,
        name: `Niche ${key} ${value}`,
        parent_id: key > 0 && unread === 1 ? 1 : null
      }
    default:
      return undefined
  }
}

/** Removes records by SQL, which stamps the affected stores in the same transaction. */
const remove = Effect.fnUntraced(function* ({ key, shop, what }: Change) {
  const sql = yield* SqlClient.SqlClient
  const statements = {
    "remove shop": sql`DELETE FROM shop WHERE domain = ${domainOf(shop)} RETURNING id AS shop_id`,
    "remove product": sql`
      DELETE FROM product p USING shop s
      WHERE s.id = p.shop_id AND s.domain = ${domainOf(shop)} AND p.key = ${String(key)} RETURNING p.shop_id`,
    "remove ad": sql`
      DELETE FROM ad WHERE key = ${`ad ${key}`}
      RETURNING coalesce(shop_id, ${sql.literal(sqlPseudoStoreOf("id"))}) AS shop_id`
  }
  const rows = yield* what === "remove shop" || what === "remove product" ? statements[what] : statements["remove ad"]
  return { items: rows.map((row) => Number(row["shop_id"])), figures: [], niches: false }
})

class RolledBack extends Schema.TaggedError<RolledBack>()("RolledBack", {}) {}

const apply = Effect.fnUntraced(function* ({ changes, isRolledBack }: typeof Transaction.Type) {
  const sql = yield* SqlClient.SqlClient
  yield* sql
    .withTransaction(
      Effect.gen(function* () {
        const version = yield* CatalogVersion.begin(sql)
        const touched: Array<Touched> = []
        for (const change of changes) {
          const record = recordOf(change)
          if (record === undefined) touched.push(yield* remove(change))
          // A record with an unknown reference is rejected.
          else {
            const rows = [{ line: 1, record: Result.getOrThrow(decode(record)) }]
            touched.push((yield* loadBatch({ sql, version, run: null }, rows)).touched)
          }
        }
        yield* CatalogVersion.commit(sql, version, {
          items: touched.flatMap(({ items }) => Array.from(items)),
          figures: touched.flatMap(({ figures }) => Array.from(figures)),
          niches: touched.some(({ niches }) => niches)
        })
        if (isRolledBack) return yield* new RolledBack()
      })
    )
    .pipe(Effect.catchTag("RolledBack", () => Effect.void))
})

interface StoreRow {
  readonly id: number
  readonly read: unknown
}

/** All that a search index reads, by store, from the records alone. */
const readEverything = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const storeOfAd = sql.literal("coalesce(shop_id, -(id / 1024) - 1)")
  const items = yield* sql<StoreRow>`
    SELECT id, jsonb_agg(read ORDER BY read) AS read FROM (
      SELECT id, jsonb_build_array('store', domain, name) AS read FROM shop
      UNION ALL SELECT shop_id, jsonb_build_array('product', id, title, price, created_at, first_seen) FROM product
      UNION ALL SELECT ${storeOfAd},
        jsonb_build_array('ad', id, is_active, media_type, cta, is_partnership, started_on, page_name, headline, ad_text)
      FROM ad
    ) r GROUP BY id ORDER BY id`
  const figures = yield* sql<StoreRow>`
    SELECT id, to_jsonb(shop) - '{id,domain,name,version}'::text[]
      || jsonb_build_object('traffic', (SELECT jsonb_agg(to_jsonb(t) ORDER BY month) FROM traffic_month t WHERE shop_id = id)) AS read
    FROM shop ORDER BY id`
  const niches = yield* sql`SELECT * FROM niche ORDER BY id`
  /** The part of each record that the index reads, and its version. */
  const records = yield* sql<{ key: string; version: number; read: unknown }>`
    SELECT 'shop ' || id AS key, version, to_jsonb(shop) - 'version' AS read FROM shop
    UNION ALL SELECT 'product ' || id, version, jsonb_build_array(shop_id, title, price, created_at, first_seen) FROM product
    UNION ALL SELECT 'ad ' || id, version, jsonb_build_array(shop_id, is_active, media_type, cta, is_partnership, started_on,
      page_name, headline, ad_text, first_seen) FROM ad`
  const [catalog] = yield* sql<{ version: number; niches_version: number; tokens: number }>`
    SELECT version, niches_version, (SELECT count(DISTINCT token)::int FROM catalog_version WHERE version <= c.version) AS tokens
    FROM catalog c`
  const changes = yield* sql<{ id: number; version: number; items_version: number; is_removed: boolean }>`
    SELECT shop_id AS id, version, items_version, removed_at IS NOT NULL AS is_removed FROM shop_change`
  const byId = (rows: ReadonlyArray<StoreRow>) => new Map(rows.map(({ id, read }) => [id, JSON.stringify(read)]))
  return {
    items: byId(items),
    figures: byId(figures),
    niches: JSON.stringify(niches),
    records: new Map(records.map(({ key, read, version }) => [key, { read: JSON.stringify(read), version }])),
    version: catalog?.version ?? -1,
    nichesVersion: catalog?.niches_version ?? -1,
    tokens: catalog?.tokens ?? 0,
    changes
  }
})
type Everything = Effect.Success<typeof readEverything>

const different = (before: ReadonlyMap<number, string>, after: ReadonlyMap<number, string>): ReadonlySet<number> =>
  new Set([...before.keys(), ...after.keys()].filter((id) => before.get(id) !== after.get(id)))

const sorted = (ids: Iterable<number>) => Array.from(ids).sort((a, b) => a - b)

/**
 * Removes changes that conflict with another one of the same transaction: a change that is undone is stamped, though nothing
 * differs.
 */
const apart = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const met = new Set<string>()
  const isFirst = (...subjects: ReadonlyArray<string>) => {
    const isNew = subjects.every((subject) => !met.has(subject))
    for (const subject of subjects) met.add(subject)
    return isNew
  }
  return changes.filter(({ key, shop, what }) => {
    switch (what) {
      case "niche":
        return isFirst(`niche ${key}`)
      case "shop":
      case "remove shop":
        // Which ads the store has or gets is not known here.
        return isFirst("ads", ...[0, 1, 2, 3, 4].map((each) => `product ${shop} ${each}`), `month ${shop}`)
      case "month":
        return isFirst(`month ${shop}`)
      case "product":
      case "remove product":
        return isFirst(`product ${shop} ${key}`)
      case "ad":
      case "ad of nobody":
      case "remove ad":
        return !met.has("ads") && isFirst(`ad ${key}`)
    }
  })
}

/** The stamps after a transaction match what it has changed. */
const assertStamped = (before: Everything, after: Everything) => {
  const items = different(before.items, after.items)
  const all = new Set([...items, ...different(before.figures, after.figures)])
  const changesNiches = before.niches !== after.niches
  const next = all.size > 0 || changesNiches ? before.version + 1 : before.version
  assert.strictEqual(after.version, next)
  assert.strictEqual(after.tokens, next + 1)
  assert.strictEqual(after.nichesVersion, changesNiches ? next : before.nichesVersion)

  const newer = after.changes.filter(({ version }) => version > before.version)
  assert.deepStrictEqual(sorted(newer.map(({ id }) => id)), sorted(all))
  assert.deepStrictEqual(
    sorted(newer.filter(({ items_version }) => items_version > before.version).map(({ id }) => id)),
    sorted(items)
  )
  const earlier = new Map(before.changes.map((change) => [change.id, change]))
  for (const { id, is_removed, items_version, version } of after.changes) {
    assert.strictEqual(is_removed, !after.items.has(id), `store ${id}`)
    // An index that has not read the earlier change yet finds it by its stamp.
    assert.strictEqual(version, all.has(id) ? next : earlier.get(id)?.version, `store ${id}`)
    assert.strictEqual(items_version, items.has(id) ? next : (earlier.get(id)?.items_version ?? 0), `items of ${id}`)
    assert.isAtMost(items_version, version)
    assert.isAtMost(version, after.version)
  }
  for (const [key, { read, version }] of after.records) {
    const earlier = before.records.get(key)
    assert.strictEqual(version, earlier?.read === read ? earlier.version : next, key)
  }
}

const fresh = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | PgClient.PgClient | TestDatabase>) =>
  Effect.provide(effect, TestDatabase.layer, { local: true })

const shopOf = (shop: number) => ({ what: "shop" as const, shop, key: 0, value: 0, unread: 0 })
const once = (...changes: ReadonlyArray<Change>) => ({ changes, isRolledBack: false as const })

layer(TestDatabase.layer, { excludeTestServices: true })("the version of the catalog", (it) => {
  it.effect.prop(
    "every transaction stamps the stores of which anything that the index reads has changed, and no others",
    [Transactions],
    ([transactions]) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`TRUNCATE niche, category, shop, traffic_month, product, ad, page_store, tracked_shop, shop_change, catalog_version, history_start, mover`
        yield* sql`UPDATE catalog SET version = 0, niches_version = 0`
        yield* sql`INSERT INTO catalog_version (version) VALUES (0)`
        yield* sql`SELECT setval(pg_get_serial_sequence('ad', 'id'), ${firstAdId}, false)::text`
        let before = yield* readEverything
        for (const [index, transaction] of [{ changes: beginning, isRolledBack: false }, ...transactions].entries()) {
          if (index === 3) yield* sql`SELECT setval(pg_get_serial_sequence('ad', 'id'), ${2 * firstAdId}, false)::text`
          yield* apply(index === 0 ? transaction : { ...transaction, changes: apart(transaction.changes) })
          const after = yield* readEverything
          assertStamped(before, after)
          if (transaction.isRolledBack) assert.deepStrictEqual(after, before)
          before = after
        }
      }),
    { arbitrary: { runs: 40 }, timeout: 240_000 }
  )

  it.effect("a transaction waits for the version before it, and a version that is rolled back is used again", () =>
    fresh(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const isWaiting = Effect.filterOrFail(
          sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          (rows) => rows.length === 1
        )
        const hasBegun = yield* Deferred.make<void>()
        const mayEnd = yield* Deferred.make<void>()
        const made = (end: Effect.Effect<void>) =>
          sql.withTransaction(
            Effect.gen(function* () {
              const version = yield* CatalogVersion.begin(sql)
              yield* end
              yield* CatalogVersion.commit(sql, version, { items: [], figures: [], niches: true })
              return version
            })
          )
        const first = yield* Effect.forkChild(
          made(Effect.andThen(Deferred.succeed(hasBegun, undefined), Deferred.await(mayEnd)))
        )
        yield* Deferred.await(hasBegun)
        const second = yield* Effect.forkChild(made(Effect.void))
        yield* eventually(isWaiting)
        yield* Deferred.succeed(mayEnd, undefined)
        assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], [1, 2])
        yield* Effect.exit(sql.withTransaction(Effect.andThen(CatalogVersion.begin(sql), new RolledBack())))
        assert.strictEqual(yield* made(Effect.void), 3)
      })
    )
  )

  // D55
  it.effect("a reader of the versions always has the records of one version, however many write at once", () =>
    fresh(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* apply({ changes: beginning, isRolledBack: false })
        const random = Random.make(7)
        const kinds = Change.fields.what.literals
        const some = (count: number) =>
          Array.from({ length: count }, () => ({
            changes: Array.from({ length: random.int(1, 4) }, () => ({
              what: random.pick(kinds),
              shop: random.int(0, 3),
              key: random.int(0, 4),
              value: random.int(0, 2),
              unread: random.int(0, 1)
            })),
            isRolledBack: random.chance(0.2)
          }))
        const writers = yield* Effect.forEach([some(20), some(20), some(20), some(20)], (transactions) =>
          Effect.forkChild(Effect.forEach(transactions, apply, { discard: true }))
        )
        let seen = -1
        let items: ReadonlyMap<number, string> = new Map()
        let figures: ReadonlyMap<number, string> = new Map()
        let rounds = 0
        /** Reads only what has a newer stamp. */
        const follow = sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
            const now = yield* readEverything
            const newer = now.changes.filter(({ version }) => version > seen)
            const taken = (
              ids: ReadonlySet<number>,
              copy: ReadonlyMap<number, string>,
              all: ReadonlyMap<number, string>
            ) => new Map([...[...copy].filter(([id]) => !ids.has(id)), ...[...all].filter(([id]) => ids.has(id))])
            items = taken(
              new Set(newer.filter(({ items_version }) => items_version > seen).map(({ id }) => id)),
              items,
              now.items
            )
            figures = taken(new Set(newer.map(({ id }) => id)), figures, now.figures)
            assert.deepStrictEqual(new Map([...items].sort(([a], [b]) => a - b)), now.items)
            assert.deepStrictEqual(new Map([...figures].sort(([a], [b]) => a - b)), now.figures)
            assert.isAtLeast(now.version, seen)
            seen = now.version
            rounds++
          })
        )
        const following = yield* Effect.forkChild(Effect.forever(follow))
        yield* Effect.forEach(writers, Fiber.join)
        yield* Fiber.interrupt(following)
        yield* follow
        assert.isAbove(seen, 20)
        assert.isAbove(rounds, 5)
      })
    )
  )

  it.effect("servers that listen are notified of every version", () =>
    fresh(
      Effect.scoped(
        Effect.gen(function* () {
          const pg = yield* PgClient.PgClient
          const told = yield* pg.listen(CatalogVersion.channel)
          for (const shop of [1, 1, 2]) yield* apply(once(shopOf(shop)))
          const payloads = [yield* Queue.take(told), yield* Queue.take(told)].map(({ payload }) => payload)
          assert.deepStrictEqual(payloads, ["1", "2"])
        })
      )
    )
  )

  it.effect("removals and versions are deleted after 30 days, and servers that missed them are detected", () =>
    fresh(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const kept = Effect.gen(function* () {
          const versions = yield* sql<{ version: number }>`SELECT version FROM catalog_version ORDER BY version`
          const stores = yield* sql<{ version: number }>`SELECT version FROM shop_change ORDER BY version`
          const [catalog] = yield* sql<{ oldest_version: number }>`SELECT oldest_version FROM catalog`
          return {
            versions: versions.map(({ version }) => version),
            stores: stores.map(({ version }) => version),
            oldest: catalog?.oldest_version
          }
        })
        const removed = (shop: number) => ({ ...shopOf(shop), what: "remove shop" as const })
        yield* apply(once(shopOf(0), shopOf(1), shopOf(2)))
        yield* apply(once(removed(0)))
        yield* apply(once(removed(1)))
        yield* CatalogVersion.forgetOld(sql)
        assert.deepStrictEqual(yield* kept, { versions: [0, 1, 2, 3], stores: [1, 2, 3], oldest: 0 })
        const age = (version: number, days: number) => sql`
          UPDATE catalog_version SET committed_at = now() - ${`${days} days`}::interval WHERE version <= ${version}`
        yield* age(2, 31)
        yield* CatalogVersion.forgetOld(sql)
        assert.deepStrictEqual(yield* kept, { versions: [2, 3], stores: [1, 3], oldest: 2 })
        // The newest version stays: an index that has it is up to date, however long nothing has changed.
        yield* age(3, 31)
        yield* CatalogVersion.forgetOld(sql)
        yield* CatalogVersion.forgetOld(sql)
        assert.deepStrictEqual(yield* kept, { versions: [3], stores: [1], oldest: 3 })
      })
    )
  )
})
