/**
 * How a server with its index starts, how soon it sees what was committed, and what it takes to merge. On a copy of the data,
 * with a folder of snapshots of its own.
 */
import { Clock, Console, DateTime, Effect, Fiber, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Database from "../../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import * as CatalogVersion from "../../src/services/import/CatalogVersion.ts"
import * as Cases from "./Cases.ts"
import { prepare } from "./Latency.ts"
import type { Changes } from "./Results.ts"
import type { Sample } from "./Sample.ts"
import * as ScaleDatabase from "./ScaleDatabase.ts"
import { tools } from "./SearchCase.ts"
import * as Target from "./Target.ts"

const touchedStores = 1_000
/** More than a tenth, at which a base is merged. */
const mergedShare = 0.12
const looking = "20 millis"
const longest = "30 minutes"
const warmUpPerClass = 2
/** How long the memory of a server that has just started is left alone. */
const rest = "10 seconds"

type Run<A> = Effect.fn.Return<A, SqlError.SqlError, SqlClient.SqlClient>

/** Raises the price of every product of the stores; gives the version. */
const changeItems = Effect.fnUntraced(function* (stores: ReadonlyArray<number>): Run<number> {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const version = yield* CatalogVersion.begin(sql)
      yield* sql`UPDATE product SET price = price + 1, version = ${version} WHERE shop_id = ANY(${stores}::int[])`
      yield* CatalogVersion.commit(sql, version, { items: stores, figures: [], niches: false })
      return version
    })
  )
})

/** Another month of traffic for every store, as a monthly table brings it. */
const addTraffic = Effect.fnUntraced(function* (stores: ReadonlyArray<number>): Run<number> {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const version = yield* CatalogVersion.begin(sql)
      yield* sql`
        INSERT INTO traffic_month (shop_id, month, visits)
        SELECT id, (SELECT max(month) + interval '1 month' FROM traffic_month)::date, (id::bigint * 7919) % 100000 FROM shop`
      yield* sql`UPDATE shop SET version = ${version}`
      yield* CatalogVersion.commit(sql, version, { items: [], figures: stores, niches: false })
      return version
    })
  )
})

/** The version that was committed last. */
export const newestVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ version: number }>`SELECT version::float8 AS version FROM catalog`
  return row?.version ?? 0
})

/** Seconds since it was committed until the server has it. */
export const visible = Effect.fnUntraced(function* (target: Target.Target, version: number) {
  const before = yield* Clock.monotonicTimeNanos
  yield* target.indexVersion.pipe(
    Effect.flatMap((seen) => (seen >= version ? Effect.void : Effect.fail("not yet"))),
    Effect.retry(Schedule.spaced(looking)),
    Effect.timeout(longest)
  )
  return Number((yield* Clock.monotonicTimeNanos) - before) / 1e9
})

/** A snapshot is written when a base was merged. */
const savedVersions = async (folder: string): Promise<ReadonlyArray<number>> => {
  const names = await fs.readdir(folder, { recursive: true })
  return names.flatMap((name) => /-v(\d+)\.index$/u.exec(name)?.slice(1).map(Number) ?? [])
}

const merged = (folder: string, version: number) =>
  Effect.promise(() => savedVersions(folder)).pipe(
    Effect.flatMap((versions) => (versions.some((one) => one >= version) ? Effect.void : Effect.fail("not yet"))),
    Effect.retry(Schedule.spaced(looking)),
    Effect.timeout(longest)
  )

/** The highest resident memory while something is done. */
const highestWhile = Effect.fnUntraced(function* <A, E, R>(target: Target.Target, effect: Effect.Effect<A, E, R>) {
  let highest = 0
  const look = Effect.map(target.residentBytes, (bytes) => void (highest = Math.max(highest, bytes)))
  const watching = yield* Effect.forkChild(Effect.repeat(look, Schedule.spaced("100 millis")))
  const result = yield* effect
  yield* Fiber.interrupt(watching)
  return { result, highest }
})

