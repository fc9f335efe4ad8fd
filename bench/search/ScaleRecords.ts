/**
 * The records of a scale data set: stores drawn by the demo's own generator, their products and ads by SQL at the server,
 * which is many times faster than sending them.
 *
 * Skewed as catalogs are: products of a store follow a log-normal distribution, a third of the stores advertise and
 * their ads follow Zipf's law, apps, themes, countries and words have few common and many rare values. Titles and texts
 * come from pools in twelve languages, one for each language and niche; a fifth of the titles end in a model code, so
 * that there are words as rare as one product.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { ctas, mediaTypes } from "../../src/domain/catalog/Enumerations.ts"
import { sqlPseudoStoreOf } from "../../src/domain/catalog/StorelessAds.ts"
import { dateOf } from "../../demo/Days.ts"
import { adWeights, demoShop, shareOut } from "../../demo/DemoShops.ts"
import type { DemoShop } from "../../demo/DemoShops.ts"
import { niches } from "../../demo/Niches.ts"
import { Prng } from "../../demo/Prng.ts"
import type { Lexicon } from "../../demo/Lexicons.ts"
import { adText, headline, title } from "../../demo/Texts.ts"
import type { Subject } from "../../demo/Texts.ts"
import { upsertNiches, upsertShops, upsertTrafficMonths } from "../../src/services/import/CatalogTables.ts"
import * as CatalogVersion from "../../src/services/import/CatalogVersion.ts"
import { StoreDates } from "../../src/services/import/StoreDates.ts"
import { drawnShare, ScaleWords } from "./ScaleWords.ts"

export interface ScaleSize {
  readonly shops: number
  readonly products: number
  readonly ads: number
}

/** 25 products and 10 ads a store: 200,000 stores have 5 million and 2 million. */
export const sizeOf = (shops: number): ScaleSize => ({ shops, products: shops * 25, ads: shops * 10 })

/** Bytes on disk when all is built, without the log. */
export const expectedBytes = ({ ads, products, shops }: ScaleSize): number => shops * 1_300 + products * 355 + ads * 830

type Run<A> = Effect.fn.Return<A, SqlError.SqlError, SqlClient.SqlClient>

const seed = "scale"
/** Texts in a pool. */
const poolSize = 400
const shopsAtOnce = 2_000
/** More than any store has: of a million stores, the one with the most ads has 380,000. */
const itemsOfShop = 1_000_000

const chunks = <A>(values: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, index) => values.slice(index * size, (index + 1) * size))

/** What is kept of a store until its items are made. */
interface KnownShop extends Pick<DemoShop, "index" | "catalog" | "visits" | "medianPrice" | "isWholeCurrency"> {
  readonly id: number
  readonly domain: string
  readonly name: string
  readonly pool: Pool
}

/** Texts of one language and niche, which all its stores draw from. */
interface Pool {
  readonly number: number
  readonly subject: Subject
  readonly words: ScaleWords
  readonly titleLengths: Uint16Array
  readonly textLengths: Uint16Array
}

class Pools {
  readonly #words = new Map<Lexicon, ScaleWords>()
  readonly #pools = new Map<string, Pool>()

  of(subject: Subject): Pool {
    const { kind, lexicon, niche, nouns } = subject
    // Its sentences tell a language from others.
    return this.#pools.getOrInsertComputed(JSON.stringify([lexicon.openers[0], niche, kind, nouns]), () => ({
      number: this.#pools.size,
      subject,
      words: this.#words.getOrInsertComputed(lexicon, () => new ScaleWords(seed, lexicon)),
      titleLengths: new Uint16Array(poolSize),
      textLengths: new Uint16Array(poolSize)
    }))
  }

  get all(): ReadonlyArray<Pool> {
    return Array.from(this.#pools.values())
  }
}

