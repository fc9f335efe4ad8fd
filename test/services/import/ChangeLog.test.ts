/** D110: the changes of an import lead from what was known to what is known; nothing is missing, and nothing is there twice. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../../src/Config.ts"
import { changeKinds } from "../../../src/domain/catalog/Changes.ts"
import { recorded } from "../../../src/domain/catalog/Figures.ts"
import { decode } from "../../../src/domain/catalog/Records.ts"
import { Importer } from "../../../src/services/import/Importer.ts"
import type { ImportRow } from "../../../src/services/import/ImportSource.ts"
import { Sources } from "../../../src/services/import/Sources.ts"
import * as ChangeRetention from "../../../src/services/retention/ChangeRetention.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const figures = recorded.map(({ field }) => field)

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Key = int(0, 2)
const some = <Name extends string>(names: ReadonlyArray<Name>) =>
  Schema.Array(Schema.Literals(names)).check(Schema.isMaxLength(2))

const Said = Schema.Union([
  Schema.Struct({
    type: Schema.Literals(["shop", "partial_shop"]),
    shop: Key,
    figures: Schema.Array(Schema.NullOr(int(0, 2))).check(Schema.isMinLength(9), Schema.isMaxLength(9)),
    theme: Schema.NullOr(Schema.Literals(["Dawn", "Prestige"])),
    apps: some(["Loox", "Klaviyo"]),
    pixels: some(["TikTok", "Facebook"])
  }),
  Schema.Struct({ type: Schema.Literal("traffic_month"), shop: Key, month: int(1, 3), visits: int(1, 3) }),
  Schema.Struct({ type: Schema.Literal("product"), shop: Key, key: Key, price: int(1, 3) }),
  Schema.Struct({
    type: Schema.Literals(["ad", "library_ad"]),
    shop: Schema.NullOr(Key),
    key: Key,
    target: Key,
    status: Schema.Literals(["active", "inactive"])
  }),
  Schema.Struct({
    type: Schema.Literal("removed"),
    record: Schema.Literals(["shop", "product", "ad"]),
    shop: Key,
    key: Key
  })
])
type Said = typeof Said.Type

const Delivery = Schema.Struct({
  source: Schema.Literals(["one", "two"]),
  day: int(1, 28),
  /** Stores of which it has all products. */
  whole: Schema.Array(Key).check(Schema.isMaxLength(2)),
  expiresAds: Schema.Boolean,
  /** Whether it ends when its records are committed, before what is gone is removed. */
  isKilled: Schema.Boolean,
  said: Schema.Array(Said).check(Schema.isMaxLength(12))
})
type Delivery = typeof Delivery.Type

const domainOf = (shop: number) => `s${shop}.com`

const recordOf = (said: Said): object => {
  switch (said.type) {
    case "shop":
    case "partial_shop":
      return Object.fromEntries(
        Object.entries({
          type: said.type,
          domain: domainOf(said.shop),
          name: "S",
          country: "DE",
          theme: said.theme,
          apps: Array.from(new Set(said.apps)),
          pixels: Array.from(new Set(said.pixels)),
          ...Object.fromEntries(figures.map((field, at) => [field, said.figures[at] ?? null]))
        }).filter(([, value]) => value !== null)
      )
    case "traffic_month":
      return { ...said, shop: domainOf(said.shop), month: `2026-0${said.month}` }
    case "product":
      return { ...said, shop: domainOf(said.shop), key: `p${said.key}`, title: "T" }
    case "ad":
    case "library_ad":
      return {
        type: "ad",
        key: `a${said.key}`,
        shop: said.shop === null ? null : domainOf(said.shop),
        page_name: "Page",
        status: said.status,
        media_type: "image",
        landing_url: `https://${domainOf(said.target)}/`,
        started_on: "2026-01-01",
        last_seen_on: "2026-02-01"
      }
    case "removed": {
      const { key, record, shop } = said
      if (record === "shop") return { type: "removed", record, shop: domainOf(shop) }
      return record === "product"
        ? { type: "removed", record, shop: domainOf(shop), key: `p${key}` }
        : { type: "removed", record, key: `a${key}` }
    }
  }
}

const rowOf = (said: Said, index: number): ImportRow => {
  const record = Result.getOrThrowWith(decode(recordOf(said)), (issues) => new Error(JSON.stringify(issues)))
  return said.type === "library_ad" && record.type === "ad"
    ? { line: index + 1, record: { type: "library_ad", ad: record, page_id: `page ${said.key}`, caption: null } }
    : { line: index + 1, record }
}

/** A record of a store that comes later is rejected, and taken when it is repeated. */
const storesFirst = (said: ReadonlyArray<Said>) => {
  const isStore = ({ type }: Said) => type === "shop" || type === "partial_shop"
  return [...said.filter(isStore), ...said.filter((one) => !isStore(one))]
}

class Killed extends Schema.TaggedError<Killed>()("Killed", {}) {}

