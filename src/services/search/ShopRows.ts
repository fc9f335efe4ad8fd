/** The derived rows of stores: what filters and orders ask of them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { languages, pixels, socialNetworks } from "../../domain/catalog/Enumerations.ts"
import { document } from "../../domain/search/SearchText.ts"
import { spellings } from "./DomainNames.ts"
import { fold } from "./Names.ts"
import type { SpellingKind } from "./Names.ts"

/** In the order of the table, which is also that of every SELECT below. */
const columns = [
  "revenue",
  "growth",
  "avg_price",
  "rating",
  "id",
  "created",
  "visits",
  "orders",
  "reviews",
  "products_count",
  "n_products",
  "n_ads",
  "n_active",
  "theme_id",
  "domain_id",
  "languages",
  "niche_id",
  "country",
  "currency",
  "pixels",
  "networks",
  "apps",
  "doc"
] as const

const list = (names: ReadonlyArray<string>, prefix = "") => names.map((name) => `${prefix}${name}`).join(", ")

/** Rows of `n` that differ from what the table `o` has, written; how many. */
export const upsert = (table: string, names: ReadonlyArray<string>, rows: string): string => `
  WITH written AS (
    INSERT INTO ${table} (${list(names)})
    SELECT ${list(names, "n.")} FROM (${rows}) n LEFT JOIN ${table} o ON o.id = n.id
    WHERE ROW(${list(names, "o.")}) IS DISTINCT FROM ROW(${list(names, "n.")})
    ON CONFLICT (id) DO UPDATE SET (${list(names)}) = ROW(${list(names, "excluded.")})
    RETURNING 1
  )
  SELECT count(*)::int AS count FROM written`

/** Letters as digits of base 26: StorePredicate.letters. */
const sqlLetters = (column: string, length: number): string =>
  Array.from(
    { length },
    (_, index) => `(ascii(substr(${column}, ${index + 1}, 1)) - 65) * ${26 ** (length - 1 - index)}`
  ).join(" + ")

const sqlMask = (column: string, vocabulary: ReadonlyArray<string>): string =>
  vocabulary
    .map((name, index) => `('${name}' = ANY(${column}))::int << ${index}`)
    .map((bit) => `(${bit})`)
    .join(" | ")

const sqlSpelling = (kind: SpellingKind, column: string): string =>
  `(SELECT canonical_id FROM spelling WHERE kind = '${kind}' AND name = ${column})`

const sqlAdCounts = "count(*)::int AS n_ads, (count(*) FILTER (WHERE a.is_active))::int AS n_active"

/**
 * Growth repeats domain/catalog/TrafficGrowth.ts in SQL: the same operations in the same order, so the same bits. The
 * average price adds the prices in ascending order. The catalogue's size is the figure given, else the number of products
 * on record when there are any (`p` has no row for a store without), else unknown.
 */
const rows = `
  SELECT
    coalesce(s.monthly_revenue, -1) AS revenue,
    coalesce(t.growth, '-infinity') AS growth,
    coalesce(p.avg_price, -1) AS avg_price,
    coalesce(s.trustpilot_rating, -1) AS rating,
    s.id,
    coalesce(s.created_on, '-infinity') AS created,
    coalesce(t.visits, -1) AS visits,
    coalesce(s.monthly_orders, -1) AS orders,
    coalesce(s.trustpilot_reviews, -1) AS reviews,
    coalesce(s.products_count, p.n_products, -1) AS products_count,
    coalesce(p.n_products, 0) AS n_products,
    coalesce(a.n_ads, 0) AS n_ads,
    coalesce(a.n_active, 0) AS n_active,
    coalesce(${sqlSpelling("theme", "s.theme")}, 0) AS theme_id,
    coalesce(${sqlSpelling("domain_extension", "s.domain_extension")}, 0) AS domain_id,
    ${sqlMask("s.languages", languages)} AS languages,
    coalesce(s.niche_id, 0)::smallint AS niche_id,
    (${sqlLetters("s.country", 2)})::smallint AS country,
    coalesce(${sqlLetters("s.currency", 3)}, -1)::smallint AS currency,
    (${sqlMask("s.pixels", pixels)})::smallint AS pixels,
    (${sqlMask("s.social_networks", socialNetworks)})::smallint AS networks,
    ARRAY(
      SELECT DISTINCT canonical_id FROM spelling WHERE kind = 'app' AND name = ANY(s.apps) ORDER BY canonical_id
    ) AS apps,
    d.doc
  FROM unnest($1::int[], $2::text[]) d(id, doc)
  JOIN shop s ON s.id = d.id
  LEFT JOIN (
    SELECT shop_id, count(*)::int AS n_products, avg(price ORDER BY price) AS avg_price
    FROM product WHERE shop_id = ANY($1::int[]) GROUP BY shop_id
  ) p ON p.shop_id = s.id
  LEFT JOIN (SELECT a.shop_id, ${sqlAdCounts} FROM ad a WHERE a.shop_id = ANY($1::int[]) GROUP BY a.shop_id) a
    ON a.shop_id = s.id
  LEFT JOIN (
    SELECT shop_id, (array_agg(visits ORDER BY month DESC))[1] AS visits,
      CASE WHEN count(*) > 1 THEN coalesce(sum((visits - earlier)::float8 / earlier * 100 ORDER BY month)
        FILTER (WHERE earlier <> 0), 0) END AS growth
    FROM (
      SELECT shop_id, month, visits, lag(visits) OVER (PARTITION BY shop_id ORDER BY month) AS earlier
      FROM traffic_month WHERE shop_id = ANY($1::int[])
    ) m GROUP BY shop_id
  ) t ON t.shop_id = s.id`

