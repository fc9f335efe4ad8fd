/** The search index of a test database on this thread, without notifications: it is updated by `awaitVersion`. */
import type { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { CatalogSearch } from "../../src/services/search/CatalogSearch.ts"
import { CatalogIndex } from "../../src/services/search/runtime/CatalogIndex.ts"
import { CatalogReader } from "../../src/services/search/runtime/CatalogReader.ts"
import * as LocalIndex from "../../src/services/search/runtime/LocalIndex.ts"
import * as Searcher from "../../src/services/search/runtime/Searcher.ts"
import { Snapshots } from "../../src/services/search/runtime/Snapshots.ts"
import { temporaryFolder } from "./PrivatePostgres.ts"
import { randomBytes } from "node:crypto"
import * as path from "node:path"
import { inject } from "vitest"
import type { AppSettings } from "../../src/Config.ts"

/** For the whole service: the index on this thread; its snapshots and mails are in the folder of the run's PostgreSQL. */
export const settings = (): Pick<AppSettings, "dataDir" | "indexDir" | "searchWorkers"> => {
  const dataDir = path.join(inject("postgres").host, `data-${randomBytes(4).toString("hex")}`)
  return { dataDir, indexDir: path.join(dataDir, "index"), searchWorkers: 0 }
}

export const layer: Layer.Layer<
  CatalogIndex | CatalogSearch,
  SqlError.SqlError,
  PgClient.PgClient | SqlClient.SqlClient
> = Layer.effectContext(
  Effect.gen(function* () {
    let refresh: Effect.Effect<void> = Effect.void
    const index = CatalogIndex.layerOf(Searcher.onThisThread, (emit) =>
      Effect.gen(function* () {
        const indexer = yield* LocalIndex.indexer({ emit })
        // A test whose index cannot be refreshed fails.
        refresh = Effect.orDie(indexer.refresh)
        yield* refresh
      })
    )
    const built = yield* Layer.build(index)
    return Context.add(built, CatalogSearch, { ...Context.get(built, CatalogSearch), awaitVersion: () => refresh })
  })
).pipe(
  Layer.provide(CatalogReader.layer),
  Layer.provide(Layer.unwrap(Effect.map(temporaryFolder, (folder) => Snapshots.layer(folder))))
)
