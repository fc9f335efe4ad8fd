/** Loads a batch with retries, and splits it to find records that the database refuses. */
import { Effect, Predicate, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import { loadBatch } from "./BatchLoader.ts"
import { nothingLoaded, sum } from "./LoadedBatch.ts"
import type { LoadedBatch } from "./LoadedBatch.ts"
import type { Write } from "./BulkUpsert.ts"
import { rejectOf } from "./ImportSource.ts"
import type { ImportRow } from "./ImportSource.ts"
import * as Reconciliation from "./Reconciliation.ts"

const maxRetries = 4
const firstPause = "200 millis"

/**
 * Loads the rows, if necessary in parts. A decoded row that violates a rule of the database is rejected with the database's
 * message; the others are loaded.
 */
export const loadRows = (write: Write, rows: ReadonlyArray<ImportRow>): Effect.Effect<LoadedBatch, SqlError.SqlError> =>
  loadBatch(write, rows).pipe(
    retryPassing,
    Effect.catchIf(isAboutData, (error) => {
      const [first] = rows
      if (first === undefined) return Effect.fail(error)
      if (rows.length === 1) {
        const reason = `the database refused it: ${causeOf(error)?.message ?? error.message}`
        return Effect.as(keep(write, first), { ...nothingLoaded, rejects: [rejectOf(first, { field: "", reason })] })
      }
      const middle = Math.ceil(rows.length / 2)
      return Effect.zipWith(loadRows(write, rows.slice(0, middle)), loadRows(write, rows.slice(middle)), sum)
    })
  )

/** A product or ad that the database refuses still exists at its source. */
const keep = ({ run: origin, sql }: Write, { record }: ImportRow): Effect.Effect<void, SqlError.SqlError> => {
  if (origin === null) return Effect.void
  if (record.type === "library_ad") {
    return Reconciliation.noteKept(sql, origin, [{ shop: null, key: record.ad.key }])
  }
  if (record.type !== "product" || !origin.notesProducts()) return Effect.void
  const { alias, key, shop } = record
  return Reconciliation.noteKept(
    sql,
    origin,
    [key, alias].flatMap((key) => (key === null || key === undefined ? [] : [{ shop, key }]))
  )
}

/** Retries conflicts with other transactions. */
const retryPassing = <A>(effect: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> =>
  Effect.retry(effect, {
    while: ({ reason }) =>
      reason._tag === "DeadlockError" || reason._tag === "SerializationError" || reason._tag === "LockTimeoutError",
    times: maxRetries,
    schedule: Schedule.exponential(firstPause)
  })

/** SQLSTATE classes that a row can cause: data exception, integrity constraint, program limit exceeded. */
const isAboutData = (error: SqlError.SqlError): boolean => /^(?:22|23|54)/u.test(causeOf(error)?.code ?? "")

/** SQLSTATE and message of PostgreSQL. */
export const causeOf = ({
  reason
}: SqlError.SqlError): { readonly code: string; readonly message: string } | undefined => {
  const { cause } = reason
  return Predicate.hasProperty(cause, "code") &&
    Predicate.isString(cause.code) &&
    Predicate.hasProperty(cause, "message") &&
    Predicate.isString(cause.message)
    ? { code: cause.code, message: cause.message }
    : undefined
}
