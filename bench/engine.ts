/**
 * `npm run bench:engine`: compares searches by ClickHouse with those of the index in memory: time by class of search, in turns, and whether
 * the answers are equal; rows a second of the projector from nothing; bytes on disk. Prints what bench/results/engine.md says.
 *
 * ClickHouse is `chdb` in a process of its own, whose folder is deleted at the end.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Context, DateTime, Duration, Effect, Layer, Option, Queue, Schedule, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as os from "node:os"
import * as Database from "../src/services/database/Database.ts"
import { CatalogSearch } from "../src/services/search/CatalogSearch.ts"
import { ClickHouse } from "../src/services/search/clickhouse/ClickHouse.ts"
import * as EngineSearch from "../src/services/search/clickhouse/EngineSearch.ts"
import { kinds } from "../src/services/search/clickhouse/EngineTables.ts"
import * as Projector from "../src/services/search/clickhouse/Projector.ts"
import { CatalogIndex } from "../src/services/search/runtime/CatalogIndex.ts"
import { CatalogReader } from "../src/services/search/runtime/CatalogReader.ts"
import type { Published } from "../src/services/search/runtime/IndexState.ts"
import * as Searcher from "../src/services/search/runtime/Searcher.ts"
import { arraysOf } from "../src/services/search/runtime/SegmentArrays.ts"
import * as ClickHouseServer from "../test/support/ClickHouseServer.ts"
import * as Beside from "./engine/Beside.ts"
import * as Clients from "./engine/Clients.ts"
import * as Sizes from "./engine/Sizes.ts"
import * as Cases from "./search/Cases.ts"
import * as Sample from "./search/Sample.ts"
import * as ScaleDatabase from "./search/ScaleDatabase.ts"
import * as ScaleIndex from "./search/ScaleIndex.ts"
import { tools } from "./search/SearchCase.ts"
import * as StealTime from "./search/StealTime.ts"
import { quantile } from "./search/Summary.ts"
import * as Tables from "./search/Tables.ts"

const flags = {
  shops: Flag.Int("shops").pipe(Flag.withDescription("Which data set"), Flag.withDefault(200_000)),
  cases: Flag.Int("cases").pipe(Flag.withDescription("Cases of a tool and class"), Flag.withDefault(20)),
  seconds: Flag.Int("seconds").pipe(
    Flag.withDescription("A class is left after so many of ClickHouse"),
    Flag.withDefault(20)
  ),
  minutes: Flag.Int("minutes").pipe(
    Flag.withDescription("The projector is left after so many, and searches are not measured"),
    Flag.withDefault(60)
  )
}

/** The engine and the index take memory too. */
const smallerCache = ["shared_buffers=1GB"]

/** Long enough to read the vocabularies on a busy machine. Searches have their own limit. */
const statementTime = Duration.seconds(30)

const tellLoad = (what: string, steal: ReturnType<typeof StealTime.start>) =>
  Console.log(`${what}: load ${os.loadavg()[0]?.toFixed(1)}, steal time ${Tables.percent(StealTime.share(steal))}\n`)

const count = (value: number): string => Math.round(value).toLocaleString("en-US")

/** Fills the tables from nothing. Returns whether they are whole. */
const project = Effect.fnUntraced(function* (client: ClickHouse["Service"], minutes: number) {
  const { client: counted, written } = Clients.counting(client)
  const steal = StealTime.start()
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  const rowsOf = () => kinds.reduce((sum, kind) => sum + written[kind].rows, 0)
  const tellProgress = Effect.suspend(() =>
    Console.log(`${((performance.now() - began) / 1_000).toFixed(0)} s: ${count(rowsOf())} rows`)
  )
  const state = yield* Effect.scoped(
    Effect.gen(function* () {
      yield* Effect.forkScoped(Effect.repeat(Effect.delay(tellProgress, "1 minute"), Schedule.forever))
      const { refresh } = yield* Projector.make({ listen: Queue.unbounded<never>() })
      return yield* refresh
    })
  ).pipe(
    Effect.provideService(ClickHouse, counted),
    Effect.provide(CatalogReader.layer),
    Effect.timeoutOption(Duration.minutes(minutes))
  )
  const seconds = (performance.now() - began) / 1_000
  const { system, user } = process.cpuUsage(cpu)
  const rows = rowsOf()
  yield* Console.log(
    Tables.markdown(
      ["table", "rows", "seconds of inserts", "rows a second of them"],
      kinds.map((kind) => {
        const { millis, rows } = written[kind]
        return [kind, count(rows), (millis / 1_000).toFixed(1), count((1_000 * rows) / millis)]
      })
    )
  )
  yield* Console.log(
    `${Option.isSome(state) ? "all" : "left before the end"}: ${count(rows)} rows in ${seconds.toFixed(1)} s, ${count(rows / seconds)} a second; ` +
      `${((system + user) / 1e6).toFixed(1)} s of CPU of the projector's process`
  )
  yield* tellLoad("projector", steal)
  return Option.isSome(state)
})

