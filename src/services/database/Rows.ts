/** What statements share: their rows become values by a schema, and deletions that do not disturb other statements. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"

type Rows<E, R> = Effect.Effect<ReadonlyArray<unknown>, E, R>

/** Decodes the rows of a statement. Rows that do not fit their schema are a defect. */
export const rowsOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  return <E, R>(statement: Rows<E, R>): Effect.Effect<ReadonlyArray<S["Type"]>, E, R> =>
    Effect.flatMap(statement, (rows) => Effect.orDie(decode(rows)))
}

/** The first row, if there is one. */
export const firstOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = rowsOf(schema)
  return <E, R>(statement: Rows<E, R>): Effect.Effect<S["Type"] | undefined, E, R> =>
    Effect.map(decode(statement), ([row]) => row)
}

/** The first row, for statements that always have one. */
export const rowOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.NonEmptyArray(schema))
  return <E, R>(statement: Rows<E, R>): Effect.Effect<S["Type"], E, R> =>
    Effect.flatMap(statement, (rows) => Effect.orDie(Effect.map(decode(rows), ([row]) => row)))
}

const decodeIds = rowsOf(Schema.Struct({ id: Schema.Int }))
const decodeCount = rowOf(Schema.Struct({ count: Schema.Int }))

/** The column `id` of each row. */
export const idsOf = <E, R>(statement: Rows<E, R>): Effect.Effect<ReadonlyArray<number>, E, R> =>
  Effect.map(decodeIds(statement), (rows) => rows.map(({ id }) => id))

/** The column `count` of the only row. */
export const countOf = <E, R>(statement: Rows<E, R>): Effect.Effect<number, E, R> =>
  Effect.map(decodeCount(statement), ({ count }) => count)

/** Whether there is a row. */
export const hasRow = <E, R>(statement: Rows<E, R>): Effect.Effect<boolean, E, R> =>
  Effect.map(statement, (rows) => rows.length > 0)

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

/**
 * Repeats a deletion of at most `batch` rows until one deletes fewer, so that no statement takes long. Returns the number of deleted
 * rows. A background job gives `maxBatches`; its next run deletes the rest.
 */
export const inBatches = (batch: number, maxBatches = Infinity) =>
  Effect.fnUntraced(function* <E, R>(deletion: Effect.Effect<number, E, R>): Effect.fn.Return<number, E, R> {
    let total = 0
    for (let batches = 0; batches < maxBatches; batches++) {
      const deleted = yield* deletion
      total += deleted
      if (deleted < batch) break
    }
    return total
  })