const take = Effect.fnUntraced(function* ({ day, expiresAds, isKilled, said, source, whole }: Delivery) {
  const importer = yield* Importer
  yield* importer
    .run(Stream.succeed({ rows: storesFirst(said).map(rowOf), rejects: [], position: 0 }), {
      provenance: { source, license: null, asOf: `2026-03-${String(day).padStart(2, "0")}` },
      notesProducts: () => true,
      allowsLargeRemovals: true,
      expireAdsAfterDays: () => (expiresAds ? 7 : undefined),
      outcome: () => {
        if (isKilled) throw new Killed()
        return { files: [], wholeStores: whole.map(domainOf), kept: [], lacksAds: false }
      },
      maxRejects: 100,
      onRejects: () => Effect.void,
      onProgress: () => Effect.void
    })
    .pipe(Effect.catchDefect((defect) => (defect instanceof Killed ? Effect.void : Effect.die(defect))))
})

interface Store {
  readonly figures: Record<string, number>
  theme: string | null
  readonly apps: Set<string>
  readonly pixels: Set<string>
  readonly months: Record<string, number>
}

/** What is kept of the catalog, by ids. */
interface Kept {
  readonly stores: Map<number, Store>
  readonly products: Map<number, { readonly shop: number; readonly price: number }>
  readonly ads: Map<number, { readonly shop: number | null; readonly isActive: boolean }>
}

const known = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shops = yield* sql<Record<string, unknown>>`SELECT * FROM shop`
  const months = yield* sql<{ shop_id: number; month: string; visits: number }>`
    SELECT shop_id, to_char(month, 'YYYY-MM') AS month, visits FROM traffic_month`
  const products = yield* sql<{ id: number; shop_id: number; price: number }>`SELECT id, shop_id, price FROM product`
  const ads = yield* sql<{
    id: number
    shop_id: number | null
    is_active: boolean
  }>`SELECT id, shop_id, is_active FROM ad`
  const kept: Kept = {
    stores: new Map(
      shops.map((row) => [
        Number(row["id"]),
        {
          figures: Object.fromEntries(
            figures.flatMap((name) => (row[name] === null ? [] : [[name, Number(row[name])]]))
          ),
          theme: Schema.decodeUnknownSync(Schema.NullOr(Schema.String))(row["theme"]),
          apps: new Set(Schema.decodeUnknownSync(Schema.Array(Schema.String))(row["apps"])),
          pixels: new Set(Schema.decodeUnknownSync(Schema.Array(Schema.String))(row["pixels"])),
          months: Object.fromEntries(
            months.flatMap(({ month, shop_id, visits }) => (shop_id === row["id"] ? [[month, visits]] : []))
          )
        }
      ])
    ),
    products: new Map(products.map(({ id, price, shop_id }) => [id, { shop: shop_id, price }])),
    ads: new Map(ads.map(({ id, is_active, shop_id }) => [id, { shop: shop_id, isActive: is_active }]))
  }
  return kept
})

const Facts = Schema.Struct({
  theme: Schema.optional(Schema.String),
  apps: Schema.Array(Schema.String),
  pixels: Schema.Array(Schema.String)
})
const Numbers = Schema.Record(Schema.String, Schema.Unknown)

const ChangeRow = Schema.Struct({
  id: Schema.Int,
  version: Schema.Int,
  as_of: Schema.String,
  source: Schema.String,
  kind: Schema.Literals(changeKinds),
  shop_id: Schema.NullOr(Schema.Int),
  record_id: Schema.NullOr(Schema.Int),
  name: Schema.NullOr(Schema.String),
  key: Schema.NullOr(Schema.String),
  old: Schema.NullOr(Schema.Finite),
  new: Schema.NullOr(Schema.Finite),
  facts: Schema.NullOr(Schema.Unknown)
})
type ChangeRow = typeof ChangeRow.Type

