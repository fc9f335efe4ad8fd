/**
 * Computes how much figures of stores have changed over the last days (D120): soon after an import, for the stores that it has
 * changed, and for all when the newest day of the data is another one. Imports do not wait for it. The log of changes is undone
 * back to the end of the day that is so many days earlier, as in the history of a store (domain/catalog/Series), and nothing is
 * known before the history begins. Visits are known by month: over 7 and 30 days the newest month is compared with the one before,
 * over 90 days with the one three months before.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { adKinds, productKinds } from "../../domain/catalog/Changes.ts"
import { movers, movingSorts, spanNames, spans } from "../../domain/catalog/Movers.ts"
import type { MovingSort, Span } from "../../domain/catalog/Movers.ts"
import * as BackgroundJob from "../BackgroundJob.ts"
import { hasRow, rowOf, rowsOf } from "../database/Rows.ts"
import * as CatalogVersion from "./CatalogVersion.ts"
import { sqlIsRunning } from "./Importer.ts"
import { wholeTables } from "./LongTransaction.ts"

const decodeState = rowOf(
  Schema.Struct({
    seen: Schema.Int,
    newest: Schema.NullOr(Schema.String),
    before: Schema.NullOr(Schema.String)
  })
)
const decodeIds = rowsOf(Schema.Struct({ shop_id: Schema.Int }))

/** How far back changes are read: the day of data may be a day after that of the import, because of time zones. */
const reach = Math.max(...Object.values(spans)) + 2

const listed = (kinds: ReadonlyArray<string>): string => kinds.map((kind) => `'${kind}'`).join(", ")
const bySpan = (write: (span: Span) => string): string => spanNames.map(write).join(", ")
const named = (relation: string): string => movers.map((mover) => `${relation}.${mover}`).join(", ")

const active = "CASE WHEN name = 'active' THEN 1 ELSE 0 END"

/** What each change adds to the number of records of its part, and to the sum of their prices. */
const effects = `
  SELECT 'ads' AS part, shop_id, c.id, as_of, 0::float8 AS price,
    CASE kind WHEN 'ad_running' THEN 1 WHEN 'ad_stopped' THEN -1 WHEN 'ad_removed' THEN -(${active}) ELSE ${active} END AS records
  FROM recent c JOIN wanted w ON w.id = shop_id WHERE kind IN (${listed(adKinds)})
  UNION ALL
  SELECT 'ads', w.id, c.id, as_of, 0, -(${active}) FROM recent c JOIN wanted w ON w.id = old WHERE kind = 'ad_moved'
  UNION ALL
  SELECT 'products', shop_id, c.id, as_of,
    CASE WHEN kind = 'product_removed' THEN -old WHEN kind IN ('price_up', 'price_down') THEN new - old ELSE new END,
    CASE WHEN kind = 'product_removed' THEN -1 WHEN kind IN ('price_up', 'price_down') THEN 0 ELSE 1 END
  FROM recent c JOIN wanted w ON w.id = shop_id WHERE kind IN (${listed(productKinds)})`

/** The newest month that counts: data of visits come some weeks after their month. */
const oldestMonth = "date_trunc('month', newest) - interval '2 months'"

const monthsOf = (span: Span): 1 | 3 => (spans[span] < 90 ? 1 : 3)

const sinceStart = (part: "ads" | "products", span: Span, value: string): string =>
  `CASE WHEN newest - ${spans[span]} >= ${part}_start THEN ${value} END`

/** By the order of a search, in SQL over the relations of {@link statement}. */
const values: Readonly<Record<MovingSort, (span: Span) => string>> = {
  ads_change: (span) => sinceStart("ads", span, `coalesce(ads.records_${span}, 0)`),
  visits_change: (span) => `month_0.visits - month_${monthsOf(span)}.visits`,
  price_change: (span) => {
    const [records, price] = [`coalesce(products.records_${span}, 0)`, `coalesce(products.price_${span}, 0)`]
    const before = `((priced.total - ${price}) / nullif(priced.records - ${records}, 0))`
    const change = `round(((priced.total / priced.records / nullif(${before}, 0) - 1) * 100)::numeric, 2)`
    return sinceStart(
      "products",
      span,
      `CASE WHEN ${records} = 0 AND ${price} = 0 THEN 0 * priced.records ELSE ${change} END`
    )
  }
}

