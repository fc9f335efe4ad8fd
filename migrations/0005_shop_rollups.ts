/**
 * What is known of a store's items leaves `shop_search` for tables of its own: a pass over all stores, which nearly every
 * search makes, reads a row of 170 bytes instead of 600. Filters that few stores match, and orders from the lowest figure
 * upwards, get indexes.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const columns = `id, n_products, n_ads, n_active, niche_id, country, currency, pixels, languages, visits, revenue, orders,
  products_count, theme_id, domain_id, networks, created, reviews, growth, avg_price, rating, apps, doc`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One row a store with products. best_score: of the product that stands first by relevance.
  yield* sql`
    CREATE TABLE shop_products (
      id integer PRIMARY KEY,
      best_score double precision NOT NULL,
      prices double precision[] NOT NULL
    )`
  // One row a store with ads, and id 0 for the ads without one: sorted keys, see src/services/search/AdKey.ts.
  yield* sql`
    CREATE TABLE shop_ads (
      id integer PRIMARY KEY,
      by_status integer[] NOT NULL,
      by_media integer[] NOT NULL,
      by_cta integer[] NOT NULL,
      by_partnership integer[] NOT NULL,
      by_flags integer[] NOT NULL
    )`
  // Arrays are searched, not read from end to end: compressed, they would have to be.
  yield* sql`ALTER TABLE shop_products ALTER prices SET STORAGE EXTERNAL`
  yield* sql`
    ALTER TABLE shop_ads ALTER by_status SET STORAGE EXTERNAL, ALTER by_media SET STORAGE EXTERNAL,
      ALTER by_cta SET STORAGE EXTERNAL, ALTER by_partnership SET STORAGE EXTERNAL, ALTER by_flags SET STORAGE EXTERNAL`
  yield* sql`
    INSERT INTO shop_products
    SELECT shop_id, max(score), array_agg(price ORDER BY price) FROM product_search GROUP BY shop_id ORDER BY shop_id`
  yield* sql`
    INSERT INTO shop_ads
    SELECT shop_id, array_agg(by_status ORDER BY by_status), array_agg(by_media ORDER BY by_media),
      array_agg(by_cta ORDER BY by_cta), array_agg(by_partnership ORDER BY by_partnership),
      array_agg(by_flags ORDER BY by_flags)
    FROM ad_search i
    CROSS JOIN LATERAL (SELECT flags::int >> 8 AS active, flags::int >> 5 & 7 AS media, flags::int >> 1 & 15 AS cta, flags::int & 1 AS partnership) f
    CROSS JOIN LATERAL (
      SELECT f.active << 22 | started AS by_status,
        (f.active << 3 | f.media) << 22 | started AS by_media,
        (f.active << 4 | f.cta) << 22 | started AS by_cta,
        ((f.active << 1 | f.partnership) << 3 | f.media) << 22 | started AS by_partnership,
        flags::int << 22 | started AS by_flags
    ) k
    GROUP BY shop_id ORDER BY shop_id`
  yield* sql`CREATE INDEX shop_products_score ON shop_products (best_score DESC, id)`

  // A column that is dropped leaves its place in every row; a table made anew does not. What most searches ask for comes
  // first: a pass over 200,000 stores takes 9 ms for the first column and 19 ms for the twentieth.
  yield* sql`ALTER TABLE shop_search RENAME TO shop_search_wide`
  yield* sql`ALTER INDEX shop_search_pkey RENAME TO shop_search_wide_pkey`
  yield* sql`
    CREATE TABLE shop_search (
      id integer PRIMARY KEY,
      n_products integer NOT NULL,
      n_ads integer NOT NULL,
      n_active integer NOT NULL,
      niche_id smallint NOT NULL,
      country smallint NOT NULL,
      currency smallint NOT NULL,
      pixels smallint NOT NULL,
      languages integer NOT NULL,
      visits integer NOT NULL,
      revenue double precision NOT NULL,
      orders integer NOT NULL,
      products_count integer NOT NULL,
      theme_id integer NOT NULL,
      domain_id integer NOT NULL,
      networks smallint NOT NULL,
      created date NOT NULL,
      reviews integer NOT NULL,
      growth double precision NOT NULL,
      avg_price double precision NOT NULL,
      rating double precision NOT NULL,
      apps integer[] NOT NULL,
      doc text NOT NULL
    )`
  yield* sql`INSERT INTO shop_search SELECT ${sql.literal(columns)} FROM shop_search_wide ORDER BY id`
  yield* sql`DROP TABLE shop_search_wide`
  yield* sql`CREATE INDEX shop_search_apps ON shop_search USING gin (apps) WITH (fastupdate = off)`
  for (const column of ["niche_id", "country", "currency", "theme_id", "domain_id"]) {
    yield* sql`CREATE INDEX ${sql(`shop_search_${column}`)} ON shop_search (${sql(column)})`
  }
  // Unknown figures come last in both directions: the second index of each pair has them there.
  for (const figure of ["revenue", "orders", "visits", "growth", "n_active"]) {
    const isUnknown = figure === "growth" ? sql`growth = '-infinity'` : sql`${sql(figure)} < 0`
    yield* sql`CREATE INDEX ${sql(`shop_search_${figure}`)} ON shop_search (${sql(figure)} DESC, id)`
    yield* sql`CREATE INDEX ${sql(`shop_search_${figure}_asc`)} ON shop_search ((${isUnknown}), ${sql(figure)}, id)`
  }
})
