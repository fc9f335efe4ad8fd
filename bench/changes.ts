/**
 * `npm run bench:changes`: a month of daily imports (import/DailyFiles.ts), then how many bytes a change has, and how long pages of
 * list_changes take. A day is a file of what differs: the rest of a catalog would take time and change nothing. `--pairs` imports all
 * records of the first days twice, in turns and into two databases: by this program, and by a copy that writes no log. The ratio of both
 * is what the log costs.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, Console, Context, Effect, Layer, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { dateOf } from "../demo/Days.ts"
import { AccountId } from "../src/domain/access/Account.ts"
import { AppConfig } from "../src/Config.ts"
import * as Series from "../src/domain/catalog/Series.ts"
import { dayMillis } from "../src/domain/Days.ts"
import { ChangeFeed } from "../src/services/changes/ChangeFeed.ts"
import type { ChangesQuery } from "../src/services/changes/ChangeFeed.ts"
import { History } from "../src/services/changes/History.ts"
import * as Database from "../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedConnection } from "../src/services/database/EmbeddedPostgres.ts"
import * as Migrations from "../src/services/database/Migrations.ts"
import { idsOf, rowOf } from "../src/services/database/Rows.ts"
import { CatalogSearch } from "../src/services/search/CatalogSearch.ts"
import { CatalogIndex } from "../src/services/search/runtime/CatalogIndex.ts"
import * as Searcher from "../src/services/search/runtime/Searcher.ts"
import * as CatalogVersion from "../src/services/import/CatalogVersion.ts"
import * as Movers from "../src/services/import/Movers.ts"
import * as DailyFiles from "./import/DailyFiles.ts"
import * as ImportProcess from "./import/ImportProcess.ts"
import * as WithoutLog from "./import/WithoutLog.ts"
import * as ScaleDatabase from "./search/ScaleDatabase.ts"
import * as ScaleIndex from "./search/ScaleIndex.ts"
import { summarize } from "./search/Summary.ts"
import * as Tables from "./search/Tables.ts"
import { median } from "./support/Median.ts"
import * as ProcessCpu from "./support/ProcessCpu.ts"

const flags = {
  shops: Flag.Int("shops").pipe(Flag.withDescription("Stores of the first day"), Flag.withDefault(20_000)),
  days: Flag.Int("days").pipe(Flag.withDescription("Daily imports after the first"), Flag.withDefault(30)),
  permille: Flag.Int("permille").pipe(
    Flag.withDescription("Of a thousand products, those that have another price each day"),
    Flag.withDefault(20)
  ),
  pairs: Flag.Int("pairs").pipe(Flag.withDescription("Pairs of imports with and without the log"), Flag.withDefault(0)),
  calls: Flag.Int("calls").pipe(Flag.withDescription("Pages of each kind; 0 for none"), Flag.withDefault(200)),
  keep: Flag.Boolean("keep").pipe(
    Flag.withDescription("Keep the database of the month for the next run with these numbers, which only reads pages")
  )
}

/** Stores that the account tracks, the most that it may. */
const tracked = 1_000
const accountId = AccountId.make(1)

const programs = ["with the log", "without"] as const
type Program = (typeof programs)[number]
const phases = ["first data", "a day", "the same again"] as const
type Phase = (typeof phases)[number]

/** Of an import, in seconds: from its beginning to its end, and of processors, with those of PostgreSQL. */
const costs = ["elapsed", "cpu"] as const
type Cost = Readonly<Record<(typeof costs)[number], number>>

const none: Cost = { elapsed: Number.NaN, cpu: Number.NaN }

const told = ({ cpu, elapsed }: Cost) => `${elapsed.toFixed(1)} s (${cpu.toFixed(1)} of CPU)`

const listed = (ratios: ReadonlyArray<number>) =>
  `${Tables.times(median(ratios))} (${ratios
    .toSorted((a, b) => a - b)
    .map((ratio) => ratio.toFixed(2))
    .join(", ")})`

/** Of this process, which waits meanwhile, and all that it has started. */
const cpuSeconds = () => (ProcessCpu.ofProcess(process.pid) + ProcessCpu.ofDescendants(process.pid)) / 1e6

const Times = rowOf(Schema.Struct({ seconds: Schema.Finite }))

/** Of the newest import, without the start of its process. */
const seconds = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Times(sql`
    SELECT extract(epoch FROM finished_at - started_at)::float8 AS seconds FROM import ORDER BY id DESC LIMIT 1`)
)

const poolOf = (source: EmbeddedConnection) =>
  Database.layer({ source, maxConnections: 6, statementTimeoutMillis: 600_000 })

const Size = rowOf(
  Schema.Struct({ rows: Schema.FiniteFromString, heap: Schema.FiniteFromString, bytes: Schema.FiniteFromString })
)

