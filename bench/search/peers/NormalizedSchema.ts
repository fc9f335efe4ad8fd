/**
 * A plain schema over the same records, as one writes it who does not derive rows for counting: a table for each kind of
 * thing, link tables for what a store has several of, one B-tree for each way to filter or sort, GIN for words.
 *
 * Figures that take an aggregate (visits, growth, active ads, average price) are columns of the store, and the relevance
 * score one of the product: any catalog of this size would keep them. So are the words.
 * All of these come from PeerTables.ts. `traffic_month` and `details` are left out: no search reads them.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { languages, pixels, socialNetworks } from "../../../src/domain/catalog/Enumerations.ts"
import type { Published } from "../../../src/services/search/runtime/IndexState.ts"
import { figures, storeFigures } from "../../../src/domain/catalog/Figures.ts"
import type { Figure } from "../../../src/domain/catalog/Figures.ts"
import { isWhole } from "./PeerQuery.ts"
import * as PeerTables from "./PeerTables.ts"

/** Moves when this file makes something else than before. */
const layout = 4

const both = (table: string, ...columns: ReadonlyArray<string>): ReadonlyArray<string> => [
  `CREATE INDEX ON normalized.${table} (${columns.map((column) => `${column} DESC NULLS LAST`).join(", ")}, id)`,
  `CREATE INDEX ON normalized.${table} (${columns.join(", ")}, id)`
]

const single = (table: string, ...columns: ReadonlyArray<string>): ReadonlyArray<string> =>
  columns.map((column) => `CREATE INDEX ON normalized.${table} (${column})`)

/** Not logged: it could be made again, and is, should the server crash. */
const linkTable = (name: string, column: string, rows: string): ReadonlyArray<string> => [
  `CREATE UNLOGGED TABLE normalized.${name} (shop_id integer, ${column} integer, PRIMARY KEY (shop_id, ${column}))`,
  `INSERT INTO normalized.${name} SELECT x.id, l.id FROM peer.shop x, ${rows}`,
  `CREATE INDEX ON normalized.${name} (${column}, shop_id)`
]

const words = "array_to_tsvector(string_to_array(x.doc, ' '))"

const ofMask = (column: string, vocabulary: ReadonlyArray<string>): string =>
  `LATERAL (SELECT b FROM generate_series(0, ${vocabulary.length - 1}) b WHERE x.${column} >> b & 1 = 1) l(id)`

export const columnOf = (figure: Figure): string =>
  figure === "created" ? "created_on" : storeFigures[figure].argument

const typeOf = (figure: Figure): string =>
  figure === "created" ? "date" : isWhole(figure) ? "integer" : "double precision"

/** What stores are ordered by. */
const ordered: ReadonlyArray<string> = [
  "monthly_revenue",
  "monthly_orders",
  "monthly_visits",
  "traffic_growth_pct",
  "active_ads",
  "products_count",
  "created_on"
]

const shops: ReadonlyArray<string> = [
  `CREATE UNLOGGED TABLE normalized.shop (
    id integer PRIMARY KEY, domain text NOT NULL, name text NOT NULL, domain_extension_id integer NOT NULL,
    country text NOT NULL, currency text, niche_id integer, theme_id integer,
    ${figures.map((name) => `${columnOf(name)} ${typeOf(name)}`).join(", ")},
    words tsvector NOT NULL
  )`,
  `INSERT INTO normalized.shop
   SELECT s.id, s.domain, s.name, x.extension, s.country, s.currency, s.niche_id, nullif(x.theme, 0),
     ${figures.map((name) => (name === "created" ? "s.created_on" : `x.${name}`)).join(", ")}, ${words}
   FROM public.shop s JOIN peer.shop x ON x.id = s.id`,
  ...ordered.flatMap((column) => both("shop", column)),
  ...both("shop", "active_ads", "monthly_visits"),
  ...single(
    "shop",
    "country",
    "currency",
    "niche_id",
    "theme_id",
    "domain_extension_id",
    ...figures.map(columnOf).filter((column) => !ordered.includes(column))
  ),
  `CREATE INDEX ON normalized.shop USING gin (words) WITH (fastupdate = off)`,
  ...linkTable("shop_language", "language_id", ofMask("languages", languages)),
  ...linkTable("shop_pixel", "pixel_id", ofMask("pixels", pixels)),
  ...linkTable("shop_network", "network_id", ofMask("networks", socialNetworks)),
  ...linkTable("shop_app", "app_id", "unnest(x.apps) l(id)")
]