/** Seconds until a server without a snapshot answers searches; it ends when it has written one. */
export const startFromNothing = Effect.fnUntraced(function* (
  connection: EmbeddedConnection,
  indexFolder: string,
  workers: number
) {
  const target = yield* Target.start(connection, { indexFolder, workers })
  yield* merged(indexFolder, 0)
  const seconds = target.startMillis / 1000
  yield* Console.log(
    `started from nothing in ${seconds.toFixed(1)} s, ${((yield* target.highestBytes) / 1e9).toFixed(2)} GB at most, ` +
      `${(yield* target.cpuSeconds).toFixed(0)} s of CPU with the snapshot`
  )
  return seconds
}, Effect.scoped)

/** With the snapshot that is there. `warmUp` makes searches, before memory is looked at. */
export const afterStart = Effect.fnUntraced(function* (
  connection: EmbeddedConnection,
  indexFolder: string,
  workers: number,
  warmUp: (target: Target.Target) => Effect.Effect<unknown>
) {
  const sql = yield* SqlClient.SqlClient
  const stores = (yield* sql<{ id: number }>`SELECT id FROM shop ORDER BY hashint4(id)`).map(({ id }) => id)
  const target = yield* Target.start(connection, { indexFolder, workers })
  const startCpu = yield* target.cpuSeconds
  yield* warmUp(target)
  yield* Effect.sleep(rest)
  const atRest = yield* target.residentBytes
  yield* Console.log(
    `started in ${(target.startMillis / 1000).toFixed(1)} s, ${startCpu.toFixed(1)} s of CPU, ${(atRest / 1e9).toFixed(2)} GB at rest`
  )
  const storesSeconds = yield* visible(target, yield* changeItems(stores.slice(0, touchedStores)))
  const trafficSeconds = yield* visible(target, yield* addTraffic(stores))
  yield* Console.log(
    `${touchedStores} stores visible after ${storesSeconds.toFixed(1)} s, traffic ${trafficSeconds.toFixed(1)} s`
  )
  const many = stores.slice(0, Math.ceil(stores.length * mergedShare))
  const version = yield* changeItems(many)
  yield* target.loopDelay
  const before = yield* Clock.monotonicTimeNanos
  const { highest, result } = yield* highestWhile(
    target,
    Effect.gen(function* () {
      const visibleSeconds = yield* visible(target, version)
      yield* merged(indexFolder, version)
      return { visibleSeconds, mergedSeconds: Number((yield* Clock.monotonicTimeNanos) - before) / 1e9 }
    })
  )
  const delay = yield* target.loopDelay
  return {
    startWithSnapshot: target.startMillis / 1000,
    atRest,
    stores: { touched: touchedStores, seconds: storesSeconds },
    traffic: { touched: stores.length, seconds: trafficSeconds },
    merge: { touched: many.length, ...result, highest, loop99: delay.p99, loopMax: delay.max }
  } satisfies Omit<Changes, "startFromNothing">
}, Effect.scoped)

/** `workers` search. */
export const run = Effect.fnUntraced(function* (shops: number, sample: Sample, workers: number) {
  const folder = yield* ScaleDatabase.copy(shops)
  const { connection } = yield* EmbeddedPostgres.make({
    dataFolder: path.join(folder, "data"),
    flags: ScaleDatabase.settings
  })
  const indexFolder = path.join(folder, "index")
  const own = Database.layer({ source: connection, maxConnections: 2, statementTimeoutMillis: 600_000 })
  return yield* Effect.gen(function* () {
    const fromNothing = yield* startFromNothing(connection, indexFolder, workers)
    const seed = `changes ${DateTime.formatIsoDateUtc(yield* DateTime.now)}`
    const options = { seed, perClass: warmUpPerClass, tools, classes: Cases.everyClass }
    const changes: Changes = {
      startFromNothing: fromNothing,
      ...(yield* afterStart(connection, indexFolder, workers, (target) => prepare(target, sample, options)))
    }
    return changes
  }).pipe(Effect.provide(own))
}, Effect.scoped)