const size = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Size(sql`
    SELECT (SELECT count(*) FROM change)::text AS rows, sum(pg_table_size(inhrelid))::text AS heap,
      sum(pg_total_relation_size(inhrelid))::text AS bytes
    FROM pg_inherits WHERE inhparent = 'change'::regclass`)
)

/** The changes get the times that they would have if each day had been imported on its day. */
const spread = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    DO $$ DECLARE month timestamp; BEGIN
      FOR n IN 0..13 LOOP
        month := date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => n);
        IF to_regclass('change_' || to_char(month, 'YYYY_MM')) IS NULL THEN
          EXECUTE format('CREATE TABLE %I PARTITION OF change FOR VALUES FROM (%L) TO (%L)', 'change_' || to_char(month, 'YYYY_MM'),
            month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
        END IF;
      END LOOP;
    END $$`
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`CREATE TEMPORARY TABLE moved ON COMMIT DROP AS
        SELECT *, at - make_interval(days => (at AT TIME ZONE 'UTC')::date - as_of) AS moved_at FROM change`
      yield* sql`TRUNCATE change`
      yield* sql`
        INSERT INTO change (id, at, version, as_of, source_id, kind, shop_id, record_id, name, key, old, new, facts, with_store)
        OVERRIDING SYSTEM VALUE
        SELECT id, moved_at, version, as_of, source_id, kind, shop_id, record_id, name, key, old, new, facts, with_store FROM moved ORDER BY id`
    })
  )
  yield* sql`VACUUM ANALYZE`
})

const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const queries = (days: number, shopIds: ReadonlyArray<number>): Readonly<Record<string, ChangesQuery>> => ({
  "all, 7 days": {},
  "all, all days": { since: dayBefore(days + 1) },
  "all, oldest first": { since: dayBefore(days + 1), order: "oldest" },
  "a rare kind": { since: dayBefore(days + 1), kinds: ["app_added"] },
  "a kind without changes": { since: dayBefore(days + 1), kinds: ["store_gone"] },
  prices: { since: dayBefore(days + 1), kinds: ["price_up", "price_down"] },
  "one store": { since: dayBefore(days + 1), shop_ids: shopIds.slice(0, 1) },
  "1,000 tracked stores": { since: dayBefore(days + 1), tracked_only: true },
  "1,000 tracked stores, a rare kind": { since: dayBefore(days + 1), tracked_only: true, kinds: ["app_added"] },
  "a country": { since: dayBefore(days + 1), filters: { countries: ["US"] } },
  "a country, a rare kind": { since: dayBefore(days + 1), filters: { countries: ["US"] }, kinds: ["app_added"] },
  "several filters": { since: dayBefore(days + 1), filters: { countries: ["DE"], active_ads: { min: 5 } } }
})

/** Milliseconds of pages of each query, as the account gets them. */
const readPages = Effect.fnUntraced(function* (folder: string, days: number, calls: number) {
  const sql = yield* SqlClient.SqlClient
  const published = yield* ScaleIndex.read(path.join(folder, "index"))
  const shopIds = (yield* sql<{ id: number }>`SELECT id FROM shop ORDER BY id LIMIT ${tracked}`).map(({ id }) => id)
  yield* sql`INSERT INTO account (id, email, plan, status, created_at) OVERRIDING SYSTEM VALUE
    VALUES (${accountId}, 'bench@discovery.test', 'starter', 'active', now()) ON CONFLICT DO NOTHING`
  yield* sql`
    INSERT INTO tracked_shop (account_id, shop_id, kind) SELECT ${accountId}::int, id, 'tracked' FROM unnest(${shopIds}::int[]) AS t (id)
    ON CONFLICT DO NOTHING`
  const context = yield* Layer.build(
    CatalogIndex.layerOf(Searcher.onThisThread, (emit) => emit({ _tag: "Published", published }))
  )
  const feed = Context.get(
    yield* Layer.build(
      ChangeFeed.layer.pipe(Layer.provide(Layer.succeed(CatalogSearch, Context.get(context, CatalogSearch))))
    ),
    ChangeFeed
  )
  const lines: Array<ReadonlyArray<string>> = []
  for (const [name, query] of Object.entries(queries(days, shopIds))) {
    const times: Array<number> = []
    let since = query.since
    let total = ""
    let cpu = 0
    for (let call = -5; call < calls; call++) {
      if (call === 0) cpu = cpuSeconds()
      const began = performance.now()
      const { pagination } = yield* feed.page(
        { ...query, ...(since === undefined ? {} : { since }), per_page: 25 },
        accountId
      )
      if (call >= 0) times.push(performance.now() - began)
      if (total === "")
        total = `${pagination.total_is_exact ? "" : "more than "}${pagination.total.toLocaleString("en-US")}`
      since = pagination.has_more ? pagination.next : query.since
    }
    const { max, p50, p95 } = summarize(times)
    lines.push([name, total, ...[p50, p95, max, ((cpuSeconds() - cpu) / calls) * 1_000].map(Tables.millis)])
  }
  yield* Console.log(Tables.markdown(["changes of", "total", "p50 ms", "p95 ms", "max ms", "CPU ms"], lines))
})

/** Milliseconds of what get_shop, get_product and the overview read of the log. */
const readHistories = Effect.fnUntraced(function* (calls: number) {
  const sql = yield* SqlClient.SqlClient
  const history = Context.get(yield* Layer.build(Layer.provide(History.layer, AppConfig.layerOf({}))), History)
  const shops = yield* idsOf(sql`SELECT id FROM shop ORDER BY md5(id::text) LIMIT ${calls}`)
  const busiest = yield* idsOf(
    sql`SELECT shop_id AS id FROM change WHERE shop_id IS NOT NULL GROUP BY shop_id ORDER BY count(*) DESC LIMIT ${calls}`
  )
  const products = yield* idsOf(sql`SELECT id FROM product ORDER BY md5(id::text) LIMIT ${calls}`)
  const timed = Effect.fnUntraced(function* <E, R>(
    name: string,
    ids: ReadonlyArray<number>,
    read: (id: number) => Effect.Effect<unknown, E, R>
  ) {
    const times: Array<number> = []
    for (const [call, id] of [...ids.slice(0, 5), ...ids].entries()) {
      const began = performance.now()
      yield* read(id)
      if (call >= 5) times.push(performance.now() - began)
    }
    const { max, p50, p95 } = summarize(times)
    return [name, ...[p50, p95, max].map(Tables.millis)]
  })
  const ofStore = (id: number) =>
    Effect.map(history.ofStore(id), (found) => (found === undefined ? undefined : Series.pointsOf(found.known, 12)))
  const lines = [
    yield* timed("a store", shops, ofStore),
    yield* timed("the stores with most changes", busiest, ofStore),
    yield* timed("ads and revenue of ten stores", shops, (id) =>
      history.ofStores(shops.slice(shops.indexOf(id), shops.indexOf(id) + 10), 12)
    ),
    yield* timed("prices of a product", products, (id) => history.ofProduct(id, 12))
  ]
  yield* Console.log(Tables.markdown(["history of", "p50 ms", "p95 ms", "max ms"], lines))
})

/** Seconds of the changes over the last days: of all stores, as on a new day, and of a hundred, as after a small import. */
const timeMovers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const timed = Effect.gen(function* () {
    const began = performance.now()
    const stores = yield* Movers.update
    return `${((performance.now() - began) / 1_000).toFixed(1)} s, ${stores.toLocaleString("en-US")} of them different`
  })
  yield* Console.log(`orders by change, all stores: ${yield* timed}`)
  yield* sql`UPDATE catalog SET moved_on = NULL`
  yield* Console.log(`again, on another day: ${yield* timed}`)
  const ids = (yield* sql<{ id: number }>`SELECT id FROM shop ORDER BY id LIMIT 100`).map(({ id }) => id)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* CatalogVersion.commit(sql, yield* CatalogVersion.begin(sql), { items: [], figures: ids, niches: false })
    })
  )
  yield* Console.log(`a hundred stores: ${yield* timed}`)
})

const changes = Command.make(
  "bench:changes",
  flags,
  Effect.fnUntraced(function* ({ calls, days, keep, pairs, permille, shops }) {
    yield* Effect.promise(() => fs.mkdir(ScaleDatabase.benchFolder, { recursive: true }))
    const kept = path.join(ScaleDatabase.benchFolder, `changes-${shops}-${days}`)
    const folder = keep
      ? kept
      : yield* Effect.acquireRelease(
          Effect.promise(() => fs.mkdtemp(path.join(ScaleDatabase.benchFolder, "changes-"))),
          (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
        )
    const isKept = keep && existsSync(path.join(folder, "complete"))
    if (keep && !isKept) {
      yield* Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
      yield* Effect.promise(() => fs.mkdir(folder))
    }
    yield* Effect.promise(() => fs.chmod(folder, 0o755))
    const { connection } = yield* EmbeddedPostgres.make({
      dataFolder: path.join(folder, "data"),
      flags: ScaleDatabase.settings
    })
    const today = Math.floor((yield* Clock.currentTimeMillis) / dayMillis)
    const dayOf = (day: number) => today - days + day
    const file = (day: number) => path.join(folder, `day-${day}.ndjson`)
    const differing = path.join(folder, "differing.ndjson")
    const databases = {
      "with the log": { ...connection, database: "logged" },
      without: { ...connection, database: "unlogged" }
    }
    const mains = { "with the log": undefined, without: pairs === 0 ? undefined : yield* WithoutLog.program(folder) }

    const renewed = Effect.fnUntraced(
      function* (program: Program) {
        const name = databases[program].database
        const sql = yield* SqlClient.SqlClient
        yield* sql`DROP DATABASE IF EXISTS ${sql(name)}`
        yield* sql`CREATE DATABASE ${sql(name)}`
        yield* Effect.provide(Migrations.run, poolOf(databases[program]))
      },
      Effect.provide(poolOf(connection))
    )

    const imported = Effect.fnUntraced(function* (program: Program, day: number, from = file(day)) {
      const main = mains[program]
      const before = cpuSeconds()
      const { summary } = yield* Effect.promise(() =>
        ImportProcess.run(databases[program], from, {
          ...(main === undefined ? {} : { program: main }),
          flags: ["--source", "daily", "--as-of", dateOf(dayOf(day))]
        })
      )
      const cpu = cpuSeconds() - before
      if (program === "with the log") yield* Console.log(`day ${day}: ${summary}`)
      return { cpu, elapsed: (yield* Effect.provide(seconds, poolOf(databases[program]))).seconds }
    })

    const ratios: Record<Phase, Array<Cost>> = { "first data": [], "a day": [], "the same again": [] }
    const pair = Effect.fnUntraced(function* (phase: Phase, day: number, isFirst: boolean) {
      const costs: Record<Program, Cost> = { "with the log": none, without: none }
      for (const program of isFirst ? programs : programs.toReversed()) {
        if (phase === "first data") yield* renewed(program)
        costs[program] = yield* imported(program, day)
      }
      const { "with the log": logged, without } = costs
      const ratio = { cpu: logged.cpu / without.cpu, elapsed: logged.elapsed / without.elapsed }
      ratios[phase].push(ratio)
      yield* Console.log(
        `${phase}: ${told(logged)} with the log, ${told(without)} without: ${Tables.times(ratio.elapsed)}, CPU ${Tables.times(ratio.cpu)}`
      )
    })

    if (pairs > 0) {
      // Nobody waits for what is compiled once.
      yield* DailyFiles.first(file(0), 10, dayOf(0))
      for (const program of programs) yield* Effect.andThen(renewed(program), imported(program, 0))
    }
    if (!isKept) {
      const records = yield* DailyFiles.first(file(0), shops, dayOf(0))
      yield* Console.log(`${shops} stores, ${records} records`)
      if (pairs === 0) {
        yield* renewed("with the log")
        yield* imported("with the log", 0)
      }
    }
    for (let round = 0; round < pairs; round++) yield* pair("first data", 0, round % 2 === 0)
    const lastDay = isKept ? 0 : Math.max(days, pairs)
    for (let day = 1; day <= lastDay; day++) {
      const records = yield* DailyFiles.next(
        file(day - 1),
        { all: file(day), differing },
        { day, today: dayOf(day), permille }
      )
      yield* Console.log(`day ${day}: ${records} records differ`)
      yield* Effect.promise(() => fs.rm(file(day - 1)))
      if (day > pairs) yield* imported("with the log", day, differing)
      else for (const phase of ["a day", "the same again"] as const) yield* pair(phase, day, day % 2 === 0)
    }
    if (pairs > 0) {
      const rows = phases.map((phase) => [phase, ...costs.map((cost) => listed(ratios[phase].map((one) => one[cost])))])
      yield* Console.log(Tables.markdown(["import of", ...costs], rows))
    }
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { bytes, heap, rows } = yield* size
      yield* Console.log(
        `${rows.toLocaleString("en-US")} changes of ${days} days, ${(heap / rows).toFixed(0)} bytes each and ` +
          `${((bytes - heap) / rows).toFixed(0)} of indexes, ${(bytes / 1e6).toFixed(0)} MB`
      )
      const kinds = yield* sql<{ kind: string; n: number }>`
        SELECT kind, count(*)::int AS n FROM change GROUP BY kind ORDER BY n DESC`
      yield* Console.log(kinds.map(({ kind, n }) => `${kind} ${n.toLocaleString("en-US")}`).join(", "))
      if (calls === 0) return
      if (!isKept) {
        yield* spread
        yield* timeMovers
      }
      if (keep) yield* Effect.promise(() => fs.writeFile(path.join(folder, "complete"), ""))
      yield* readPages(folder, days, calls)
      yield* readHistories(calls)
      yield* Console.log(`load ${os.loadavg()[0]?.toFixed(1)}`)
    }).pipe(Effect.provide(poolOf(databases["with the log"])))
  }, Effect.scoped)
)

changes.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
