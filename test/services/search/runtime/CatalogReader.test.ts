/** D55: what one reading sees is one state of the database, whatever is committed meanwhile. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import { buildSegments } from "../../../../src/services/search/runtime/BuildSegments.ts"
import { CatalogReader } from "../../../../src/services/search/runtime/CatalogReader.ts"
import type { CatalogView, Head } from "../../../../src/services/search/runtime/CatalogReader.ts"
import { namesOf, publish } from "../../../../src/services/search/runtime/IndexState.ts"
import { compareWithRecords } from "../../../../src/services/search/runtime/VerifyIndex.ts"
import { randomChange } from "../../../oracle/changes.ts"
import { loadCatalog } from "../../../oracle/loadCatalog.ts"
import { generate } from "../../../oracle/NaiveCatalog.ts"
import * as Random from "../../../oracle/Random.ts"
import { TestDatabase } from "../../../support/TestDatabase.ts"

const catalog = generate(3, 60)
const ids = catalog.shops.map(({ id }) => id)

/** Everything that a view can say. `whenRows` runs between its pages. */
const everything = Effect.fnUntraced(function* (
  view: CatalogView,
  { catalogId, token, version }: Head,
  whenRows: Effect.Effect<void> = Effect.void
) {
  const spellings = new Spellings()
  const list = yield* buildSegments(view, "all", spellings, { onRows: () => whenRows })
  const niches = yield* view.niches
  const identity = { catalogId, token, version }
  const state = { identity, niches, spellings: namesOf(spellings), bases: list.length, list }
  return {
    published: publish(state, spellings),
    told: {
      version,
      sizes: yield* view.sizes,
      niches,
      changes: yield* view.changesSince(1),
      records: (yield* view.storeRecords(ids)).toSorted((a, b) => a.id - b.id)
    }
  }
})

layer(TestDatabase.layer, { excludeTestServices: true })("D55 one reading", (it) => {
  it.effect(
    "sees the records as of its beginning, whatever others commit between its statements",
    () =>
      Effect.gen(function* () {
        yield* loadCatalog(catalog)
        const reader = yield* CatalogReader
        const before = yield* reader.use(everything)
        assert.deepStrictEqual(Option.getOrThrow(yield* compareWithRecords(before.published)), [])

        const random = Random.make(3)
        /** A fiber outside the transaction of the reading. Each time that it is asked to, it commits changes of every kind. */
        const committer = Effect.gen(function* () {
          const asked = yield* Deferred.make<void>()
          const changes = Effect.forEach(Array.from({ length: 40 }), () => randomChange(random), { discard: true })
          const fiber = yield* Effect.forkChild(Effect.andThen(Deferred.await(asked), changes))
          return Effect.andThen(Deferred.succeed(asked, undefined), Effect.orDie(Fiber.join(fiber)))
        })
        const [afterHead, betweenPages] = [yield* committer, yield* committer]
        const during = yield* reader.use((view, head) =>
          Effect.gen(function* () {
            yield* afterHead
            return yield* everything(view, head, betweenPages)
          })
        )
        assert.deepStrictEqual(during, before)

        const after = yield* reader.use(everything)
        assert.strictEqual(after.told.version, before.told.version + 80)
        for (const part of ["sizes", "niches", "changes", "records"] as const) {
          assert.notDeepEqual<unknown>(after.told[part], before.told[part], part)
        }
        assert.isTrue(Option.isNone(yield* compareWithRecords(during.published)))
        assert.deepStrictEqual(Option.getOrThrow(yield* compareWithRecords(after.published)), [])
      }).pipe(Effect.provide(CatalogReader.layer)),
    120_000
  )

  it.effect("has every store and every ad without one once, ascending, however many there are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO shop (domain, domain_extension, name, country)
        SELECT 'n' || n || '.example', '.example', 'N' || n, 'FR' FROM generate_series(1, 2400) n`
      // Not a whole number of groups.
      yield* sql`DELETE FROM shop WHERE domain LIKE '%7.example'`
      const stored = yield* sql<{ id: number }>`SELECT id FROM shop ORDER BY id`
      const pseudoStores = yield* sql<{ id: number }>`
        SELECT DISTINCT -(id >> 10) - 1 AS id FROM ad WHERE shop_id IS NULL ORDER BY 1`
      const reader = yield* CatalogReader
      const read: Array<number> = []
      yield* reader.use((view) =>
        view.pages("all", (page) =>
          Effect.sync(() => {
            for (const { id } of page.pseudoStores) read.push(id)
            for (const { store } of page.stores) read.push(store.id)
          })
        )
      )
      assert.isAbove(stored.length, 2_000)
      assert.deepStrictEqual(
        read,
        [...pseudoStores, ...stored].map(({ id }) => id)
      )
    }).pipe(Effect.provide(CatalogReader.layer))
  )
})
