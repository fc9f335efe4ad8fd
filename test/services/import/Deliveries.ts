/** Random deliveries of data to the importer, and what is known and told after each of them (D110, D112). */
import { Effect, Layer, Result, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../../src/Config.ts"
import { changeKinds } from "../../../src/domain/catalog/Changes.ts"
import { recorded } from "../../../src/domain/catalog/Figures.ts"
import { decode } from "../../../src/domain/catalog/Records.ts"
import { Importer } from "../../../src/services/import/Importer.ts"
import type { ImportRow } from "../../../src/services/import/ImportSource.ts"
import { Sources } from "../../../src/services/import/Sources.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

export const figures = recorded.map(({ field }) => field)

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Key = int(0, 2)
const some = <Name extends string>(names: ReadonlyArray<Name>) =>
  Schema.Array(Schema.Literals(names)).check(Schema.isMaxLength(2))

export const Said = Schema.Union([
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
export type Said = typeof Said.Type

export const Delivery = Schema.Struct({
  source: Schema.Literals(["one", "two"]),
  day: int(1, 28),
  /** Stores of which it has all products. */
  whole: Schema.Array(Key).check(Schema.isMaxLength(2)),
  expiresAds: Schema.Boolean,
  /** Whether it ends when its records are committed, before what is gone is removed. */
  isKilled: Schema.Boolean,
  said: Schema.Array(Said).check(Schema.isMaxLength(12))
})
export type Delivery = typeof Delivery.Type

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

export const take = Effect.fnUntraced(function* ({ day, expiresAds, isKilled, said, source, whole }: Delivery) {
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

export interface Store {
  readonly figures: Record<string, number>
  theme: string | null
  readonly apps: Set<string>
  readonly pixels: Set<string>
  readonly months: Record<string, number>
}

/** What is kept of the catalog, by ids. */
export interface Kept {
  readonly stores: Map<number, Store>
  readonly products: Map<number, { readonly shop: number; readonly price: number }>
  readonly ads: Map<number, { readonly shop: number | null; readonly isActive: boolean }>
}

export const known = Effect.gen(function* () {
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

export const ChangeRow = Schema.Struct({
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
  facts: Schema.NullOr(Schema.Unknown),
  with_store: Schema.Boolean
})
export type ChangeRow = typeof ChangeRow.Type

export const changesAfter = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    SELECT c.id::int, version, as_of::text, s.name AS source, kind, shop_id, record_id, c.name, key, old, new, facts, with_store
    FROM change c JOIN source s ON s.id = c.source_id WHERE c.id > ${id} ORDER BY c.id`
  return yield* Schema.decodeUnknownEffect(Schema.Array(ChangeRow))(rows)
})

export const Services = Layer.mergeAll(Importer.layer, Sources.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(AppConfig.layerOf({ historyDays: 400 }))
)

export const delivery = (day: number, said: ReadonlyArray<Said>, more: Partial<Delivery> = {}): Delivery => ({
  source: "one",
  day,
  whole: [],
  expiresAds: false,
  isKilled: false,
  said,
  ...more
})

export const emptied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE source, import, shop, traffic_month, product, ad, page_store, change CASCADE`
})

export const store = (more: Partial<Extract<Said, { readonly type: "shop" | "partial_shop" }>> = {}): Said => ({
  type: "shop",
  shop: 0,
  figures: [1, 1, 1, 1, 1, null, null, null, null],
  theme: "Dawn",
  apps: ["Loox"],
  pixels: ["TikTok"],
  ...more
})
export const product = (key: number, price: number): Said => ({ type: "product", shop: 0, key, price })
export const ad = (key: number, status: "active" | "inactive", more: object = {}): Said => ({
  type: "ad",
  shop: 0,
  key,
  target: 0,
  status,
  ...more
})
