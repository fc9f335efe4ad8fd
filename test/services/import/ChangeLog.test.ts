/** D110: the changes of an import lead from what was known to what is known; nothing is missing, and nothing is there twice. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AppConfig } from "../../../src/Config.ts"
import { changeKinds } from "../../../src/domain/catalog/Changes.ts"
import type { ChangeKind } from "../../../src/domain/catalog/Changes.ts"
import type { Importer } from "../../../src/services/import/Importer.ts"
import { Sources } from "../../../src/services/import/Sources.ts"
import * as ChangeRetention from "../../../src/services/retention/ChangeRetention.ts"
import type { TestDatabase } from "../../support/TestDatabase.ts"
import { apply } from "./ChangeLaw.ts"
import { ad, changesAfter, Delivery, delivery, emptied, known, product, Services, store, take } from "./Deliveries.ts"
import type { ChangeRow, Said } from "./Deliveries.ts"

/** Every test has its own database, because an import depends on the catalog. */
const onFreshDatabase = <A, E>(
  effect: Effect.Effect<A, E, Importer | Sources | SqlClient.SqlClient | TestDatabase | AppConfig>
) => Effect.provide(effect, Services, { local: true })

const shown = ({ key, kind, name, new: after, old }: ChangeRow) =>
  [kind, name, key, old, after].filter((part) => part !== null).join(" ")

/** Not each by itself in lists of changes (D111), if their store is new in the same import. */
const newWithStore = new Set<ChangeKind>(["product_appeared", "ad_appeared", "visits_added"])

