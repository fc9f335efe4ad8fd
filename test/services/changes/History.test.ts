/** D112: the history of a store, computed from the log, has the values that were stored after the imports of each day. */
import { assert, layer } from "@effect/vitest"
import { Effect, Equal, Fiber, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Series from "../../../src/domain/catalog/Series.ts"
import { spans } from "../../../src/domain/catalog/Movers.ts"
import * as History from "../../../src/services/changes/History.ts"
import * as CatalogVersion from "../../../src/services/import/CatalogVersion.ts"
import * as Movers from "../../../src/services/import/Movers.ts"
import { lockId } from "../../../src/services/import/Importer.ts"
import { Sources } from "../../../src/services/import/Sources.ts"
import * as Access from "../../support/Access.ts"
import * as Deliveries from "../import/Deliveries.ts"
import type { ChangeRow, Kept } from "../import/Deliveries.ts"

const { ad, delivery, product, store, take } = Deliveries

const day = (number: number) => `2026-03-${String(number).padStart(2, "0")}`

/** Of one store, what its history is of. */
const partsOf = ({ ads, products, stores }: Kept, shop: number) => ({
  figures: stores.get(shop)?.figures ?? {},
  all: stores.get(shop),
  products: new Map(Array.from(products).flatMap(([id, one]) => (one.shop === shop ? [[id, one.price] as const] : []))),
  ads: new Map(Array.from(ads).flatMap(([id, one]) => (one.shop === shop ? [[id, one.isActive] as const] : [])))
})
type Values = ReturnType<typeof partsOf>

/** Whether an import has changed a part of a store: by what it has written, or by what is different. */
const hasTouched = (part: Series.Part, shop: number, told: ReadonlyArray<ChangeRow>, before: Values, after: Values) => {
  const kinds: ReadonlyArray<string> = Series.kindsOf[part]
  const figures: ReadonlyArray<string> = Series.figuresOfLog
  const isTold = told.some(
    ({ kind, name, old, shop_id }) =>
      kinds.includes(kind) &&
      (shop_id === shop || (kind === "ad_moved" && old === shop)) &&
      (kind !== "figure_changed" || figures.includes(name ?? ""))
  )
  if (isTold) return true
  if (part === "products") return !Equal.equals(before.products, after.products)
  if (part === "ads") return !Equal.equals(before.ads, after.ads)
  return Series.figuresOfLog.some((figure) => before.figures[figure] !== after.figures[figure])
}

interface Stored {
  /** The newest day of the part's data so far. */
  readonly on: number
  readonly values: Values
  /** Whether the import wrote to the log. */
  readonly isKept: boolean
}

const median = (prices: ReadonlyArray<number>): number | null => {
  const sorted = prices.toSorted((one, other) => one - other)
  const pair = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return sorted.length === 0 ? null : ((pair[0] ?? 0) + (pair[1] ?? 0)) / 2
}

/** The values at the end of a day. */
const at = (stored: ReadonlyArray<Stored>, on: number): Values | undefined =>
  stored.findLast((each) => each.on <= on)?.values

const running = (ads: ReadonlyMap<number, boolean> = new Map()): number =>
  Array.from(ads.values()).filter((isActive) => isActive).length

const mean = (prices: ReadonlyMap<number, number> = new Map()): number | null =>
  prices.size === 0 ? null : Array.from(prices.values()).reduce((sum, price) => sum + price, 0) / prices.size

const percentage = (then: number | null, now: number | null): number | null =>
  then === null || now === null ? null : Number(((now / then - 1) * 100).toFixed(2))

/** Days are so many times as far from each other, so that 28 of them are more than 90. */
const stretch = 4
const stretched = (number: number) => new Date(Date.UTC(2026, 2, 1 + (number - 1) * stretch))

const visitsChange = (visits: Readonly<Record<string, number>>, newest: number, back: number): number | null => {
  const before = (month: string, count: number) => {
    const [year = 0, number = 0] = month.split("-").map(Number)
    return new Date(Date.UTC(year, number - 1 - count)).toISOString().slice(0, 7)
  }
  const last = Object.keys(visits).toSorted().at(-1)
  if (last === undefined || last < before(stretched(newest).toISOString().slice(0, 7), 2)) return null
  const [now, then] = [visits[last], visits[before(last, back)]]
  return now === undefined || then === undefined ? null : now - then
}

/** The changes over the last days (D120), with the days of all data stretched. */
const movedOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [days] = yield* sql<{ newest: number }>`SELECT max(extract(day FROM as_of))::int AS newest FROM import`
  for (const table of ["import", "change", "history_start"]) {
    yield* sql`UPDATE ${sql(table)} SET as_of = date '2026-03-01' + (as_of - date '2026-03-01') * ${stretch}::int`
  }
  yield* Movers.update
  const rows = yield* sql<{ shop_id: number } & Readonly<Record<string, number | null>>>`SELECT * FROM mover`
  for (const table of ["import", "change", "history_start"]) {
    yield* sql`UPDATE ${sql(table)} SET as_of = date '2026-03-01' + (as_of - date '2026-03-01') / ${stretch}::int`
  }
  return { newest: days?.newest ?? 0, rows: new Map(rows.map((row) => [row.shop_id, row])) }
})