const tellSizes = Effect.fnUntraced(function* (client: ClickHouse["Service"]) {
  const tables = yield* Sizes.tables(client)
  yield* Console.log(
    Tables.markdown(
      ["table", "rows", "parts", "bytes", "bytes a row", "of these the index of words", "marks", "keys"],
      tables.map((table) => [
        table.name,
        count(table.rows),
        String(table.parts),
        count(table.bytes),
        (table.bytes / table.rows).toFixed(1),
        ...[table.index, table.marks, table.keys].map((bytes) => (bytes / table.rows).toFixed(2))
      ])
    )
  )
  const rowsOf = (name: string) => tables.find((table) => table.name === name)?.rows ?? Number.NaN
  const indices = yield* Sizes.indices(client)
  const columns = yield* Sizes.columns(client)
  yield* Console.log(
    Tables.markdown(
      ["table", "index or column", "bytes", "bytes a row", "uncompressed"],
      [...indices, ...columns].map(({ bytes, name, raw, table }) => [
        table,
        name,
        count(bytes),
        (bytes / rowsOf(table)).toFixed(2),
        (raw / rowsOf(table)).toFixed(2)
      ])
    )
  )
})

/** What any statement costs: the way to the engine's process and back, and a session of chdb. */
const tellEmpty = Effect.fnUntraced(function* (client: ClickHouse["Service"]) {
  const times: Array<number> = []
  for (let round = 0; round < 200; round++) {
    const began = performance.now()
    yield* client.query({ name: "one", sql: "SELECT 1 AS one" }, Schema.Struct({ one: Schema.Int }))
    times.push(performance.now() - began)
  }
  yield* Console.log(
    `an empty statement: ${quantile(times, 0.5).toFixed(1)} / ${quantile(times, 0.95).toFixed(1)} ms\n`
  )
})

/** The layer of the server, with all searches on this thread. */
const inMemory = (published: Published) =>
  Effect.map(
    Layer.build(CatalogIndex.layerOf(Searcher.onThisThread, (emit) => emit({ _tag: "Published", published }))),
    (context) => Context.get(context, CatalogSearch)
  )

/** Ready when it has read the vocabularies. */
const byEngine = Effect.fnUntraced(function* (client: ClickHouse["Service"], version: number) {
  const began = performance.now()
  const context = yield* Layer.build(
    EngineSearch.layer(undefined).pipe(
      Layer.provide(Layer.merge(CatalogReader.layer, Layer.succeed(ClickHouse, Clients.oneThread(client))))
    )
  )
  const search = Context.get(context, CatalogSearch)
  yield* Effect.retry(Effect.andThen(search.awaitVersion(version), search.current), { times: 30 })
  yield* Console.log(`ready to search after ${((performance.now() - began) / 1_000).toFixed(1)} s\n`)
  return search
})

const compare = Effect.fnUntraced(function* (
  published: Published,
  client: ClickHouse["Service"],
  perClass: number,
  classMillis: number
) {
  const memory = yield* inMemory(published)
  const engine = yield* byEngine(client, published.version)
  const sample = yield* Sample.read(published)
  const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
  const generate = (seed: string, perClass: number) => Cases.generate(sample, { seed, perClass, tools })
  yield* Beside.run(memory, engine, generate("engine warm-up", 1), today, classMillis)
  const steal = StealTime.start()
  const trials = yield* Beside.run(memory, engine, generate("engine", perClass), today, classMillis)
  const pair = (p50: number, p95: number) => `${Tables.millis(p50)} / ${Tables.millis(p95)}`
  yield* Console.log(
    Tables.markdown(
      ["tool", "class", "cases", "in memory", "ClickHouse", "ratio", "unequal", "failed"],
      Beside.tabulate(trials).map((row) => [
        row.tool,
        row.class,
        String(row.cases),
        pair(row.memory50, row.memory95),
        pair(row.engine50, row.engine95),
        row.ratio.toFixed(1),
        String(row.unequal),
        String(row.failed)
      ])
    )
  )
  yield* tellLoad("searches", steal)
})

const engine = Command.make(
  "bench:engine",
  flags,
  Effect.fnUntraced(function* ({ cases, minutes, seconds, shops }) {
    const connection = yield* ScaleDatabase.open(shops, smallerCache)
    yield* Effect.gen(function* () {
      const published = yield* ScaleIndex.read()
      const arrays = published.list.flatMap(arraysOf).reduce((sum, { array }) => sum + array.byteLength, 0)
      yield* Console.log(`in memory: ${count(arrays)} bytes of arrays in ${published.list.length} segments\n`)
      const client = yield* ClickHouse
      const isWhole = yield* project(client, minutes)
      yield* Sizes.settle(client)
      yield* tellSizes(client)
      yield* tellEmpty(client)
      if (isWhole) yield* compare(published, client, cases, seconds * 1_000)
    }).pipe(
      Effect.provide([
        Database.layer({ source: connection, maxConnections: 3, statementTimeoutMillis: 0 }),
        ClickHouseServer.client({ time: statementTime }).pipe(Layer.provideMerge(ClickHouseServer.layer))
      ])
    )
  }, Effect.scoped)
)

engine.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
