/** Searches on a streaming replica, with the primary behind it: two real servers, and everything that can happen to one. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Metric, Option, Ref, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import * as Availability from "../../../src/services/database/Availability.ts"
import * as Database from "../../../src/services/database/Database.ts"
import * as Migrations from "../../../src/services/database/Migrations.ts"
import { metrics, ReadReplica } from "../../../src/services/database/ReadReplica.ts"
import type { FallbackReason } from "../../../src/services/database/ReadReplica.ts"
import { AdSearch } from "../../../src/services/search/AdSearch.ts"
import { Catalogue } from "../../../src/services/search/Catalogue.ts"
import { DerivedData } from "../../../src/services/search/DerivedData.ts"
import { ProductSearch } from "../../../src/services/search/ProductSearch.ts"
import * as RoutedSearches from "../../../src/services/search/RoutedSearches.ts"
import { SearchRunner } from "../../../src/services/search/SearchRunner.ts"
import { ShopSearch } from "../../../src/services/search/ShopSearch.ts"
import { Vocabulary } from "../../../src/services/search/Vocabulary.ts"
import { loadCatalogue } from "../../oracle/loadCatalogue.ts"
import * as NaiveCatalogue from "../../oracle/NaiveCatalogue.ts"
import { StreamingPair } from "../../support/StreamingPair.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const nobody = 0 as AccountId

const rebuild = Effect.flatMap(DerivedData, (derived) => derived.rebuild()).pipe(Effect.provide(DerivedData.layer))

const filled = Effect.gen(function* () {
  yield* Migrations.run
  yield* loadCatalogue(NaiveCatalogue.generate(7, 40))
  yield* rebuild
})

/** One more store on the primary; no two have the same name. */
const addShop = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO shop (domain, domain_extension, name, country) VALUES (${`${name}.com`}, '.com', ${name}, 'FR')`
    yield* rebuild
  })

const searchesOfOne = Layer.mergeAll(AdSearch.layer, ProductSearch.layer, ShopSearch.layer, Vocabulary.layer).pipe(
  Layer.provide(SearchRunner.layer),
  Layer.provide(Catalogue.layer)
)

/** As the server composes it. */
const routed = (options: { readonly maxLagSeconds: number; readonly statementTimeoutMillis?: number }) =>
  Layer.unwrap(
    Effect.map(StreamingPair, ({ primary, replica }) =>
      RoutedSearches.layer(
        searchesOfOne,
        Database.layer({ source: replica.connection, maxConnections: 5, ...options })
      ).pipe(
        Layer.provide(searchesOfOne),
        Layer.provideMerge(ReadReplica.layer({ source: replica.connection, ...options })),
        Layer.provideMerge(Database.layer({ source: primary.connection, maxConnections: 8 }))
      )
    )
  )

const patient = { maxLagSeconds: 3_600 }

const eventually = Effect.retry({ schedule: Schedule.spaced("20 millis") })

const unfit = Effect.flatMap(ReadReplica, (replica) => replica.unfit)

const becomes = (reason: Option.Option<string>) =>
  unfit.pipe(
    Effect.filterOrFail((found) => Option.getOrUndefined(found) === Option.getOrUndefined(reason)),
    eventually
  )
const becomesFit = becomes(Option.none())
const becomesUnfit = (reason: string) => becomes(Option.some(reason))

const stores = Effect.flatMap(ShopSearch, (shops) => shops.search({}, nobody)).pipe(
  Effect.map(({ pagination }) => pagination.total)
)

const storesBecome = (count: number) =>
  stores.pipe(
    Effect.filterOrFail((found) => found === count),
    eventually
  )

const count = (metric: Metric.Counter<number>) => Effect.map(Metric.value(metric), (state) => state.count)
const fallbacks = (reason: FallbackReason) => count(metrics.fallbacks(reason))
const up = Effect.map(Metric.value(metrics.up), ({ value }) => value)

const on = (
  which: "onPrimary" | "onReplica",
  statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>
) =>
  Effect.flatMap(StreamingPair, (pair) =>
    Effect.orDie(pair[which](Effect.asVoid(Effect.flatMap(SqlClient.SqlClient, statement))))
  )
const pauseReplay = on("onReplica", (sql) => sql`SELECT pg_wal_replay_pause()`)
const resumeReplay = on("onReplica", (sql) => sql`SELECT pg_wal_replay_resume()`)

/** The replica holds all that the primary has. */
const replicaHasAll = Effect.gen(function* () {
  const pair = yield* StreamingPair
  const [written] = yield* pair.onPrimary(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ at: string }>`SELECT pg_current_wal_lsn()::text AS at`)
  )
  yield* pair
    .onReplica(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ done: boolean }>`SELECT pg_last_wal_replay_lsn() >= ${written?.at ?? ""}::pg_lsn AS done`
      )
    )
    .pipe(
      Effect.filterOrFail(([row]) => row?.done === true),
      eventually
    )
})

/** So many queries with the mark run on the replica. */
const runs = (mark: string, expected: number) =>
  Effect.flatMap(StreamingPair, (pair) =>
    pair.onReplica(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`
          SELECT FROM pg_stat_activity
          WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE ${`%${mark}%`}`
      )
    )
  ).pipe(
    Effect.filterOrFail((rows) => rows.length === expected),
    eventually
  )

const addShopOnPrimary = (name: string) => Effect.flatMap(StreamingPair, (pair) => pair.onPrimary(addShop(name)))

layer(StreamingPair.layer(filled), { excludeTestServices: true })((it) => {
  describe("a fit replica", () => {
    it.effect("answers every search, and the primary none", () =>
      Effect.gen(function* () {
        yield* becomesFit
        yield* replicaHasAll
        const before = yield* stores
        yield* pauseReplay
        yield* addShopOnPrimary("unseen")
        const answered = yield* count(metrics.searches("replica"))
        assert.strictEqual(yield* stores, before)
        const ads = yield* (yield* AdSearch).search({})
        const products = yield* (yield* ProductSearch).search({}, nobody)
        assert.isAbove(ads.pagination.total, 0)
        assert.isAbove(products.pagination.total, 0)
        assert.isNotEmpty(yield* (yield* Vocabulary).list("niches", undefined))
        assert.strictEqual((yield* count(metrics.searches("replica"))) - answered, 4)
        assert.strictEqual(yield* up, 1)
        yield* resumeReplay
        yield* storesBecome(before + 1)
      }).pipe(Effect.ensuring(resumeReplay), Effect.provide(routed(patient)))
    )

    it.effect("does not refuse by itself: what it has not heard of yet, the primary is asked for", () =>
      Effect.gen(function* () {
        yield* becomesFit
        yield* replicaHasAll
        yield* (yield* Vocabulary).issues({ niches: ["Nothing like it"] })
        yield* pauseReplay
        yield* on("onPrimary", (sql) =>
          sql`INSERT INTO niche (id, name) VALUES (31999, 'Brand new')`.pipe(
            Effect.andThen(rebuild),
            Effect.provideService(SqlClient.SqlClient, sql)
          )
        )
        const before = yield* fallbacks("refused")
        assert.isEmpty(yield* (yield* Vocabulary).issues({ niches: ["Brand new"] }))
        assert.strictEqual((yield* (yield* ShopSearch).search({ niches: ["Brand new"] }, nobody)).pagination.total, 0)
        const refused = yield* Effect.flip((yield* ProductSearch).search({ niches: ["No such niche"] }, nobody))
        assert.strictEqual(refused._tag, "InvalidArguments")
        assert.lengthOf(yield* (yield* Vocabulary).issues({ niches: ["No such niche"] }), 1)
        assert.strictEqual((yield* fallbacks("refused")) - before, 4)
        assert.isTrue(Option.isNone(yield* unfit))
      }).pipe(Effect.ensuring(resumeReplay), Effect.provide(routed(patient)))
    )

    it.effect("stays fit while the primary rests, however long ago the last transaction was", () =>
      Effect.gen(function* () {
        yield* becomesFit
        yield* replicaHasAll
        const pair = yield* StreamingPair
        // Its own figure grows beyond the limit.
        yield* pair
          .onReplica(
            Effect.flatMap(
              SqlClient.SqlClient,
              (sql) => sql<{ seconds: number }>`
                SELECT extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 AS seconds`
            )
          )
          .pipe(
            Effect.tap(() =>
              Effect.map(unfit, (found) => assert.deepStrictEqual(found, Option.none(), "unfit at rest"))
            ),
            Effect.filterOrFail(([row]) => (row?.seconds ?? 0) > 3),
            eventually
          )
      }).pipe(Effect.provide(routed({ maxLagSeconds: 2 })))
    )

    it.effect("is not helped out by the primary when a search is too slow", () =>
      Effect.gen(function* () {
        const { replica } = yield* StreamingPair
        yield* becomesFit
        const wasAsked = yield* Ref.make(false)
        const slow = Availability.query(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT pg_sleep(30)`)).pipe(
          Effect.provide(Layer.fresh(Database.layer({ source: replica.connection, statementTimeoutMillis: 50 })))
        )
        const searches = yield* ReadReplica
        const error = yield* Effect.flip(searches.first(slow, Effect.as(Ref.set(wasAsked, true), [])))
        assert.strictEqual("_tag" in error ? error._tag : undefined, "SearchTimeout")
        assert.isFalse(yield* Ref.get(wasAsked))
      }).pipe(Effect.provide(routed(patient)))
    )

    it.effect("leaves no query behind when the caller leaves", () =>
      Effect.gen(function* () {
        const pair = yield* StreamingPair
        yield* becomesFit
        const pool = yield* Layer.build(
          Layer.fresh(Database.layer({ source: pair.replica.connection, statementTimeoutMillis: 300_000 }))
        )
        const sql = Context.get(pool, SqlClient.SqlClient)
        const searches = yield* ReadReplica
        const caller = yield* Effect.forkChild(
          searches.first(sql`SELECT pg_sleep(300) /* left behind */`, Effect.succeed([]))
        )
        yield* runs("left behind", 1)
        yield* Fiber.interrupt(caller)
        yield* runs("left behind", 0)
      }).pipe(Effect.provide(routed(patient)), Effect.scoped)
    )
  })

  describe("a replica that fails", () => {
    it.effect("behind by more than the limit: the primary answers until it has caught up", () =>
      Effect.gen(function* () {
        yield* becomesFit
        yield* replicaHasAll
        const before = yield* stores
        yield* pauseReplay
        yield* addShopOnPrimary("late")
        yield* becomesUnfit("lagging")
        const fallen = yield* fallbacks("lagging")
        assert.strictEqual(yield* stores, before + 1)
        assert.strictEqual((yield* fallbacks("lagging")) - fallen, 1)
        assert.strictEqual(yield* up, 0)
        assert.isAbove((yield* Metric.value(metrics.lag)).value, 1)
        yield* resumeReplay
        yield* becomesFit
        const answered = yield* count(metrics.searches("replica"))
        assert.strictEqual(yield* stores, before + 1)
        assert.strictEqual((yield* count(metrics.searches("replica"))) - answered, 1)
      }).pipe(Effect.ensuring(resumeReplay), Effect.provide(routed({ maxLagSeconds: 1 })))
    )

    it.effect("killed under load: every search is answered, and it is used again when it is back", () =>
      Effect.gen(function* () {
        const { replica } = yield* StreamingPair
        yield* becomesFit
        yield* replicaHasAll
        const expected = yield* stores
        const isOver = yield* Ref.make(false)
        const searching = Effect.gen(function* () {
          let answered = 0
          while (!(yield* Ref.get(isOver))) {
            assert.strictEqual(yield* stores, expected)
            yield* (yield* ProductSearch).search({ page: 1 + (answered % 3) }, nobody)
            answered += 1
          }
          return answered
        })
        const load = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 6 }, () => searching),
            { concurrency: "unbounded" }
          )
        )
        yield* replica.kill
        yield* becomesUnfit("unreachable")
        yield* replica.start
        yield* becomesFit
        yield* Ref.set(isOver, true)
        for (const answered of yield* Fiber.join(load)) assert.isAbove(answered, 0)
      }).pipe(
        Effect.ensuring(Effect.flatMap(StreamingPair, ({ replica }) => Effect.orDie(replica.start))),
        Effect.provide(routed(patient))
      )
    )

    it.effect("stopped in order: the same", () =>
      Effect.gen(function* () {
        const { replica } = yield* StreamingPair
        yield* becomesFit
        const expected = yield* stores
        yield* replica.stop
        assert.strictEqual(yield* stores, expected)
        yield* becomesUnfit("unreachable")
        yield* replica.start
        yield* becomesFit
        assert.strictEqual(yield* stores, expected)
      }).pipe(
        Effect.ensuring(Effect.flatMap(StreamingPair, ({ replica }) => Effect.orDie(replica.start))),
        Effect.provide(routed(patient))
      )
    )

    it.effect("frozen: searches under way on it are left behind and answered by the primary", () =>
      Effect.gen(function* () {
        const pair = yield* StreamingPair
        yield* becomesFit
        const expected = yield* stores
        const before = yield* fallbacks("silent")
        yield* pair.freeze
        const answers = yield* Effect.all(
          Array.from({ length: 20 }, () => stores),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(answers), new Set([expected]))
        assert.isAtLeast((yield* fallbacks("silent")) - before, 20)
        yield* becomesUnfit("silent")
        yield* pair.thaw
        yield* becomesFit
        assert.strictEqual(yield* stores, expected)
      }).pipe(Effect.ensuring(Effect.flatMap(StreamingPair, ({ thaw }) => thaw)), Effect.provide(routed(patient)))
    )

    it.effect("without the newest migration: the primary answers until it has come", () =>
      Effect.gen(function* () {
        yield* becomesFit
        const sql = yield* SqlClient.SqlClient
        const expected = yield* stores
        const [newest] = yield* sql<{ migration_id: number; name: string }>`
          DELETE FROM migration WHERE migration_id = (SELECT max(migration_id) FROM migration)
          RETURNING migration_id, name`
        yield* becomesUnfit("schema_behind")
        assert.strictEqual(yield* stores, expected)
        yield* sql`INSERT INTO migration (migration_id, name) VALUES (${newest?.migration_id ?? 0}, ${newest?.name ?? ""})`
        yield* becomesFit
      }).pipe(Effect.provide(routed(patient)))
    )

    it.effect("cancels a search that is in the way of replay: the primary answers, and it stays in use", () =>
      Effect.gen(function* () {
        const pair = yield* StreamingPair
        yield* on("onPrimary", (sql) => sql`CREATE TABLE in_the_way AS SELECT 1 AS id`)
        yield* replicaHasAll
        yield* becomesFit
        const pool = yield* Layer.build(Layer.fresh(Database.layer({ source: pair.replica.connection })))
        const sql = Context.get(pool, SqlClient.SqlClient)
        const before = yield* fallbacks("conflict")
        const searches = yield* ReadReplica
        const search = yield* Effect.forkChild(
          searches.first(
            Availability.query(Effect.as(sql`SELECT pg_sleep(30) FROM in_the_way`, "replica")),
            Effect.succeed("primary")
          )
        )
        yield* runs("FROM in_the_way", 1)
        yield* pair.onPrimary(Effect.flatMap(SqlClient.SqlClient, (primary) => primary`DROP TABLE in_the_way`))
        assert.strictEqual(yield* Fiber.join(search), "primary")
        assert.strictEqual((yield* fallbacks("conflict")) - before, 1)
        assert.isTrue(Option.isNone(yield* unfit))
      }).pipe(Effect.provide(routed(patient)), Effect.scoped)
    )
  })
})

