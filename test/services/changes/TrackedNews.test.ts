/** D121: what happened at tracked stores, of a few of them, in the same statements whatever an account tracks. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../../src/Config.ts"
import * as Series from "../../../src/domain/catalog/Series.ts"
import * as History from "../../../src/services/changes/History.ts"
import { maxCounted, maxStores, TrackedNews } from "../../../src/services/changes/TrackedNews.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { recorded } from "../../support/Statements.ts"
import * as StoreRecords from "../../support/StoreRecords.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const services = TrackedNews.layer.pipe(
  Layer.provideMerge(History.History.layer),
  Layer.provideMerge(Access.layerUnhashed),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(AppConfig.layerOf({ historyDays: 400 })),
  Layer.provideMerge(SetClock.layer("2026-03-31T12:00:00Z"))
)

layer(services, { excludeTestServices: true })("TrackedNews", (it) => {
  const account = Effect.map(Access.subscriber(), ({ caller }) => caller.accountId)

  const track = Effect.fnUntraced(function* (accountId: number, count: number) {
    const sql = yield* SqlClient.SqlClient
    const ids: Array<number> = []
    for (let added = 0; added < count; added++) {
      const id = yield* StoreRecords.addStore({ name: `Store ${added}`, country: "DE" })
      yield* sql`
        INSERT INTO tracked_shop (account_id, shop_id, kind, since)
        VALUES (${accountId}, ${id}, ${added === 1 ? "own" : "tracked"}, '2026-03-01'::timestamptz + make_interval(mins => ${added}))`
      ids.push(id)
    }
    return ids
  })

  const change = Effect.fnUntraced(function* (
    shopId: number,
    kind: string,
    at: string,
    more: { readonly count?: number; readonly withStore?: boolean } = {}
  ) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      CREATE TABLE IF NOT EXISTS change_2026_03 PARTITION OF change FOR VALUES FROM ('2026-03-01 00:00+00') TO ('2026-04-01 00:00+00')`
    yield* sql`
      INSERT INTO change (at, version, as_of, source_id, kind, shop_id, name, with_store)
      SELECT ${at}::timestamptz, 5, (${at}::timestamptz)::date, 1, ${kind}, ${shopId},
        CASE WHEN ${kind} LIKE 'ad%' THEN 'active' END, ${more.withStore ?? false}
      FROM generate_series(1, ${more.count ?? 1}::int)`
  })

  it.effect("D121 has at most six stores, the newest changes first, then those added last", () =>
    Effect.gen(function* () {
      const news = yield* TrackedNews
      const [mine, other] = [yield* account, yield* account]
      const ids = yield* track(mine, maxStores + 2)
      const [first = 0, second = 0, third = 0, , , , seventh = 0, last = 0] = ids
      yield* change(third, "price_up", "2026-03-10T10:00:00Z", { count: 3 })
      yield* change(second, "app_added", "2026-03-30T10:00:00Z")
      yield* change(first, "price_up", "2026-03-30T11:00:00Z")
      yield* change(second, "price_up", "2026-03-30T12:00:00Z", { count: 2 })
      // Records that came with a new store are not counted.
      yield* change(last, "product_appeared", "2026-03-30T13:00:00Z", { count: 9, withStore: true })
      const stores = yield* news.of(mine)
      assert.deepStrictEqual(
        stores.map(({ counts, id, isOwn }) => [id, isOwn, counts.map(({ count, kind }) => `${count} ${kind}`)]),
        [
          [second, true, ["2 price_up", "1 app_added"]],
          [first, false, ["1 price_up"]],
          // Without changes of the last seven days.
          ...[last, seventh, ...ids.slice(4, 6).toReversed()].map((id) => [id, false, []])
        ]
      )
      assert.deepStrictEqual(yield* news.of(other), [])
    })
  )

  it.effect("D121 takes the same statements for one store and for many, and counts so many changes of each", () =>
    Effect.gen(function* () {
      const news = yield* TrackedNews
      const [one, many] = [yield* account, yield* account]
      const [store = 0] = yield* track(one, 1)
      yield* track(many, 30)
      yield* change(store, "ad_appeared", "2026-03-30T10:00:00Z", { count: maxCounted + 50 })
      const [ofOne, ofMany] = [yield* recorded(news.of(one)), yield* recorded(news.of(many))]
      assert.deepStrictEqual(ofOne.statements, ofMany.statements)
      assert.deepStrictEqual([ofOne.answer.length, ofMany.answer.length], [1, maxStores])
      assert.deepStrictEqual(ofOne.answer[0]?.counts, [{ kind: "ad_appeared", count: maxCounted }])
    })
  )

  it.effect("D121 the history of a store with many changes begins later, with the same values", () =>
    Effect.gen(function* () {
      const [history, news, sql] = [yield* History.History, yield* TrackedNews, yield* SqlClient.SqlClient]
      const mine = yield* account
      const [id = 0] = yield* track(mine, 1)
      yield* sql`INSERT INTO history_start (shop_id, part, version, as_of) VALUES (${id}, 'ads', 1, '2026-03-01')`
      const points = Effect.map(news.of(mine), ([store]) => store?.points.active_ads ?? [])
      const whole = Effect.map(history.ofStore(id), (past) =>
        past === undefined ? [] : Series.pointsOf(past.known, 60).active_ads
      )
      yield* change(id, "ad_running", "2026-03-02T10:00:00Z", { count: History.maxRecent - 10 })
      yield* change(id, "ad_running", "2026-03-03T10:00:00Z", { count: 10 })
      assert.deepStrictEqual(yield* points, yield* whole)
      assert.strictEqual((yield* points)[0]?.on, "2026-03-01")
      yield* sql`UPDATE change SET version = 6 WHERE shop_id = ${id} AND as_of = '2026-03-03'`
      yield* change(id, "ad_stopped", "2026-03-04T10:00:00Z", { count: 5 })
      yield* sql`UPDATE change SET version = 7 WHERE shop_id = ${id} AND as_of = '2026-03-04'`
      const all = yield* whole
      const cut = yield* points
      assert.strictEqual(cut[0]?.on, "2026-03-02")
      assert.deepStrictEqual(cut, all.slice(-cut.length))
    })
  )
})
