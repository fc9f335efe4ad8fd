/** The search index on worker threads, or on the main thread. */
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { Worker } from "node:worker_threads"
import { DatabaseSource } from "../services/database/Database.ts"
import { CatalogIndex } from "../services/search/runtime/CatalogIndex.ts"
import { CatalogReader } from "../services/search/runtime/CatalogReader.ts"
import * as IndexThread from "../services/search/runtime/IndexThread.ts"
import * as LocalIndex from "../services/search/runtime/LocalIndex.ts"
import * as Searcher from "../services/search/runtime/Searcher.ts"
import * as SearchThreads from "../services/search/runtime/SearchThreads.ts"
import { Snapshots } from "../services/search/runtime/Snapshots.ts"

export interface SearchIndexOptions {
  /** Folder of the snapshots. */
  readonly folder: string
  /** Search threads; 0 runs everything on the main thread. */
  readonly workers: number
}

const searchThread = NodeWorker.layer(() => new Worker(new URL("./threads/RunSearchThread.ts", import.meta.url)))

const indexThread = (workerData: IndexThread.Settings) =>
  NodeWorker.layer(() => new Worker(new URL("./threads/RunIndexThread.ts", import.meta.url), { workerData }))

export const layer = ({
  folder,
  workers
}: SearchIndexOptions): Layer.Layer<CatalogIndex, never, PgClient.PgClient | SqlClient.SqlClient | DatabaseSource> =>
  workers === 0
    ? CatalogIndex.layerOf(Searcher.onThisThread, (emit) => LocalIndex.follow({ emit })).pipe(
        Layer.provide(CatalogReader.layer),
        Layer.provide(Snapshots.layer(folder))
      )
    : Layer.unwrap(
        Effect.map(DatabaseSource, (source) =>
          CatalogIndex.layerOf(
            Searcher.shortOnThisThread(
              SearchThreads.onThreads({ threads: workers }).pipe(Effect.provide(searchThread))
            ),
            (emit) =>
              IndexThread.follow(emit).pipe(
                Effect.provide(
                  indexThread({
                    folder,
                    source: "host" in source ? { ...source } : { url: Redacted.value(source) }
                  })
                )
              )
          )
        )
      )
