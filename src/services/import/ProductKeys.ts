/**
 * Finds the stored product of a record. A product's key within its store is its handle if the source has one; the platform's id
 * is an alias. Sources that know only one of the two update the same row, which keeps its id.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { ProductRecord, RemovedRecord } from "../../domain/catalog/Records.ts"
import { rowsOf } from "../database/Rows.ts"
import type { ImportRow } from "./ImportSource.ts"

interface OfShop {
  readonly record: ProductRecord
  readonly shopId: number
  /** Whether a field without a value becomes unknown. */
  readonly isComplete: boolean
}

/** The names of a product: its key and its alias. */
export interface StoredNames {
  readonly key: string
  readonly alias: string | null
}

/** The names of a stored product after a record of it, as {@link resolve} and CatalogTables give them. */
export const renamed = (stored: StoredNames, record: ProductRecord): StoredNames => ({
  key: isAliased(record) || record.key !== stored.alias ? record.key : stored.key,
  alias: record.alias ?? stored.alias
})

/** A record after an earlier one of the same product, as if the earlier one had been stored (CatalogTables). */
export const merged = (
  earlier: ProductRecord | undefined,
  { isComplete, record }: Pick<OfShop, "record" | "isComplete">
): ProductRecord => {
  if (earlier === undefined) return record
  const named = { ...record, alias: record.alias ?? earlier.alias ?? null }
  return isComplete
    ? named
    : { ...named, created_at: record.created_at ?? earlier.created_at, url: record.url ?? earlier.url }
}

const decodeStored = rowsOf(Schema.Struct({ n: Schema.Int, id: Schema.Int, key: Schema.String }))

/**
 * Returns the records with the current keys of their products, without duplicates: the last one counts. A product that was
 * stored by its alias alone, or by another handle, gets the record's key.
 */
export const resolve = Effect.fn("ProductKeys.resolve")(function* (
  sql: SqlClient.SqlClient,
  records: ReadonlyArray<OfShop>
): Effect.fn.Return<ReadonlyArray<OfShop>, SqlError.SqlError> {
  if (records.length === 0) return records
  // The type of an array of only NULL cannot be inferred.
  const aliases = Result.getOrThrow(
    PgTypes.array(
      records.map(({ record }) => record.alias ?? null),
      PgTypes.OID.text
    )
  )
  const stored = yield* sql`
    SELECT wanted.n::int, stored.id, stored.key
    FROM unnest(
      ${records.map(({ shopId }) => shopId)}::int[], ${records.map(({ record }) => record.key)}::text[],
      ${aliases}::text[]
    ) WITH ORDINALITY AS wanted (shop_id, key, alias, n)
    CROSS JOIN LATERAL (
      SELECT p.id, p.key FROM product p
      WHERE p.shop_id = wanted.shop_id AND (p.alias = wanted.key OR p.alias = wanted.alias OR p.key = wanted.alias)
      ORDER BY p.id LIMIT 1
    ) stored
    WHERE NOT EXISTS (SELECT FROM product p WHERE p.shop_id = wanted.shop_id AND p.key = wanted.key)`.pipe(decodeStored)
  const found = new Map(stored.map((row) => [row.n - 1, row]))
  /** Keys by alias within the batch, for records whose key is the alias of another record. */
  const keyOfAlias = new Map(
    records.flatMap(({ record, shopId }) => (isAliased(record) ? [[`${shopId} ${record.alias}`, record.key]] : []))
  )
  const renamed = new Map<number, string>()
  const resolved = new Map<string, OfShop>()
  for (const [at, { isComplete, record, shopId }] of records.entries()) {
    const row = found.get(at)
    const byBatch = !isAliased(record) ? keyOfAlias.get(`${shopId} ${record.key}`) : undefined
    const key = byBatch ?? (row !== undefined && !isAliased(record) ? row.key : record.key)
    // A row is renamed only once.
    if (row !== undefined && isAliased(record) && !renamed.has(row.id)) renamed.set(row.id, key)
    const id = `${shopId} ${key}`
    const named = key === record.key ? record : { ...record, key, alias: record.key }
    const whole = merged(resolved.get(id)?.record, { isComplete, record: named })
    // Deleted first, so that the record moves to the place of its last occurrence.
    resolved.delete(id)
    resolved.set(id, { shopId, isComplete, record: whole })
  }
  if (renamed.size > 0) {
    yield* sql`
      UPDATE product SET key = renamed.key
      FROM unnest(${Array.from(renamed.keys())}::int[], ${Array.from(renamed.values())}::text[]) AS renamed (id, key)
      WHERE product.id = renamed.id`
  }
  return Array.from(resolved.values())
})

const isAliased = ({ alias }: ProductRecord): boolean => alias !== undefined && alias !== null

/** Marks these products, which are stored by now, as part of the import. */
export const note = (
  sql: SqlClient.SqlClient,
  records: ReadonlyArray<Pick<OfShop, "record" | "shopId">>
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql`
    INSERT INTO import_product (product_id)
    SELECT p.id
    FROM unnest(${records.map(({ shopId }) => shopId)}::int[], ${records.map(({ record }) => record.key)}::text[])
      AS seen (shop_id, key)
    JOIN product p ON p.shop_id = seen.shop_id AND p.key = seen.key
    ON CONFLICT DO NOTHING`)

const decodeNames = rowsOf(
  Schema.Struct({
    domain: Schema.String,
    wanted: Schema.String,
    key: Schema.String,
    alias: Schema.NullOr(Schema.String)
  })
)

/** The stored products that rows remove, by the store and the key or alias that the row names. */
export const removedBy = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<ImportRow>
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<StoredNames>>, SqlError.SqlError> {
  const wanted = rows.flatMap(({ record }) =>
    record.type === "removed" && record.record === "product" ? [record] : []
  )
  if (wanted.length === 0) return new Map()
  const stored = yield* decodeNames(named(sql, wanted, "gone.domain, gone.key AS wanted, p.key, p.alias"))
  return Map.groupBy(stored, ({ domain, wanted }) => `${domain} ${wanted}`)
})

/** The stored products that records to remove name by their key or their alias. */
export const named = (
  sql: SqlClient.SqlClient,
  wanted: ReadonlyArray<RemovedRecord>,
  columns: "p.id" | "gone.domain, gone.key AS wanted, p.key, p.alias"
) => sql`
  SELECT ${sql.literal(columns)}
  FROM unnest(${wanted.map(({ shop }) => shop ?? "")}::text[], ${wanted.map(({ key }) => key ?? "")}::text[])
    AS gone (domain, key)
  JOIN shop s ON s.domain = gone.domain
  CROSS JOIN LATERAL (
    SELECT id, key, alias FROM product WHERE shop_id = s.id AND key = gone.key
    UNION SELECT id, key, alias FROM product WHERE shop_id = s.id AND alias = gone.key
  ) p`
