/**
 * Every field of every record, by each way in which an import writes it: written, read back, stamped if the search index reads it,
 * and shown by the readers. The fields come from the schemas of the records; one without values here does not compile.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Equal, Layer, Option, Result, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../../src/Config.ts"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import type {
  AdRecord,
  NicheRecord,
  PartialShop,
  ProductRecord,
  ShopRecord,
  TrafficMonthRecord
} from "../../../src/domain/catalog/Records.ts"
import { decode } from "../../../src/domain/catalog/Records.ts"
import { extension } from "../../../src/domain/catalog/StoreDomain.ts"
import { byField, recorded } from "../../../src/domain/catalog/Figures.ts"
import { Importer } from "../../../src/services/import/Importer.ts"
import type { ImportRow } from "../../../src/services/import/ImportSource.ts"
import { ProductReader } from "../../../src/services/search/ProductReader.ts"
import { AdSearch, ProductSearch, ShopSearch } from "../../../src/services/search/Searches.ts"
import { ShopReader } from "../../../src/services/search/ShopReader.ts"
import { differences } from "../../../src/services/search/index/Compare.ts"
import { CatalogIndex } from "../../../src/services/search/runtime/CatalogIndex.ts"
import { CatalogReader } from "../../../src/services/search/runtime/CatalogReader.ts"
import { compareWithRecords } from "../../../src/services/search/runtime/VerifyIndex.ts"
import * as Access from "../../support/Access.ts"
import * as Searches from "../../support/Searches.ts"
import { indexed } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

/** Two values of each field that is not part of the key, as they are decoded and stored. */
type Values<Record, Key extends keyof Record> = {
  readonly [Field in Exclude<keyof Record, Key | "type">]-?: readonly [
    first: NonNullable<Record[Field]>,
    second: NonNullable<Record[Field]>
  ]
}

const shop: Values<ShopRecord, "domain"> = {
  name: ["Oakline", "Lampline"],
  country: ["DE", "GB"],
  currency: ["EUR", "GBP"],
  niche: [1, 2],
  languages: [["German"], ["English", "Dutch"]],
  pixels: [["TikTok"], ["Facebook"]],
  social_networks: [["Instagram"], ["YouTube", "Reddit"]],
  apps: [["Loox", 'a "quoted", {back\\slash}'], ["Klaviyo"]],
  theme: ["Dawn", "Prestige"],
  created_on: ["2019-05-04", "2020-06-07"],
  ...byField((number): readonly [number, number] => {
    const at = recorded.indexOf(number)
    if (number.unit === "count") return [2_310 + at, 12 + at]
    return number.unit === "money" ? [184_250.4 + at, 99.5 + at] : [4 + at / 10, 2 + at / 10]
  })
}

const { niche: _, ...shopOfForeign } = shop
const partialShop: Omit<Values<PartialShop, "domain">, "categories"> = shopOfForeign

const details = (text: string, number: number): NonNullable<ProductRecord["details"]> => ({
  description_html: `<p>${text}</p>`,
  vendor: `${text} vendor`,
  product_type: `${text} type`,
  tags: [text, "tag"],
  options: [{ name: "Size", values: [text, "M"] }],
  variants: [
    {
      id: String(number),
      title: text,
      sku: `sku ${text}`,
      price: number,
      compare_at_price: number + 1,
      is_available: number > 5,
      options: [text]
    }
  ],
  images: [{ url: `https://x.example/${text}.jpg`, width: number, height: number + 2 }]
})

const product: Values<ProductRecord, "shop" | "key"> = {
  alias: ["8101", "8102"],
  title: ["Oak lamp", "Ash chair"],
  url: ["https://a.com/products/1", "https://a.com/products/2"],
  image_url: ["https://x.example/1.jpg", "https://x.example/2.jpg"],
  price: [24.9, 0.1],
  created_at: ["2025-03-02T08:11:40.000Z", "2025-04-03T09:12:41.123Z"],
  details: [details("one", 5), details("two", 7)]
}