/** Selects what is different. `wanted` selects ids. */
const statement = (wanted: string): string => `
  WITH day AS MATERIALIZED (SELECT (SELECT max(as_of) FROM import) AS newest, changes_from FROM catalog),
  wanted AS MATERIALIZED (${wanted}),
  recent AS (SELECT change.* FROM change, day WHERE at >= newest - ${reach}),
  effect AS MATERIALIZED (${effects}),
  -- Sources have data of different days: a change counts for the newest day of its part of the store so far.
  first AS (
    SELECT part, shop_id, ${bySpan((span) => `min(id) FILTER (WHERE as_of > newest - ${spans[span]}) AS id_${span}`)}
    FROM effect, day GROUP BY part, shop_id
  ),
  undone AS MATERIALIZED (
    SELECT part, shop_id, ${bySpan(
      (span) =>
        `sum(records) FILTER (WHERE id >= id_${span}) AS records_${span}, sum(price) FILTER (WHERE id >= id_${span}) AS price_${span}`
    )}
    FROM effect JOIN first USING (part, shop_id) GROUP BY part, shop_id
  ),
  appeared AS MATERIALIZED (
    SELECT w.id AS shop_id, max(as_of) AS as_of FROM recent JOIN wanted w ON w.id = shop_id
    WHERE kind = 'store_appeared' GROUP BY w.id
  ),
  priced AS MATERIALIZED (
    SELECT shop_id, sum(price) AS total, count(*) AS records FROM product JOIN wanted w ON w.id = shop_id GROUP BY shop_id
  ),
  last AS MATERIALIZED (
    SELECT shop_id, max(month) AS month FROM traffic_month JOIN wanted w ON w.id = shop_id, day
    WHERE month >= ${oldestMonth} GROUP BY shop_id
  ),
  computed AS (
    SELECT w.id AS shop_id, ${movingSorts
      .flatMap((sort) => spanNames.map((span) => `(${values[sort](span)})::float8 AS ${sort}_${span}`))
      .join(", ")}
    FROM wanted w CROSS JOIN day
    LEFT JOIN appeared ON appeared.shop_id = w.id
    LEFT JOIN history_start ads_from ON ads_from.shop_id = w.id AND ads_from.part = 'ads'
    LEFT JOIN history_start products_from ON products_from.shop_id = w.id AND products_from.part = 'products'
    CROSS JOIN LATERAL (
      SELECT greatest(coalesce(ads_from.as_of, appeared.as_of, '-infinity'), changes_from) AS ads_start,
        greatest(coalesce(products_from.as_of, appeared.as_of, '-infinity'), changes_from) AS products_start
    ) known
    LEFT JOIN undone ads ON ads.shop_id = w.id AND ads.part = 'ads'
    LEFT JOIN undone products ON products.shop_id = w.id AND products.part = 'products'
    LEFT JOIN priced ON priced.shop_id = w.id
    LEFT JOIN last ON last.shop_id = w.id
    LEFT JOIN traffic_month month_0 ON month_0.shop_id = w.id AND month_0.month = last.month
    LEFT JOIN traffic_month month_1 ON month_1.shop_id = w.id AND month_1.month = (last.month - interval '1 month')::date
    LEFT JOIN traffic_month month_3 ON month_3.shop_id = w.id AND month_3.month = (last.month - interval '3 months')::date
  )
  SELECT c.* FROM computed c LEFT JOIN mover m USING (shop_id) WHERE (${named("c")}) IS DISTINCT FROM (${named("m")})`

/** Writes what is different, but for stores that are gone since, and gives the stores. */
const write = `
  WITH written AS (
    INSERT INTO mover (shop_id, ${movers.join(", ")})
    SELECT d.shop_id, ${named("d")} FROM different d JOIN shop ON shop.id = d.shop_id WHERE num_nonnulls(${named("d")}) > 0
    ON CONFLICT (shop_id) DO UPDATE SET ${movers.map((mover) => `${mover} = excluded.${mover}`).join(", ")}
  ),
  deleted AS (
    DELETE FROM mover USING different d WHERE mover.shop_id = d.shop_id AND num_nonnulls(${named("d")}) = 0
  )
  SELECT shop_id FROM different JOIN shop ON shop.id = shop_id`

const ofAll = statement("SELECT id FROM shop")
const ofChanged = statement(
  "SELECT shop.id FROM shop_change JOIN shop ON shop.id = shop_id, catalog WHERE shop_change.version > moved_version"
)

/** Once a running import has ended: each of its transactions makes a version. */
const isDue = (sql: SqlClient.SqlClient) =>
  sql`
  SELECT FROM catalog
  WHERE (version, (SELECT max(as_of) FROM import)) IS DISTINCT FROM (moved_version, moved_on)
    AND NOT ${sql.literal(sqlIsRunning)}`.pipe(hasRow)

/** Of the servers, one computes. */
const lockId = 7_236_205

/**
 * In one transaction, if it is due; without a difference, it makes no version. Returns the number of stores that are different.
 * Imports may go on while it computes, which takes minutes with a million stores: what they change meanwhile is due again.
 */
export const update = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* isDue(sql))) return 0
  // Also for a hundred stores: found by indexes alone, they took ten times as long as all.
  return yield* wholeTables(
    sql,
    Effect.gen(function* () {
      const isFirst = yield* hasRow(sql`SELECT WHERE pg_try_advisory_xact_lock(${lockId})`)
      if (!isFirst || !(yield* isDue(sql))) return 0
      const { before, newest, seen } = yield* sql`
        SELECT version AS seen, (SELECT max(as_of)::text FROM import) AS newest, moved_on::text AS before
        FROM catalog`.pipe(decodeState)
      yield* sql.unsafe(`CREATE TEMPORARY TABLE different ON COMMIT DROP AS ${newest === before ? ofChanged : ofAll}`)
      const version = yield* CatalogVersion.begin(sql)
      const figures = (yield* decodeIds(sql.unsafe(write))).map(({ shop_id }) => shop_id)
      yield* CatalogVersion.commit(sql, version, { items: [], figures, niches: false })
      yield* sql`
        UPDATE catalog SET moved_on = ${newest}::date,
          moved_version = CASE WHEN ${seen}::int = ${version - 1}::int THEN version ELSE ${seen}::int END`
      return figures.length
    })
  )
}).pipe(Effect.withSpan("Movers.update"))

const updateEvery = "1 minute"

export const layer = Layer.effectDiscard(
  update.pipe(BackgroundJob.repeat(updateEvery, "The changes of stores over the last days could not be computed"))
)