/** A pair of its own for what cannot be undone. */
const ownPair = (prepare: Effect.Effect<void, unknown, SqlClient.SqlClient>) =>
  StreamingPair.layer(Effect.orDie(prepare))

describe("a server that is no replica of the primary", () => {
  it.live(
    "without this version's tables it waits until it has them",
    () =>
      Effect.gen(function* () {
        // Longer ago than the copy was made, it streams, but has replayed nothing since.
        yield* pauseReplay
        const pair = yield* StreamingPair
        yield* pair.onPrimary(filled)
        yield* Effect.gen(function* () {
          yield* becomesUnfit("schema_behind")
          assert.isAbove(yield* stores, 0)
          yield* resumeReplay
          yield* becomesFit
          assert.isAbove(yield* stores, 0)
        }).pipe(Effect.provide(routed(patient)))
      }).pipe(Effect.provide(ownPair(Effect.void))),
    600_000
  )

  it.live(
    "promoted, it takes writes of its own: it is not used any more",
    () =>
      Effect.gen(function* () {
        yield* becomesFit
        const expected = yield* stores
        yield* on("onReplica", (sql) => sql`SELECT pg_promote()`)
        yield* becomesUnfit("promoted")
        yield* on("onReplica", (sql) => addShop("elsewhere").pipe(Effect.provideService(SqlClient.SqlClient, sql)))
        assert.strictEqual(yield* stores, expected)
      }).pipe(Effect.provide(routed(patient).pipe(Layer.provideMerge(ownPair(filled))))),
    600_000
  )

  it.live(
    "of another primary it is never used",
    () =>
      Effect.gen(function* () {
        const { replica } = yield* StreamingPair
        yield* becomesUnfit("foreign").pipe(
          Effect.provide(ReadReplica.layer({ source: replica.connection, maxLagSeconds: 3_600 }))
        )
        const { connection } = yield* TestDatabase
        // The primary itself, named by mistake.
        yield* becomesUnfit("promoted").pipe(
          Effect.provide(ReadReplica.layer({ source: connection, maxLagSeconds: 3_600 }))
        )
      }).pipe(Effect.provide(Layer.merge(ownPair(filled), TestDatabase.layer))),
    600_000
  )
})