/** Today is day `today` since 1970-01-01. `tell` is told what is being done. */
export const fill = Effect.fnUntraced(function* (
  size: ScaleSize,
  today: number,
  tell: (what: string) => Effect.Effect<void>
): Run<void> {
  const sql = yield* SqlClient.SqlClient
  const version = yield* CatalogVersion.begin(sql)
  const write = { sql, version, run: null }
  yield* tell("stores")
  yield* upsertNiches(
    write,
    niches.flatMap((parent) => [
      { type: "niche", id: parent.id, parent_id: null, name: parent.name } as const,
      ...parent.children.map(({ id, name }) => ({ type: "niche", id, parent_id: parent.id, name }) as const)
    ])
  )
  const pools = new Pools()
  const shops = yield* fillShops(write, size.shops, today, pools)
  yield* tell("texts")
  yield* fillPools(pools)
  yield* tell("words")
  yield* fillWords(shops, size)
  yield* sql`ANALYZE scale_shop, scale_text`
  // The same numbers in every run; parallel workers would each draw their own.
  yield* sql`SELECT set_config('max_parallel_workers_per_gather', '0', true), setseed(0.42)::text`
  // The records fit each other by the way they are made: checking each reference would take longer than writing it.
  yield* sql`SET LOCAL session_replication_role = replica`
  yield* tell("products")
  yield* insertProducts(today)
  yield* tell("ads")
  yield* insertAds(today)
  const stores = yield* sql<{ id: number }>`
    SELECT id FROM shop UNION ALL SELECT DISTINCT ${sql.literal(sqlPseudoStoreOf("id"))} FROM ad WHERE shop_id IS NULL`
  yield* tell("log of changes")
  yield* CatalogVersion.commit(sql, version, { items: stores.map(({ id }) => id), figures: [], niches: true })
  yield* sql`DROP TABLE scale_shop, scale_text`
})

/** The whole of a store is let go when it is written: a million of them would take gigabytes. */
const fillShops = Effect.fnUntraced(function* (
  write: Parameters<typeof upsertShops>[0],
  count: number,
  today: number,
  pools: Pools
): Run<ReadonlyArray<KnownShop>> {
  const sql = yield* SqlClient.SqlClient
  const taken = new Set<string>()
  const undated = new StoreDates(null)
  const known: Array<KnownShop> = []
  for (let from = 0; from < count; from += shopsAtOnce) {
    const part = Array.from({ length: Math.min(shopsAtOnce, count - from) }, (_, at) =>
      demoShop(seed, from + at, today, taken)
    )
    yield* upsertShops(
      write,
      part.map(({ record }) => undated.of(record, null))
    )
    const written = yield* sql<{ id: number; domain: string }>`
      SELECT id, domain FROM shop WHERE domain = ANY(${part.map(({ record }) => record.domain)}::text[])`
    const ids = new Map(written.map(({ domain, id }) => [domain, id]))
    const of = part.flatMap((shop) => {
      const id = ids.get(shop.record.domain)
      return id === undefined ? [] : [{ shop, id }]
    })
    yield* upsertTrafficMonths(
      write,
      of.flatMap(({ id, shop }) => shop.traffic.map((record) => ({ record, shopId: id })))
    )
    for (const { id, shop } of of) {
      const { catalog, index, isWholeCurrency, medianPrice, record, subject, visits } = shop
      const { domain, name } = record
      known.push({ index, catalog, visits, medianPrice, isWholeCurrency, id, domain, name, pool: pools.of(subject) })
    }
  }
  return known
})

