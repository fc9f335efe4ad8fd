/** One transaction of an import: a batch, or more of them as long as that saves work, with what is derived of them. */
import { Context, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { DerivedData } from "../search/DerivedData.ts"
import { writtenOf } from "./BatchLoader.ts"
import type { LoadedBatch } from "./BatchLoader.ts"
import type { ImportError } from "./ImportError.ts"
import type { ImportRow } from "./ImportSource.ts"
import { loadRows, retryPassing } from "./ResilientLoader.ts"

export interface Group {
  readonly sql: SqlClient.SqlClient
  readonly derived: DerivedData["Service"]
  /** The next batch; empty when there is none. */
  readonly next: Effect.Effect<ReadonlyArray<ImportRow>, ImportError>
  readonly onLoaded: (rows: number, loaded: LoadedBatch) => Effect.Effect<void, ImportError>
  readonly onIndexed: (done: number, total: number) => Effect.Effect<void>
  /** Of an empty catalogue: all batches are one group, and everything is derived at its end. */
  readonly isFirstLoad: boolean
}

/** Loads the first batch and perhaps others; returns whether there may be more. */
export const loadGroup = Effect.fn("GroupLoader.loadGroup")(function* (
  first: ReadonlyArray<ImportRow>,
  { derived, isFirstLoad, next, onIndexed, onLoaded, sql }: Group
): Effect.fn.Return<boolean, ImportError | SqlError.SqlError> {
  const limits = yield* GroupLimits
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* longerLimits(sql)
      yield* derived.lock
      const shopIds = new Set<number>()
      const adIds = new Set<number>()
      let loadedRows = 0
      let writtenRows = 0
      let rows = first
      let mayHaveMore = true
      while (rows.length > 0) {
        const loaded = yield* loadRows(sql, rows)
        for (const id of loaded.touched.shopIds) shopIds.add(id)
        for (const id of loaded.touched.adIds) adIds.add(id)
        loadedRows += rows.length
        yield* onLoaded(rows.length, loaded)
        writtenRows += writtenOf(loaded.tallies)
        if (!isFirstLoad && isEnough(limits, loadedRows, writtenRows, shopIds.size)) break
        rows = yield* next
        mayHaveMore = rows.length > 0
      }
      if (isFirstLoad) {
        yield* sql`ANALYZE niche, shop, traffic_month, product, ad`
        yield* derived.rebuild(onIndexed)
      } else {
        yield* retryPassing(derived.refresh({ shopIds, adIds }))
      }
      return mayHaveMore
    })
  )
})

/**
 * Every transaction moves the catalogue's version. Counts that searches remember are gone then, and searches under way
 * start over: one every few seconds disturbs few of them, several a second many.
 *
 * Deriving costs as much as all the items of the stores that were touched. Rows that come store by store touch few;
 * rows in another order touch many stores, and the next batch touches them again. 250,000 ads in random order over
 * 20,000 stores: 16 s for each of 50 batches with a transaction of its own, 70 s in all when they share two.
 */
const isEnough = (limits: Limits, rows: number, written: number, shops: number): boolean =>
  rows >= limits.maxRows || (written >= limits.minWrittenRows && shops * fewRowsPerShop <= rows)
const fewRowsPerShop = 25

export interface Limits {
  readonly minWrittenRows: number
  readonly maxRows: number
}

/** Of one transaction; tests have smaller ones. */
export const GroupLimits = Context.Reference<Limits>("discovery/import/GroupLimits", {
  defaultValue: () => ({ minWrittenRows: 100_000, maxRows: 250_000 })
})

/**
 * The pool's limits are made for searches. A group waits for its turn behind whoever else writes derived data, may touch
 * stores with very many items, and may wait for its input.
 */
const longerLimits = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql`
    SELECT
      set_config('statement_timeout', '30min', true),
      set_config('lock_timeout', '1min', true),
      set_config('idle_in_transaction_session_timeout', '1h', true)`)