const products: ReadonlyArray<string> = [
  `CREATE UNLOGGED TABLE normalized.product (
    id integer NOT NULL, shop_id integer NOT NULL, title text NOT NULL, url text, image_url text,
    price double precision NOT NULL, created_at timestamptz, score integer NOT NULL, words tsvector NOT NULL
  )`,
  `INSERT INTO normalized.product
   SELECT p.id, p.shop_id, p.title, p.url, p.image_url, p.price, p.created_at, x.score, ${words}
   FROM public.product p JOIN peer.product x ON x.id = p.id ORDER BY p.id`,
  `ALTER TABLE normalized.product ADD PRIMARY KEY (id)`,
  `CREATE INDEX ON normalized.product (shop_id, score DESC, id) INCLUDE (price)`,
  `CREATE INDEX ON normalized.product (score DESC, id) INCLUDE (shop_id)`,
  `CREATE INDEX ON normalized.product (price, id) INCLUDE (shop_id)`,
  `CREATE INDEX ON normalized.product (created_at DESC NULLS LAST, id DESC) INCLUDE (shop_id)`,
  `CREATE INDEX ON normalized.product (created_at, id) INCLUDE (shop_id)`,
  `CREATE INDEX ON normalized.product USING gin (words) WITH (fastupdate = off)`
]

/** Of two ads of a store that both run, or both do not, the greater one stands for the store: see D119. */
export const standingDay = (table: "" | "i.") =>
  `(CASE WHEN ${table}is_active THEN -1 ELSE 1 END * (${table}started_on - date '1970-01-01'))`

const ads: ReadonlyArray<string> = [
  `CREATE UNLOGGED TABLE normalized.ad (
    id integer NOT NULL, shop_id integer, ad_archive_id text, page_name text NOT NULL, is_active boolean NOT NULL,
    media_type text NOT NULL, headline text, ad_text text, cta text, landing_url text, image_url text,
    ad_library_url text, started_on date NOT NULL, last_seen_on date NOT NULL, is_partnership boolean NOT NULL,
    words tsvector NOT NULL
  )`,
  `INSERT INTO normalized.ad
   SELECT a.id, a.shop_id, a.ad_archive_id, a.page_name, a.is_active, a.media_type, a.headline, a.ad_text, a.cta,
     a.landing_url, a.image_url, a.ad_library_url, a.started_on, a.last_seen_on, a.is_partnership,
     ${words}
   FROM public.ad a JOIN peer.ad x ON x.id = a.id ORDER BY a.id`,
  `ALTER TABLE normalized.ad ADD PRIMARY KEY (id)`,
  `CREATE INDEX ON normalized.ad (shop_id, is_active DESC, started_on DESC, id DESC) INCLUDE (media_type, cta, is_partnership)`,
  `CREATE INDEX ON normalized.ad (shop_id, is_active DESC, ${standingDay("")} DESC, id DESC) INCLUDE (media_type, cta, is_partnership)`,
  `CREATE INDEX ON normalized.ad (started_on, id) INCLUDE (shop_id)`,
  `CREATE INDEX ON normalized.ad (is_active, started_on) INCLUDE (shop_id)`,
  `CREATE INDEX ON normalized.ad (media_type, started_on) INCLUDE (shop_id)`,
  `CREATE INDEX ON normalized.ad (cta, started_on) INCLUDE (shop_id)`,
  `CREATE INDEX ON normalized.ad (started_on) INCLUDE (shop_id) WHERE is_partnership`,
  `CREATE INDEX ON normalized.ad USING gin (words) WITH (fastupdate = off)`
]

type Run<A> = Effect.Effect<A, SqlError.SqlError, SqlClient.SqlClient>

/** Over a pool of one connection without a statement timeout. Does nothing when this catalog is there already. */
export const prepare = Effect.fnUntraced(function* (
  published: Published
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const complete = `layout ${layout} of ${PeerTables.identityOf(published)}`
  const [found] = yield* sql<{ comment: string | null }>`
    SELECT obj_description(to_regnamespace('normalized'), 'pg_namespace') AS comment`
  if (found?.comment === complete && (yield* isFilled)) return
  yield* sql`SELECT set_config('maintenance_work_mem', '512MB', false), set_config('client_min_messages', 'warning', false)`
  yield* PeerTables.prepare(published)
  yield* sql`DROP SCHEMA IF EXISTS normalized CASCADE`
  yield* sql`CREATE SCHEMA normalized`
  for (const statement of [...shops, ...products, ...ads]) yield* sql.unsafe(statement)
  yield* sql.unsafe(
    `VACUUM (ANALYZE) ${["shop", "shop_language", "shop_pixel", "shop_network", "shop_app", "product", "ad"]
      .map((table) => `normalized.${table}`)
      .join(", ")}`
  )
  yield* sql.unsafe(`COMMENT ON SCHEMA normalized IS '${complete}'`)
})

/** Tables that are not logged are empty after a crash. */
const isFilled: Run<boolean> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ filled: boolean }>`
    SELECT EXISTS (SELECT FROM normalized.shop) OR NOT EXISTS (SELECT FROM public.shop) AS filled`
  return row?.filled ?? false
})
