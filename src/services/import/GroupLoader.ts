/** Loads the batches of a few seconds in one transaction, which makes at most one version of the catalog. */
import { Clock, Context, Effect, Option } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { LoadedBatch } from "./LoadedBatch.ts"
import type { ImportRun } from "./BulkUpsert.ts"
import * as CatalogVersion from "./CatalogVersion.ts"
import { ImportStopped } from "./ImportError.ts"
import type { ImportError } from "./ImportError.ts"
import type { ImportRow } from "./ImportSource.ts"
import { longTransaction } from "./LongTransaction.ts"
import type { Pacing } from "./Pacing.ts"
import { loadRows } from "./ResilientLoader.ts"

export interface Group {
  readonly sql: SqlClient.SqlClient
  readonly run: ImportRun | null
  /** The next batch; empty at the end of the input. */
  readonly next: Effect.Effect<ReadonlyArray<ImportRow>, ImportError>
  readonly onLoaded: (rows: number, loaded: LoadedBatch) => Effect.Effect<void, ImportError>
  /** Runs before the transaction ends; without it, nothing was committed. */
  readonly onCommit: Effect.Effect<void>
  readonly pauseAfter: Pacing["pauseAfter"]
  /** Whether the catalog is empty; all batches are then one group. */
  readonly isFirstLoad: boolean
}

/** Loads the first batch and those that follow within the limits. Returns whether more may follow. */
export const loadGroup = Effect.fn("GroupLoader.loadGroup")(function* (
  first: ReadonlyArray<ImportRow>,
  { isFirstLoad, next, onCommit, onLoaded, pauseAfter, run, sql }: Group
): Effect.fn.Return<boolean, ImportError | SqlError.SqlError> {
  const limits = yield* GroupLimits
  return yield* longTransaction(
    sql,
    Effect.gen(function* () {
      yield* settings(sql)
      const version = yield* CatalogVersion.begin(sql)
      if (run !== null) yield* ensureImport(sql, run)
      const startedAt = yield* Clock.currentTimeMillis
      const items = new Set<number>()
      const figures = new Set<number>()
      let niches = false

      const load = Effect.fnUntraced(function* (rows: ReadonlyArray<ImportRow>) {
        const before = yield* Clock.currentTimeMillis
        const loaded = yield* loadRows({ sql, version, run }, rows)
        for (const id of loaded.touched.items) items.add(id)
        for (const id of loaded.touched.figures) figures.add(id)
        niches ||= loaded.touched.niches
        yield* onLoaded(rows.length, loaded)
        yield* pauseAfter((yield* Clock.currentTimeMillis) - before)
      })
      /** Returns the next batch, or none when the transaction should end. */
      const following = Effect.fnUntraced(function* (loadedRows: number) {
        if (isFirstLoad) return Option.some(yield* next)
        const millis = limits.millis - ((yield* Clock.currentTimeMillis) - startedAt)
        return loadedRows >= limits.rows || millis <= 0 ? Option.none() : yield* Effect.timeoutOption(next, millis)
      })

      let loadedRows = 0
      let rows = Option.some(first)
      while (Option.isSome(rows) && rows.value.length > 0) {
        yield* load(rows.value)
        loadedRows += rows.value.length
        rows = yield* following(loadedRows)
      }
      if (isFirstLoad) yield* sql`ANALYZE niche, category, shop, traffic_month, product, ad`
      yield* CatalogVersion.commit(sql, version, { items, figures, niches })
      yield* onCommit
      return Option.isNone(rows)
    })
  )
})

/**
 * The lock of an import is lost with its connection, and `catalog forget` may then remove its source: records would refer to a
 * source that is gone. The removal takes the lock of the catalog first, too, so that it comes before or after the transaction.
 */
const ensureImport = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { importId }: ImportRun
): Effect.fn.Return<void, ImportStopped | SqlError.SqlError> {
  const rows = yield* sql`SELECT FROM import WHERE id = ${importId}`
  if (rows.length === 0) {
    return yield* new ImportStopped({
      message: "The source of this import was forgotten while it ran, so it stopped. Run the same import again.",
      cause: undefined
    })
  }
})

export interface Limits {
  readonly rows: number
  readonly millis: number
}

/**
 * The limits of one transaction. With a version every few seconds, servers show changes soon, and most stores are indexed once
 * although their rows are spread over several batches.
 */
export const GroupLimits = Context.Reference<Limits>("discovery/import/GroupLimits", {
  defaultValue: () => ({ rows: 50_000, millis: 3_000 })
})

/** A group waits for other changes of the catalog, and a first load for its input. */
const settings = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql`
    SELECT
      set_config('lock_timeout', '1min', true),
      set_config('idle_in_transaction_session_timeout', '1h', true)`)