const changesAfter = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    SELECT c.id::int, version, as_of::text, s.name AS source, kind, shop_id, record_id, c.name, key, old, new, facts
    FROM change c JOIN source s ON s.id = c.source_id WHERE c.id > ${id} ORDER BY c.id`
  return yield* Schema.decodeUnknownEffect(Schema.Array(ChangeRow))(rows)
})

/** Applies a change; one that does not fit what is known is a defect of the log. */
const apply = (kept: Kept, change: ChangeRow): void => {
  const shopId = change.shop_id ?? 0
  const recordId = change.record_id ?? 0
  const name = change.name ?? ""
  const store = (): Store => {
    const found = kept.stores.get(shopId)
    if (found === undefined) throw new Error(`no store ${shopId} for ${change.kind}`)
    return found
  }
  const fits = (is: boolean) => assert.isTrue(is, JSON.stringify(change))
  switch (change.kind) {
    case "store_appeared": {
      fits(!kept.stores.has(shopId))
      const { apps, pixels, theme } = Schema.decodeUnknownSync(Facts)(change.facts)
      const facts = Schema.decodeUnknownSync(Numbers)(change.facts)
      kept.stores.set(shopId, {
        figures: Object.fromEntries(figures.flatMap((name) => (name in facts ? [[name, Number(facts[name])]] : []))),
        theme: theme ?? null,
        apps: new Set(apps),
        pixels: new Set(pixels),
        months: {}
      })
      return
    }
    case "store_gone":
      fits(kept.stores.delete(shopId))
      for (const [id, { shop }] of kept.products) if (shop === shopId) kept.products.delete(id)
      for (const [id, { shop }] of kept.ads) if (shop === shopId) kept.ads.delete(id)
      return
    case "figure_changed":
      fits((store().figures[name] ?? null) === change.old && change.old !== change.new)
      if (change.new === null) delete store().figures[name]
      else store().figures[name] = change.new
      return
    case "theme_added":
      fits(store().theme === null)
      store().theme = change.name
      return
    case "theme_removed":
      fits(store().theme === change.name)
      store().theme = null
      return
    case "app_added":
    case "pixel_added": {
      const names = change.kind === "app_added" ? store().apps : store().pixels
      fits(!names.has(name))
      names.add(name)
      return
    }
    case "app_removed":
    case "pixel_removed":
      fits((change.kind === "app_removed" ? store().apps : store().pixels).delete(name))
      return
    case "visits_added":
    case "visits_corrected":
      fits((store().months[name] ?? null) === change.old)
      store().months[name] = change.new ?? 0
      return
    case "product_appeared":
    case "product_back":
      fits(!kept.products.has(recordId))
      store()
      kept.products.set(recordId, { shop: shopId, price: change.new ?? 0 })
      return
    case "product_removed":
      fits(kept.products.get(recordId)?.price === change.old)
      kept.products.delete(recordId)
      return
    case "price_up":
    case "price_down": {
      fits(kept.products.get(recordId)?.price === change.old)
      fits((change.new ?? 0) > (change.old ?? 0) === (change.kind === "price_up"))
      kept.products.set(recordId, { shop: shopId, price: change.new ?? 0 })
      return
    }
    case "ad_appeared":
      fits(!kept.ads.has(recordId))
      kept.ads.set(recordId, { shop: change.shop_id, isActive: name === "active" })
      return
    case "ad_stopped":
    case "ad_running": {
      const isActive = change.kind === "ad_running"
      fits(kept.ads.get(recordId)?.isActive === !isActive)
      kept.ads.set(recordId, { shop: change.shop_id, isActive })
      return
    }
    case "ad_moved": {
      const ad = kept.ads.get(recordId)
      fits(ad?.shop === change.old && change.shop_id === change.new)
      kept.ads.set(recordId, { shop: change.shop_id, isActive: ad?.isActive ?? false })
      return
    }
    case "ad_removed":
      fits(kept.ads.delete(recordId))
  }
}

const Services = Layer.mergeAll(Importer.layer, Sources.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(AppConfig.layerOf({ historyDays: 400 }))
)

/** Every test has its own database, because an import depends on the catalog. */
const onFreshDatabase = <A, E>(
  effect: Effect.Effect<A, E, Importer | Sources | SqlClient.SqlClient | TestDatabase | AppConfig>
) => Effect.provide(effect, Services, { local: true })

const delivery = (day: number, said: ReadonlyArray<Said>, more: Partial<Delivery> = {}): Delivery => ({
  source: "one",
  day,
  whole: [],
  expiresAds: false,
  isKilled: false,
  said,
  ...more
})

const emptied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE source, import, shop, traffic_month, product, ad, page_store, change CASCADE`
})

const store = (more: Partial<Extract<Said, { readonly type: "shop" | "partial_shop" }>> = {}): Said => ({
  type: "shop",
  shop: 0,
  figures: [1, 1, 1, 1, 1, null, null, null, null],
  theme: "Dawn",
  apps: ["Loox"],
  pixels: ["TikTok"],
  ...more
})
const product = (key: number, price: number): Said => ({ type: "product", shop: 0, key, price })
const ad = (key: number, status: "active" | "inactive", more: object = {}): Said => ({
  type: "ad",
  shop: 0,
  key,
  target: 0,
  status,
  ...more
})

const shown = ({ key, kind, name, new: after, old }: ChangeRow) =>
  [kind, name, key, old, after].filter((part) => part !== null).join(" ")

layer(Services, { excludeTestServices: true })("the log of changes", (it) => {
  it.effect.prop(
    "D110 leads from each version to the next, and has nothing of a baseline, of older data or of a repetition",
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
            for (const change of changes) {
              assert.isAbove(change.version, started?.version ?? 0)
              assert.strictEqual(change.source, one.source)
              assert.strictEqual(change.as_of, `2026-03-${String(one.day).padStart(2, "0")}`)
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
            "ad_removed",
            "store_appeared",
            "pixel_added TikTok",
            "visits_corrected 2026-01 7 8",
            "product_back 5",
            `ad_moved ${first}`
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
