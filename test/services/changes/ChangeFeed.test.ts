/** Lists of changes (D111) against a scan of all changes, while others are written. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { adKinds, changeKinds, productKinds } from "../../../src/domain/catalog/Changes.ts"
import type { ChangeKind } from "../../../src/domain/catalog/Changes.ts"
import { conflicts, cursorOf, maxTotal, sinceOf } from "../../../src/domain/search/ChangeQuery.ts"
import { ShopFilter } from "../../../src/domain/search/ShopQuery.ts"
import { ChangeFeed, maxStores, present } from "../../../src/services/changes/ChangeFeed.ts"
import type { ChangesQuery } from "../../../src/services/changes/ChangeFeed.ts"
import * as ChangeSql from "../../../src/services/changes/ChangeSql.ts"
import { CatalogSearch } from "../../../src/services/search/CatalogSearch.ts"
import * as Access from "../../support/Access.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as NaiveSearch from "../../oracle/NaiveSearch.ts"
import { matcher } from "../../oracle/NaiveText.ts"
import * as Random from "../../oracle/Random.ts"
import { generators } from "../../oracle/RandomArguments.ts"
import * as Searches from "../../support/Searches.ts"
import { SetClock } from "../../support/SetClock.ts"
import { indexed } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const catalog = NaiveCatalog.generate(seed * 1_000 + 5, 40)
const random = Random.make(seed * 100 + 7)
const make = generators(random, catalog)

const services = Layer.effectDiscard(Effect.andThen(loadCatalog(catalog), indexed)).pipe(
  Layer.provideMerge(Layer.mergeAll(ChangeFeed.layer, Access.layerUnhashed)),
  Layer.provideMerge(Searches.layer),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer("2026-03-31T12:00:00Z"))
)

interface Change {
  readonly id: number
  readonly kind: ChangeKind
  readonly at: string
  readonly shopId: number | null
  readonly isListed: boolean
}

const shopIds = catalog.shops.map(({ id }) => id)
const gone = 2_000_000_001

/** One day after another, over three months: times are in the order of the ids. */
const dayOf = (index: number) => new Date(Date.UTC(2026, 0, 1) + Math.min(89, Math.floor(index / 8)) * 86_400_000)

const write = Effect.fnUntraced(function* (written: Array<Change>, index: number) {
  const sql = yield* SqlClient.SqlClient
  const kind = random.pick(changeKinds)
  const at = new Date(dayOf(index).getTime() + written.length * 1_000).toISOString()
  const isAd = adKinds.some((each) => each === kind)
  const shopId = isAd && random.chance(0.3) ? null : random.pick([...shopIds, gone])
  const isItem = isAd || productKinds.some((each) => each === kind)
  const isListed = written.length % 5 !== 3
  const item = isItem ? (isAd ? random.pick(catalog.ads) : random.pick(catalog.products)).id : null
  const [row] = yield* sql<{ id: string }>`
    INSERT INTO change (at, version, as_of, source_id, kind, shop_id, record_id, name, old, new, with_store)
    VALUES (${at}::timestamptz, 7, '2026-01-01', 1, ${kind}, ${shopId}::int, ${item}::int,
      ${kind === "store_gone" ? "gone.example" : "visits"}, 1, 2, ${!isListed}) RETURNING id::text`
  written.push({ id: Number(row?.id), kind, at, shopId, isListed })
})

const months = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const [month, next] of [
    ["2026-01", "2026-02"],
    ["2026-02", "2026-03"],
    ["2026-03", "2026-04"]
  ] as const) {
    yield* sql`CREATE TABLE IF NOT EXISTS ${sql.literal(`change_${month.replace("-", "_")}`)} PARTITION OF change
      FOR VALUES FROM (${sql.literal(`'${month}-01 00:00+00'`)}) TO (${sql.literal(`'${next}-01 00:00+00'`)})`
  }
})

/** A query without words is an error of the search, which is tested there. */
const filtersOf = (index: number) =>
  Object.fromEntries(
    Object.entries(make.shop(index)).filter(
      ([name, value]) =>
        name in ShopFilter.fields && (name !== "query" || typeof value !== "string" || matcher(value) !== undefined)
    )
  )

const nobody = 0 as AccountId