layer(Services, { excludeTestServices: true })("the log of changes", (it) => {
  it.effect.prop(
    "D110, D111 leads from each version to the next, says what came with a new store, and has nothing of a baseline, of older data or of a repetition",
    [Schema.Array(Delivery).check(Schema.isMinLength(2), Schema.isMaxLength(7))],
    ([deliveries]) =>
      Effect.gen(function* () {
        yield* emptied
        const newest = new Map<string, number>()
        const sql = yield* SqlClient.SqlClient
        let last = 0
        for (const one of deliveries) {
          const before = yield* known
          const [started] = yield* sql<{ version: number }>`SELECT version FROM catalog`
          yield* take(one)
          const after = yield* known
          const changes = yield* changesAfter(last)
          last = changes.at(-1)?.id ?? last
          const finished = newest.get(one.source)
          const isKept = finished !== undefined && finished <= one.day
          const latest = Math.max(finished ?? 0, one.day)
          if (!one.isKilled) newest.set(one.source, latest)
          if (!isKept) assert.deepStrictEqual(changes, [])
          else {
            const appeared = new Set(
              changes.flatMap(({ kind, shop_id }) => (kind === "store_appeared" ? [shop_id] : []))
            )
            for (const change of changes) {
              assert.isAbove(change.version, started?.version ?? 0)
              assert.strictEqual(change.source, one.source)
              assert.strictEqual(change.as_of, `2026-03-${String(one.day).padStart(2, "0")}`)
              const isNew = newWithStore.has(change.kind) && appeared.has(change.shop_id)
              assert.strictEqual(change.with_store, isNew, JSON.stringify(change))
              apply(before, change)
            }
            assert.deepStrictEqual(before, after)
          }
          // Of records that it removes and gives again, and of ads that it gives in two forms or expires, it says two things each time.
          const types = new Set(one.said.map(({ type }) => type))
          const saysOneThing =
            !types.has("removed") && !(types.has("ad") && (types.has("library_ad") || one.expiresAds))
          if (saysOneThing && !one.isKilled && latest === one.day) {
            yield* take(one)
            assert.deepStrictEqual(yield* changesAfter(last), [])
            assert.deepStrictEqual(yield* known, after)
          }
        }
      }),
    { arbitrary: { runs: 120 } }
  )

  it.effect("has each kind of change", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* take(
          delivery(1, [store(), product(0, 2), product(1, 2), product(2, 2), ad(0, "active"), ad(1, "inactive")])
        )
        assert.deepStrictEqual(yield* changesAfter(0), [])
        const told = Effect.fnUntraced(function* (one: Delivery) {
          const sql = yield* SqlClient.SqlClient
          const [last] = yield* sql<{ id: number }>`SELECT coalesce(max(id), 0)::int AS id FROM change`
          yield* take(one)
          // Those of one statement have no order.
          return (yield* changesAfter(last?.id ?? 0)).map(shown).toSorted()
        })
        assert.deepStrictEqual(
          yield* told(
            delivery(2, [
              store({
                figures: [2, null, 1, 1, 1, null, null, null, null],
                theme: "Prestige",
                apps: ["Klaviyo"],
                pixels: []
              }),
              { type: "traffic_month", shop: 0, month: 1, visits: 7 },
              product(0, 3),
              product(1, 1),
              ad(0, "inactive"),
              ad(1, "active"),
              ad(2, "active", { shop: null, target: 2 }),
              { type: "removed", record: "product", shop: 0, key: 2 }
            ])
          ),
          [
            "product_removed T p2 2",
            "figure_changed monthly_revenue 1 2",
            "figure_changed monthly_orders 1",
            "theme_removed Dawn",
            "theme_added Prestige",
            "app_removed Loox",
            "app_added Klaviyo",
            "pixel_removed TikTok",
            "visits_added 2026-01 7",
            "price_up 2 3",
            "price_down 2 1",
            "ad_appeared active",
            "ad_running",
            "ad_stopped"
          ].toSorted()
        )
        const [first] = (yield* known).stores.keys()
        assert.deepStrictEqual(
          yield* told(
            delivery(3, [
              store({ shop: 1, pixels: ["TikTok"] }),
              store({ figures: [2, null, 1, 1, 1, null, null, null, null], theme: "Prestige", apps: ["Klaviyo"] }),
              { type: "traffic_month", shop: 0, month: 1, visits: 8 },
              product(2, 5),
              ad(2, "active"),
              { type: "removed", record: "ad", shop: 0, key: 1 }
            ])
          ),
          [
            "ad_removed active",
            "store_appeared",
            "pixel_added TikTok",
            "visits_corrected 2026-01 7 8",
            "product_back 5",
            `ad_moved active ${first}`
          ].toSorted()
        )
        assert.deepStrictEqual(
          yield* told(
            delivery(4, [product(2, 5), { type: "removed", record: "shop", shop: 1, key: 0 }], { whole: [0] })
          ),
          ["product_removed T p0 3", "product_removed T p1 1", "store_gone s1.com"]
        )
        const library: Said = { type: "library_ad", shop: null, key: 0, target: 2, status: "active" }
        assert.deepStrictEqual(yield* told(delivery(5, [library])), ["ad_running"])
        assert.deepStrictEqual(yield* told(delivery(20, [], { expiresAds: true })), ["ad_stopped"])
      })
    )
  )

  it.effect("is forgotten with its source, and dropped by months", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const sources = yield* Sources
        const count = Effect.map(sql<{ n: number }>`SELECT count(*)::int AS n FROM change`, ([row]) => row?.n)
        for (const source of ["one", "two"] as const) {
          for (const day of [1, 2])
            yield* take(
              delivery(day, [store({ shop: source === "one" ? 0 : 1, theme: day === 1 ? null : "Dawn" })], { source })
            )
        }
        assert.strictEqual(yield* count, 2)
        yield* sources.forget("one")
        assert.deepStrictEqual(
          (yield* changesAfter(0)).map(({ source }) => source),
          ["two"]
        )
        // A month that ended long ago; this month and the next one stay.
        yield* sql`CREATE TABLE change_2024_01 PARTITION OF change FOR VALUES FROM ('2024-01-01 00:00Z') TO ('2024-02-01 00:00Z')`
        assert.strictEqual(yield* ChangeRetention.remove, 1)
        assert.strictEqual(yield* ChangeRetention.remove, 0)
        assert.strictEqual(yield* count, 1)
      })
    )
  )

  it.effect("has the kinds of the table's constraint", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [constraint] = yield* sql<{ text: string }>`
        SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conname = 'change_kind_check'`
      const kinds = Array.from(constraint?.text.matchAll(/'([a-z_]+)'/gu) ?? [], ([, kind]) => kind)
      assert.deepStrictEqual(kinds, [...changeKinds])
    })
  )
})