const ad: Values<AdRecord, "key"> = {
  shop: ["first.com", "second.com"],
  ad_archive_id: ["1001", "1002"],
  page_name: ["Oak page", "Ash page"],
  status: ["active", "inactive"],
  media_type: ["video", "carousel"],
  headline: ["Sale", "Offer"],
  ad_text: ["Buy oak\nnow", "Buy ash"],
  cta: ["Shop Now", "Learn More"],
  landing_url: ["https://elsewhere.com/1", "https://elsewhere.com/2"],
  image_url: ["https://x.example/3.jpg", "https://x.example/4.jpg"],
  ad_library_url: ["https://x.example/library/1", "https://x.example/library/2"],
  started_on: ["2026-01-02", "2026-01-03"],
  last_seen_on: ["2026-02-04", "2026-02-05"],
  is_partnership: [true, false]
}

const month: Values<TrafficMonthRecord, "shop" | "month"> = { visits: [1_000, 2_500] }
const niche: Values<NicheRecord, "id"> = { parent_id: [1, 2], name: ["Lamps", "Desk lamps"] }

type Fields = Readonly<Record<string, unknown>>
type Table = "niche" | "shop" | "traffic_month" | "product" | "ad"

/** One way in which an import writes records. */
interface Way {
  readonly table: Table
  readonly key: Fields
  readonly values: Readonly<Record<string, readonly [unknown, unknown]>>
  /** The rows of the import of a record. */
  readonly rows: (record: Fields) => ReadonlyArray<ImportRow>
  /** Fields that a record without them does not change (docs/import.md). */
  readonly kept: "all" | ReadonlyArray<string>
  /** Columns that are no fields of the record. */
  readonly others: (record: Fields) => Fields
}

const row = (record: Fields): ImportRow => ({
  line: 1,
  record: Result.getOrThrowWith(decode(record), (issues) => new Error(JSON.stringify(issues)))
})

const libraryAd =
  (page_id: string | null) =>
  (record: Fields): ReadonlyArray<ImportRow> => {
    const found = row(record).record
    assert(found.type === "ad")
    return [{ line: 1, record: { type: "library_ad", ad: found, page_id, caption: null } }]
  }

const asOf = "2026-02-10"
const ofShop = ({ domain }: Fields) => ({ domain_extension: extension(String(domain)) })
const nothing = () => ({})
const noLibrary = () => ({ page_id: null, link_domain: null, seen_on: null })

const ways: Readonly<Record<string, Way>> = {
  "a niche": {
    table: "niche",
    key: { type: "niche", id: 3 },
    values: niche,
    rows: (record) => [row(record), row({ type: "shop", domain: "lamps.com", name: "Lamps", country: "US", niche: 3 })],
    kept: [],
    others: () => ({ taxonomy_key: null })
  },
  "a store": {
    table: "shop",
    key: { type: "shop", domain: "whole.co.uk" },
    values: shop,
    rows: (record) => [row(record)],
    kept: [],
    others: ofShop
  },
  "a part of a store": {
    table: "shop",
    key: { type: "partial_shop", domain: "part.com" },
    values: partialShop,
    rows: (record) => [row(record)],
    kept: "all",
    others: (record) => ({ ...ofShop(record), niche: null })
  },
  "a part of a store, after the whole store": {
    table: "shop",
    key: { type: "partial_shop", domain: "both.com" },
    values: partialShop,
    rows: (record) => [row({ ...firstOf(shop), type: "shop", domain: record["domain"] }), row(record)],
    // Those of the whole store, which are the first ones.
    kept: [],
    others: (record) => ({ ...firstOf(shop), ...ofShop(record) })
  },
  "the visits of a month": {
    table: "traffic_month",
    key: { type: "traffic_month", shop: "first.com", month: "2026-01" },
    values: month,
    rows: (record) => [row(record)],
    kept: [],
    others: nothing
  },
  "a product": {
    table: "product",
    key: { type: "product", shop: "first.com", key: "native" },
    values: product,
    rows: (record) => [row(record)],
    kept: ["alias"],
    others: nothing
  },
  "a product of another format": {
    table: "product",
    key: { type: "product", shop: "first.com", key: "foreign" },
    values: { ...product, alias: ["9101", "9102"] },
    rows: (record) => [{ ...row(record), category: null }],
    kept: ["alias", "url", "created_at"],
    others: nothing
  },
  "a product of another format, after a native one of the same import": {
    table: "product",
    key: { type: "product", shop: "first.com", key: "both" },
    values: product,
    rows: ({ key, ...record }) => [
      row({ ...firstOf(product), type: "product", shop: "first.com", key }),
      { ...row({ ...record, key }), category: null }
    ],
    kept: [],
    // Those of the native product, which are the first ones.
    others: () => ({ alias: product.alias[0], url: product.url[0], created_at: product.created_at[0] })
  },
  "an ad": {
    table: "ad",
    key: { type: "ad", key: "native" },
    values: ad,
    rows: (record) => [row(record)],
    kept: [],
    others: noLibrary
  },
  "an ad of a library": {
    table: "ad",
    key: { type: "ad", key: "library" },
    values: ad,
    rows: libraryAd("page"),
    kept: ["shop"],
    others: () => ({ page_id: "page", link_domain: "elsewhere.com", seen_on: asOf })
  }
}

