/**
 * Removes products that are gone at their source and expires ads that are no longer seen, once all files of an import are
 * loaded.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { sqlPseudoStoreOf } from "../../domain/catalog/StorelessAds.ts"
import type { ImportRun } from "./BulkUpsert.ts"
import { firstOf, rowsOf } from "../database/Rows.ts"
import * as CatalogVersion from "./CatalogVersion.ts"
import { expiries, logged, removals } from "./ChangeLog.ts"
import type { Log } from "./ChangeLog.ts"
import type { Touched } from "./CatalogVersion.ts"
import type { KeptRecord } from "./ImportSource.ts"
import { longTransaction } from "./LongTransaction.ts"
import * as ProductKeys from "./ProductKeys.ts"

const decodeRemoved = rowsOf(Schema.Struct({ shop_id: Schema.Int }))
const decodeProducts = rowsOf(Schema.Struct({ id: Schema.Int, is_gone: Schema.Boolean, is_older: Schema.Boolean }))
const decodePages = firstOf(Schema.Struct({ pages: Schema.Int }))
const decodeSince = firstOf(Schema.Struct({ since: Schema.String }))

const touchedBy = (removed: ReadonlyArray<{ readonly shop_id: number }>): Touched => ({
  items: removed.map(({ shop_id }) => shop_id),
  figures: [],
  niches: false
})

type Removal = Effect.Effect<Touched, SqlError.SqlError>
type Ids = ReadonlyArray<number>

/** Removes records by their ids. `storeId`: SQL for the store of a removed one. */
const removal =
  (table: keyof typeof removals, storeId: string) =>
  (sql: SqlClient.SqlClient, log: Log, ids: Ids): Removal =>
    // Without ids, PostgreSQL may read all that a partial index holds: no id is in an empty list, which implies its predicate.
    ids.length === 0
      ? Effect.succeed(touchedBy([]))
      : sql`
          WITH removed AS (
            DELETE FROM ${sql(table)} WHERE id = ANY(${ids}::int[]) RETURNING ${sql.literal(removals[table].columns)}
          ), ${logged(sql, removals[table], log)}
          SELECT ${sql.literal(storeId)} AS shop_id FROM removed`.pipe(decodeRemoved, Effect.map(touchedBy))

/** Removes stores with all that belongs to them, within a transaction between `begin` and `commit` of CatalogVersion. */
export const removeShops = removal("shop", "id")

export const removeProducts = removal("product", "shop_id")

/** Of an ad without a store, the pseudo-store. */
const storeOfAd = `coalesce(shop_id, ${sqlPseudoStoreOf("id")})`

export const removeAds = removal("ad", storeOfAd)

/** Larger stores lose at most half of their products at once, unless the operator allows more. */
const smallStore = 50

/** A removal that was refused because too many products of the store are missing from the files. */
export interface RefusedRemoval {
  readonly domain: string
  readonly gone: number
  /** When the import began, or the first of those before it whose removal was refused as well. */
  readonly since: string
  /** Before that. */
  readonly products: number
}

export interface RemovedProducts {
  readonly removed: number
  readonly refused: ReadonlyArray<RefusedRemoval>
}

/** Marks rejected records as seen by the import, so that products are not removed and ads do not become inactive. */
export const noteKept = Effect.fn("Reconciliation.noteKept")(function* (
  sql: SqlClient.SqlClient,
  { asOf }: Pick<ImportRun, "asOf">,
  kept: ReadonlyArray<KeptRecord>
): Effect.fn.Return<void, SqlError.SqlError> {
  const products = kept.flatMap(({ key, shop }) => (shop === null ? [] : [{ key, shop }]))
  const ads = kept.flatMap(({ key, shop }) => (shop === null ? [key] : []))
  if (products.length > 0) {
    yield* longTransaction(
      sql,
      sql`
        INSERT INTO import_product (product_id)
        ${ProductKeys.idsOf(sql, products)}
        ON CONFLICT DO NOTHING`
    )
  }
  if (ads.length > 0) {
    yield* longTransaction(
      sql,
      sql`UPDATE ad SET seen_on = ${asOf}::date WHERE key = ANY(${ads}::text[]) AND seen_on < ${asOf}::date`
    )
  }
})

/**
 * Since when products are not counted for the limit: those that the import added, or imports before it of the same source whose
 * removal was refused. Files of another store would hide that all products are missing, at the latest when they come again.
 */
const uncountedSince = (sql: SqlClient.SqlClient, importId: number, domain: string) =>
  sql`
    SELECT coalesce(refused.removal->>'since', own.started_at::text) AS since
    FROM import own
    LEFT JOIN LATERAL (
      SELECT counts FROM import WHERE source_id = own.source_id AND id < own.id AND finished_at IS NOT NULL
      ORDER BY id DESC LIMIT 1
    ) last ON true
    LEFT JOIN LATERAL (
      SELECT removal FROM jsonb_array_elements(last.counts->'refusedRemovals') AS removal
      WHERE removal->>'domain' = ${domain}
    ) refused ON true
    WHERE own.id = ${importId}`.pipe(
    decodeSince,
    Effect.map((row) => row?.since)
  )

