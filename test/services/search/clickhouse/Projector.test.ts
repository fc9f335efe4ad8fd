/** The projector with a real database and the real engine. */
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Logger, Option } from "effect"
import { SqlClient } from "effect/sql"
import { ClickHouse } from "../../../../src/services/search/clickhouse/ClickHouse.ts"
import * as EngineState from "../../../../src/services/search/clickhouse/EngineState.ts"
import type { EngineState as State } from "../../../../src/services/search/clickhouse/EngineState.ts"
import { forever, kinds, tableOf } from "../../../../src/services/search/clickhouse/EngineTables.ts"
import * as Metrics from "../../../../src/services/metrics/Metrics.ts"
import { CatalogReader } from "../../../../src/services/search/runtime/CatalogReader.ts"
import { change, randomChange } from "../../../oracle/changes.ts"
import { loadCatalog } from "../../../oracle/loadCatalog.ts"
import { generate } from "../../../oracle/NaiveCatalog.ts"
import * as Random from "../../../oracle/Random.ts"
import * as ClickHousePackage from "../../../support/ClickHousePackage.ts"
import * as ClickHouseServer from "../../../support/ClickHouseServer.ts"
import { TestDatabase } from "../../../support/TestDatabase.ts"
import { faults, faulty, otherDatabase, projector, rowsOf, versionsOf } from "./Projections.ts"

const loaded = Layer.effectDiscard(loadCatalog(generate(1, 25)))
const everything = Layer.mergeAll(loaded, CatalogReader.layer, ClickHouseServer.both).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const cases = Number(process.env["ORACLE_CASES"] ?? 10)

/** With this client; the state that is published then. */
const refreshWith = (client: ClickHouse["Service"]) =>
  Effect.flatMap(projector(), ({ refresh }) => refresh).pipe(
    Effect.provideService(ClickHouse, client),
    Effect.map(Option.getOrThrow)
  )

const refresh = Effect.flatMap(ClickHouse, refreshWith)

const sweepAfter = (keep: Duration.Duration) => Effect.flatMap(projector({ keep }), ({ sweep }) => sweep)

/** Of a build of the same version into an empty database. */
const freshRows = Effect.gen(function* () {
  const client = yield* otherDatabase
  return yield* rowsOf(client, yield* refreshWith(client))
})

const names = (tables: ReadonlyArray<{ readonly name: string }>) => tables.map(({ name }) => name).sort()