const fillPools = Effect.fnUntraced(function* (pools: Pools): Run<void> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE UNLOGGED TABLE scale_text (
      pool integer, number integer, title text, headline text, ad_text text, PRIMARY KEY (pool, number)
    )`
  for (const { number: pool, subject, textLengths, titleLengths } of pools.all) {
    const prng = new Prng(seed, "pool", pool)
    // Texts name the store of which they are an ad: what is put in here is replaced by its name.
    const nameless = { ...subject, shop: "@shop" }
    // Room for the words that each item has of its own.
    const shorter = {
      ...nameless,
      lexicon: { ...subject.lexicon, density: subject.lexicon.density * (1 - drawnShare) }
    }
    const texts = Array.from({ length: poolSize }, (_, number) => ({
      pool,
      number,
      title: title(prng, shorter),
      headline: headline(prng, nameless),
      ad_text: adText(prng, shorter)
    }))
    for (const { ad_text, number, title } of texts) {
      titleLengths[number] = title.length
      textLengths[number] = ad_text.length
    }
    yield* sql`
      INSERT INTO scale_text
      SELECT * FROM json_to_recordset(${JSON.stringify(texts)}::json)
        AS r(pool integer, number integer, title text, headline text, ad_text text)`
  }
})

/** A line for each item: the number of its text in three digits, and the words that it has besides. */
const lines = ({ pool, index }: KnownShop, what: "titleLengths" | "textLengths", count: number): string => {
  const random = new Prng(seed, what, index)
  return Array.from({ length: count }, () => {
    const number = random.int(0, poolSize - 1)
    return `${String(number).padStart(3, "0")}${pool.words.after(pool[what][number] ?? 0, random)}`
  }).join("\n")
}

const fillWords = Effect.fnUntraced(function* (shops: ReadonlyArray<KnownShop>, size: ScaleSize): Run<void> {
  const sql = yield* SqlClient.SqlClient
  const products = shareOut(
    shops.map(({ catalog }) => catalog),
    size.products
  )
  const ads = shareOut(adWeights(seed, shops), size.ads)
  yield* sql`
    CREATE UNLOGGED TABLE scale_shop (
      id integer, domain text, page_name text, pool integer, titles text STORAGE EXTERNAL, ad_texts text STORAGE EXTERNAL,
      price float8, is_whole boolean, active_share float8
    )`
  for (const part of chunks(shops, shopsAtOnce)) {
    yield* sql`
      INSERT INTO scale_shop
      SELECT * FROM json_to_recordset(${JSON.stringify(
        part.map((shop) => ({
          id: shop.id,
          domain: shop.domain,
          page_name: shop.name,
          pool: shop.pool.number,
          titles: lines(shop, "titleLengths", products[shop.index] ?? 0),
          ad_texts: lines(shop, "textLengths", ads[shop.index] ?? 0),
          price: shop.medianPrice,
          is_whole: shop.isWholeCurrency,
          active_share: Math.min(0.95, Math.max(0.05, 0.45 + 0.25 * new Prng(seed, "active", shop.index).normal()))
        }))
      )}::json) AS r(
        id integer, domain text, page_name text, pool integer, titles text, ad_texts text, price float8,
        is_whole boolean, active_share float8
      )`
  }
})

/** Created in bursts: products of one store that are created together have the same second. Recent ones are more. */
const insertProducts = Effect.fnUntraced(function* (today: number): Run<void> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO product (shop_id, key, title, url, image_url, price, created_at)
    SELECT d.id, d.key, d.title, 'https://shops.discovery.example/' || d.domain || '/products/' || d.key,
      'https://images.discovery.example/products/' || d.key || '.jpg',
      CASE
        WHEN d.is_whole THEN greatest(round((d.price / d.step)::numeric) * d.step, d.step)
        WHEN d.ending < 0.46 THEN greatest(round(d.price::numeric), 1)
        ELSE greatest(round(d.price::numeric), 1) - 1 + CASE WHEN d.ending < 0.74 THEN 0.99 WHEN d.ending < 0.9 THEN 0.95 ELSE 0.5 END
      END::float8,
      CASE WHEN d.launch < 0.02 THEN NULL
        ELSE ${dateOf(today)}::timestamptz - interval '1 day' * (1 + 1700 * power(d.launch, 2.2)) END
    FROM (
      SELECT r.*, greatest(10 ^ floor(log(r.price) - 1), 1)::numeric AS step,
        t.title || r.words || CASE WHEN r.code < 0.2
          THEN ' ' || chr(65 + (r.code * 130)::int) || chr(65 + (r.code * 3380)::int % 26) || (r.code * 5e5)::int
          ELSE '' END AS title
      FROM (
        SELECT s.id, s.domain, s.pool, s.is_whole, (7000000000 + s.id::bigint * ${itemsOfShop} + g)::text AS key,
          greatest(s.price * exp(0.93 * random_normal()), 1) AS price, random() AS ending, random() AS code,
          left(line, 3)::int AS number, substr(line, 4) AS words,
          -- A third of a store's products begin a new launch; the others join one of its few.
          ((hashint8(s.id::bigint * 131071 + (g * random())::int)::bigint & 65535) / 65536.0)::float8 AS launch
        FROM scale_shop s, unnest(string_to_array(s.titles, E'\\n')) WITH ORDINALITY AS t(line, g)
      ) r
      JOIN scale_text t ON t.pool = r.pool AND t.number = r.number
    ) d
    ORDER BY d.id, d.key`
})