function firstOf(values: Way["values"]): Fields {
  return Object.fromEntries(Object.entries(values).map(([field, [first]]) => [field, first]))
}

/** Columns by which an import is followed, and those that a row gets when it is inserted. */
const ofImports = ["id", "version", "import_id", "source_ids", "first_seen", "as_of", "said_on", "products_as_of"]

/** What a row must be for a record. */
const rowOf = (table: Table, record: Fields): Fields => {
  const { domain, id: _id, key, month, niche, shop, status, type: _type, ...others } = record
  switch (table) {
    case "niche":
      return others
    case "shop":
      return { ...others, domain, niche_id: niche }
    case "traffic_month":
      return { ...others, shop_id: shop, month: `${String(month)}-01` }
    case "product":
      return { ...others, key, shop_id: shop }
    case "ad":
      return { ...others, key, shop_id: shop, is_active: status === "active" }
  }
}

/** What a search reads of which field, and which stamp it needs (CatalogVersion.Touched). */
const stampOf = (table: Table, field: string) =>
  table === "niche" ? "niches" : table === "product" || table === "ad" || field === "name" ? "items" : "figures"

/** Fields that no answer shows: the names by which an import finds a record. */
const isShown = (table: Table, field: string) => !(table === "product" && field === "alias")

const importRows = Effect.fnUntraced(function* (rows: ReadonlyArray<ImportRow>, date = asOf) {
  const report = yield* (yield* Importer).run(Stream.succeed({ rows, rejects: [], position: rows.length }), {
    provenance: { source: "test", license: null, asOf: date },
    maxRejects: 0,
    onRejects: () => Effect.void,
    onProgress: () => Effect.void
  })
  yield* indexed
  return report
})

/** The stored row of a record, with the domain of its store for the id. */
const stored = Effect.fnUntraced(function* (table: Table, key: Fields) {
  const sql = yield* SqlClient.SqlClient
  const { id = null, domain = null, key: own = null, month = null, shop = null } = key
  const wanted = {
    niche: sql`t.id = ${id}`,
    shop: sql`t.domain = ${domain}`,
    traffic_month: sql`t.month = ${`${String(month)}-01`}::date AND t.shop_id = (SELECT id FROM shop WHERE domain = ${shop})`,
    product: sql`t.key = ${own} AND t.shop_id = (SELECT id FROM shop WHERE domain = ${shop})`,
    ad: sql`t.key = ${own}`
  }
  const names = {
    niche: sql`'{}'::jsonb`,
    shop: sql`'{}'::jsonb`,
    traffic_month: sql`jsonb_build_object('shop_id', (SELECT domain FROM shop WHERE id = t.shop_id))`,
    product: sql`jsonb_build_object('shop_id', (SELECT domain FROM shop WHERE id = t.shop_id),
      'created_at', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`,
    ad: sql`jsonb_build_object('shop_id', (SELECT domain FROM shop WHERE id = t.shop_id))`
  }
  const rows = yield* sql<{ row: Fields }>`
    SELECT to_jsonb(t) || ${names[table]} AS row FROM ${sql(table)} t WHERE ${wanted[table]}`
  const [found] = rows
  assert(found !== undefined && rows.length === 1, `one row of ${table}`)
  return found.row
})

