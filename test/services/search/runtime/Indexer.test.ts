import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Queue, Record } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import { inspect } from "node:util"
import { differences } from "../../../../src/services/search/index/Compare.ts"
import { merge } from "../../../../src/services/search/index/Merge.ts"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import { CatalogReader } from "../../../../src/services/search/runtime/CatalogReader.ts"
import * as Indexer from "../../../../src/services/search/runtime/Indexer.ts"
import type { IndexEvent } from "../../../../src/services/search/runtime/Indexer.ts"
import { namesOf } from "../../../../src/services/search/runtime/IndexState.ts"
import type { Published } from "../../../../src/services/search/runtime/IndexState.ts"
import { chooseMerge } from "../../../../src/services/search/runtime/MergePolicy.ts"
import { Snapshots } from "../../../../src/services/search/runtime/Snapshots.ts"
import { compareWithRecords } from "../../../../src/services/search/runtime/VerifyIndex.ts"
import { change, randomChange } from "../../../oracle/changes.ts"
import { loadCatalog } from "../../../oracle/loadCatalog.ts"
import { generate } from "../../../oracle/NaiveCatalog.ts"
import type { NaiveCatalog } from "../../../oracle/NaiveCatalog.ts"
import * as Random from "../../../oracle/Random.ts"
import { segmentOf } from "../../../oracle/segments.ts"
import { temporaryFolder } from "../../../support/PrivatePostgres.ts"
import { SetClock } from "../../../support/SetClock.ts"
import { TestDatabase } from "../../../support/TestDatabase.ts"

const catalog = generate(1, 60)

/** Every value of every array of a list, as text. */
const contentsOf = ({ list }: Published): string =>
  JSON.stringify(list, (_, value: unknown) => (ArrayBuffer.isView(value) ? inspect(value, everything) : value))
const everything = { maxArrayLength: Infinity, breakLength: Infinity, compact: true } as const

/** An indexer with a folder of its own, and what it has told. */
const makeIndexer = Effect.fnUntraced(function* (
  folder: string,
  options: Partial<Indexer.IndexerOptions> = {},
  snapshots: Layer.Layer<Snapshots> = Snapshots.layer(folder)
) {
  const events: Array<IndexEvent> = []
  const indexer = yield* Indexer.make({
    emit: (event) => Effect.sync(() => void events.push(event)),
    merge: (list) => Effect.sync(() => merge(list)),
    mergeLarge: (list) => Effect.sync(() => merge(list)),
    largeMergeRows: 1e9,
    availableMemory: () => 1e12,
    listen: Effect.flatMap(PgClient.PgClient, (pg) => pg.listen("catalog")).pipe(
      Effect.provide(yield* Effect.context<PgClient.PgClient>())
    ),
    ...options
  }).pipe(Effect.provide(snapshots))
  const published = () => {
    const found = events.findLast((event) => event._tag === "Published")
    assert(found !== undefined)
    return found.published
  }
  /** Compared with records of the same version, value by value. */
  const assertWhole = Effect.gen(function* () {
    const found = yield* compareWithRecords(published())
    assert.deepStrictEqual(Option.getOrThrow(found), [])
  })
  const tags = () => events.map(({ _tag }) => _tag)
  return { ...indexer, events, tags, published, assertWhole }
})

const onCatalog = <A, E>(
  effect: (
    folder: string
  ) => Effect.Effect<A, E, CatalogReader | SqlClient.SqlClient | PgClient.PgClient | TestDatabase | Scope.Scope>,
  stored = catalog,
  database: typeof TestDatabase.layer = TestDatabase.layer
) =>
  Effect.scoped(Effect.flatMap(temporaryFolder, effect)).pipe(
    Effect.provide(
      CatalogReader.layer.pipe(
        Layer.provideMerge(Layer.effectDiscard(loadCatalog(stored)).pipe(Layer.provideMerge(database)))
      ),
      { local: true }
    )
  )

