/**
 * Imports records into the catalog in batches (D58). A transaction holds the batches of a few seconds, so that searches
 * continue and see each batch as a whole. Only differences are written: importing the same data again changes nothing.
 *
 * The first load of an empty catalog is one transaction, all or nothing.
 *
 * Read next, in the order of the data: FileReader and formats/Format read a file as records, Batch collects them, BatchLoader writes
 * them by the tables of CatalogTables, Reconciliation removes what a complete delivery no longer has, and ImportReport
 * counts what was not taken. This folder does not fetch (services/collect) and does not build the search index, which
 * follows the versions that CatalogVersion makes.
 */
import { Clock, Context, Effect, Exit, Layer, Pull, Queue, Schema, Stream } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { rowOf } from "../database/Rows.ts"
import type { LoadedBatch } from "./LoadedBatch.ts"
import * as CatalogVersion from "./CatalogVersion.ts"
import { loadGroup } from "./GroupLoader.ts"
import { ImportRunning, ImportStopped } from "./ImportError.ts"
import type { ImportError, UnreadableInput } from "./ImportError.ts"
import { Report } from "./ImportReport.ts"
import type { ImportReport, ReportOptions } from "./ImportReport.ts"
import type { ImportChunk, ImportRow, KeptRecord } from "./ImportSource.ts"
import * as Niches from "./Niches.ts"
import * as Pacing from "./Pacing.ts"
import * as Provenances from "./Provenance.ts"
import type { FileFacts, Provenance } from "./Provenance.ts"
import * as Reconciliation from "./Reconciliation.ts"
import { causeOf } from "./ResilientLoader.ts"

/** What is known once all files of an import have been read. */
export interface SourceOutcome {
  readonly files: ReadonlyArray<FileFacts>
  /** Domains of stores whose products are all in the files: their other stored products are removed. */
  readonly wholeStores: ReadonlyArray<string>
  readonly kept: ReadonlyArray<KeptRecord>
  /** Whether a file of ads was not read to its end: then none is known to be gone. */
  readonly lacksAds: boolean
}

const noOutcome: SourceOutcome = { files: [], wholeStores: [], kept: [], lacksAds: false }

export interface ImportOptions extends ReportOptions {
  readonly provenance: Provenance
  /** Whether the source may have all products of a store. They are then marked, so that missing ones can be found. */
  readonly notesProducts?: () => boolean
  /** Called when the source has ended. */
  readonly outcome?: () => SourceOutcome
  /**
   * Ads of the source that were not seen for more days than this become inactive; `undefined` leaves them as they are. Called
   * when the source has ended.
   */
  readonly expireAdsAfterDays?: () => number | undefined
  /** Whether more than half of the products of a store may be removed at once. */
  readonly allowsLargeRemovals?: boolean
}

/** Larger batches are not faster. */
const batchRows = 5_000

/** Reading and decoding continue while the database works. */
const batchesAhead = 2

/** The key of the advisory lock that a running import holds: no other of the database's keys (Migrations, record_activity). */
export const lockId = 7_236_203

/** Whether an import runs, in SQL. */
export const sqlIsRunning = `EXISTS (
  SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = ${lockId}::integer::oid AND objsubid = 1 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)`

const decodeIsEmpty = rowOf(Schema.Struct({ isEmpty: Schema.Boolean }))

export class Importer extends Context.Service<
  Importer,
  {
    /** Runs an import. Only one runs at a time over all processes. */
    run(
      source: Stream.Stream<ImportChunk, UnreadableInput>,
      options: ImportOptions
    ): Effect.Effect<ImportReport, ImportError>
    /** Whether the catalog has neither stores nor ads. */
    readonly isEmpty: Effect.Effect<boolean, ImportStopped>
  }