const Services = History.History.layer.pipe(Layer.provideMerge(Deliveries.Services))

layer(Services, { excludeTestServices: true })("the history of a store", (it) => {
  const onlyStore = Effect.gen(function* () {
    const [id = 0] = (yield* Deliveries.known).stores.keys()
    return id
  })
  const ofStore = Effect.fnUntraced(function* (id: number, most = 12) {
    const past = yield* (yield* History.History).ofStore(id)
    if (past === undefined) return yield* Effect.die("the store has a history")
    return { isCut: past.isCut, series: Series.pointsOf(past.known, most), rows: Series.rowsOf(past.known, most) }
  })
  const ofOnlyStore = Effect.flatMap(onlyStore, (id) => ofStore(id))
  const figures = (revenue: number | null, products: number | null) => [
    revenue,
    null,
    products,
    null,
    null,
    null,
    null,
    null,
    null
  ]
  const plain = (revenue: number | null, products: number | null = null) =>
    store({ figures: figures(revenue, products), apps: [], pixels: [], theme: null })

  it.effect.prop(
    "D112 has on each day what was stored after the last import of the day, from its start on",
    [Schema.Array(Deliveries.Delivery).check(Schema.isMinLength(3), Schema.isMaxLength(9))],
    ([deliveries]) =>
      Effect.gen(function* () {
        yield* Deliveries.emptied
        const finished = new Map<string, number>()
        const stored = new Map<string, Array<Stored>>()
        let before = yield* Deliveries.known
        let last = 0
        for (const one of deliveries) {
          yield* take(one)
          const after = yield* Deliveries.known
          const told = yield* Deliveries.changesAfter(last)
          last = told.at(-1)?.id ?? last
          const newest = finished.get(one.source)
          const isKept = newest !== undefined && newest <= one.day
          if (!one.isKilled) finished.set(one.source, Math.max(newest ?? 0, one.day))
          for (const shop of after.stores.keys()) {
            const [old, values] = [partsOf(before, shop), partsOf(after, shop)]
            for (const part of Series.parts) {
              const days = stored.get(`${shop} ${part}`) ?? []
              stored.set(`${shop} ${part}`, days)
              const on = Math.max(days.at(-1)?.on ?? 0, one.day)
              if (days.length === 0 || hasTouched(part, shop, told, old, values)) days.push({ on, values, isKept })
            }
          }
          before = after
        }
        const moved = yield* movedOf
        const lines = yield* (yield* History.History).ofStores(Array.from(before.stores.keys()), 400)
        assert.sameMembers(Array.from(lines.keys()), Array.from(before.stores.keys()))
        for (const shop of before.stores.keys()) {
          const { isCut, rows, series } = yield* ofStore(shop, 400)
          assert.isFalse(isCut)
          for (const name of History.lightNames) assert.deepStrictEqual(lines.get(shop)?.[name], series[name], name)
          const ofPart = (part: Series.Part) => stored.get(`${shop} ${part}`) ?? []
          for (const name of Series.names) {
            const points = series[name]
            const [first] = points
            assert.isDefined(first, name)
            const parts = Series.partsOf[name]
            const unwritten = parts.map((part) => ofPart(part).findLast(({ isKept }) => !isKept)?.on ?? 0)
            assert.isTrue((first?.on ?? "") >= day(Math.max(...unwritten)), name)
            for (let on = Number(first?.on.slice(-2)); on <= 28; on++) {
              const point = points.findLast((each) => each.on <= day(on))
              const figuresThen = at(ofPart("figures"), on)?.figures
              const productsThen = at(ofPart("products"), on)?.products
              const expected = {
                estimated_monthly_revenue: figuresThen?.["monthly_revenue"] ?? null,
                products_count: figuresThen?.["products_count"] ?? (productsThen?.size || null),
                median_price: median(Array.from(productsThen?.values() ?? [])),
                active_ads: Array.from(at(ofPart("ads"), on)?.ads.values() ?? []).filter((isActive) => isActive).length
              }
              assert.strictEqual(point?.value, expected[name], `${name} of ${shop} on ${on}`)
              const row = rows.findLast((each) => each.on <= day(on))
              assert.strictEqual(row?.[name], expected[name], `${name} of ${shop} on ${on}, in its row`)
            }
          }
          for (const [span, days] of Object.entries(spans)) {
            const on = Math.floor(moved.newest - days / stretch)
            const isKnown = (name: Series.Name) => day(on) >= (series[name][0]?.on ?? "")
            const [adsThen, productsThen] = [at(ofPart("ads"), on)?.ads, at(ofPart("products"), on)?.products]
            const [adsNow, productsNow] = [at(ofPart("ads"), 28)?.ads, at(ofPart("products"), 28)?.products]
            const row = moved.rows.get(shop)
            assert.strictEqual(
              row?.[`ads_change_${span}`] ?? null,
              isKnown("active_ads") ? running(adsNow) - running(adsThen) : null,
              `ads of ${shop} over ${span}`
            )
            assert.strictEqual(
              row?.[`price_change_${span}`] ?? null,
              isKnown("median_price") ? percentage(mean(productsThen), mean(productsNow)) : null,
              `prices of ${shop} over ${span}`
            )
            assert.strictEqual(
              row?.[`visits_change_${span}`] ?? null,
              visitsChange(before.stores.get(shop)?.months ?? {}, moved.newest, days < 90 ? 1 : 3),
              `visits of ${shop} over ${span}`
            )
          }
        }
      }),
    { arbitrary: { runs: 60 } }
  )

  it.effect("D112 begins where its source does, is of days or of weeks, and of one point where nothing changes", () =>
    Effect.gen(function* () {
      yield* Deliveries.emptied
      yield* take(delivery(1, [plain(100), product(0, 2), product(1, 4), ad(0, "active"), ad(1, "inactive")]))
      yield* take(delivery(3, [plain(200), product(0, 8)]))
      yield* take(
        delivery(5, [plain(null, 7), ad(1, "active"), { type: "removed", record: "product", shop: 0, key: 1 }])
      )
      const days = (values: ReadonlyArray<number | null>) => values.map((value, at) => ({ on: day(at + 1), value }))
      assert.deepStrictEqual((yield* ofOnlyStore).series, {
        estimated_monthly_revenue: days([100, 100, 200, 200, null]),
        products_count: days([2, 2, 2, 2, 7]),
        median_price: days([3, 3, 6, 6, 8]),
        active_ads: days([1, 1, 1, 1, 2])
      })
      yield* take(delivery(28, []))
      const { series } = yield* ofOnlyStore
      // Weeks back from the newest day of the data.
      const weeks = [7, 14, 21, 28].map((on) => ({ on: day(on), value: 2 }))
      assert.deepStrictEqual(series.active_ads, weeks)
    })
  )

  it.effect("D112 starts again where data come that the log does not have, only of what they change", () =>
    Effect.gen(function* () {
      yield* Deliveries.emptied
      yield* take(delivery(1, [plain(100), product(0, 2), ad(0, "active")]))
      yield* take(delivery(3, [plain(200), product(0, 4), ad(0, "inactive")]))
      // The first import of another source.
      yield* take(delivery(9, [ad(1, "active")], { source: "two" }))
      const { active_ads, median_price } = (yield* ofOnlyStore).series
      assert.deepStrictEqual(active_ads, [{ on: day(9), value: 1 }])
      assert.deepStrictEqual(
        median_price.slice(0, 3).map(({ value }) => value),
        [2, 2, 4]
      )
      // Of an older day than other data of its source.
      yield* take(delivery(2, [product(1, 6)]))
      assert.deepStrictEqual((yield* ofOnlyStore).series.median_price, [{ on: day(9), value: 5 }])
      yield* (yield* Sources).forget("one")
      const { series } = yield* ofOnlyStore
      assert.deepStrictEqual(series.estimated_monthly_revenue, [{ on: day(9), value: 200 }])
      assert.deepStrictEqual(series.active_ads, [{ on: day(9), value: 1 }])
    })
  )

  it.effect("D120 has what each kind of change adds over 7, 30 and 90 days, and knows nothing of before", () =>
    Effect.gen(function* () {
      yield* Deliveries.emptied
      const changes = (sort: string) =>
        Effect.map(movedOf, ({ rows }) =>
          Array.from(rows.values(), (row) => Object.keys(spans).map((span) => row[`${sort}_${span}`] ?? null))
        )
      // Each day of a delivery stands for four.
      yield* take(delivery(1, [plain(1), product(0, 2), product(1, 4), ad(0, "active"), ad(1, "inactive")]))
      assert.deepStrictEqual(yield* changes("ads_change"), [])
      yield* take(delivery(5, [ad(2, "active"), product(0, 3)]))
      assert.deepStrictEqual(yield* changes("ads_change"), [[1, null, null]])
      yield* take(delivery(12, [ad(0, "inactive"), ad(1, "active"), product(1, 3), product(2, 6)]))
      assert.deepStrictEqual(yield* changes("ads_change"), [[0, 1, null]])
      // From 3 and 4 to 3, 3 and 6; from 2 and 4.
      assert.deepStrictEqual(yield* changes("price_change"), [[14.29, 33.33, null]])
      yield* take(
        delivery(15, [
          { type: "removed", record: "ad", shop: 0, key: 2 },
          { type: "removed", record: "product", shop: 0, key: 2 },
          ad(3, "active")
        ])
      )
      assert.deepStrictEqual(yield* changes("ads_change"), [[0, 0, null]])
      assert.deepStrictEqual(yield* changes("price_change"), [[-25, -14.29, null]])
      yield* take(delivery(18, [ad(0, "inactive"), ad(1, "inactive"), ad(3, "inactive"), product(2, 9)]))
      assert.deepStrictEqual(yield* changes("ads_change"), [[-2, -2, null]])
      assert.deepStrictEqual(yield* changes("price_change"), [[66.67, 42.86, null]])
      yield* take(delivery(28, []))
      assert.deepStrictEqual(yield* changes("ads_change"), [[0, 0, -2]])
      assert.deepStrictEqual(yield* changes("price_change"), [[0, 0, 42.86]])
    })
  )

  it.effect("D120 makes a version where something is different, and reads what has changed since", () =>
    Effect.gen(function* () {
      yield* Deliveries.emptied
      const sql = yield* SqlClient.SqlClient
      const version = Effect.map(sql<{ version: number }>`SELECT version FROM catalog`, ([row]) => row?.version ?? 0)
      yield* take(delivery(1, [plain(1), ad(0, "active")]))
      yield* take(delivery(20, [ad(0, "inactive")]))
      const before = yield* version
      assert.strictEqual(yield* Movers.update, 1)
      assert.strictEqual(yield* version, before + 1)
      assert.strictEqual(yield* Movers.update, 0)
      // Of the same day, and of a store that nothing is known of.
      yield* take(delivery(20, [store({ shop: 1 }), ad(0, "active"), ad(1, "active")]))
      assert.strictEqual(yield* Movers.update, 1)
      assert.deepStrictEqual(yield* sql`SELECT ads_change_7d AS ads, ads_change_30d AS unknown FROM mover`, [
        { ads: 1, unknown: null }
      ])
      assert.strictEqual(yield* version, before + 3)
      // Not while an import runs, whose transactions make versions; by one of several servers.
      yield* take(delivery(20, [ad(1, "inactive")]))
      const whileImporting = Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* sql.reserve
          yield* connection.executeValues("SELECT pg_advisory_lock($1)", [lockId])
          const stores = yield* Movers.update
          yield* connection.executeValues("SELECT pg_advisory_unlock($1)", [lockId])
          return stores
        })
      )
      assert.strictEqual(yield* whileImporting, 0)
      const onServers = yield* Effect.all([Movers.update, Movers.update, Movers.update], { concurrency: "unbounded" })
      assert.deepStrictEqual(onServers.toSorted(), [0, 0, 1])
      assert.strictEqual(yield* version, before + 5)
      yield* sql`UPDATE catalog SET changes_from = '2026-03-14'`
      yield* take(delivery(20, [ad(0, "inactive")]))
      assert.strictEqual(yield* Movers.update, 1)
      assert.deepStrictEqual(yield* sql`SELECT FROM mover`, [])
      yield* sql`UPDATE catalog SET changes_from = NULL`
    })
  )

  it.effect("D120 is computed by one server, while imports go on, and not for stores that are gone by then", () =>
    Effect.gen(function* () {
      yield* Deliveries.emptied
      const sql = yield* SqlClient.SqlClient
      const stored = sql`SELECT ads_change_7d AS ads FROM mover`
      yield* take(delivery(1, [plain(1), ad(0, "active")]))
      yield* take(delivery(20, [ad(0, "inactive")]))
      const table = yield* Access.hold((other) => other`LOCK TABLE mover`, "CREATE TEMPORARY TABLE different")
      const first = yield* Effect.forkScoped(Movers.update)
      yield* table.waiting(1)
      assert.strictEqual(yield* Movers.update, 0)
      yield* take(delivery(20, [ad(0, "active"), ad(1, "active")]))
      yield* table.release
      assert.strictEqual(yield* Fiber.join(first), 1)
      assert.deepStrictEqual([yield* stored, yield* Movers.update], [[{ ads: 1 }], 0])
      const isDone = Effect.map(sql`SELECT FROM catalog WHERE version = moved_version`, (rows) => rows.length === 1)
      assert.isTrue(yield* isDone)

      yield* take(delivery(20, [ad(1, "inactive")]))
      const shop = yield* onlyStore
      const removing = yield* Access.hold(
        (other) => CatalogVersion.begin(other),
        "FROM catalog FOR UPDATE",
        (other) =>
          Effect.gen(function* () {
            yield* other`DELETE FROM ad`
            yield* other`DELETE FROM shop`
            const [row] = yield* other<{ version: number }>`SELECT version FROM catalog`
            const items = [shop]
            yield* CatalogVersion.commit(other, (row?.version ?? 0) + 1, { items, figures: [], niches: false })
          })
      )
      assert.strictEqual(yield* Access.afterWaiting(removing, Movers.update), 0)
      assert.deepStrictEqual([yield* stored, yield* isDone], [[], false])
      assert.strictEqual(yield* Movers.update, 0)
      assert.isTrue(yield* isDone)
    })
  )

  it.effect("D112 begins later for a store with many changes, and has no median of many products", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Deliveries.emptied
      yield* take(delivery(1, [plain(100), product(0, 2)]))
      yield* take(delivery(3, [plain(200)]))
      const [id, record] = [yield* onlyStore, Array.from((yield* Deliveries.known).products.keys())[0] ?? 0]
      const changes = (count: number) => sql`
        INSERT INTO change (version, as_of, source_id, kind, shop_id, record_id, old, new)
        SELECT 10 + n, '2026-03-05', (SELECT min(id) FROM source), 'price_up', ${id}, ${record}, 2, 2
        FROM generate_series(1, ${count}::int) n`
      yield* changes(History.maxChanges - 1)
      const whole = yield* ofOnlyStore
      assert.deepStrictEqual([whole.isCut, whole.series.estimated_monthly_revenue[0]?.value], [false, 100])
      yield* changes(1)
      const cut = yield* ofOnlyStore
      assert.deepStrictEqual([cut.isCut, cut.series.estimated_monthly_revenue], [true, [{ on: day(3), value: 200 }]])
      yield* sql`
        INSERT INTO product (shop_id, key, title, price)
        SELECT ${id}, n::text, 'T', 1 FROM generate_series(2, ${History.maxProducts}::int) n`
      assert.isNotEmpty((yield* ofOnlyStore).series.median_price)
      yield* sql`INSERT INTO product (shop_id, key, title, price) VALUES (${id}, '1', 'T', 1)`
      const { median_price, products_count } = (yield* ofOnlyStore).series
      assert.deepStrictEqual([median_price, products_count.at(-1)?.value], [[], History.maxProducts + 1])
    })
  )

  it.effect(
    "D112 begins at the oldest day that is kept where no row says otherwise, and is empty without a store",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Deliveries.emptied
        yield* take(delivery(1, [plain(100)]))
        yield* sql`DELETE FROM history_start`
        const [kept] = yield* sql<{ on: string }>`SELECT ((now() AT TIME ZONE 'UTC')::date - 400)::text AS on`
        const { series } = yield* ofOnlyStore
        assert.deepStrictEqual(series.estimated_monthly_revenue, [{ on: kept?.on ?? "", value: 100 }])
        assert.isUndefined(yield* (yield* History.History).ofStore(2_000_000_000))
        assert.deepStrictEqual(yield* (yield* History.History).ofProduct(2_000_000_000, 12), [])
      })
  )

  it.effect("D112 knows the active ads of a store that others have left it for, and of one that is removed", () =>
    Effect.gen(function* () {
      yield* Deliveries.emptied
      const others = { ...plain(1), shop: 1 }
      yield* take(delivery(1, [plain(1), others, ad(0, "active"), ad(1, "inactive"), ad(2, "active")]))
      const moved = [ad(0, "active", { shop: 1 }), ad(1, "active", { shop: 1 })]
      yield* take(delivery(3, [...moved, { type: "removed", record: "ad", shop: 0, key: 2 }]))
      const ids = Array.from((yield* Deliveries.known).stores.keys()).toSorted((one, other) => one - other)
      const [left, joined] = yield* Effect.forEach(ids, (id) => ofStore(id))
      assert.deepStrictEqual(
        left?.series.active_ads.map(({ value }) => value),
        [2, 2, 0]
      )
      assert.deepStrictEqual(
        joined?.series.active_ads.map(({ value }) => value),
        [0, 0, 2]
      )
    })
  )

  it.effect("D112 has the prices of a product from the days on which they were new", () =>
    Effect.gen(function* () {
      yield* Deliveries.emptied
      const history = yield* History.History
      yield* take(delivery(1, [plain(100), product(0, 2)]))
      const ids = Effect.map(Deliveries.known, ({ products }) =>
        Array.from(products.keys()).toSorted((one, other) => one - other)
      )
      const prices = Effect.fnUntraced(function* (at: number, most = 12) {
        return (yield* history.ofProduct((yield* ids)[at] ?? 0, most)).map(({ on, price }) => [
          Number(on.slice(-2)),
          price
        ])
      })
      assert.deepStrictEqual(yield* prices(0), [[1, 2]])
      for (const [on, price] of [
        [2, 3],
        [4, 5],
        [4, 6],
        [7, 1]
      ] as const) {
        yield* take(delivery(on, on === 4 ? [product(0, price), product(1, price)] : [product(0, price)]))
      }
      assert.deepStrictEqual(yield* prices(0), [
        [1, 2],
        [2, 3],
        [4, 6],
        [7, 1]
      ])
      assert.deepStrictEqual(yield* prices(0, 2), [
        [4, 6],
        [7, 1]
      ])
      assert.deepStrictEqual(yield* prices(1), [[4, 6]])
    })
  )
})