layer(Layer.empty, { excludeTestServices: true })("the indexer", (it) => {
  const backward = Record.map(catalog, (rows) => rows.toReversed()) as NaiveCatalog

  it.effect.each([
    { how: "", stored: catalog, database: TestDatabase.layer },
    { how: ", in whatever order a table is read", stored: backward, database: TestDatabase.layerUnordered }
  ])("has every value of the records, as the naive catalog has them$how", ({ database, stored }) =>
    onCatalog(
      (folder) =>
        Effect.gen(function* () {
          const indexer = yield* makeIndexer(folder)
          yield* indexer.refresh
          const spellings = new Spellings()
          const expected = { list: [segmentOf(catalog, spellings)], spellings: namesOf(spellings) }
          assert.deepStrictEqual(differences(indexer.published(), expected, ["index", "oracle"]), [])
          yield* indexer.assertWhole
        }),
      stored,
      database
    )
  )

  it.effect(
    "follows random changes, one by one and many at once, through merges and restarts",
    () =>
      onCatalog((folder) =>
        Effect.gen(function* () {
          const random = Random.make(11)
          let indexer = yield* makeIndexer(folder)
          yield* indexer.refresh
          for (let step = 0; step < 40; step++) {
            const changes = random.int(1, 3)
            for (let each = 0; each < changes; each++) yield* randomChange(random)
            const before = indexer.published()
            const written = contentsOf(before)
            if (random.int(0, 5) === 0) {
              yield* indexer.save
              indexer = yield* makeIndexer(folder)
            }
            yield* indexer.refresh
            yield* indexer.assertWhole
            // A search that began before goes on with the list of its beginning.
            assert.strictEqual(contentsOf(before), written)
          }
          const state = yield* indexer.state
          assert.isAtMost(state?.list.length ?? 0, 12)
        })
      ),
    120_000
  )

  it.effect("is built again if a snapshot ends it", () =>
    onCatalog((folder) =>
      Effect.gen(function* () {
        const first = yield* makeIndexer(folder)
        yield* first.refresh
        const state = yield* first.state
        assert(state !== undefined)
        // The cast: what no reader of files returns.
        const broken = { ...state, list: [{}] as unknown as typeof state.list }
        const snapshots = Layer.succeed(Snapshots, {
          newest: () => Effect.succeed(Option.some(broken)),
          save: () => Effect.void
        })
        const indexer = yield* makeIndexer(folder, {}, snapshots)
        yield* indexer.refresh
        yield* indexer.assertWhole
      })
    )
  )

  it.effect("what a change left alone is the same memory as before", () =>
    onCatalog((folder) =>
      Effect.gen(function* () {
        const indexer = yield* makeIndexer(folder)
        yield* indexer.refresh
        const before = indexer.published().list[0]
        yield* change((sql) => Effect.as(sql`UPDATE shop SET monthly_orders = 5`, { figures: [1, 2, 3] }))
        yield* indexer.refresh
        const [after] = indexer.published().list
        assert.strictEqual(after?.segment, before?.segment)
        assert.notStrictEqual(after?.columns, before?.columns)
        assert.strictEqual(indexer.published().list.length, 1)
      })
    )
  )

  it.effect("a database with another history is noticed while running, and indexed again", () =>
    onCatalog((folder) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const indexer = yield* makeIndexer(folder)
        yield* indexer.refresh
        yield* change((sql) => Effect.as(sql`UPDATE shop SET name = 'First' WHERE id = 1`, { items: [1] }))
        yield* indexer.refresh
        yield* indexer.save
        // As a restore of the older state, and another change with the same version.
        const { version } = indexer.published()
        yield* sql`DELETE FROM catalog_version WHERE version = ${version}`
        yield* sql`UPDATE catalog SET version = ${version - 1}`
        yield* sql`UPDATE shop SET name = 'Restored' WHERE id = 1`
        yield* change((sql) => Effect.as(sql`UPDATE shop SET name = 'Second' WHERE id = 2`, { items: [2] }))
        yield* indexer.refresh
        assert.include(indexer.tags(), "Dropped")
        assert.strictEqual(indexer.published().version, version)
        yield* indexer.assertWhole
        const restarted = yield* makeIndexer(folder)
        yield* restarted.refresh
        yield* restarted.assertWhole
      })
    )
  )

  it.effect("a snapshot of another database, or one too old to catch up, is not used", () =>
    onCatalog((folder) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const first = yield* makeIndexer(folder)
        yield* first.refresh
        yield* first.save
        const isBuilt = Effect.gen(function* () {
          const next = yield* makeIndexer(folder)
          yield* next.refresh
          yield* next.assertWhole
          return next.events.some((event) => event._tag === "Progress" && event.progress.phase === "building")
        })
        assert.isFalse(yield* isBuilt)
        yield* change((sql) => Effect.as(sql`DELETE FROM shop WHERE id = 1`, { items: [1] }))
        yield* sql`UPDATE catalog SET oldest_version = version`
        yield* sql`DELETE FROM shop_change`
        assert.isTrue(yield* isBuilt)
        yield* sql`UPDATE catalog SET id = gen_random_uuid()`
        assert.isTrue(yield* isBuilt)
      })
    )
  )

  it.effect("a damaged snapshot is left aside for one that is whole", () =>
    onCatalog((folder) =>
      Effect.gen(function* () {
        const first = yield* makeIndexer(folder)
        yield* first.refresh
        yield* first.save
        yield* change((sql) => Effect.as(sql`UPDATE shop SET name = 'New' WHERE id = 1`, { items: [1] }))
        yield* first.refresh
        yield* first.save
        const { catalogId } = first.published()
        const newest = fs.readdirSync(path.join(folder, catalogId)).sort().at(-1) ?? ""
        fs.truncateSync(path.join(folder, catalogId, newest), 1_000)
        const next = yield* makeIndexer(folder)
        yield* next.refresh
        yield* next.assertWhole
        assert.isFalse(next.events.some((event) => event._tag === "Progress" && event.progress.phase === "building"))
      })
    )
  )

  it.effect("says that memory is too small before it builds", () =>
    onCatalog((folder) =>
      Effect.gen(function* () {
        const indexer = yield* makeIndexer(folder, { availableMemory: () => 1_000 })
        const error = yield* Effect.flip(indexer.refresh)
        assert.strictEqual(error._tag, "NotEnoughMemory")
        assert.include(error.message, "60 stores")
        assert.notInclude(indexer.tags(), "Published")
      })
    )
  )

  it.effect("a large merge runs beside changes, and has them afterwards", () =>
    onCatalog((folder) =>
      Effect.gen(function* () {
        const gate = yield* Queue.unbounded<void>()
        const merges: Array<number> = []
        const indexer = yield* makeIndexer(folder, {
          largeMergeRows: 0,
          mergeLarge: (list) =>
            Effect.andThen(
              Effect.sync(() => merges.push(list.length)),
              Effect.as(Queue.take(gate), list)
            ).pipe(Effect.map(merge))
        })
        const random = Random.make(5)
        yield* indexer.refresh
        // Nine deltas: one more than are left alone.
        while (merges.length === 0) {
          yield* randomChange(random)
          yield* indexer.refresh
          yield* Effect.yieldNow
        }
        for (let step = 0; step < 10; step++) {
          yield* randomChange(random)
          yield* indexer.refresh
          yield* indexer.assertWhole
        }
        const before = indexer.published().list.length
        yield* Queue.offer(gate, undefined)
        while (indexer.published().list.length >= before) yield* Effect.sleep("1 millis")
        yield* indexer.assertWhole
      })
    )
  )

  it.effect("a base is merged once the catalog has not changed for five seconds, or once twice as much is due", () =>
    onCatalog((folder) =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const limits = { maxStoresOfBase: 100, maxDeltas: 100, dueShare: 0.1, dueRows: 1 }
        let merges = 0
        const indexer = yield* makeIndexer(folder, {
          limits,
          merge: (list) => Effect.sync(() => (merges++, merge(list)))
        })
        const ids = catalog.shops.map(({ id }) => id)
        /** Changes one store after the other until this share of the base is due, or until it was merged. */
        const changeUntil = Effect.fnUntraced(function* (dueShare: number) {
          for (const id of ids) {
            yield* change((sql) => Effect.as(sql`UPDATE shop SET name = name || '!' WHERE id = ${id}`, { items: [id] }))
            yield* indexer.refresh
            const state = yield* indexer.state
            if (state === undefined || chooseMerge(state, { ...limits, dueShare }) !== undefined || merges > 0) return
          }
        })
        yield* indexer.refresh
        yield* changeUntil(limits.dueShare)
        yield* clock.advance(4_999)
        yield* indexer.refresh
        assert.strictEqual(merges, 0)
        yield* clock.advance(1)
        yield* indexer.refresh
        assert.strictEqual(merges, 1)
        merges = 0
        yield* changeUntil(2 * limits.dueShare)
        assert.strictEqual(merges, 1)
        yield* indexer.assertWhole
      }).pipe(Effect.provide(SetClock.layer("2026-03-10T12:00:00Z")))
    )
  )

  it.effect("a small base that is merged again and again is written once a tenth of all rows has changed", () =>
    onCatalog((folder) =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const saved: Array<number> = []
        const merges: Array<number> = []
        const indexer = yield* makeIndexer(
          folder,
          {
            limits: { maxStoresOfBase: 40, maxDeltas: 100, dueShare: 0.1, dueRows: 1 },
            merge: (list) => Effect.sync(() => (merges.push(list.length), merge(list)))
          },
          Layer.succeed(Snapshots, {
            newest: () => Effect.succeed(Option.none()),
            save: () => Effect.sync(() => void saved.push(merges.length))
          })
        )
        const rename = (ids: ReadonlyArray<number>) =>
          Effect.andThen(
            change((sql) =>
              Effect.as(sql`UPDATE shop SET name = name || '!' WHERE id = ANY(${ids}::int[])`, { items: ids })
            ),
            indexer.refresh.pipe(Effect.andThen(clock.advance(5_000)), Effect.andThen(indexer.refresh))
          )
        const ids = catalog.shops.map(({ id }) => id).sort((a, b) => a - b)
        yield* indexer.refresh
        // The first merge makes two bases of the one that was built.
        while (merges.length === 0) yield* rename(ids)
        while (saved.length < 2) yield* Effect.yieldNow
        const first = saved.at(-1) ?? 0
        const last = ids.slice(-20)
        for (let at = 0; saved.length === 2; at++) {
          yield* rename(last.slice(at % last.length, (at % last.length) + 1))
          yield* Effect.yieldNow
        }
        assert.isAbove((saved.at(-1) ?? 0) - first, 1)
        yield* indexer.assertWhole
      }).pipe(Effect.provide(SetClock.layer("2026-03-10T12:00:00Z")))
    )
  )

  it.effect("a commit is followed without being asked", () =>
    onCatalog((folder) =>
      Effect.gen(function* () {
        const indexer = yield* makeIndexer(folder)
        yield* Effect.forkScoped(indexer.run)
        const until = (version: number) =>
          Effect.gen(function* () {
            const seen = () =>
              indexer.events.some((event) => event._tag === "Published" && event.published.version === version)
            while (!seen()) yield* Effect.sleep("1 millis")
          })
        while (!indexer.tags().includes("Published")) yield* Effect.sleep("1 millis")
        const { version } = indexer.published()
        yield* change((sql) => Effect.as(sql`UPDATE shop SET name = 'New' WHERE id = 1`, { items: [1] }))
        yield* until(version + 1)
        // Neither its connections nor a notice are needed forever: the next look finds what was missed.
        const sql = yield* SqlClient.SqlClient
        yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`
        yield* change((sql) => Effect.as(sql`UPDATE shop SET name = 'Newer' WHERE id = 1`, { items: [1] })).pipe(
          Effect.retry({ times: 20 })
        )
        yield* until(version + 2)
        yield* indexer.assertWhole
      })
    )
  )

  it.effect("follows without notices, by polling each second", () =>
    onCatalog((folder) =>
      Effect.gen(function* () {
        const indexer = yield* makeIndexer(folder, { listen: Queue.unbounded<unknown>() })
        yield* indexer.refresh
        yield* Effect.forkScoped(indexer.run)
        const { version } = indexer.published()
        yield* change((sql) => Effect.as(sql`UPDATE shop SET name = 'New' WHERE id = 1`, { items: [1] }))
        while (indexer.published().version === version) yield* Effect.sleep("1 millis")
      })
    )
  )
})
