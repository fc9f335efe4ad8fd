/** How far the search index is behind the database, in versions and seconds, as the metrics tell it while it catches up. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import { CatalogIndex } from "../../../src/services/search/runtime/CatalogIndex.ts"
import { CatalogReader } from "../../../src/services/search/runtime/CatalogReader.ts"
import * as LocalIndex from "../../../src/services/search/runtime/LocalIndex.ts"
import * as Searcher from "../../../src/services/search/runtime/Searcher.ts"
import { Snapshots } from "../../../src/services/search/runtime/Snapshots.ts"
import { change } from "../../oracle/changes.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import { generate } from "../../oracle/NaiveCatalog.ts"
import { temporaryFolder } from "../../support/PrivatePostgres.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const services = Layer.effectDiscard(loadCatalog(generate(1, 20))).pipe(Layer.provideMerge(TestDatabase.layer))

const lag = Effect.all({
  versions: Metrics.indexLagVersions.value({}),
  seconds: Metrics.indexLagSeconds.value({})
})

layer(services, { excludeTestServices: true })("the lag of the index", (it) => {
  it.effect("is that of the first version that it does not have, until it has all of them", () =>
    Effect.gen(function* () {
      const told: Array<{ readonly tag: string; readonly versions: number; readonly seconds: number }> = []
      let refresh: Effect.Effect<void> = Effect.void
      yield* Layer.build(
        CatalogIndex.layerOf(Searcher.onThisThread, (handle) =>
          Effect.map(
            LocalIndex.indexer({
              emit: (event) =>
                Effect.andThen(
                  handle(event),
                  Effect.map(lag, (found) => void told.push({ tag: event._tag, ...found }))
                )
            }),
            (indexer) => {
              refresh = Effect.orDie(indexer.refresh)
            }
          )
        ).pipe(
          Layer.provide(CatalogReader.layer),
          Layer.provide(Layer.unwrap(Effect.map(temporaryFolder, (folder) => Snapshots.layer(folder))))
        )
      )
      yield* refresh
      assert.deepStrictEqual(yield* lag, { versions: 0, seconds: 0 })

      const sql = yield* SqlClient.SqlClient
      for (const id of [1, 2]) {
        yield* change((each) => Effect.as(each`UPDATE shop SET name = 'New' WHERE id = ${id}`, { items: [id] }))
      }
      yield* sql`UPDATE catalog_version SET committed_at = committed_at - interval '90 seconds'
        WHERE version = (SELECT version - 1 FROM catalog)`
      told.length = 0
      yield* refresh
      const [checked] = told
      assert.strictEqual(checked?.tag, "Checked")
      assert.strictEqual(checked?.versions, 2)
      assert.isAtLeast(checked?.seconds ?? 0, 90)
      const published = told.find(({ tag }) => tag === "Published")
      assert.deepStrictEqual(published, { tag: "Published", versions: 0, seconds: 0 })
      assert.deepStrictEqual(yield* lag, { versions: 0, seconds: 0 })
    }).pipe(Effect.scoped)
  )
})
