import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Result, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Records from "../../../src/domain/catalog/Records.ts"
import { nothingLoaded } from "../../../src/services/import/LoadedBatch.ts"
import type * as Mapping from "../../../src/services/import/formats/Mapping.ts"
import { Importer } from "../../../src/services/import/Importer.ts"
import type { ImportReport } from "../../../src/services/import/ImportReport.ts"
import type { Reject } from "../../../src/services/import/ImportSource.ts"
import { DataAsOf, dataAsOfLayer, Sources } from "../../../src/services/import/Sources.ts"
import * as Database from "../../../src/services/database/Database.ts"
import { nobody, oakline, run } from "../../support/FileImports.ts"
import { eventually, runs } from "../../support/RunningQueries.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

type Services = Importer | Sources | SqlClient.SqlClient

const onFreshDatabase = <A, E, R>(effect: Effect.Effect<A, E, R | Services>) =>
  Effect.provide(effect, Layer.merge(Importer.layer, Sources.layer).pipe(Layer.provideMerge(TestDatabase.layer)), {
    local: true
  })

const products = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`SELECT id, key, alias, title, price FROM product ORDER BY id`
})

const ads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    SELECT a.key, s.domain, a.is_active, a.last_seen_on::text FROM ad a LEFT JOIN shop s ON s.id = a.shop_id ORDER BY a.key`
})

const visits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`SELECT s.domain, t.month::text, t.visits FROM traffic_month t JOIN shop s ON s.id = t.shop_id ORDER BY 1, 2`
})

const ndjson = (...records: ReadonlyArray<object>) => records.map((record) => JSON.stringify(record)).join("\n")
const page = (...ids: ReadonlyArray<number>) => ({
  products: ids.map((id) => ({ id, title: `P${id}`, handle: `p-${id}`, variants: [{ price: "5.00" }] }))
})
const ad = (key: string, changes: object = {}, snapshot: object = {}) => ({
  ad_archive_id: key,
  page_id: "9",
  page_name: "Page",
  is_active: true,
  start_date: 1_772_323_200,
  snapshot: { title: "A", cta_type: "SHOP_NOW", display_format: "IMAGE", ...snapshot },
  ...changes
})
/** A table of ads, each with its store if that is known. */
const adTable = (...rows: ReadonlyArray<readonly [key: string, shop: string]>) =>
  ["id,store", ...rows.map((row) => row.join(",")), ""].join("\n")
const adMap: Mapping.Mapping = {
  record: "ad",
  fields: {
    key: { column: "id" },
    shop: { column: "store" },
    page_name: { constant: "Page" },
    status: { constant: "active" },
    media_type: { constant: "image" },
    started_on: { constant: "2026-05-01" },
    last_seen_on: { constant: "2026-05-02" }
  }
}
const shop = (domain: string) => ({ type: "shop", domain, name: domain, country: "US" })

/** Every store and product without ids, for comparing two databases. */
const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    SELECT 'shop' AS type, to_jsonb(s) - '{id,version,import_id,source_ids}'::text[] AS row FROM shop s
    UNION ALL
    SELECT 'product', to_jsonb(p) - '{id,shop_id,version,import_id,source_ids,first_seen}'::text[] || jsonb_build_object('shop', s.domain)
    FROM product p JOIN shop s ON s.id = p.shop_id
    ORDER BY 1, 2`
  return rows.map((row) => JSON.stringify(row)).toSorted()
})

const refusals = ({ refusedRemovals }: ImportReport) =>
  refusedRemovals.map(({ domain, gone, products }) => ({ domain, gone, products }))

/** Every version of a record and of the catalog. */
const stamps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    SELECT 'catalog' AS type, 0 AS id, version FROM catalog
    UNION ALL SELECT 'shop', id, version FROM shop
    UNION ALL SELECT 'product', id, version FROM product
    UNION ALL SELECT 'ad', id, version FROM ad ORDER BY 1, 2`
})

const nicheOfOakline = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    SELECT n.name FROM shop s LEFT JOIN niche n ON n.id = s.niche_id WHERE s.domain = 'oakline.com'`
  return row?.["name"]
})

/** Desks are 1, lamps 2. */
const twoNiches = ndjson({ type: "niche", id: 1, name: "Desks" }, { type: "niche", id: 2, name: "Lamps" })
const oaklineShop = (changes: object = {}) => ({
  ...shop("oakline.com"),
  name: "Oakline",
  country: "DE",
  currency: "EUR",
  ...changes
})
const selling = (...types: ReadonlyArray<string>) =>
  ["Handle,Title,Variant Price,Type", ...types.map((type, at) => `${type}-${at},T,1,${type}`), ""].join("\n")
/** More records than a batch has, so that what follows them is loaded by another batch. */
const filler = ndjson(...Array.from({ length: 5_000 }, () => ({ type: "niche", id: 3, name: "Filler" })))