const without = (row: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

/** The versions of the catalog: the newest, and the newest of each stamp. */
const stamps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ version: number; niches: number; items: number; stores: number; imports: number }>`
    SELECT version, niches_version AS niches, (SELECT max(id) FROM import) AS imports,
      (SELECT max(items_version) FROM shop_change) AS items, (SELECT max(version) FROM shop_change) AS stores
    FROM catalog`
  return found ?? assert.fail()
})

/** All that the readers show of all records. */
const answers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shops = yield* sql<{ id: number; account: AccountId }>`
    SELECT s.id, a.id AS account FROM shop s CROSS JOIN account a ORDER BY s.id`
  yield* sql`INSERT INTO tracked_shop SELECT a.id, s.id, 'tracked' FROM shop s CROSS JOIN account a ON CONFLICT DO NOTHING`
  const account = shops[0]?.account ?? assert.fail()
  const products = yield* sql<{ id: number }>`SELECT id FROM product ORDER BY id`
  const [shopReader, productReader] = [yield* ShopReader, yield* ProductReader]
  return {
    shops: yield* Effect.forEach(shops, ({ id }) => shopReader.get(id, account)),
    products: yield* Effect.forEach(products, ({ id }) => productReader.get(id, account)),
    ads: (yield* (yield* AdSearch).search({ sort_by: "newest", per_page: 100 })).ads,
    foundShops: (yield* (yield* ShopSearch).search({ per_page: 25 }, account)).shops,
    foundProducts: (yield* (yield* ProductSearch).search({ per_page: 25 }, account)).products
  }
})

const base = [
  { type: "niche", id: 1, name: "Home" },
  { type: "niche", id: 2, name: "Garden" },
  { type: "shop", domain: "first.com", name: "First", country: "US", niche: 1 },
  { type: "shop", domain: "second.com", name: "Second", country: "US", niche: 1 }
].map(row)

const services = Layer.effectDiscard(Effect.andThen(Access.subscriber(), importRows(base))).pipe(
  Layer.provideMerge(
    Layer.mergeAll(Searches.layer, CatalogReader.layer, ProductReader.layer, Importer.layer, Access.layerUnhashed)
  ),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(AppConfig.layerOf({ baseUrl: "https://discovery.test" }))
)

const fresh = Effect.provide(services, { local: true })

/** The index has what the records have, as a rebuild would. */
const published = Effect.gen(function* () {
  const now = yield* (yield* CatalogIndex).current
  const differing = Option.getOrThrow(yield* compareWithRecords(now))
  if (differing.length > 0) assert.fail(differing.join("; "))
  return now
})

/** Names each column that differs. */
const assertRow = (table: Table, row: Fields, record: Fields) => {
  const [found, expected] = [without(row, ofImports), rowOf(table, record)]
  const names = Array.from(new Set([...Object.keys(found), ...Object.keys(expected)]))
  const written = (value: unknown) => JSON.stringify(value) ?? "nothing"
  const differing = names.filter((name) => !Equal.equals(found[name], expected[name]))
  const differences = differing.map(
    (name) => `${name} is ${written(found[name])} instead of ${written(expected[name])}`
  )
  if (differences.length > 0) assert.fail(differences.join("; "))
}