/** What a scan of all changes finds, oldest first. */
const scan = (
  written: ReadonlyArray<Change>,
  { filters, kinds = [], shop_ids: asked = [], since = "2026-03-24", tracked_only: isTracked }: ChangesQuery,
  tracked: ReadonlyArray<number>
) => {
  const stores =
    filters === undefined ? undefined : new Set(NaiveSearch.searchShops(catalog, filters).items.map(({ id }) => id))
  const isFiltered = Object.values(filters ?? {}).some(
    (value) => typeof value === "string" || Object.keys(value).length > 0
  )
  const begins = sinceOf(since)
  return written.filter(
    ({ at, id, isListed, kind, shopId }) =>
      isListed &&
      (begins?._tag === "Day" ? at >= begins.day : begins?._tag === "After" && id > begins.id) &&
      (kinds.length === 0 || kinds.includes(kind)) &&
      (asked.length === 0 || (shopId !== null && asked.includes(shopId))) &&
      (isTracked !== true || (shopId !== null && tracked.includes(shopId))) &&
      (!isFiltered || (shopId !== null && stores?.has(shopId) === true))
  )
}

layer(services, { excludeTestServices: true })("ChangeFeed", (it) => {
  it.effect("D111 pages of every query have each change once, in order, while others are written; then those", () =>
    Effect.gen(function* () {
      const feed = yield* ChangeFeed
      const sql = yield* SqlClient.SqlClient
      yield* months()
      const { caller } = yield* Access.subscriber()
      const tracked = random.some(shopIds, 3, 8)
      for (const id of tracked) {
        yield* sql`INSERT INTO tracked_shop (account_id, shop_id, kind) VALUES (${caller.accountId}, ${id}, 'tracked')`
      }
      const written: Array<Change> = []
      for (let index = 0; index < 600; index++) yield* write(written, index)
      for (let round = 0; round < 120; round++) {
        const filters = filtersOf(round)
        const order = random.chance(0.3) ? undefined : random.pick(["newest", "oldest"] as const)
        const query: ChangesQuery = {
          ...(random.chance(0.2)
            ? {}
            : {
                since: random.pick([
                  "2026-01-01",
                  "2026-02-14",
                  "2026-03-02",
                  `after-${random.pick(written).id}`,
                  "after-0"
                ])
              }),
          ...(random.chance(0.5) ? { kinds: random.some(changeKinds, 1, 6) } : {}),
          ...(random.chance(0.3) ? { shop_ids: random.some([...shopIds, gone], 1, 10) } : {}),
          ...(random.chance(0.2) ? { tracked_only: true } : {}),
          ...(random.chance(0.3) ? { filters } : {}),
          ...(order === undefined ? {} : { order }),
          per_page: random.int(1, 25)
        }
        const label = JSON.stringify(query)
        const expected = scan(written, query, tracked).map(({ id }) => id)
        const found: Array<number> = []
        let since = query.since
        for (let pages = 0; pages < 700; pages++) {
          const { changes, pagination } = yield* feed.page(
            { ...query, ...(since === undefined ? {} : { since }) },
            caller.accountId
          )
          if (pages === 0) {
            assert.deepStrictEqual(
              { total: pagination.total, total_is_exact: pagination.total_is_exact },
              { total: expected.length, total_is_exact: true },
              label
            )
            // Of oldest first, they are at the end of the list.
            for (let index = 0; index < 2; index++) yield* write(written, 720)
          }
          found.push(...changes.map(({ id }) => id))
          since = pagination.next
          if (!pagination.has_more) break
        }
        const all = scan(written, query, tracked).map(({ id }) => id)
        const later = all.filter((id) => !expected.includes(id))
        if (order === "oldest") assert.deepStrictEqual(found.slice(0, expected.length), expected, label)
        else assert.deepStrictEqual(found, expected.toReversed(), label)
        // Whatever the order was, the cursor after the last page has what came later.
        const rest = yield* feed.page({ ...query, since: since ?? "", order: "oldest", per_page: 25 }, caller.accountId)
        const seen = order === "oldest" ? found.slice(expected.length) : []
        assert.deepStrictEqual([...seen, ...rest.changes.map(({ id }) => id)], later, label)
      }
    })
  )

  it.effect("D111 pages and counts are the same however changes of stores are found", () =>
    Effect.gen(function* () {
      const feed = yield* ChangeFeed
      const sql = yield* SqlClient.SqlClient
      // Times do not go back by more than a day.
      yield* sql`TRUNCATE change`
      yield* months()
      const written: Array<Change> = []
      for (let index = 0; index < 720; index++) yield* write(written, index)
      for (let round = 0; round < 150; round++) {
        const query: ChangesQuery = {
          since: random.pick(["2026-01-01", "2026-02-14", `after-${random.pick(written).id}`]),
          ...(random.chance(0.5) ? { kinds: random.some(changeKinds, 1, 6) } : {}),
          shop_ids: random.some([...shopIds, gone], 1, 20),
          order: random.pick(["newest", "oldest"]),
          per_page: random.int(1, 25)
        }
        const reading = {
          few: random.pick([0, 5, 50]),
          inOrder: random.pick([1, 20, 200, 5_000]),
          most: random.pick([0, 10, 2_000]),
          bitmap: random.pick([0, 1_000_000])
        }
        const otherwise = Effect.provideService(ChangeSql.Reading, reading)
        const label = JSON.stringify({ query, reading })
        let asked = query
        for (let pages = 0; pages < 3; pages++) {
          const page = yield* feed.page(asked, nobody)
          assert.deepStrictEqual(yield* otherwise(feed.page(asked, nobody)), page, label)
          if (!page.pagination.has_more) break
          asked = { ...query, since: page.pagination.next }
        }
        const counts = yield* feed.counts(query, nobody)
        assert.deepStrictEqual(yield* otherwise(feed.counts(query, nobody)), counts, label)
      }
    })
  )

  it.effect("D111 counts by kind what the pages have, and says when there are more than the total", () =>
    Effect.gen(function* () {
      const feed = yield* ChangeFeed
      const sql = yield* SqlClient.SqlClient
      yield* months()
      const written: Array<Change> = []
      const [shop = assert.fail()] = shopIds
      const top = yield* feed.page({ since: "after-0" }, nobody)
      for (let index = 0; index < 40; index++) yield* write(written, 720)
      const query = {
        since: top.pagination.next.startsWith("after")
          ? top.pagination.next
          : cursorOf({ _tag: "After", id: (written[0]?.id ?? 1) - 1 })
      }
      const { counts, next } = yield* feed.counts(query, nobody)
      const byKind = Map.groupBy(
        written.filter(({ isListed }) => isListed),
        ({ kind }) => kind
      )
      assert.deepStrictEqual(
        counts.map(({ count, kind }) => [kind, count]),
        changeKinds.flatMap((kind) => {
          const count = byKind.get(kind)?.length ?? 0
          return count === 0 ? [] : [[kind, count]]
        })
      )
      assert.deepStrictEqual((yield* feed.counts({ since: next }, nobody)).counts, [])
      yield* sql`
        INSERT INTO change (at, version, as_of, source_id, kind, shop_id, name)
        SELECT '2026-03-31 02:00+00', 8, '2026-03-31', 1, 'app_added', ${shop}::int, 'Reviews' FROM generate_series(1, ${maxTotal}::int)`
      const exact = yield* feed.page({ since: next }, nobody)
      assert.deepStrictEqual(
        { total: exact.pagination.total, isExact: exact.pagination.total_is_exact },
        { total: maxTotal, isExact: true }
      )
      yield* write(written, 720)
      for (const one of [{}, { kinds: changeKinds }]) {
        const { pagination } = yield* feed.page({ since: next, ...one }, nobody)
        assert.deepStrictEqual(
          { total: pagination.total, isExact: pagination.total_is_exact },
          { total: maxTotal, isExact: false }
        )
      }
      assert.strictEqual(exact.known_since, "2026-01-01")
      // The first ones of a store that has many are near the beginning of a page, or behind many of another store.
      const other = shopIds[1] ?? assert.fail()
      const idsOf = Effect.map(
        sql<{ id: string }>`
          SELECT id::text FROM change c WHERE shop_id = ${shop}::int AND name = 'Reviews' ORDER BY c.id DESC LIMIT 60`,
        (rows) => rows.map(({ id }) => Number(id))
      )
      const walked = Effect.gen(function* () {
        const query = { kinds: ["app_added"], shop_ids: [shop], per_page: 25 } as const
        const first = yield* feed.page({ since: next, ...query }, nobody)
        const second = yield* feed.page({ since: first.pagination.next, ...query }, nobody)
        assert.isFalse(second.pagination.total_is_exact)
        const oldest = yield* feed.page({ since: next, order: "oldest", ...query }, nobody)
        assert.lengthOf(oldest.changes, 25)
        return [...first.changes, ...second.changes].map(({ id }) => id)
      })
      yield* sql`
        INSERT INTO change (at, version, as_of, source_id, kind, shop_id, name)
        SELECT '2026-03-31 03:00+00', 9, '2026-03-31', 1, 'app_added', ${shop}::int, 'Reviews' FROM generate_series(1, 9)`
      assert.deepStrictEqual(yield* walked, (yield* idsOf).slice(0, 50))
      yield* sql`
        INSERT INTO change (at, version, as_of, source_id, kind, shop_id, name)
        SELECT '2026-03-31 04:00+00', 9, '2026-03-31', 1, 'app_added', ${other}::int, 'Other' FROM generate_series(1, 20100)`
      assert.deepStrictEqual(yield* walked, (yield* idsOf).slice(0, 50))
    })
  )

  it.effect("D111 names the record of each change, and the domain of a store that is gone", () =>
    Effect.gen(function* () {
      const feed = yield* ChangeFeed
      const sql = yield* SqlClient.SqlClient
      yield* months()
      const [product = assert.fail()] = catalog.products
      const shop = catalog.shops.find(({ id }) => id === product.shop_id) ?? assert.fail()
      const { pagination } = yield* feed.page({ since: "2026-03-31", per_page: 1 }, nobody)
      const since = cursorOf({ _tag: "After", id: Number(pagination.next.split("-").at(-1)) })
      yield* sql`
        INSERT INTO change (at, version, as_of, source_id, kind, shop_id, record_id, name, old, new) VALUES
          ('2026-03-31 03:00+00', 9, '2026-03-30', 1, 'price_down', ${shop.id}, ${product.id}, NULL, 12, 9.5),
          ('2026-03-31 03:00+00', 9, '2026-03-30', 1, 'product_removed', ${shop.id}, 2000000002, 'Old lamp', 5, NULL),
          ('2026-03-31 03:00+00', 9, '2026-03-30', 1, 'figure_changed', ${shop.id}, NULL, 'monthly_revenue', 10, NULL),
          ('2026-03-31 03:00+00', 9, '2026-03-30', 1, 'store_gone', 2000000003, NULL, 'closed.example', NULL, NULL),
          ('2026-03-31 03:00+00', 9, '2026-03-30', 1, 'ad_appeared', NULL, 2000000004, 'active', NULL, NULL)`
      const { changes } = yield* feed.page({ since, order: "oldest" }, nobody)
      const items = changes.map((change) => present(change, { dashboardUrl: (id) => `/shops/${id}` }))
      const named = { id: shop.id, name: shop.name, domain: shop.domain, country: shop.country, is_tracked: false }
      const common = { at: "2026-03-31T03:00:00.000Z", data_as_of: "2026-03-30" }
      const ofShop = { shop: named, dashboard_url: `/shops/${shop.id}` }
      const none = { name: null, old: null, new: null, currency: null, item_id: null, item_title: null }
      const { currency } = shop
      assert.deepStrictEqual(items, [
        {
          ...none,
          kind: "price_down",
          ...common,
          old: 12,
          new: 9.5,
          currency,
          item_id: product.id,
          item_title: product.title,
          ...ofShop
        },
        {
          ...none,
          kind: "product_removed",
          ...common,
          old: 5,
          currency,
          item_id: 2_000_000_002,
          item_title: "Old lamp",
          ...ofShop
        },
        { ...none, kind: "figure_changed", ...common, name: "estimated_monthly_revenue", old: 10, currency, ...ofShop },
        {
          ...none,
          kind: "store_gone",
          ...common,
          shop: { id: 2_000_000_003, name: null, domain: "closed.example", country: null, is_tracked: false },
          dashboard_url: null
        },
        {
          ...none,
          kind: "ad_appeared",
          ...common,
          name: "active",
          item_id: 2_000_000_004,
          shop: null,
          dashboard_url: null
        }
      ])
      const unknown = yield* feed.page({ shop_ids: [shop.id, 2_000_000_003, 1_999_999_999] }, nobody)
      assert.deepStrictEqual(unknown.findings.unknown, [{ list: "shop_ids", name: "1999999999" }])
    })
  )

  it.effect("D111 the ids of stores are those that a search finds, and none of too many", () =>
    Effect.gen(function* () {
      const index = yield* CatalogSearch
      const query = { subject: "stores", stores: [], words: [] } as const
      const all = shopIds.toSorted((one, other) => one - other)
      const { answer } = yield* index.storeIds({ ...query, limit: maxStores })
      assert.deepStrictEqual({ ids: answer.ids, total: answer.total }, { ids: all, total: all.length })
      const few = yield* index.storeIds({ ...query, limit: all.length - 1 })
      assert.deepStrictEqual({ ids: few.answer.ids, total: few.answer.total }, { ids: [], total: all.length })
    })
  )

  it("D111 a cursor that goes on newest first has no other order, and texts that are neither day nor cursor are none", () => {
    assert.isNotEmpty(conflicts({ since: " before-4-1-9 ", order: "oldest" }))
    assert.isEmpty(conflicts({ since: "before-4-1-9", order: "newest" }))
    assert.isEmpty(conflicts({ since: "2026-01-01", order: "oldest" }))
    for (const text of ["", "yesterday", "after-", "after--1", "before-1-2", "2026-02-30", "after-1234567890123456"]) {
      assert.isUndefined(sinceOf(text), text)
    }
    for (const cursor of ["after-0", "before-7-1-9"]) {
      const since = sinceOf(cursor)
      assert.strictEqual(since === undefined || since._tag === "Day" ? "" : cursorOf(since), cursor)
    }
  })
})
