/** What statements share: their rows become values by a schema, and rows are deleted next to others. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"

/** Decodes the rows of a statement. Rows that do not fit their schema are a defect. */
export const rowsOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  return (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<S["Type"]>> => Effect.orDie(decode(rows))
}

/** The first row, for statements that always have one. */
export const rowOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.NonEmptyArray(schema))
  return (rows: ReadonlyArray<unknown>): Effect.Effect<S["Type"]> =>
    Effect.orDie(Effect.map(decode(rows), ([row]) => row))
}

/**
 * Deletes rows and returns their number. `which` is the condition, and the order and limit if there is one. Skips rows that another
 * transaction uses, so that servers that delete at the same time do not wait for each other.
 */
export const deleteUnlocked =
  (sql: SqlClient.SqlClient, table: string, key: string) =>
  (which: Statement.Fragment): Effect.Effect<number, SqlError.SqlError> =>
    Effect.map(
      // Not a subquery: PostgreSQL may run one several times, each time with the limit.
      sql`
        WITH due AS (
          SELECT ${sql.literal(key)} FROM ${sql.literal(table)} WHERE ${which} FOR UPDATE SKIP LOCKED
        )
        DELETE FROM ${sql.literal(table)} WHERE (${sql.literal(key)}) IN (SELECT * FROM due) RETURNING 1`,
      (deleted) => deleted.length
    )
