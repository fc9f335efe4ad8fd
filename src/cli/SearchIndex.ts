/** The search index on worker threads, or on the main thread. */
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { Worker } from "node:worker_threads"
import { AppConfig } from "../Config.ts"
import type { AppSettings } from "../Config.ts"
import * as Database from "../services/database/Database.ts"
import { DatabaseSource } from "../services/database/Database.ts"
import type { CatalogSearch } from "../services/search/CatalogSearch.ts"
import { CatalogIndex } from "../services/search/runtime/CatalogIndex.ts"
import type { Emit } from "../services/search/runtime/CatalogIndex.ts"
import { CatalogReader } from "../services/search/runtime/CatalogReader.ts"
import * as IndexThread from "../services/search/runtime/IndexThread.ts"
import * as LocalIndex from "../services/search/runtime/LocalIndex.ts"
import { divided } from "../services/search/runtime/DividedSearch.ts"
import * as Searcher from "../services/search/runtime/Searcher.ts"
import * as SearchThreads from "../services/search/runtime/SearchThreads.ts"
import { Snapshots } from "../services/search/runtime/Snapshots.ts"

const searchThread = NodeWorker.layer(() => new Worker(new URL("./threads/RunSearchThread.ts", import.meta.url)))

const indexThread = (workerData: IndexThread.Settings) =>
  NodeWorker.layer(() => new Worker(new URL("./threads/RunIndexThread.ts", import.meta.url), { workerData }))

/** Each thread that answers requests has its share of the search threads, and starts them when a search needs one. */
const searcherOf = ({ httpThreads, searchWorkers }: Pick<AppSettings, "httpThreads" | "searchWorkers">) =>
  searchWorkers === 0
    ? Searcher.onThisThread
    : Searcher.shortOnThisThread(
        SearchThreads.onThreads({ threads: Math.ceil(searchWorkers / httpThreads) }).pipe(
          Effect.map((threads) => divided(threads)),
          Effect.provide(searchThread)
        )
      )

/** With the indexer of this process. Without search threads it runs on the main thread. */
export const layer = Layer.unwrap(
  Effect.map(
    AppConfig,
    (config): Layer.Layer<CatalogIndex | CatalogSearch, never, PgClient | SqlClient.SqlClient | DatabaseSource> =>
      config.searchWorkers === 0
        ? CatalogIndex.layerOf(searcherOf(config), (emit) => LocalIndex.follow({ emit })).pipe(
            Layer.provide(CatalogReader.layer),
            Layer.provide(Snapshots.layer(config.indexDir))
          )
        : CatalogIndex.layerOf(searcherOf(config), (emit) =>
            Effect.flatMap(DatabaseSource, (source) =>
              IndexThread.follow(emit).pipe(
                Effect.provide(indexThread({ folder: config.indexDir, source: Database.forThread(source) }))
              )
            )
          )
  )
)

/** With an indexer on another thread, whose events are given. */
export const followed = (follow: (emit: Emit) => Effect.Effect<void>) =>
  Layer.unwrap(Effect.map(AppConfig, (config) => CatalogIndex.layerOf(searcherOf(config), follow)))