const upsertRows = upsert("shop_search", columns, rows)

/** Row 0, the ads without a store: no figure of a store is known. */
const upsertStoreless = upsert(
  "shop_search",
  columns,
  `
  SELECT -1 AS revenue, '-infinity'::float8 AS growth, -1 AS avg_price, -1 AS rating, 0 AS id,
    '-infinity'::date AS created, -1 AS visits, -1 AS orders, -1 AS reviews, -1 AS products_count, 0 AS n_products,
    n_ads, n_active, 0 AS theme_id, 0 AS domain_id, 0 AS languages, 0 AS niche_id, -1 AS country, -1 AS currency,
    0 AS pixels, 0 AS networks, '{}'::int[] AS apps, '' AS doc
  FROM (SELECT ${sqlAdCounts} FROM ad a WHERE a.shop_id IS NULL) a`
)

export interface Counted {
  readonly count: number
}
export const countOf = (rows: ReadonlyArray<Counted>): number => rows[0]?.count ?? 0

/** Makes the rows of these stores say what the records say; id 0 stands for the ads without a store. */
export const derive = Effect.fnUntraced(function* (
  shopIds: ReadonlyArray<number>
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const shops = yield* sql<{ id: number; name: string; domain: string }>`
    SELECT id, name, domain FROM shop WHERE id = ANY(${shopIds}::int[])`
  const written = yield* sql.unsafe<Counted>(upsertRows, [
    shops.map((shop) => shop.id),
    shops.map((shop) => document([shop.name, ...spellings(shop.domain)]))
  ])
  const storeless = shopIds.includes(0) ? yield* sql.unsafe<Counted>(upsertStoreless) : []
  const gone = yield* sql<Counted>`
    WITH gone AS (
      DELETE FROM shop_search o
      WHERE o.id = ANY(${shopIds}::int[]) AND o.id > 0 AND NOT EXISTS (SELECT FROM shop s WHERE s.id = o.id)
      RETURNING 1
    )
    SELECT count(*)::int AS count FROM gone`
  return countOf(written) + countOf(storeless) + countOf(gone)
})

/** Gives an id to every name that these stores use and that has none yet; how many. */
export const deriveNames = Effect.fnUntraced(function* (
  shopIds: ReadonlyArray<number>
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const fresh = yield* sql<{ kind: SpellingKind; name: string }>`
    SELECT u.kind, u.name FROM (
      SELECT 'theme' AS kind, theme AS name FROM shop WHERE id = ANY(${shopIds}::int[]) AND theme IS NOT NULL
      UNION SELECT 'domain_extension', domain_extension FROM shop WHERE id = ANY(${shopIds}::int[])
      UNION SELECT 'app', unnest(apps) FROM shop WHERE id = ANY(${shopIds}::int[])
    ) u
    WHERE NOT EXISTS (SELECT FROM spelling s WHERE s.kind = u.kind AND s.name = u.name)
    ORDER BY u.kind, u.name COLLATE "C"`
  if (fresh.length === 0) return 0
  const known = yield* sql<{ kind: SpellingKind; name: string; canonical_id: number }>`
    SELECT kind, name, canonical_id FROM spelling`
  const [next] = yield* sql<{ id: number }>`SELECT coalesce(max(id), 0) + 1 AS id FROM spelling`
  const canonicalIds = new Map(known.map((each) => [`${each.kind} ${fold(each.name)}`, each.canonical_id]))
  const added = fresh.map(({ kind, name }, index) => {
    const id = (next?.id ?? 1) + index
    const key = `${kind} ${fold(name)}`
    const canonicalId = canonicalIds.get(key) ?? id
    canonicalIds.set(key, canonicalId)
    return { id, kind, name, canonicalId }
  })
  yield* sql`
    INSERT INTO spelling (id, kind, name, canonical_id)
    SELECT * FROM unnest(
      ${added.map((each) => each.id)}::int[], ${added.map((each) => each.kind)}::text[],
      ${added.map((each) => each.name)}::text[], ${added.map((each) => each.canonicalId)}::int[]
    )`
  return added.length
})
