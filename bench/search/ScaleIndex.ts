/**
 * The search index of a data set in this process: cases are drawn from it, and it is measured beside its peers.
 *
 * Its snapshots lie in the folder that the measured servers use too: what one has built, the others load.
 */
import { Effect, Layer, Schema } from "effect"
import type { PgClient } from "@effect/sql-pg"
import type { SqlClient } from "effect/sql"
import * as path from "node:path"
import { CatalogReader } from "../../src/services/search/runtime/CatalogReader.ts"
import type { Published } from "../../src/services/search/runtime/IndexState.ts"
import type { IndexerError } from "../../src/services/search/runtime/Indexer.ts"
import * as LocalIndex from "../../src/services/search/runtime/LocalIndex.ts"
import { Snapshots } from "../../src/services/search/runtime/Snapshots.ts"
import { benchFolder } from "./ScaleDatabase.ts"

class NoIndex extends Schema.TaggedError<NoIndex>()("NoIndex", { message: Schema.String }) {}

/** Of snapshots: each catalog has a folder in it. */
export const folder = path.join(benchFolder, "index")

/** Of the database's newest version; a snapshot of it is on disk when this returns. */
export const read = (
  snapshots = folder
): Effect.Effect<Published, IndexerError | NoIndex, PgClient.PgClient | SqlClient.SqlClient> =>
  Effect.gen(function* () {
    let published: Published | undefined
    const { refresh, save } = yield* LocalIndex.indexer({
      emit: (event) =>
        Effect.sync(() => {
          if (event._tag === "Published") published = event.published
        })
    })
    yield* refresh
    yield* save
    return published ?? (yield* new NoIndex({ message: "The search index was not built." }))
  }).pipe(Effect.provide(Layer.merge(CatalogReader.layer, Snapshots.layer(snapshots))), Effect.scoped)