>()("discovery/import/Importer") {
  static readonly layer = Layer.effect(
    Importer,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const isEmpty = sql`SELECT NOT EXISTS (SELECT FROM shop) AND NOT EXISTS (SELECT FROM ad) AS "isEmpty"`.pipe(
        decodeIsEmpty,
        Effect.map((row) => row.isEmpty)
      )

      const run = Effect.fn("Importer.run")(
        function* (source: Stream.Stream<ImportChunk, UnreadableInput>, options: ImportOptions) {
          yield* acquireLock(sql)
          const startedAt = yield* Clock.currentTimeMillis
          const report = new Report(options)
          const { asOf } = options.provenance
          let mayBeLoaded = false
          const begun = yield* Effect.acquireRelease(Provenances.begin(sql, options.provenance), (begun, exit) =>
            Exit.isSuccess(exit) || mayBeLoaded
              ? Effect.void
              : Effect.catchCause(Provenances.discard(sql, begun), (cause) =>
                  Effect.logWarning("The row of an import that has loaded nothing could not be removed", cause)
                )
          )
          const run = { ...begun, asOf, notesProducts: options.notesProducts ?? (() => false) }
          const queue = yield* Stream.toQueue(
            batches(source, batchRows, (chunk) => report.read(chunk)),
            { capacity: batchesAhead }
          )
          const isFirstLoad = yield* isEmpty
          const { pauseAfter } = isFirstLoad ? Pacing.none : yield* (yield* Pacing.Pacer)(sql)
          const group = {
            sql,
            run,
            next: Pull.catchDone(Queue.take(queue), () => Effect.succeed([])),
            onCommit: Effect.sync(() => void (mayBeLoaded = true)),
            onLoaded: (rows: number, loaded: LoadedBatch) => report.add(rows, loaded),
            pauseAfter,
            isFirstLoad
          }
          for (let mayHaveMore = true; mayHaveMore;) {
            const rows = yield* group.next
            mayHaveMore = rows.length > 0 && (yield* loadGroup(rows, group))
          }
          const { files, kept, lacksAds, wholeStores } = options.outcome?.() ?? noOutcome
          yield* Reconciliation.noteKept(sql, run, kept)
          const allowsLarge = options.allowsLargeRemovals === true
          const gone = yield* Reconciliation.removeGoneProducts(sql, run, wholeStores, allowsLarge)
          const days = options.expireAdsAfterDays?.()
          const expiredAds = days === undefined || lacksAds ? 0 : yield* Reconciliation.expireAds(sql, run, days)
          const pagesElsewhere = days === undefined ? 0 : yield* Reconciliation.pagesOfSeveralSources(sql, run)
          const niches = yield* Niches.choose(sql, report, run.importId)
          const counts = {
            ...report.withLast({ removedProducts: gone.removed, changedShops: niches.changed }),
            expiredAds,
            pagesElsewhere,
            keepsUnseenAds: days !== undefined && lacksAds,
            chosenNiches: niches.chosen,
            refusedRemovals: gone.refused
          }
          yield* Provenances.finish(sql, run.importId, files, countsOf(counts))
          // The records are committed; the next import can delete old versions as well.
          yield* Effect.catchTag(CatalogVersion.forgetOld(sql), "SqlError", (error) =>
            Effect.logWarning("Old versions of the catalog could not be forgotten", error)
          )
          return { ...counts, seconds: ((yield* Clock.currentTimeMillis) - startedAt) / 1_000 }
        },
        Effect.scoped,
        Effect.catchTag("SqlError", (error) => Effect.fail(stopped(error)))
      )

      return Importer.of({ run, isEmpty: Effect.mapError(isEmpty, stopped) })
    })
  )
}

/** What is stored of an import. */
const countsOf = ({ leftOut, reasons, invalidFields, ...counts }: Omit<ImportReport, "seconds">) => ({
  ...counts,
  // There may be one for each file.
  parts: undefined,
  skipped: leftOut,
  leftOut: Object.fromEntries(reasons),
  invalidFields: Object.fromEntries(invalidFields)
})

/** Groups rows into batches of `size`; only the last one may be smaller. `onChunk` runs before the rows of a chunk. */
const batches = <E, E2>(
  source: Stream.Stream<ImportChunk, E>,
  size: number,
  onChunk: (chunk: ImportChunk) => Effect.Effect<void, E2>
): Stream.Stream<ReadonlyArray<ImportRow>, E | E2> =>
  Stream.suspend(() => {
    const waiting: Array<ImportRow> = []
    const take = (least: number) => {
      const full: Array<ReadonlyArray<ImportRow>> = []
      while (waiting.length >= least) full.push(waiting.splice(0, size))
      return full
    }
    return source.pipe(
      Stream.tap(onChunk),
      Stream.map(({ rows }) => {
        for (const row of rows) waiting.push(row)
        return take(size)
      }),
      Stream.concat(Stream.sync(() => take(1))),
      Stream.flattenIterable
    )
  })

const stopped = (error: SqlError.SqlError): ImportStopped =>
  new ImportStopped({
    message:
      `The database stopped the import: ${causeOf(error)?.message ?? error.message}. No record is half imported; run the same import again, and it ` +
      `adds what is missing.`,
    cause: error
  })

/** Reserves a connection for the lock, because the lock belongs to a session and outlives the transactions of the batches. */
const acquireLock = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<void, SqlError.SqlError | ImportRunning, Scope.Scope> {
  const connection = yield* sql.reserve
  yield* Effect.acquireRelease(
    Effect.filterOrFail(
      connection.executeValues("SELECT pg_try_advisory_lock($1)", [lockId]),
      ([row]) => row?.[0] === true,
      () =>
        new ImportRunning({
          message:
            "Another import, or `catalog forget`, is running on this database. Wait until it has finished, then run this import again."
        })
    ),
    // A lost connection has released the lock already.
    () => Effect.ignore(connection.executeValues("SELECT pg_advisory_unlock($1)", [lockId]))
  )
})
