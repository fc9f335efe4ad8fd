/** Stamps for tests that write records without an import. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { sqlPseudoStoreOf } from "../../src/domain/catalog/StorelessAds.ts"
import * as CatalogVersion from "../../src/services/import/CatalogVersion.ts"
import { CatalogSearch } from "../../src/services/search/CatalogSearch.ts"

/** Stamps all stores, also removed ones, and the niches. */
export const stampEverything = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      const version = yield* CatalogVersion.begin(sql)
      const stores = yield* sql<{ id: number }>`
        SELECT id FROM shop UNION SELECT shop_id FROM shop_change
        UNION SELECT ${sql.literal(sqlPseudoStoreOf("id"))} FROM ad WHERE shop_id IS NULL`
      yield* CatalogVersion.commit(sql, version, { items: stores.map(({ id }) => id), figures: [], niches: true })
    })
  )
})

/** Waits until searches see everything that is committed. */
export const indexed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const index = yield* CatalogSearch
  const [catalog] = yield* sql<{ version: number }>`SELECT version FROM catalog`
  const wanted = catalog?.version ?? 0
  const isThere = Effect.match(index.current, { onSuccess: ({ version }) => version >= wanted, onFailure: () => false })
  while (!(yield* isThere)) yield* index.awaitVersion(wanted)
})

/** For tests that write records and then search. */
export const stampAndIndex = Effect.andThen(stampEverything, indexed)
