import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DerivedData } from "../../../src/services/search/DerivedData.ts"
import * as NaiveCatalogue from "../../oracle/NaiveCatalogue.ts"
import { loadCatalogue } from "../../oracle/loadCatalogue.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const catalogue = NaiveCatalogue.generate(7, 40)

layer(DerivedData.layer.pipe(Layer.provideMerge(TestDatabase.layer)), { excludeTestServices: true })(
  "DerivedData",
  (it) => {
    it.effect("a first load leaves nothing out of step and all indexes in place", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const derived = yield* DerivedData
        const indexes = sql`SELECT indexdef FROM pg_indexes WHERE tablename IN ('product_search', 'ad_search') ORDER BY 1`
        const before = yield* indexes
        yield* loadCatalogue(catalogue)
        const changes = yield* derived.rebuild()
        assert.strictEqual(changes.products, catalogue.products.length)
        assert.deepStrictEqual(yield* indexes, before)
        const verified = yield* derived.verify
        assert.deepInclude(verified, { shops: 0, products: 0, ads: 0, names: 0, version: changes.version })
      })
    )
  }
)
