import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as SearchIndex from "../../../../src/cli/SearchIndex.ts"
import { AppConfig } from "../../../../src/Config.ts"
import { CatalogSearch } from "../../../../src/services/search/CatalogSearch.ts"
import type { Query } from "../../../../src/domain/search/CatalogQuery.ts"
import { lowerBy } from "../../../../src/services/search/runtime/IndexThread.ts"
import { loadCatalog } from "../../../oracle/loadCatalog.ts"
import { generate } from "../../../oracle/NaiveCatalog.ts"
import { temporaryFolder } from "../../../support/PrivatePostgres.ts"
import { TestDatabase } from "../../../support/TestDatabase.ts"

const catalog = generate(2, 40)

// The test runner sets one of its own, which the thread of the index would read as the server's and refuse.
delete process.env["BASE_URL"]

const index = Layer.unwrap(
  Effect.map(temporaryFolder, (indexDir) =>
    SearchIndex.layer.pipe(Layer.provide(AppConfig.layerOf({ indexDir, searchWorkers: 2 })))
  )
)

const live = index.pipe(
  Layer.provide(Layer.effectDiscard(loadCatalog(catalog))),
  Layer.provideMerge(TestDatabase.layer)
)

const ready = Effect.flatMap(CatalogSearch, (index) =>
  Effect.retry(index.current, { schedule: Schedule.spaced("20 millis"), times: 3_000 })
)

const allProducts: Query = {
  subject: "products",
  stores: [],
  words: [],
  order: { _tag: "ByItem", column: "score", isDescending: true },
  offset: 0,
  limit: 25
}

layer(live, { excludeTestServices: true })("the index on its threads", (it) => {
  it.effect(
    "answers searches",
    () =>
      Effect.gen(function* () {
        const index = yield* CatalogSearch
        const { version } = yield* ready
        const { answer, catalog: searched } = yield* index.search(allProducts)
        assert.strictEqual(answer.total, catalog.products.length)
        assert.strictEqual(searched.version, version)
      }),
    120_000
  )

  it.effect.skipIf(process.platform !== "linux")("D107 the thread of the index alone runs at a lower priority", () =>
    Effect.gen(function* () {
      yield* ready
      const priorities = fs.readdirSync("/proc/self/task").map((thread) => os.getPriority(Number(thread)))
      const usual = os.getPriority()
      assert.deepStrictEqual(
        priorities.filter((priority) => priority > usual),
        [usual + lowerBy]
      )
    })
  )
})
