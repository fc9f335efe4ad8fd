/**
 * The version of the catalog, by which the search indexes of all servers find changes (D55). A transaction that writes
 * records first takes the lock and its version ({@link begin}) and finally stamps the changed stores ({@link commit}).
 * Versions commit in order, so that an index that has read one version has seen all earlier ones.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { sqlHasNoStore, sqlIsIn } from "../../domain/catalog/StorelessAds.ts"
import { rowOf } from "../database/Rows.ts"
import { longTransaction } from "./LongTransaction.ts"

/**
 * The ids of stores for which a transaction has changed data that the search index reads. Ads without a store count for their
 * pseudo-store (domain/catalog/StorelessAds.ts).
 */
export interface Touched {
  /** Stores that are new or removed, or whose name, products or ads changed. */
  readonly items: Iterable<number>
  /** Stores of which any other column or the traffic changed. A store may be in both lists. */
  readonly figures: Iterable<number>
  readonly niches: boolean
}

/** The channel of `NOTIFY` for new versions. */
export const channel = "catalog"

/** How long tombstones are kept. An index that is older than this is rebuilt. */
const retention = "30 days"

const decodeVersion = rowOf(Schema.Struct({ version: Schema.Int }))
const decodeOldest = rowOf(Schema.Struct({ oldest: Schema.NullOr(Schema.Int) }))

/**
 * The first step of every transaction that changes the catalog; other such transactions wait until it ends. Returns the version
 * that the transaction makes.
 */
export const begin = Effect.fn("CatalogVersion.begin")(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<number, SqlError.SqlError> {
  const { version } = yield* decodeVersion(sql`SELECT version FROM catalog FOR UPDATE`)
  return version + 1
})

/**
 * The last step of the same transaction. Without changes, no version is made. A store that no longer exists gets a tombstone.
 */
export const commit = Effect.fn("CatalogVersion.commit")(function* (
  sql: SqlClient.SqlClient,
  version: number,
  touched: Touched
): Effect.fn.Return<void, SqlError.SqlError> {
  const items = Array.from(new Set(touched.items))
  const figures = Array.from(new Set(touched.figures))
  if (items.length + figures.length === 0 && !touched.niches) return
  yield* sql`
    UPDATE catalog
    SET version = ${version}, niches_version = CASE WHEN ${touched.niches} THEN ${version}::int ELSE niches_version END`
  yield* sql`INSERT INTO catalog_version (version) VALUES (${version})`
  yield* sql`
    INSERT INTO shop_change AS stored (shop_id, version, items_version, removed_at)
    SELECT shop_id, ${version}::int, max(items_version), CASE WHEN ${sql.literal(isGone)} THEN clock_timestamp() END
    FROM (
      SELECT unnest(${items}::int[]) AS shop_id, ${version}::int AS items_version
      UNION ALL SELECT unnest(${figures}::int[]), 0
    ) t
    GROUP BY shop_id
    ON CONFLICT (shop_id) DO UPDATE SET
      version = excluded.version,
      items_version = greatest(stored.items_version, excluded.items_version),
      removed_at = excluded.removed_at`
  yield* sql`SELECT pg_notify(${channel}, ${String(version)})`
})

const isGone = `
  CASE WHEN t.shop_id > 0 THEN NOT EXISTS (SELECT FROM shop WHERE shop.id = t.shop_id OFFSET 0)
  ELSE NOT EXISTS (SELECT FROM ad WHERE ${sqlIsIn("ad.id", "t.shop_id")} AND ${sqlHasNoStore} OFFSET 0) END`

/**
 * Deletes tombstones and versions that are older than 30 days by the database's clock. An index of a version before
 * `oldest_version` cannot catch up.
 */
export const forgetOld = Effect.fn("CatalogVersion.forgetOld")(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<void, SqlError.SqlError> {
  yield* longTransaction(
    sql,
    Effect.gen(function* () {
      const { oldest } = yield* sql`
        SELECT max(version) AS oldest FROM catalog_version
        WHERE committed_at < now() - ${retention}::interval AND version > (SELECT oldest_version FROM catalog)`.pipe(
        decodeOldest
      )
      if (oldest === null) return
      yield* begin(sql)
      yield* sql`UPDATE catalog SET oldest_version = greatest(oldest_version, ${oldest})`
      yield* sql`DELETE FROM shop_change WHERE removed_at IS NOT NULL AND version <= ${oldest}`
      yield* sql`DELETE FROM catalog_version WHERE version < ${oldest}`
    })
  )
})
