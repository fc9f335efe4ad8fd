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

/**
 * SQL for the products of a store by their key or their alias. Each is looked up by the index of its name, whatever the planner's
 * statistics say: no other index serves the condition, and OFFSET 0 keeps it from being merged into the query around it.
 */
const byKey = (shopId: string, key: string) =>
  `(SELECT id, key, alias FROM product WHERE shop_id = ${shopId} AND key = ${key} OFFSET 0)`
const byAlias = (shopId: string, alias: string) =>
  `(SELECT id, key, alias FROM product WHERE shop_id + 0 = ${shopId} AND alias = ${alias} OFFSET 0)`

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
      SELECT p.id, p.key FROM (
        ${sql.literal(byAlias("wanted.shop_id", "wanted.key"))}
        UNION ALL ${sql.literal(byAlias("wanted.shop_id", "wanted.alias"))}
        UNION ALL ${sql.literal(byKey("wanted.shop_id", "wanted.alias"))}
      ) p
      ORDER BY p.id LIMIT 1
    ) stored
    WHERE NOT EXISTS ${sql.literal(byKey("wanted.shop_id", "wanted.key"))}`.pipe(decodeStored)
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
      FROM (
        SELECT stored.ctid, sent.key
        FROM unnest(${Array.from(renamed.keys())}::int[], ${Array.from(renamed.values())}::text[]) AS sent (id, key)
        CROSS JOIN LATERAL (SELECT ctid FROM product WHERE id = sent.id OFFSET 0) stored
      ) renamed
      WHERE product.ctid = renamed.ctid`
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
    CROSS JOIN LATERAL ${sql.literal(byKey("seen.shop_id", "seen.key"))} p
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
  const stored = yield* decodeNames(named(sql, wanted, "wanted.domain, wanted.key AS wanted, p.key, p.alias"))
  return Map.groupBy(stored, ({ domain, wanted }) => `${domain} ${wanted}`)
})

/** The stored products that the domain of their store, and their key or their alias name. */
export const named = (
  sql: SqlClient.SqlClient,
  wanted: ReadonlyArray<Pick<RemovedRecord, "shop" | "key">>,
  columns: "p.id" | "wanted.domain, wanted.key AS wanted, p.key, p.alias"
) => sql`
  SELECT ${sql.literal(columns)}
  FROM unnest(${wanted.map(({ shop }) => shop ?? "")}::text[], ${wanted.map(({ key }) => key ?? "")}::text[])
    AS wanted (domain, key)
  CROSS JOIN LATERAL (SELECT id FROM shop WHERE domain = wanted.domain OFFSET 0) s
  CROSS JOIN LATERAL (
    -- Without duplicates, and without UNION: for that, PostgreSQL may read all products in the order of their ids.
    ${sql.literal(byKey("s.id", "wanted.key"))}
    UNION ALL SELECT * FROM ${sql.literal(byAlias("s.id", "wanted.key"))} p WHERE p.key <> wanted.key
  ) p`