/**
 * Removes those products of the stores that are not part of the import, in one transaction per store. Those of newer data stay. The
 * store gets the date of the import, for the products that it has and for those that it has no more.
 */
export const removeGoneProducts = Effect.fn("Reconciliation.removeGoneProducts")(function* (
  sql: SqlClient.SqlClient,
  run: Omit<ImportRun, "notesProducts">,
  domains: Iterable<string>,
  allowsLarge: boolean
): Effect.fn.Return<RemovedProducts, SqlError.SqlError> {
  const { asOf, importId, sourceId } = run
  let removed = 0
  const refused: Array<RefusedRemoval> = []
  for (const domain of domains) {
    yield* longTransaction(
      sql,
      Effect.gen(function* () {
        // Newer data had all products of the store, so that no record of these was taken.
        const dated = yield* sql`SELECT FROM shop WHERE domain = ${domain} AND products_as_of > ${asOf}::date`
        if (dated.length > 0) return
        const version = yield* CatalogVersion.begin(sql)
        const since = yield* uncountedSince(sql, importId, domain)
        // The source was forgotten while its import ran.
        if (since === undefined) return
        const stored = yield* sql`
            SELECT p.id, (p.as_of > ${asOf}::date) IS NOT TRUE
                AND NOT EXISTS (SELECT FROM import_product seen WHERE seen.product_id = p.id) AS is_gone,
              p.first_seen < ${since}::timestamptz OR p.source_ids <> ARRAY[${sourceId}::int] AS is_older
            FROM product p
            WHERE p.shop_id = (SELECT id FROM shop WHERE domain = ${domain}) AND p.first_seen < (SELECT started_at FROM import WHERE id = ${importId})`.pipe(
          decodeProducts
        )
        const products = stored.filter(({ is_older }) => is_older)
        const missing = products.filter(({ is_gone }) => is_gone).length
        if (!allowsLarge && products.length > smallStore && 2 * missing > products.length) {
          refused.push({ domain, gone: missing, products: products.length, since })
          return
        }
        const gone = stored.filter(({ is_gone }) => is_gone).map(({ id }) => id)
        removed += gone.length
        yield* sql`
          UPDATE shop SET products_as_of = ${asOf}::date
          WHERE domain = ${domain} AND products_as_of IS DISTINCT FROM ${asOf}::date`
        yield* CatalogVersion.commit(sql, version, yield* removeProducts(sql, { version, run }, gone))
      })
    )
  }
  // Those of stores that have no date for all of their products. Each is looked up by its id, whatever the statistics are.
  yield* longTransaction(
    sql,
    sql`
      UPDATE product SET as_of = ${asOf}::date WHERE id = ANY(ARRAY(
        SELECT p.id FROM import_product seen
        CROSS JOIN LATERAL (SELECT id, shop_id, as_of FROM product WHERE id = seen.product_id OFFSET 0) p
        CROSS JOIN LATERAL (SELECT products_as_of FROM shop WHERE id = p.shop_id OFFSET 0) s
        WHERE (p.as_of >= ${asOf}::date OR s.products_as_of >= ${asOf}::date) IS NOT TRUE
      ))`
  )
  return { removed, refused }
})

/**
 * How many pages have ads of the source, and running ads that only other sources have: these do not become inactive when the page's ads
 * are imported from this one.
 */
export const pagesOfSeveralSources = Effect.fn("Reconciliation.pagesOfSeveralSources")(function* (
  sql: SqlClient.SqlClient,
  { sourceId }: Pick<ImportRun, "sourceId">
): Effect.fn.Return<number, SqlError.SqlError> {
  const row = yield* longTransaction(
    sql,
    sql`
      SELECT count(*)::int AS pages FROM (SELECT DISTINCT page_id FROM ad WHERE source_ids @> ARRAY[${sourceId}::int] AND page_id IS NOT NULL) own
      WHERE EXISTS (
        SELECT FROM ad other
        WHERE other.page_id = own.page_id AND other.is_active AND NOT other.source_ids @> ARRAY[${sourceId}::int]
      )`.pipe(decodePages)
  )
  return row?.pages ?? 0
})

/**
 * Makes ads inactive that their source has not shown for more than `days` days before `asOf`. They were last seen on the date
 * of the newest data that contains them.
 */
export const expireAds = Effect.fn("Reconciliation.expireAds")(function* (
  sql: SqlClient.SqlClient,
  run: Omit<ImportRun, "notesProducts">,
  days: number
): Effect.fn.Return<number, SqlError.SqlError> {
  return yield* longTransaction(
    sql,
    Effect.gen(function* () {
      const version = yield* CatalogVersion.begin(sql)
      const expired = yield* sql`
          WITH expired AS (
            UPDATE ad
            SET is_active = false, last_seen_on = greatest(last_seen_on, seen_on), version = ${version}
            WHERE is_active AND source_ids @> ARRAY[${run.sourceId}::int] AND seen_on < ${run.asOf}::date - ${days}::int
            RETURNING id, shop_id
          ), ${logged(sql, expiries, { version, run })}
          SELECT ${sql.literal(storeOfAd)} AS shop_id FROM expired`.pipe(decodeRemoved)
      yield* CatalogVersion.commit(sql, version, touchedBy(expired))
      return expired.length
    })
  )
})