layer(NodeServices.layer, { excludeTestServices: true })("imports of files", (it) => {
  it.effect("a product is the same in a storefront, a merchant's export and a bulk file, and keeps its id", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* run({ "p.json": page(8101) })
        const [{ id } = { id: 0 }] = (yield* products) as ReadonlyArray<{ readonly id: number }>
        const same = { id, key: "p-8101", alias: "8101" }
        yield* run({ "e.csv": "Handle,Title,Variant Price\np-8101,Renamed,7\n" })
        assert.deepStrictEqual(yield* products, [{ ...same, title: "Renamed", price: 7 }])
        const bulk = [
          { id: "gid://shopify/Product/8101", title: "Bulk" },
          { id: "gid://shopify/ProductVariant/1", price: "9.00", __parentId: "gid://shopify/Product/8101" }
        ]
        yield* run({ "b.jsonl": ndjson(...bulk) })
        assert.deepStrictEqual(yield* products, [{ ...same, title: "Bulk", price: 9 }])
        // The handle may change at its store.
        yield* run({
          "p.json": { products: [{ id: 8101, title: "T", handle: "renamed", variants: [{ price: "1" }] }] }
        })
        assert.deepStrictEqual(yield* products, [{ ...same, key: "renamed", title: "T", price: 1 }])
      })
    )
  )

  it.effect("a product is the same in an export of WooCommerce, its Store API and a feed, in any order", () =>
    Effect.forEach([0, 1, 2], (first) =>
      onFreshDatabase(
        Effect.gen(function* () {
          const link = "https://oakline.com/product/lamp/"
          const files = [
            { "woo.csv": "ID,Type,SKU,Name,Published,Regular price\n7,simple,L,Lamp,1,5\n" },
            {
              "api.json": [
                {
                  id: 7,
                  slug: "lamp",
                  name: "Lamp",
                  permalink: link,
                  prices: { price: "500", currency_code: "EUR", currency_minor_unit: 2 }
                }
              ]
            },
            { "feed.tsv": `id\ttitle\tlink\timage_link\tprice\tavailability\n7\tLamp\t${link}\t\t5 EUR\tin stock\n` }
          ]
          for (const turn of [0, 1, 2])
            assert.deepStrictEqual((yield* run(files[(first + turn) % 3] ?? {})).rejects, [])
          const [product, ...others] = yield* products
          assert.deepStrictEqual(others, [])
          assert.include(product, { key: "lamp", alias: "7", title: "Lamp" })
        })
      )
    )
  )

  it.effect("a product that was stored by its number alone gets its handle, and keeps its id", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const native = { type: "product", shop: "oakline.com", key: "8101", title: "N", price: 1 }
        yield* run({ "n.ndjson": ndjson(shop("oakline.com"), native) })
        const [before] = yield* products
        yield* run({ "p.json": page(8101) })
        assert.deepStrictEqual(yield* products, [{ ...before, key: "p-8101", alias: "8101", title: "P8101", price: 5 }])
        yield* run({ "n.ndjson": ndjson(native) })
        assert.lengthOf(yield* products, 1)
      })
    )
  )

  it.effect("products that are gone at their store are removed, once all pages are there", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const keys = Effect.map(products, (rows) => rows.map(({ key }) => key))
        yield* run({ "1.json": page(1, 2, 3) })
        // A page of a common size may not be the last one.
        const thirty = Array.from({ length: 30 }, (_, at) => 100 + at)
        assert.strictEqual((yield* run({ "1.json": page(...thirty) })).tallies.product.removed, 0)
        assert.lengthOf(yield* keys, 33)
        const both = yield* run({ "1.json": page(...thirty), "2.json": page(1) })
        assert.strictEqual(both.tallies.product.removed, 2)
        assert.lengthOf(yield* keys, 31)
        const again = yield* run({ "1.json": page(...thirty), "2.json": page(1) })
        assert.deepInclude(again.tallies.product, { added: 0, changed: 0, removed: 0 })
        // A rejected product exists, and stays.
        const bad = { products: [{ id: 1, handle: "p-1", title: "No price", variants: [] }] }
        assert.strictEqual((yield* run({ "1.json": page(...thirty), "2.json": bad })).tallies.product.removed, 0)
        // The change is stamped for the servers.
        assert.deepStrictEqual(yield* sql`SELECT count(*)::int AS n FROM shop_change WHERE items_version = version`, [
          { n: 1 }
        ])
      })
    )
  )

  it.effect("more than half of over 50 products of a store are removed only with --yes", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const many = Array.from({ length: 60 }, (_, at) => at + 1)
        yield* run({ "p.json": page(...many) })
        const refused = yield* run({ "p.json": page(1, 2) })
        assert.deepStrictEqual(refusals(refused), [{ domain: "oakline.com", gone: 58, products: 60 }])
        assert.lengthOf(yield* products, 60)
        assert.strictEqual((yield* run({ "p.json": page(1, 2) }, { yes: true })).tallies.product.removed, 58)
      })
    )
  )

  it.effect("products that an import adds do not hide that all others of the store are missing", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sixty = (from: number) => page(...Array.from({ length: 60 }, (_, at) => from + at))
        yield* run({ "p.json": sixty(1) })
        const refused = yield* run({ "p.json": sixty(1_001) })
        assert.deepStrictEqual(refusals(refused), [{ domain: "oakline.com", gone: 60, products: 60 }])
        assert.lengthOf(yield* products, 120)
        // Nor when the same files come again and again.
        for (let again = 0; again < 2; again++) {
          assert.deepStrictEqual(refusals(yield* run({ "p.json": sixty(1_001) })), refusals(refused))
        }
        // With the right files again, those of the others are gone.
        const right = yield* run({ "p.json": sixty(1) })
        assert.deepStrictEqual([refusals(right), right.tallies.product.removed], [[], 60])
        assert.lengthOf(refusals(yield* run({ "p.json": sixty(1_001) })), 1)
        const allowed = yield* run({ "p.json": sixty(1_001) }, { yes: true })
        assert.strictEqual(allowed.tallies.product.removed, 60)
      })
    )
  )

  it.effect("a rejected product whose handle no key can be stops no import, and is kept by its number", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* run({ "p.json": page(1, 2, 3) })
        const bad = { id: 1, title: "T", handle: "a\u0000b", variants: [{ price: "5" }] }
        const { rejects, tallies } = yield* run({ "p.json": { products: [bad, ...page(2).products] } })
        assert.lengthOf(rejects, 1)
        assert.strictEqual(tallies.product.removed, 1)
        assert.deepStrictEqual(
          (yield* products).map(({ key }) => key),
          ["p-1", "p-2"]
        )
        // Without a number as well, it may be any product.
        const unknown = yield* run({ "p.json": { products: [{ ...bad, id: undefined }] } })
        assert.strictEqual(unknown.tallies.product.removed, 0)
      })
    )
  )

  it.effect("what a format lacks is kept from another one, wherever a batch begins", () => {
    const created = "2026-01-02T03:04:05Z"
    const [product] = page(8101).products
    const storefront = { products: [{ ...product, created_at: created }] }
    const exported = "Handle,Title,Variant Price\np-8101,Renamed,7\n"
    const bulk = [
      { id: "gid://shopify/Product/8101", title: "Bulk" },
      { id: "gid://shopify/ProductVariant/1", price: "9.00", __parentId: "gid://shopify/Product/8101" }
    ]
    const stored = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) =>
        sql`SELECT key, alias, title, url, created_at AT TIME ZONE 'UTC' = ${"2026-01-02 03:04:05"} AS is_same FROM product`
    )
    const files = { "1.json": storefront, "2.csv": exported, "3.jsonl": ndjson(...bulk) }
    return Effect.gen(function* () {
      const ofOneBatch = yield* onFreshDatabase(Effect.andThen(run(files), stored))
      assert.deepStrictEqual(ofOneBatch, [
        {
          key: "p-8101",
          alias: "8101",
          title: "Bulk",
          url: "https://oakline.com/products/p-8101",
          is_same: true
        }
      ])
      const ofThree = yield* onFreshDatabase(
        Effect.gen(function* () {
          for (const [name, content] of Object.entries(files)) yield* run({ [name]: content })
          return yield* stored
        })
      )
      assert.deepStrictEqual(ofThree, ofOneBatch)
      // A native record is complete.
      const native = { type: "product", shop: "oakline.com", key: "p-8101", title: "N", price: 1 }
      const ofNative = yield* onFreshDatabase(
        Effect.gen(function* () {
          yield* run({ "1.json": storefront })
          yield* run({ "n.ndjson": ndjson(native) })
          return yield* stored
        })
      )
      assert.deepStrictEqual(ofNative, [{ key: "p-8101", alias: "8101", title: "N", url: null, is_same: null }])
    })
  })

  it.effect("--complete says that the files have all products of their stores, and of no others", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const product = (shop: string, key: string) => ({ type: "product", shop, key, title: key, price: 1 })
        const stores = [shop("a.com"), shop("b.com")]
        yield* run({
          "n.ndjson": ndjson(...stores, product("a.com", "1"), product("a.com", "2"), product("b.com", "3"))
        })
        const only = { "n.ndjson": ndjson(product("a.com", "1")) }
        assert.strictEqual((yield* run(only)).tallies.product.removed, 0)
        assert.strictEqual((yield* run(only, { isComplete: true })).tallies.product.removed, 1)
        assert.deepStrictEqual(
          (yield* products).map(({ key }) => key),
          ["1", "3"]
        )
      })
    )
  )

  it.effect("--complete removes no product that was rejected, and none behind the end of a file that was cut off", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const product = (key: string, changes: object = {}) => ({
          type: "product",
          shop: "a.com",
          key,
          title: key,
          price: 1,
          ...changes
        })
        const complete = (...records: ReadonlyArray<object>) =>
          run({ "n.ndjson": ndjson(...records) }, { isComplete: true })
        yield* run({ "n.ndjson": ndjson(shop("a.com"), ...["1", "2", "3", "4"].map((key) => product(key))) })
        const before = yield* products
        const cut = { "n.ndjson": ndjson(product("1"), product("2")).slice(0, -5) }
        assert.strictEqual((yield* run(cut, { isComplete: true })).tallies.product.removed, 0)
        assert.strictEqual((yield* complete(product("1"), product("2", { key: 2 }))).tallies.product.removed, 0)
        assert.deepStrictEqual(yield* products, before)
        // The rejected products are known, and the fourth is gone.
        yield* sql`ALTER TABLE product ADD CONSTRAINT not_refused CHECK (title <> 'refused')`
        const some = yield* complete(product("1"), product("2", { price: -1 }), product("3", { title: "refused" }))
        assert.lengthOf(some.rejects, 2)
        assert.strictEqual(some.tallies.product.removed, 1)
        assert.deepStrictEqual(yield* products, before.slice(0, 3))
      })
    )
  )

  it.effect("an ad belongs to the store that it links to, else to that of its page; later stores get their ads", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* run({ "s.ndjson": ndjson(shop("oakline.com")) })
        const leads = (url: string) => ({ link_url: url })
        const { links } = yield* run({
          "ads.json": [
            ad("1", {}, leads("https://l.facebook.com/l.php?u=https%3A%2F%2Fwww.oakline.com%2Fx")),
            ad("2", {}, leads("https://shop.oakline.com/y")),
            ad("3"),
            ad("4", { page_id: "10" }, leads("https://late.com/")),
            ad("5", { page_id: "10" }),
            ad("6", { page_id: "11" }, leads("https://www.facebook.com/x"))
          ]
        })
        assert.deepStrictEqual(links, { byDomain: 2, byPage: 1, without: 3, later: 0 })
        const late = yield* run({ "s.csv": "domain,country\nlate.com,US\n" })
        assert.strictEqual(late.links.later, 2)
        assert.deepStrictEqual(
          (yield* ads).map(({ domain, key }) => [key, domain]),
          [
            ["1", "oakline.com"],
            ["2", "oakline.com"],
            ["3", "oakline.com"],
            ["4", "late.com"],
            ["5", "late.com"],
            ["6", null]
          ]
        )
        // Importing the same ad again keeps its store.
        yield* run({ "ads.json": [ad("5", { page_id: "12" })] })
        assert.deepStrictEqual(yield* sql`SELECT count(*)::int AS n FROM ad WHERE shop_id IS NULL`, [{ n: 1 }])
      })
    )
  )

  it.effect("an ad that the newest data of its source has not shown for a week becomes inactive", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* run({ "ads.json": [ad("1"), ad("2")] }, { asOf: "2026-06-01" })
        yield* run({ "ads.json": [ad("3")] }, { asOf: "2026-06-01", source: "other" })
        const soon = yield* run({ "ads.json": [ad("1")] }, { asOf: "2026-06-08" })
        assert.strictEqual(soon.expiredAds, 0)
        const late = yield* run({ "ads.json": [ad("1")] }, { asOf: "2026-06-09" })
        assert.strictEqual(late.expiredAds, 1)
        assert.deepStrictEqual(
          (yield* ads).map(({ is_active, key, last_seen_on }) => [key, is_active, last_seen_on]),
          [
            ["1", true, "2026-06-09"],
            ["2", false, "2026-06-01"],
            ["3", true, "2026-06-01"]
          ]
        )
        // The ad is active again.
        yield* run({ "ads.json": [ad("2")] }, { asOf: "2026-06-10" })
        assert.isTrue((yield* ads).find(({ key }) => key === "2")?.["is_active"])
      })
    )
  )

  it.effect("pages whose running ads are partly of other sources are counted, because these ads do not expire", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const first = yield* run({ "ads.json": [ad("1"), ad("2"), ad("3", { page_id: "12" })] }, { source: "a" })
        assert.strictEqual(first.pagesElsewhere, 0)
        const other = yield* run({ "ads.json": [ad("1"), ad("4")] }, { source: "b" })
        assert.strictEqual(other.pagesElsewhere, 1)
        // Both have all of its ads.
        const same = yield* run({ "ads.json": [ad("2")] }, { source: "b" })
        assert.strictEqual(same.pagesElsewhere, 0)
      })
    )
  )

  it.effect("no ad expires by a file that was cut off, and none that was rejected", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const isActive = Effect.map(ads, (rows) => rows.map(({ is_active }) => is_active))
        yield* run({ "ads.json": [ad("1"), ad("2"), ad("3")] }, { asOf: "2026-06-01" })
        const cut = JSON.stringify([ad("1"), ad("2"), ad("3")]).slice(0, -100)
        const late = yield* run({ "ads.json": cut }, { asOf: "2026-06-20" })
        assert.deepStrictEqual([late.expiredAds, late.keepsUnseenAds], [0, true])
        const table = adTable(["4", ""], ["5", ""])
        yield* run({ "ads.csv": table }, { asOf: "2026-06-01", mapping: adMap, source: "table" })
        const ofTable = yield* run(
          { "ads.csv": table.slice(0, -2) },
          { asOf: "2026-06-20", mapping: adMap, source: "table" }
        )
        assert.deepStrictEqual([ofTable.expiredAds, ofTable.keepsUnseenAds], [0, true])
        assert.deepStrictEqual(yield* isActive, [true, true, true, true, true])
        // The first is seen, and the second is seen and rejected. The third expires.
        const sql = yield* SqlClient.SqlClient
        yield* sql`ALTER TABLE ad ADD CONSTRAINT not_refused CHECK (page_name <> 'refused')`
        const rejected = [ad("1", { start_date: "never" }), ad("2", { page_name: "refused" })]
        const { expiredAds, keepsUnseenAds, rejects } = yield* run({ "ads.json": rejected }, { asOf: "2026-06-28" })
        assert.lengthOf(rejects, 2)
        assert.deepStrictEqual([expiredAds, keepsUnseenAds], [1, false])
        assert.deepStrictEqual(yield* isActive, [true, true, false, true, true])
        // They were last seen then.
        yield* run({ "ads.json": [ad("6")] }, { asOf: "2026-07-20" })
        assert.deepStrictEqual(
          (yield* ads).slice(0, 2).map(({ is_active, last_seen_on }) => [is_active, last_seen_on]),
          [
            [false, "2026-06-28"],
            [false, "2026-06-28"]
          ]
        )
      })
    )
  )

  it.effect("ads of ads_archive are counted, which lacks fields of the library's pages", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const archive = { id: "8", page_name: "Page", ad_delivery_start_time: "2026-02-01", ad_snapshot_url: "x" }
        const invalidFields = { id: "9", ad_snapshot_url: "x" }
        const { accepted, archiveAds } = yield* run({
          "1.json": { data: [archive, invalidFields] },
          "2.json": [ad("1")]
        })
        assert.deepStrictEqual([accepted, archiveAds], [2, 1])
      })
    )
  )

  it.effect("older data of an ad change nothing that newer data have shown", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* run({ "ads.json": [ad("1", { is_active: false, end_date: 1_781_000_000 })] }, { asOf: "2026-06-20" })
        const before = yield* ads
        const { tallies } = yield* run({ "ads.json": [ad("1", { page_name: "Old" })] }, { asOf: "2026-06-10" })
        assert.strictEqual(tallies.ad.changed, 0)
        assert.deepStrictEqual(yield* ads, before)
        assert.isFalse(before[0]?.["is_active"])
        yield* run({ "ads.json": [ad("1")] }, { asOf: "2026-06-20" })
        assert.isTrue((yield* ads)[0]?.["is_active"])
        // Nor its store, nor that of its page.
        const leads = (key: string, domain: string) => ad(key, {}, { link_url: `https://${domain}/` })
        yield* run({ "s.ndjson": ndjson(shop("a.com"), shop("b.com")) })
        yield* run({ "ads.json": [leads("2", "a.com")] }, { asOf: "2026-06-20" })
        const known = yield* stamps
        yield* run({ "ads.json": [leads("2", "b.com")] }, { asOf: "2026-06-10" })
        yield* run({ "ads.json": [leads("2", "b.com"), ad("3")] }, { asOf: "2026-06-10" })
        assert.deepStrictEqual(
          (yield* stamps).filter(({ id, type }) => type === "ad" && Number(id) <= 2),
          known.filter(({ type }) => type === "ad")
        )
        assert.deepStrictEqual(
          (yield* ads).map(({ domain }) => domain),
          ["a.com", "a.com", "a.com"]
        )
      })
    )
  )

  it.effect(
    "an ad gets the store of its page in whatever order the page's ads come, and wherever a batch begins",
    () => {
      const leading = ad("lead", {}, { link_url: "https://oakline.com/" })
      const others = Array.from({ length: 5_000 }, (_, at) => ad(`o-${at}`, { page_id: "7" }))
      const all = [ad("a"), ...others, leading, ad("b")]
      const stores = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`SELECT key FROM ad WHERE shop_id IS NOT NULL ORDER BY key`
      )
      const imported = (order: ReadonlyArray<object>) =>
        onFreshDatabase(
          Effect.gen(function* () {
            yield* run({ "s.ndjson": ndjson(shop("oakline.com")) })
            const first = yield* run({ "ads.json": order })
            const found = yield* stores
            const before = yield* stamps
            const again = yield* run({ "ads.json": order })
            assert.deepInclude(again.tallies.ad, { added: 0, changed: 0 })
            assert.deepStrictEqual(yield* stamps, before)
            return { found, later: first.links.later }
          })
        )
      return Effect.gen(function* () {
        const found = [{ key: "a" }, { key: "b" }, { key: "lead" }]
        assert.deepStrictEqual(yield* imported(all), { found, later: 1 })
        assert.deepStrictEqual(yield* imported(all.toReversed()), { found, later: 0 })
      })
    }
  )

  it.effect("an ad of a table that names its store expires as well", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* run({ "shops.ndjson": ndjson(shop("oakline.com")) })
        const both = adTable(["1", "oakline.com"], ["2", "oakline.com"])
        yield* run({ "ads.csv": both }, { asOf: "2026-06-01", mapping: adMap })
        const again = yield* run({ "ads.csv": both }, { asOf: "2026-06-01", mapping: adMap })
        assert.strictEqual(again.tallies.ad.changed, 0)
        assert.deepStrictEqual(again.links, { byDomain: 0, byPage: 0, without: 0, later: 0 })
        const one = adTable(["1", "oakline.com"])
        const soon = yield* run({ "ads.csv": one }, { asOf: "2026-06-08", mapping: adMap })
        assert.strictEqual(soon.expiredAds, 0)
        const late = yield* run({ "ads.csv": one }, { asOf: "2026-06-09", mapping: adMap })
        assert.strictEqual(late.expiredAds, 1)
        // An older table does not take back what a newer one has shown.
        yield* run({ "ads.csv": one }, { asOf: "2026-05-01", mapping: adMap })
        assert.strictEqual((yield* run({ "ads.csv": adTable() }, { asOf: "2026-06-16", mapping: adMap })).expiredAds, 0)
        assert.deepStrictEqual(yield* ads, [
          { key: "1", domain: "oakline.com", is_active: true, last_seen_on: "2026-05-02" },
          { key: "2", domain: "oakline.com", is_active: false, last_seen_on: "2026-06-01" }
        ])
      })
    )
  )

  it.effect("an ad that gets its store from a newer table stays active while that shows it", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* run({ "shops.ndjson": ndjson(shop("oakline.com")) })
        yield* run({ "ads.csv": adTable(["1", ""]) }, { asOf: "2026-06-01", mapping: adMap })
        const named = yield* run({ "ads.csv": adTable(["1", "oakline.com"]) }, { asOf: "2026-06-20", mapping: adMap })
        assert.strictEqual(named.expiredAds, 0)
        assert.deepStrictEqual(yield* ads, [
          { key: "1", domain: "oakline.com", is_active: true, last_seen_on: "2026-05-02" }
        ])
      })
    )
  )

  it.effect("an ad of a table whose store is not known is rejected", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const { rejects } = yield* run({ "ads.csv": adTable(["1", "nobody.com"]) }, { mapping: adMap })
        assert.deepStrictEqual(rejects, ["2 shop: no store nobody.com is known; its record must come earlier"])
        // It was seen.
        const options = { mapping: adMap, asOf: "2026-06-01" }
        yield* run({ "ads.csv": adTable(["1", ""], ["2", ""]) }, options)
        const later = yield* run({ "ads.csv": adTable(["1", "nobody.com"]) }, { ...options, asOf: "2026-06-20" })
        assert.strictEqual(later.expiredAds, 1)
        assert.deepStrictEqual(
          (yield* ads).map(({ is_active }) => is_active),
          [true, false]
        )
      })
    )
  )

  it.effect("an ad of the native format, which is not seen anywhere, does not expire", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const native = {
          type: "ad",
          key: "1",
          shop: "oakline.com",
          page_name: "Page",
          status: "active",
          media_type: "image",
          started_on: "2026-05-01",
          last_seen_on: "2026-05-02"
        }
        yield* run({ "a.ndjson": ndjson(shop("oakline.com"), native) }, { asOf: "2026-06-01" })
        const { expiredAds } = yield* run({ "ads.csv": adTable() }, { asOf: "2026-07-01", mapping: adMap })
        assert.strictEqual(expiredAds, 0)
        assert.isTrue((yield* ads)[0]?.["is_active"])
      })
    )
  )

  it.effect("a taxonomy becomes niches with unique names; stores get theirs by what they sell", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const taxonomy = [
          "gid://shopify/TaxonomyCategory/fr : Furniture",
          "gid://shopify/TaxonomyCategory/fr-1 : Furniture > Desks",
          "gid://shopify/TaxonomyCategory/of : Office",
          "gid://shopify/TaxonomyCategory/of-1 : Office > Desks"
        ].join("\n")
        yield* run({ "t.txt": taxonomy })
        const niches = sql`SELECT n.id, n.name, p.name AS parent FROM niche n LEFT JOIN niche p ON p.id = n.parent_id ORDER BY n.id`
        const before = yield* niches
        assert.deepStrictEqual(
          before.map(({ name, parent }) => [name, parent]),
          [
            ["Furniture", null],
            ["Desks", "Furniture"],
            ["Office", null],
            ["Office > Desks", "Office"]
          ]
        )
        assert.deepInclude((yield* run({ "t.txt": taxonomy })).tallies.niche, { added: 0, changed: 0 })
        assert.deepStrictEqual(yield* niches, before)
        const header = "Handle,Title,Variant Price,Product Category,Type"
        yield* run({ "p.csv": `${header}\na,A,1,Office > Desks > Standing,\nb,B,1,Office > Desks,\nc,C,1,,Lamps\n` })
        const nicheOf = (domain: string) =>
          sql`SELECT n.name FROM shop s JOIN niche n ON n.id = s.niche_id WHERE s.domain = ${domain}`
        assert.deepStrictEqual(yield* nicheOf("oakline.com"), [{ name: "Office > Desks" }])
        // A niche stays once it is set.
        yield* run({ "p.csv": `${header}\na,A,1,Furniture,\n` })
        assert.deepStrictEqual(yield* nicheOf("oakline.com"), [{ name: "Office > Desks" }])
        // The operator's own categories.
        const [furniture] = before
        yield* run({ "c.ndjson": ndjson({ type: "category", name: "LAMPS", niche: furniture?.["id"] }) })
        yield* run({ "p.csv": `${header}\nc,C,1,,Lamps\n` }, { store: { ...oakline, domain: "lamps.com" } })
        assert.deepStrictEqual(yield* nicheOf("lamps.com"), [{ name: "Furniture" }])
        // The type decides if the path has the name of no niche, and only then.
        yield* run(
          { "p.csv": `${header}\na,A,1,Uncategorized,Lamps\nb,B,1,Uncategorized > Others,Lamps\nc,C,1,Office,Lamps\n` },
          { store: { ...oakline, domain: "types.com" } }
        )
        assert.deepStrictEqual(yield* nicheOf("types.com"), [{ name: "Furniture" }])
        yield* run({ "p.csv": `${header}\na,A,1,Office,Lamps\n` }, { store: { ...oakline, domain: "paths.com" } })
        assert.deepStrictEqual(yield* nicheOf("paths.com"), [{ name: "Office" }])
      })
    )
  )

  it.effect(
    "a store without a niche in its record gets one by what it sells, once, and again only by other records",
    () =>
      onFreshDatabase(
        Effect.gen(function* () {
          const files = { "1.ndjson": ndjson(oaklineShop()), "2.csv": selling("Desks", "Desks", "Lamps") }
          yield* run({ "n.ndjson": twoNiches })
          assert.strictEqual((yield* run(files)).chosenNiches, 1)
          assert.strictEqual(yield* nicheOfOakline, "Desks")
          const before = yield* stamps
          const again = yield* run(files)
          assert.deepStrictEqual([again.chosenNiches, again.tallies], [0, nothingLoaded.tallies])
          assert.deepStrictEqual(yield* stamps, before)
          // What sells now decides, as it would in an empty catalog.
          const other = yield* run({ "1.ndjson": ndjson(oaklineShop()), "2.csv": selling("Lamps") })
          assert.deepStrictEqual(
            [yield* nicheOfOakline, other.chosenNiches, other.tallies.shop.changed],
            ["Lamps", 1, 1]
          )
          // A record that says nothing, and nothing that is sold.
          const { chosenNiches, tallies } = yield* run({ "1.ndjson": ndjson(oaklineShop()) })
          assert.deepStrictEqual([yield* nicheOfOakline, chosenNiches, tallies.shop.changed], [null, 0, 1])
          // A change is counted once, and the store knows its import.
          yield* run(files)
          const renamed = yield* run({ "1.ndjson": ndjson(oaklineShop({ name: "Renamed" })) })
          assert.deepStrictEqual([yield* nicheOfOakline, renamed.tallies.shop.changed], [null, 1])
          yield* run({ "1.ndjson": ndjson(oaklineShop({ niche: 2 })) }, { source: "ours" })
          yield* run({ "1.ndjson": ndjson(oaklineShop()) }, { source: "theirs" })
          const sql = yield* SqlClient.SqlClient
          assert.deepStrictEqual(
            yield* sql`
            SELECT o.name FROM shop s JOIN import i ON i.id = s.import_id JOIN source o ON o.id = i.source_id
            WHERE s.domain = 'oakline.com'`,
            [{ name: "theirs" }]
          )
        })
      )
  )

  it.effect("categories of a list of stores count beside a complete record of the store, in any order", () =>
    Effect.gen(function* () {
      const complete = ndjson(oaklineShop())
      const listed = "domain,country,categories\noakline.com,DE,Lamps\n"
      for (const files of [
        { "1.ndjson": complete, "2.csv": listed },
        { "1.csv": listed, "2.ndjson": complete },
        { "1.ndjson": complete, "2.ndjson": filler, "3.csv": listed }
      ]) {
        yield* onFreshDatabase(
          Effect.gen(function* () {
            yield* run({ "n.ndjson": twoNiches })
            yield* run(files)
            assert.strictEqual(yield* nicheOfOakline, "Lamps")
          })
        )
      }
    })
  )

  it.effect("a product counts for the niche of its store as often as it comes, wherever a batch begins", () =>
    Effect.forEach([false, true], (isSplit) =>
      onFreshDatabase(
        Effect.gen(function* () {
          const others = isSplit ? { "2.ndjson": filler, "4.ndjson": filler } : {}
          const two = selling("Lamps", "Others")
          const lamps = { "1.csv": two, "3.csv": two, "5.csv": two }
          yield* run({ "n.ndjson": twoNiches, "s.ndjson": ndjson(oaklineShop()) })
          const files = Object.entries({ ...others, ...lamps, "6.csv": selling("Desks", "Desks") })
          yield* run(Object.fromEntries(files.toSorted(([a], [b]) => (a < b ? -1 : 1))))
          assert.strictEqual(yield* nicheOfOakline, "Lamps")
        })
      )
    )
  )

  it.effect("the last list of stores that names a niche counts, wherever a batch begins", () =>
    Effect.forEach([false, true], (isSplit) =>
      onFreshDatabase(
        Effect.gen(function* () {
          const listed = (category: string) => `domain,country,categories\noakline.com,DE,${category}\n`
          const between = isSplit ? { "2.ndjson": filler } : {}
          yield* run({ "n.ndjson": twoNiches })
          yield* run({ "1.csv": listed("Desks"), ...between, "3.csv": listed("Lamps"), "4.csv": listed("Others") })
          assert.strictEqual(yield* nicheOfOakline, "Lamps")
        })
      )
    )
  )

  it.effect.prop(
    "the same again changes nothing, whatever records give a store its niche, and wherever a batch begins",
    [
      Schema.NullOr(Schema.Literal(1)),
      Schema.NullOr(Schema.Literal(2)),
      Schema.Boolean,
      Schema.Array(Schema.Literals(["desks", "lamps", "listed", "filler", "store"])).check(
        Schema.isMinLength(1),
        Schema.isMaxLength(5)
      )
    ],
    ([niche, earlier, isFirst, others]) =>
      onFreshDatabase(
        Effect.gen(function* () {
          const fileOf = {
            store: ["ndjson", ndjson(oaklineShop({ niche }))],
            desks: ["csv", selling("Desks", "Desks")],
            lamps: ["csv", selling("Lamps")],
            listed: ["csv", "domain,country,categories\noakline.com,DE,Lamps\n"],
            filler: ["ndjson", filler]
          } as const
          const steps = isFirst ? (["store", ...others] as const) : ([...others, "store"] as const)
          const files = Object.fromEntries(
            steps.map((step, at) => [`${at}.${fileOf[step][0]}`, fileOf[step][1]] as const)
          )
          yield* run({ "n.ndjson": twoNiches, "s.ndjson": ndjson(oaklineShop({ niche: earlier })) })
          yield* run(files)
          const before = yield* Effect.all([contents, stamps])
          const again = yield* run(files)
          assert.deepStrictEqual([again.chosenNiches, again.tallies], [0, nothingLoaded.tallies])
          assert.deepStrictEqual(yield* Effect.all([contents, stamps]), before)
        })
      ),
    { arbitrary: { runs: 10 } }
  )

  it.effect("a record of the type `removed` removes another one", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        yield* run({ "p.json": page(1, 2, 3), "s.ndjson": ndjson(shop("b.com")) })
        yield* run({ "ads.json": [ad("7")] })
        const gone = [
          { type: "removed", record: "product", shop: "oakline.com", key: "1" },
          { type: "removed", record: "product", shop: "oakline.com", key: "p-2" },
          { type: "removed", record: "ad", key: "7" },
          { type: "removed", record: "shop", shop: "b.com" },
          { type: "removed", record: "product", key: "p-3" }
        ]
        const { accepted, rejects, removals, tallies } = yield* run({ "r.ndjson": ndjson(...gone) })
        assert.deepStrictEqual(rejects, ["5 shop: is required to remove a record of this type"])
        assert.deepStrictEqual([accepted, removals], [4, 4])
        assert.deepStrictEqual([tallies.product.removed, tallies.ad.removed, tallies.shop.removed], [2, 1, 1])
        assert.deepStrictEqual(
          (yield* products).map(({ key }) => key),
          ["p-3"]
        )
        assert.deepStrictEqual((yield* run({ "r.ndjson": ndjson(...gone.slice(0, 4)) })).tallies.product.removed, 0)
        // In one file, the order counts.
        const product = (key: string) => ({ type: "product", shop: "oakline.com", key, title: key, price: 1 })
        const removal = (key: string) => ({ type: "removed", record: "product", shop: "oakline.com", key })
        yield* run({ "o.ndjson": ndjson(product("x"), removal("x"), removal("y"), product("y")) })
        assert.deepStrictEqual(
          (yield* products).map(({ key }) => key),
          ["p-3", "y"]
        )
      })
    )
  )

  it.effect("a record removes a product by its key or its alias, wherever a batch begins", () => {
    const product = (key: string, alias: string | null) => ({
      type: "product",
      shop: "oakline.com",
      key,
      alias,
      title: key,
      price: 1
    })
    const removal = (key: string) => ({ type: "removed", record: "product", shop: "oakline.com", key })
    const records = [
      product("a", "1"),
      removal("1"),
      product("b", "2"),
      removal("b"),
      removal("3"),
      product("c", "3"),
      product("d", "4"),
      removal("4"),
      product("d", "5"),
      removal("4")
    ]
    const keys = Effect.map(products, (rows) => rows.map(({ key }) => key))
    // Of products that are stored.
    const ofStored = [
      { sequence: [product("e", null), removal("6")], kept: [] },
      { sequence: [product("6", null), removal("e")], kept: [] },
      { sequence: [product("e", "7"), product("e", null), removal("7")], kept: [] },
      { sequence: [product("new", "8"), product("new", null), removal("8")], kept: ["e"] },
      { sequence: [product("f", "6"), removal("f")], kept: [] },
      { sequence: [product("f", "6"), removal("6")], kept: [] },
      { sequence: [product("h", "9"), product("9", null), removal("9")], kept: ["e"] },
      { sequence: [product("h", "9"), product("i", "9"), removal("9")], kept: ["e"] },
      // Another name by now.
      { sequence: [product("f", "6"), removal("e")], kept: ["f"] }
    ]
    return Effect.gen(function* () {
      for (const { kept, sequence } of ofStored) {
        for (const parts of [[sequence], sequence.map((record) => [record])]) {
          const left = yield* onFreshDatabase(
            Effect.gen(function* () {
              yield* run({ "s.ndjson": ndjson(oaklineShop(), product("e", "6")) })
              for (const part of parts) yield* run({ "r.ndjson": ndjson(...part) })
              return yield* keys
            })
          )
          assert.deepStrictEqual(left, kept)
        }
      }
      const ofManyBatches = yield* onFreshDatabase(
        Effect.gen(function* () {
          yield* run({ "s.ndjson": ndjson(oaklineShop()) })
          yield* Effect.forEach(records, (record) => run({ "r.ndjson": ndjson(record) }))
          return yield* keys
        })
      )
      assert.deepStrictEqual(ofManyBatches, ["c", "d"])
      const ofOneBatch = yield* onFreshDatabase(
        Effect.andThen(run({ "r.ndjson": ndjson(oaklineShop(), ...records) }), keys)
      )
      assert.deepStrictEqual(ofOneBatch, ofManyBatches)
    })
  })

  it.effect("every import is listed with its source, and records of only one source can be removed", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const sources = yield* Sources
        yield* run({ "p.json": page(1, 2) }, { source: "storefront", asOf: "2026-06-01" })
        yield* run(
          { "e.csv": "Handle,Title,Variant Price\np-1,P1,5\np-9,P9,5\n" },
          { source: "export", asOf: "2026-06-02" }
        )
        yield* run({ "ads.json": [ad("1")] }, { source: "ads", asOf: "2026-06-03" })
        const before = yield* contents
        yield* run({ "ads.json": [ad("1")] }, { source: "ads", asOf: "2026-06-03" })
        assert.deepStrictEqual(yield* contents, before)
        assert.deepStrictEqual(
          (yield* sources.list).map(({ ads, as_of, imports, license, name, products, shops }) => [
            name,
            imports,
            as_of,
            license,
            shops,
            products,
            ads
          ]),
          [
            ["ads", 2, "2026-06-03", "ours", 0, 0, 1],
            ["export", 1, "2026-06-02", "ours", 1, 2, 0],
            ["storefront", 1, "2026-06-01", "ours", 1, 1, 0]
          ]
        )
        assert.strictEqual(yield* sources.dataAsOf, "2026-06-03")
        const [file] =
          yield* sql`SELECT files->0->>'format' AS format, length(files->0->>'sha256') AS hash FROM import ORDER BY id LIMIT 1`
        assert.deepStrictEqual(file, { format: "storefront", hash: 64 })
        assert.deepStrictEqual(yield* sources.forget("export"), { shops: 0, products: 1, ads: 0 })
        assert.deepStrictEqual(
          (yield* products).map(({ key }) => key),
          ["p-1"]
        )
        assert.deepStrictEqual(yield* sources.forget("storefront"), { shops: 1, products: 1, ads: 0 })
        assert.strictEqual(yield* sources.forget("nobody"), undefined)
        assert.lengthOf(yield* ads, 1)
        assert.deepStrictEqual(yield* sources.forget("ads"), { shops: 0, products: 0, ads: 1 })
      })
    )
  )

  it.effect("sources are listed by a statement that takes longer than the pool allows", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { connection } = yield* TestDatabase
        yield* run({ "ads.json": [ad("1")] })
        yield* sql`ALTER TABLE ad RENAME TO quick_ad`
        yield* sql`CREATE VIEW ad AS SELECT quick_ad.* FROM quick_ad, pg_sleep(0.5)`
        const pool = Database.layer({ source: connection, maxConnections: 1, statementTimeoutMillis: 200 })
        const list = Effect.flatMap(Sources, (sources) => sources.list)
        const [source] = yield* Effect.provide(list, Layer.provide(Sources.layer, pool), { local: true })
        assert.strictEqual(source?.ads, 1)
      })
    )
  )

  it.effect("an answer waits at most a second for the date of the data", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const clock = yield* TestClock.make()
        const dataAsOf = yield* Effect.provide(DataAsOf, dataAsOfLayer)
        const locking = yield* sql.reserve
        yield* locking.executeRaw("BEGIN", [])
        yield* locking.executeRaw("LOCK TABLE import IN ACCESS EXCLUSIVE MODE", [])
        const waiting = yield* Effect.forkChild(Effect.provideService(dataAsOf, Clock.Clock, clock))
        yield* runs("max(as_of)", 1)
        yield* clock.adjust("1 second")
        assert.isNull(yield* Fiber.join(waiting))
        yield* locking.executeRaw("COMMIT", [])
      }).pipe(Effect.scoped)
    )
  )

  it.effect("a store that no source has is removed with the last of its products and ads", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sources = yield* Sources
        const sql = yield* SqlClient.SqlClient
        yield* run({ "s.ndjson": ndjson(shop("oakline.com"), shop("b.com")) }, { source: "stores" })
        yield* run({ "ads.json": [ad("1", {}, { link_url: "https://oakline.com/" })] }, { source: "ads" })
        assert.deepStrictEqual(yield* sources.forget("stores"), { shops: 1, products: 0, ads: 0 })
        assert.deepStrictEqual(yield* sources.forget("ads"), { shops: 1, products: 0, ads: 1 })
        assert.deepStrictEqual(yield* sql`SELECT domain FROM shop`, [])
      })
    )
  )

  it.effect("an import stops whose source was removed after its lock was lost", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const importer = yield* Importer
        const sql = yield* SqlClient.SqlClient
        yield* run({ "p.json": page(1) })
        const record = Result.getOrThrow(
          Records.decode({ type: "product", shop: "oakline.com", key: "new", title: "New", price: 1 })
        )
        const source = Stream.fromEffect(
          Effect.as(Effect.orDie(sql`DELETE FROM source WHERE name = 'lost'`), {
            rows: [{ line: 1, record }],
            rejects: [],
            position: 1
          })
        )
        const stopped = yield* Effect.flip(
          importer.run(source, {
            provenance: { source: "lost", license: null, asOf: "2026-06-30" },
            maxRejects: 1,
            onRejects: () => Effect.void,
            onProgress: () => Effect.void
          })
        )
        assert.strictEqual(stopped._tag, "ImportStopped")
        assert.include(stopped.message, "was forgotten")
        assert.lengthOf(yield* products, 1)
      })
    )
  )

  it.effect("a source is not removed while an import runs, of which no record is then refused", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const importer = yield* Importer
        const sources = yield* Sources
        yield* run({ "p.json": page(1) })
        const isReading = yield* Deferred.make<void>()
        const mayEnd = yield* Deferred.make<void>()
        const rejects: Array<Reject> = []
        const product = { type: "product", shop: "oakline.com", key: "new", title: "New", price: 1 }
        const record = Result.getOrThrow(Records.decode(product))
        const source = Stream.fromEffect(
          Effect.as(Effect.andThen(Deferred.succeed(isReading, undefined), Deferred.await(mayEnd)), {
            rows: [{ line: 1, record }],
            rejects: [],
            position: 1
          })
        )
        const running = yield* Effect.forkChild(
          importer.run(source, {
            provenance: { source: "test", license: null, asOf: "2026-06-30" },
            maxRejects: 1,
            onRejects: (more) => Effect.sync(() => void rejects.push(...more)),
            onProgress: () => Effect.void
          })
        )
        yield* Deferred.await(isReading)
        const refused = yield* Effect.result(sources.forget("test"))
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Effect.exit(Fiber.join(running))
        assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "ImportRunning")
        assert.deepStrictEqual(rejects, [])
        assert.deepStrictEqual(yield* sources.forget("test"), { shops: 1, products: 2, ads: 0 })
      })
    )
  )

  it.effect("a source is removed with the records that an import without its lock is just loading", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const importer = yield* Importer
        const sources = yield* Sources
        const sql = yield* SqlClient.SqlClient
        const isReading = yield* Deferred.make<void>()
        const mayEnd = yield* Deferred.make<void>()
        const chunk = (...records: ReadonlyArray<object>) => ({
          rows: records.map((record) => ({ line: 1, record: Result.getOrThrow(Records.decode(record)) })),
          rejects: [],
          position: 1
        })
        // A first load is one transaction, which waits here for its input.
        const source = Stream.concat(
          Stream.succeed(chunk(...Array.from({ length: 6_000 }, (_, at) => shop(`s-${at}.com`)))),
          Stream.fromEffect(
            Effect.as(
              Effect.andThen(Deferred.succeed(isReading, undefined), Deferred.await(mayEnd)),
              chunk({ type: "product", shop: "s-1.com", key: "new", title: "New", price: 1 })
            )
          )
        )
        const running = yield* Effect.forkChild(
          importer.run(source, {
            provenance: { source: "lost", license: null, asOf: "2026-06-30" },
            maxRejects: 0,
            onRejects: () => Effect.void,
            onProgress: () => Effect.void
          })
        )
        yield* Deferred.await(isReading)
        // As a broken connection loses it.
        const broken = yield* sql`
          SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
          WHERE l.locktype = 'advisory' AND d.datname = current_database()`
        assert.lengthOf(broken, 1)
        yield* eventually(
          Effect.filterOrFail(
            sql`SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
              WHERE l.locktype = 'advisory' AND d.datname = current_database()`,
            (rows) => rows.length === 0
          )
        )
        // The input is read ahead of the transaction, which may not have begun.
        yield* eventually(
          Effect.filterOrFail(
            sql`SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
              WHERE l.relation = 'shop'::regclass AND l.mode = 'RowExclusiveLock' AND d.datname = current_database()`,
            (rows) => rows.length > 0
          )
        )
        const removing = yield* Effect.forkChild(sources.forget("lost"))
        const waiting = sql`
          SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
        yield* Effect.raceFirst(Fiber.await(removing), Effect.repeat(waiting, { until: (rows) => rows.length === 1 }))
        yield* Deferred.succeed(mayEnd, undefined)
        assert.deepStrictEqual(yield* Fiber.join(removing), { shops: 6_000, products: 1, ads: 0 })
        yield* Effect.exit(Fiber.join(running))
        assert.deepStrictEqual(yield* sql`SELECT FROM shop`, [])
        assert.deepStrictEqual(yield* sources.list, [])
      })
    )
  )

  it.effect("a source is removed without a search for each of its imports or stores", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const sources = yield* Sources
        const stores = Array.from({ length: 20 }, (_, at) => shop(`s-${at}.com`))
        const exported = "Handle,Title,Variant Price\np-1,Old,4\n"
        yield* run({ "e.csv": exported, "ads.json": [ad("1", { page_name: "Old" })] }, { source: "other" })
        yield* run({ "s.ndjson": ndjson(...stores, oaklineShop()), "ads.json": [ad("1"), ad("2")] }, { source: "both" })
        yield* run({ "p.json": page(1, 2) }, { source: "both" })
        yield* sql`
          INSERT INTO import (source_id, as_of)
          SELECT id, '2026-06-01' FROM source, generate_series(1, 50) WHERE name = 'both'`
        const searched = sql`
          SELECT relname, seq_scan::int FROM pg_stat_xact_user_tables
          WHERE relname IN ('shop', 'product', 'ad', 'page_store') ORDER BY relname`
        const [forgotten, before, after] = yield* Effect.gen(function* () {
          const before = yield* searched
          return [yield* sources.forget("both"), before, yield* searched] as const
        }).pipe(sql.withTransaction)
        assert.deepStrictEqual(forgotten, { shops: 20, products: 1, ads: 1 })
        assert.isTrue(before.every(({ seq_scan }) => seq_scan === 0))
        // One search removes records, and one leaves those of other sources.
        for (const { relname, seq_scan } of after) assert.isAtMost(Number(seq_scan), relname === "page_store" ? 0 : 2)
        assert.lengthOf(after, 4)
        // What is left was last changed by an import that is gone.
        assert.deepStrictEqual(
          yield* sql`
            SELECT 'shop' AS type, import_id, cardinality(source_ids) AS sources FROM shop
            UNION ALL SELECT 'product', import_id, cardinality(source_ids) FROM product
            UNION ALL SELECT 'ad', import_id, cardinality(source_ids) FROM ad`,
          ["shop", "product", "ad"].map((type) => ({ type, import_id: null, sources: 1 }))
        )
        assert.deepStrictEqual(
          (yield* sources.list).map(({ name }) => name),
          ["other"]
        )
      })
    )
  )

  it.effect(
    "the same files again change nothing, and any order of one command's files gives the same, in every format",
    () => {
      const product = (id: number) => [
        { id: `gid://shopify/Product/${id}`, title: `B${id}`, handle: `b-${id}` },
        { id: `gid://shopify/ProductVariant/${id}`, price: "9.00", __parentId: `gid://shopify/Product/${id}` }
      ]
      const path = (code: string, ...names: ReadonlyArray<string>) =>
        `gid://shopify/TaxonomyCategory/${code} : ${names.join(" > ")}`
      const native = (key: string) => ({ type: "product", shop: "n.com", key, title: key, price: 1 })
      const table = (...rows: ReadonlyArray<string>) => `${rows.join("\n")}\n`
      /** Each format in two parts; a store comes before its records. */
      const parts: ReadonlyArray<
        readonly [format: string, name: string, first: string | object, second: string | object]
      > = [
        ["taxonomy", "txt", path("fr", "Furniture"), path("fr-1", "Furniture", "Desks")],
        ["native", "ndjson", ndjson(shop("n.com"), native("n-1")), ndjson(native("n-2"))],
        [
          "products",
          "csv",
          table("Handle,Title,Variant Price,Type", "e-1,E1,5,Desks"),
          table("Handle,Title,Variant Price", "e-2,E2,6")
        ],
        ["bulk", "jsonl", ndjson(...product(1)), ndjson(...product(2))],
        ["shops", "csv", table("domain,country,apps", "a.com,US,Klaviyo:Privy"), table("domain,country", "b.com,DE")],
        [
          "ratings",
          "csv",
          table("domain,trustpilot_rating", "a.com,4.5"),
          table("domain,trustpilot_rating", "b.com,3")
        ],
        [
          "traffic",
          "csv",
          table("domain,2026-01,2026-02", "a.com,1,2"),
          table("domain,month,visits", "b.com,2026-01,3")
        ],
        ["ads", "json", [ad("1", {}, { link_url: "https://a.com/x" }), ad("2")], [ad("3", { page_id: "7" })]],
        [
          "meta",
          "json",
          {
            myshopify_domain: "m.myshopify.com",
            domain: "oakline.com",
            name: "Oakline",
            country: "DE",
            currency: "EUR"
          },
          page(7)
        ]
      ]
      const all = (turned: boolean) =>
        Object.fromEntries(
          parts.flatMap(([format, ending, first, second], at) =>
            (turned && format !== "native" && format !== "taxonomy" ? [second, first] : [first, second]).map(
              (content, part) => [`${at}-${part}-${format}.${ending}`, content] as const
            )
          )
        )
      const catalog = Effect.all([contents, ads, visits])
      return onFreshDatabase(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const first = yield* run(all(false))
          assert.deepStrictEqual(first.rejects, [])
          const before = yield* catalog
          const stamps = sql`SELECT (SELECT max(version) FROM shop) AS shops, (SELECT max(version) FROM product) AS products, (SELECT max(version) FROM ad) AS ads`
          const stamped = yield* stamps
          for (const turned of [false, true]) {
            const { tallies } = yield* run(all(turned))
            assert.deepStrictEqual(tallies, nothingLoaded.tallies)
            assert.deepStrictEqual(yield* catalog, before)
            assert.deepStrictEqual(yield* stamps, stamped)
          }
          const turned = yield* onFreshDatabase(Effect.andThen(run(all(true)), catalog))
          assert.deepStrictEqual(turned, before)
        })
      )
    }
  )

  it.effect.prop(
    "any split of one command's pages, and of its export at any row, ends at the same catalog, and the same again changes nothing",
    [
      Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))).check(Schema.isMaxLength(20)),
      Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))).check(Schema.isMaxLength(4))
    ],
    ([numbers, cuts]) =>
      Effect.gen(function* () {
        const ids = Array.from(new Set([1, ...numbers]))
        const parts = <A>(all: ReadonlyArray<A>) => {
          const places = cuts.map((cut) => Math.round((cut / 20) * all.length)).toSorted((a, b) => a - b)
          return [0, ...places].map((from, at) => all.slice(from, places[at] ?? all.length))
        }
        const pages = parts(ids).map((part, at) => [`${at}.json`, page(...part)] as const)
        const rows = ids.flatMap((id) => [
          `e-${id},E,9`,
          ...Array.from({ length: id % 3 }, (_, at) => `e-${id},,${at}`)
        ])
        const exported = (some: ReadonlyArray<string>) => ["Handle,Title,Variant Price", ...some, ""].join("\n")
        const exports = parts(rows).map((part, at) => [`e-${at}.csv`, exported(part)] as const)
        const split = Object.fromEntries([...pages, ...exports])
        const one = { "w.json": page(...ids), "w.csv": exported(rows) }
        const before = { "b.json": page(3, 7, 50) }
        const whole = yield* onFreshDatabase(
          Effect.andThen(run(before, { isComplete: true }), Effect.andThen(run(one, { isComplete: true }), contents))
        )
        yield* onFreshDatabase(
          Effect.gen(function* () {
            yield* run(before, { isComplete: true })
            yield* run(split, { isComplete: true })
            assert.deepStrictEqual(yield* contents, whole)
            const { tallies } = yield* run(split, { isComplete: true })
            assert.deepInclude(tallies.product, { added: 0, changed: 0, removed: 0 })
          })
        )
      }),
    { arbitrary: { runs: 15 } }
  )

  it.effect("a row of which the catalog rejects several records is rejected once", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const counts = Effect.fnUntraced(function* (table: string) {
          const { leftOut, parts, read, rejected } = yield* run({ "t.csv": table }, { store: nobody })
          return [{ read, rejected, leftOut }, ...parts.values()].map((one) => ({ ...one }))
        })
        const rejected = { read: 0, rejected: 2, leftOut: 0 }
        const stores = "domain,name,monthly_visits\na.com,A,5\nb.com,B,6\n"
        assert.deepStrictEqual(yield* counts(stores), [rejected, rejected])
        const months = "domain,2026-01,2026-02,2026-03\na.com,1,2,3\nb.com,,x,4\n"
        assert.deepStrictEqual(yield* counts(months), [rejected, rejected])
        const apart = "Handle,Title,Variant Price\na,A,1\nb,B,2\na,,3\nb,,4\n"
        const { leftOut, read, rejected: all } = yield* run({ "lamps.com.csv": apart }, { store: nobody })
        assert.deepStrictEqual({ read, rejected: all, leftOut }, { read: 0, rejected: 4, leftOut: 0 })
      })
    )
  )
})