/** Imports a change of one field, and checks what has become of it. */
const changeOne = Effect.fnUntraced(function* (way: Way, record: Fields, expected: Fields, field: string) {
  const before = { answers: yield* answers, index: yield* published, stamps: yield* stamps }
  const old = yield* stored(way.table, way.key)
  yield* importRows(way.rows(record))
  const row = yield* stored(way.table, way.key)
  assertRow(way.table, row, expected)

  const after = { answers: yield* answers, index: yield* published, stamps: yield* stamps }
  const isChanged = JSON.stringify(without(row, ofImports)) !== JSON.stringify(without(old, ofImports))
  const isRead =
    differences(before.index, after.index, ["before", "after"]).length > 0 ||
    JSON.stringify(before.index.niches) !== JSON.stringify(after.index.niches)
  const isNew = (stamp: keyof typeof before.stamps) => after.stamps[stamp] > before.stamps[stamp]
  const stamp = stampOf(way.table, field)
  assert.deepStrictEqual(
    { version: isNew("version"), items: isNew("items"), stores: isNew("stores"), niches: isNew("niches") },
    {
      version: isRead,
      items: isRead && stamp === "items",
      stores: isRead && stamp !== "niches",
      niches: isRead && stamp === "niches"
    },
    "stamps"
  )
  if ("version" in row) {
    assert.strictEqual(row["version"], isRead ? after.stamps.version : old["version"], "the version of the record")
    assert.strictEqual(row["import_id"], isChanged ? after.stamps.imports : old["import_id"], "its import")
  }
  assert.strictEqual(
    JSON.stringify(after.answers) !== JSON.stringify(before.answers),
    isChanged && isShown(way.table, field),
    "whether answers show it"
  )
})

/** The value of a field that a record lacks; none if it needs the field. */
const absentValue = (record: Fields, field: string): Option.Option<unknown> =>
  Result.match(decode(record), {
    onFailure: Option.none,
    onSuccess: (decoded) => Option.some(new Map<string, unknown>(Object.entries(decoded)).get(field))
  })

