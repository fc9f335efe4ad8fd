/** The record of an import: its source, and what its operator and its files say of the data. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { rowOf } from "../database/Rows.ts"
import type { ImportRun } from "./BulkUpsert.ts"

/** What an operator states about the data of one import. */
export interface Provenance {
  /** The name of the source, which is the same for each delivery of the data. */
  readonly source: string
  /** What the operator may do with the data, in the operator's words. */
  readonly license: string | null
  /** The date of the data, `YYYY-MM-DD`. */
  readonly asOf: string
}

export const FileFacts = Schema.Struct({
  name: Schema.String,
  format: Schema.String,
  /** SHA-256 of the stored bytes, in hexadecimal. */
  sha256: Schema.String
})
export type FileFacts = typeof FileFacts.Type

const decodeImport = rowOf(Schema.Struct({ id: Schema.Int, source_id: Schema.Int, keeps_changes: Schema.Boolean }))

/**
 * Inserts the row of an import, and clears the list of products of the import before it: only one runs at a time. It writes to the log
 * of changes if an import of its source has finished, and none of newer data.
 */
export const begin = Effect.fn("Provenance.begin")(function* (
  sql: SqlClient.SqlClient,
  { asOf, license, source }: Provenance
): Effect.fn.Return<Pick<ImportRun, "importId" | "sourceId" | "keepsChanges">, SqlError.SqlError> {
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`TRUNCATE import_product`
      yield* sql`SELECT make_change_partitions()`
      yield* sql`INSERT INTO source (name) VALUES (${source}) ON CONFLICT (name) DO NOTHING`
      const row = yield* sql`
          INSERT INTO import (source_id, license, as_of, keeps_changes)
          SELECT source.id, ${license}::text, ${asOf}::date, coalesce(max(finished.as_of) <= ${asOf}::date, false)
          FROM source LEFT JOIN import finished ON finished.source_id = source.id AND finished.finished_at IS NOT NULL
          WHERE name = ${source} GROUP BY source.id
          RETURNING id, source_id, keeps_changes`.pipe(decodeImport)
      return { importId: row.id, sourceId: row.source_id, keepsChanges: row.keeps_changes }
    })
  )
})

/** Removes the row of an import that has loaded nothing, and its source if it has no other import. */
export const discard = (
  sql: SqlClient.SqlClient,
  { importId, sourceId }: Pick<ImportRun, "importId" | "sourceId">
): Effect.Effect<void, SqlError.SqlError> =>
  sql
    .withTransaction(
      Effect.andThen(
        sql`DELETE FROM import WHERE id = ${importId}`,
        sql`DELETE FROM source WHERE id = ${sourceId} AND NOT EXISTS (SELECT FROM import WHERE source_id = ${sourceId})`
      )
    )
    .pipe(Effect.asVoid)

export const finish = (
  sql: SqlClient.SqlClient,
  importId: number,
  files: ReadonlyArray<FileFacts>,
  counts: object
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql`
    UPDATE import
    SET finished_at = clock_timestamp(), files = ${JSON.stringify(files)}::jsonb, counts = ${JSON.stringify(counts)}::jsonb
    WHERE id = ${importId}`)