/** Bounds of buckets as wide as these values, as the literal of an array. */
const shares = (values: ReadonlyArray<number>): string => {
  const sum = values.reduce((total, value) => total + value, 0)
  let reached = 0
  return `{${values.map((value) => (reached += value / sum)).join(",")}}`
}

const mediaShares = shares([45, 30, 10, 8, 7])
/** In the order of the filter's values; what is left has no call to action. */
const ctaShares = shares([70, 12, 1.5, 3, 3, 0.3, 1.2, 1.5, 0.4, 0.6, 0.6, 0.7, 0.2, 1, 4])

/** Ads run for a few weeks, some for years; two of a hundred belong to no known store. */
const insertAds = Effect.fnUntraced(function* (today: number): Run<void> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO ad (
      shop_id, key, ad_archive_id, page_name, is_active, media_type, headline, ad_text, cta, landing_url, image_url,
      ad_library_url, started_on, last_seen_on, is_partnership
    )
    SELECT CASE WHEN d.loose < 0.02 THEN NULL ELSE d.id END, d.key, d.key,
      CASE WHEN d.loose < 0.02 THEN d.page_name || ' Outlet' ELSE d.page_name END, d.is_active,
      (${mediaTypes}::text[])[1 + width_bucket(d.media, ${mediaShares}::float8[])],
      replace(t.headline, '@shop', d.page_name), replace(t.ad_text, '@shop', d.page_name) || d.words,
      (${ctas}::text[])[1 + width_bucket(d.cta, ${ctaShares}::float8[])],
      'https://shops.discovery.example/' || d.domain || '/?ad=' || d.key,
      'https://images.discovery.example/ads/' || d.key || '.jpg',
      'https://ads.discovery.example/library/?id=' || d.key,
      d.last_seen - least(1400, floor(24 * exp(1.3 * d.days)))::int, d.last_seen, d.partnership < 0.06
    FROM (
      SELECT r.*,
        ${dateOf(today)}::date - CASE WHEN r.is_active THEN (r.loose > 0.8)::int ELSE 2 + (500 * r.seen ^ 2)::int END
          AS last_seen
      FROM (
        SELECT s.id, s.domain, s.page_name, s.pool,
          (9000000000000000 + (s.id::bigint * ${itemsOfShop} + g) * 19)::text AS key,
          random() AS loose, random() < s.active_share AS is_active, random() AS media, random() AS cta,
          random() AS partnership, random() AS seen, random_normal() AS days,
          left(line, 3)::int AS number, substr(line, 4) AS words
        FROM scale_shop s, unnest(string_to_array(s.ad_texts, E'\\n')) WITH ORDINALITY AS t(line, g)
      ) r
    ) d
    JOIN scale_text t ON t.pool = d.pool AND t.number = d.number
    ORDER BY d.id, d.key`
})