describe.skipIf(!ClickHousePackage.isAvailable)("the projector", () => {
  layer(everything, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect(
      "publishes what a fresh build has, whatever changed and wherever it was killed",
      () =>
        Effect.gen(function* () {
          const random = Random.make(seed)
          const client = yield* ClickHouse
          let before = yield* refresh
          let undone = 0
          for (let at = 0; at < cases; at++) {
            const shown = yield* versionsOf(client, before)
            for (let changes = random.int(1, 4); changes > 0; changes--) yield* randomChange(random)
            const fault = random.pick(faults)
            const isInsert = random.chance(0.5)
            const broken = yield* isInsert
              ? faulty(client, random.int(0, 2), fault, "inserts")
              : faulty(client, random.int(1, 9), fault)
            const fiber = yield* Effect.forkChild(refreshWith(broken.client))
            yield* Effect.raceFirst(Deferred.await(broken.killed), Fiber.await(fiber))
            yield* Fiber.interrupt(fiber)
            const message = `case ${at}: ${fault}${isInsert ? ", an insert" : ""}`
            const published = yield* EngineState.read(client, undefined)
            // Publishing may have been the statement that was lost, or none was.
            if (published?.sequence === before.sequence) {
              undone++
              assert.isTrue(yield* sweepAfter(Duration.hours(1)), message)
              assert.deepStrictEqual(yield* versionsOf(client, before), shown, message)
            }
            before = yield* refresh
            assert.deepStrictEqual(yield* rowsOf(client, before), yield* freshRows, message)
          }
          assert.isAbove(undone, cases / 3)
        }),
      150_000
    )

    it.effect("shows the version before at every moment, and then the new one as a whole", () =>
      Effect.gen(function* () {
        const client = yield* ClickHouse
        const before = yield* refresh
        const shown = yield* rowsOf(client, before)
        const random = Random.make(7)
        for (let changes = 0; changes < 12; changes++) yield* randomChange(random)
        let moments = 0
        const check = Effect.gen(function* () {
          const state = yield* EngineState.read(client, undefined)
          assert.strictEqual(state?.sequence, before.sequence)
          assert.deepStrictEqual(yield* rowsOf(client, before), shown)
          moments++
        }).pipe(Effect.orDie)
        const watched: ClickHouse["Service"] = {
          ...client,
          command: (statement) => Effect.andThen(check, client.command(statement)),
          insert: (rows) => Effect.andThen(check, client.insert(rows))
        }
        const after = yield* refreshWith(watched)
        assert.isAbove(moments, 10)
        assert.notDeepEqual(yield* rowsOf(client, after), shown)
        // Queries that began with the version before still see it.
        assert.deepStrictEqual(yield* rowsOf(client, before), shown)
      })
    )

    it.effect("keeps the figures that come from items when only others of a store change", () =>
      Effect.gen(function* () {
        const client = yield* ClickHouse
        const write = (statement: string, kind: "items" | "figures") =>
          change((sql) =>
            Effect.gen(function* () {
              yield* sql.unsafe(statement)
              const shops = yield* sql<{ id: number }>`SELECT id FROM shop ORDER BY id`
              return { [kind]: shops.map(({ id }) => id) }
            })
          )
        yield* write("UPDATE shop SET products_count = NULL", "figures")
        yield* refresh
        yield* write("DELETE FROM product WHERE id % 2 = 0", "items")
        yield* refresh
        yield* write("UPDATE shop SET monthly_orders = 7", "figures")
        const after = yield* refresh
        assert.deepStrictEqual(yield* rowsOf(client, after), yield* freshRows)
      })
    )

    it.effect("builds tables again that another version of the server has made", () =>
      Effect.gen(function* () {
        const client = yield* ClickHouse
        const before = yield* refresh
        const sql = `ALTER TABLE ${tableOf("store", before.generation)} MODIFY COMMENT 'layout 0-another'`
        yield* client.command({ name: "test", sql })
        const after = yield* refresh
        assert.isAbove(after.generation, before.generation)
        assert.deepStrictEqual(yield* rowsOf(client, after), yield* freshRows)
        assert.strictEqual((yield* refresh).generation, after.generation)
      })
    )

    it.effect("runs once over all servers", () =>
      Effect.gen(function* () {
        const client = yield* ClickHouse
        yield* refresh
        yield* randomChange(Random.make(3))
        const broken = yield* faulty(client, 1, "killed before")
        const first = yield* Effect.forkChild(refreshWith(broken.client))
        yield* Deferred.await(broken.killed)
        const second = yield* projector()
        assert.isTrue(Option.isNone(yield* second.refresh))
        assert.isFalse(yield* second.sweep)
        yield* Fiber.interrupt(first)
        assert.isTrue(Option.isSome(yield* second.refresh))
      })
    )

    it.effect("writes nothing more once another server may have the lock", () =>
      Effect.gen(function* () {
        const client = yield* ClickHouse
        const sql = yield* SqlClient.SqlClient
        const before = yield* refresh
        yield* randomChange(Random.make(4))
        const endLock = sql`
          SELECT pg_terminate_backend(pid) FROM pg_locks
          WHERE locktype = 'advisory' AND objid = 7236204 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
        let isEnded = false
        const ending: ClickHouse["Service"] = {
          ...client,
          command: (statement) =>
            Effect.suspend(() => {
              const isFirst = !isEnded && statement.name === "end"
              isEnded ||= isFirst
              return Effect.andThen(client.command(statement), isFirst ? Effect.orDie(endLock) : Effect.void)
            })
        }
        const exit = yield* Effect.exit(refreshWith(ending))
        assert.isTrue(isEnded)
        assert.isTrue(Exit.isFailure(exit))
        assert.strictEqual((yield* EngineState.read(client, undefined))?.sequence, before.sequence)
        assert.deepStrictEqual(yield* rowsOf(client, yield* refresh), yield* freshRows)
      })
    )

    it.effect("waits for a statement that a killed one has left behind, and undoes it", () =>
      Effect.gen(function* () {
        const client = yield* ClickHouse
        const before = yield* refresh
        const left = client.command({
          name: "left",
          sql: `INSERT INTO ${tableOf("ad", before.generation)} (id, from_version, until_version)
                SELECT 1, ${before.version + 1}, ${forever} FROM numbers(50) WHERE sleepEachRow(0.05) = 0`
        })
        const fiber = yield* Effect.forkChild(left, { startImmediately: true })
        yield* Effect.sleep("300 millis")
        for (let changes = 0; changes < 5; changes++) yield* randomChange(Random.make(5 + changes))
        const after = yield* refresh
        yield* Fiber.join(fiber)
        assert.isAbove(after.version, before.version)
        assert.deepStrictEqual(yield* rowsOf(client, after), yield* freshRows)
      })
    )

    it.effect("goes on when the engine is back, tells of it once, and says how far it is", () =>
      Effect.gen(function* () {
        const server = yield* ClickHouseServer.ClickHouseServer
        const client = yield* ClickHouse
        const before = yield* refresh
        const logged: Array<string> = []
        const logger = Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${String(message)}`))
        const running = yield* projector()
        yield* Effect.scoped(
          Effect.gen(function* () {
            const written = yield* Metrics.projectorRows.value({})
            yield* server.during({ kind: "exception", code: 242, name: "TABLE_IS_READ_ONLY" })(
              Effect.gen(function* () {
                yield* Effect.forkScoped(running.run)
                yield* randomChange(Random.make(21))
                yield* randomChange(Random.make(22))
                yield* Effect.sleep("3500 millis")
              })
            )
            const isFollowing = Effect.gen(function* () {
              const state = yield* EngineState.read(client, undefined)
              return (state?.version ?? 0) > before.version
            })
            yield* Effect.repeat(Effect.delay(isFollowing, "100 millis"), { until: (isThere) => isThere })
            yield* Effect.sleep("300 millis")
            assert.strictEqual(yield* Metrics.projectorLagVersions.value({}), 0)
            assert.isAbove(yield* Metrics.projectorRows.value({}), written)
            assert.isAbove(yield* Metrics.projectorPublished.value({}), 0)
          })
        ).pipe(Effect.provide(Logger.layer([logger])))
        assert.deepStrictEqual(
          logged.map((line) => line.split(",")[0]),
          ["Warn ClickHouse does not follow the catalog", "Info ClickHouse follows the catalog again"]
        )
      })
    )

    it.effect(
      "rebuilds for another history beside what is searched, and drops the old tables when no query needs them",
      () =>
        Effect.gen(function* () {
          const client = yield* ClickHouse
          const sql = yield* SqlClient.SqlClient
          const before = yield* refresh
          const shown = yield* rowsOf(client, before)
          // As if a backup had been restored in which the version has another token.
          yield* sql`UPDATE catalog_version SET token = gen_random_uuid() WHERE version = ${before.version}`
          const broken = yield* faulty(client, 6, "lost before")
          assert.isTrue(Exit.isFailure(yield* Effect.exit(refreshWith(broken.client))))
          assert.deepStrictEqual(yield* rowsOf(client, before), shown)
          const after = yield* refresh
          assert.isAbove(after.generation, before.generation + 1)
          assert.deepStrictEqual(yield* rowsOf(client, after), shown)

          yield* sweepAfter(Duration.hours(1))
          const kept = yield* EngineState.tables(client)
          const of = ({ generation }: State) => kinds.map((kind) => `${kind}_${generation}`)
          assert.includeMembers(names(kept), [...of(before), ...of(after)])
          yield* sweepAfter(Duration.zero)
          assert.deepStrictEqual(names(yield* EngineState.tables(client)), of(after).sort())
        })
    )

    it.effect("gives way to whoever builds all tables again, and goes on then", () =>
      Effect.scoped(
        Effect.gen(function* () {
          const client = yield* ClickHouse
          const before = yield* refresh
          yield* client.command({ name: "behind", sql: `TRUNCATE TABLE ${tableOf("ad", before.generation)}` })
          yield* Effect.forkScoped(Effect.flatMap(projector(), ({ run }) => run))
          const built = yield* Effect.flatMap(projector(), ({ rebuild }) => rebuild)
          assert.isAbove(built.generation, before.generation)
          assert.deepStrictEqual(yield* rowsOf(client, built), yield* freshRows)
          yield* randomChange(Random.make(11))
          const isFollowing = Effect.map(
            EngineState.read(client, undefined),
            (state) => (state?.version ?? 0) > built.version
          )
          yield* Effect.repeat(Effect.delay(isFollowing, "100 millis"), { until: (isThere) => isThere })
        })
      )
    )

    it.effect("deletes what ended before the versions that queries can have, and nothing else", () =>
      Effect.gen(function* () {
        const client = yield* ClickHouse
        const random = Random.make(9)
        for (let changes = 0; changes < 6; changes++) yield* randomChange(random)
        const first = yield* refresh
        const early = yield* rowsOf(client, first)
        // Longer than what is kept at the second sweep.
        yield* Effect.sleep("4200 millis")
        for (let changes = 0; changes < 6; changes++) yield* randomChange(random)
        const last = yield* refresh
        const late = yield* rowsOf(client, last)
        yield* sweepAfter(Duration.hours(1))
        assert.deepStrictEqual(yield* rowsOf(client, first), early)
        yield* sweepAfter(Duration.seconds(4))
        assert.deepStrictEqual(yield* rowsOf(client, first), early)
        yield* sweepAfter(Duration.zero)
        assert.notDeepEqual(yield* rowsOf(client, first), early)
        assert.deepStrictEqual(yield* rowsOf(client, last), late)
      })
    )
  })
})