layer(Layer.empty, { excludeTestServices: true })("D59 every field of", (it) => {
  it.effect.each(Object.entries(ways).map(([name, way]) => ({ name, way })))(
    "$name is written, stamped and shown when it alone changes; without a value it becomes unknown or is kept",
    ({ way }) =>
      fresh(
        Effect.gen(function* () {
          const first: Fields = { ...way.key, ...firstOf(way.values) }
          const whole = { ...way.others(first), ...first }
          const wrong: Array<string> = []
          /** All fields are checked, whichever of them are wrong. */
          const noting = (field: string) =>
            Effect.catchDefect((defect) => Effect.sync(() => void wrong.push(`${field}: ${String(defect)}`)))
          yield* importRows(way.rows(first))
          for (const [field, [, second]] of Object.entries(way.values)) {
            const changed = { ...first, [field]: second }
            yield* changeOne(way, changed, { ...whole, [field]: second }, field).pipe(noting(field))
            const absent = without(changed, [field])
            const value = absentValue(absent, field)
            if (Option.isSome(value)) {
              const isKept = way.kept === "all" || way.kept.includes(field)
              const unknown = isKept ? second : (value.value ?? way.others(first)[field] ?? null)
              yield* changeOne(way, absent, { ...whole, [field]: unknown }, field).pipe(noting(`no ${field}`))
            }
            yield* changeOne(way, first, whole, field).pipe(noting(field))
          }
          if (wrong.length > 0) assert.fail(wrong.join("\n"))
        })
      )
  )

  it.effect("a part of a new store is written alone, and all others are unknown", () =>
    fresh(
      Effect.gen(function* () {
        const unknown = row({ type: "shop", domain: "unknown.com", name: "unknown.com", country: "FR" }).record
        for (const [at, [field, [value]]] of Object.entries(partialShop).entries()) {
          const domain = `new-${at}.co.uk`
          const given = { name: domain, country: "FR", [field]: value }
          yield* importRows([row({ type: "partial_shop", domain, ...given })])
          assertRow("shop", yield* stored("shop", { domain }), {
            ...unknown,
            domain,
            domain_extension: ".co.uk",
            ...given
          })
        }
        yield* published
      })
    )
  )

  it.effect(
    "an ad of a library keeps what newer data say, and gets from older data only its unknown store, page and link",
    () =>
      fresh(
        Effect.gen(function* () {
          const way = ways["an ad of a library"] ?? assert.fail()
          const lacking = { ...way.key, ...firstOf(ad), shop: null, landing_url: null }
          yield* importRows(libraryAd(null)(lacking))
          const others = { page_id: null, link_domain: null, seen_on: asOf }
          assertRow("ad", yield* stored("ad", way.key), { ...lacking, ...others })

          const second = {
            ...way.key,
            ...Object.fromEntries(Object.entries(ad).map(([field, [, value]]) => [field, value]))
          }
          const older = Effect.gen(function* () {
            yield* importRows(libraryAd("page")(second), "2026-02-09")
            return yield* stored("ad", way.key)
          })
          const filled = {
            ...lacking,
            shop: "second.com",
            page_id: "page",
            link_domain: "elsewhere.com",
            seen_on: asOf
          }
          assertRow("ad", yield* older, filled)
          yield* importRows(libraryAd("other")({ ...way.key, ...firstOf(ad) }))
          const whole = { ...way.key, ...firstOf(ad), page_id: "other", link_domain: "elsewhere.com", seen_on: asOf }
          assertRow("ad", yield* older, whole)
          yield* published
          // The day on which it was seen never goes back, and a page that is unknown now stays.
          yield* importRows(libraryAd(null)({ ...way.key, ...firstOf(ad) }), "2026-02-11")
          assertRow("ad", yield* stored("ad", way.key), { ...whole, seen_on: "2026-02-11" })
        })
      )
  )

  it.effect("a category and a niche of a taxonomy is written, changed and read", () =>
    fresh(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const category = (niche: number) => row({ type: "category", name: "Lighting", niche })
        const listed = (at: number) =>
          row({ type: "partial_shop", domain: `listed-${at}.com`, country: "US", categories: ["Lighting"] })
        const nicheOf = (at: number) =>
          Effect.map(stored("shop", { domain: `listed-${at}.com` }), (row) => row["niche_id"])
        for (const [at, niche] of [1, 2].entries()) {
          yield* importRows([category(niche), listed(at)])
          assert.deepStrictEqual(yield* sql`SELECT to_jsonb(c) AS row FROM category c`, [
            { row: { name: "lighting", niche_id: niche } }
          ])
          assert.strictEqual(yield* nicheOf(at), niche)
          yield* published
        }
        const taxonomy = (key: string, ...path: ReadonlyArray<string>): ImportRow => ({
          line: 1,
          record: { type: "taxonomy_niche", key, path }
        })
        const niches = sql`SELECT to_jsonb(n) AS row FROM niche n WHERE taxonomy_key IS NOT NULL ORDER BY id`
        const rows = (name: string, parent: number | null) => [
          { row: { id: 10_000, parent_id: null, name: "Furniture", taxonomy_key: "t/fr" } },
          { row: { id: 10_001, parent_id: parent, name, taxonomy_key: "t/fr-1" } }
        ]
        yield* importRows([taxonomy("t/fr", "Furniture"), taxonomy("t/fr-1", "Furniture", "Desks")])
        assert.deepStrictEqual(yield* niches, rows("Desks", 10_000))
        yield* importRows([taxonomy("t/fr-1", "Furniture", "Tables")])
        assert.deepStrictEqual(yield* niches, rows("Tables", 10_000))
        yield* published
        // A native record of the same niche keeps its name in the taxonomy.
        yield* importRows([row({ type: "niche", id: 10_001, parent_id: 1, name: "Tables" })])
        assert.deepStrictEqual(yield* niches, rows("Tables", 1))
        yield* published
      })
    )
  )
})
