/** The index without other threads: indexer and searches run on the caller's thread. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Scope } from "effect"
import { merge } from "../index/Merge.ts"
import { channel } from "./CatalogReader.ts"
import type { CatalogReader } from "./CatalogReader.ts"
import * as Indexer from "./Indexer.ts"
import type { IndexEvent } from "./Indexer.ts"
import type { Snapshots } from "./Snapshots.ts"

export interface LocalOptions {
  readonly emit: (event: IndexEvent) => Effect.Effect<void>
  /** For large merges; without it they run on this thread. */
  readonly mergeLarge?: Indexer.IndexerOptions["merge"]
}

/** Rows that merge in about 50 ms. */
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
    availableMemory: () => process.availableMemory(),
    listen: pg.listen(channel)
  })
})

/** Follows the database for the length of the scope, and saves a snapshot at its end. */
export const follow = Effect.fnUntraced(function* (options: LocalOptions) {
  const { run, save } = yield* indexer(options)
  const scope = yield* Effect.scope
  yield* Effect.addFinalizer(() => save)
  yield* Effect.forkIn(run, scope)
})
