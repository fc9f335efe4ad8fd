/** The index without other threads: all of the indexer and of the searches run on the thread of the caller. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Scope } from "effect"
import { merge } from "../index/Merge.ts"
import type { CatalogReader } from "./CatalogReader.ts"
import * as Indexer from "./Indexer.ts"
import type { IndexEvent } from "./Indexer.ts"
import type { Snapshots } from "./Snapshots.ts"

/** Where transactions that change the catalog tell their version (services/import/CatalogVersion.ts). */
const channel = "catalog"

export interface LocalOptions {
  readonly emit: (event: IndexEvent) => Effect.Effect<void>
  /** Of long merges; without it they run here as well. */
  readonly mergeLarge?: Indexer.IndexerOptions["merge"]
  readonly availableMemory?: () => number
}

/** Rows that are merged in about 50 ms. */
const largeMergeRows = 50_000

export const indexer = Effect.fnUntraced(function* (
  options: LocalOptions
): Effect.fn.Return<Indexer.Indexer, never, CatalogReader | Snapshots | PgClient.PgClient | Scope.Scope> {
  const pg = yield* PgClient.PgClient
  const { mergeLarge } = options
  return yield* Indexer.make({
    emit: options.emit,
    merge: (list) => Effect.sync(() => merge(list)),
    mergeLarge: mergeLarge ?? ((list) => Effect.sync(() => merge(list))),
    largeMergeRows,
    availableMemory: options.availableMemory ?? (() => process.availableMemory()),
    listen: pg.listen(channel)
  })
})

/** Follows the database for the length of the scope, and saves what it has at its end. */
export const follow = Effect.fnUntraced(function* (options: LocalOptions) {
  const { run, save } = yield* indexer(options)
  const scope = yield* Effect.scope
  yield* Effect.addFinalizer(() => save)
  yield* Effect.forkIn(run, scope)
})
