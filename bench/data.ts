/**
 * `npm run bench:data`: makes the data set that the search benchmarks run on, 200,000 stores unless `--shops` says
 * otherwise. Records are made at the server; what searches read is derived from them as after any import.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, Console, Effect, Layer, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as Database from "../src/services/database/Database.ts"
import * as Migrations from "../src/services/database/Migrations.ts"
import * as ScaleDatabase from "./search/ScaleDatabase.ts"
import { expectedBytes, fill, sizeOf } from "./search/ScaleRecords.ts"

class NoRoom extends Schema.TaggedError<NoRoom>()("NoRoom", { message: Schema.String }) {}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`
/** The log of what is being written. */
const headroomBytes = 10e9

const step = Effect.fnUntraced(function* <A, E, R>(label: string, effect: Effect.Effect<A, E, R>) {
  const before = yield* Clock.monotonicTimeNanos
  const result = yield* effect
  const seconds = Number((yield* Clock.monotonicTimeNanos) - before) / 1e9
  yield* Console.log(`${label.padEnd(44)} ${seconds.toFixed(1)} s`)
  return result
})

const make = Effect.fnUntraced(function* (shops: number) {
  const sql = yield* SqlClient.SqlClient
  const today = Math.floor((yield* Clock.currentTimeMillis) / 86_400_000)
  yield* step(
    "records",
    sql.withTransaction(
      Effect.gen(function* () {
        yield* Database.longLimits
        const start = yield* Clock.currentTimeMillis
        yield* fill(sizeOf(shops), today, (what) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Console.log(`  ${what.padEnd(42)} from ${Math.round((now - start) / 1000)} s`)
          )
        )
      })
    )
  )
  const vacuum = Effect.gen(function* () {
    yield* sql`SET statement_timeout = 0`
    yield* sql`VACUUM (ANALYZE, PARALLEL 0)`
  })
  yield* step("vacuum", vacuum)
  // Stopping a server is given less time than this takes.
  yield* step("checkpoint", sql`CHECKPOINT`)
  const sizes = yield* sql<{ name: string; rows: number; table_bytes: number; index_bytes: number }>`
    SELECT relname AS name, n_live_tup::int AS rows, pg_table_size(relid)::float8 AS table_bytes,
      pg_indexes_size(relid)::float8 AS index_bytes
    FROM pg_stat_user_tables WHERE n_live_tup > 1000 ORDER BY pg_total_relation_size(relid) DESC`
  for (const { index_bytes, name, rows, table_bytes } of sizes) {
    yield* Console.log(
      `${name.padEnd(16)} ${String(rows).padStart(9)} rows  ${gigabytes(table_bytes)} and ${gigabytes(index_bytes)} of indexes`
    )
  }
})

const data = Command.make(
  "bench:data",
  { shops: Flag.Int("shops").pipe(Flag.withDescription("How many stores"), Flag.withDefault(200_000)) },
  Effect.fnUntraced(function* ({ shops }) {
    const size = sizeOf(shops)
    const needed = expectedBytes(size)
    yield* Effect.promise(() => fs.mkdir(ScaleDatabase.benchFolder, { recursive: true }))
    const { bavail, bsize } = yield* Effect.promise(() => fs.statfs(ScaleDatabase.benchFolder))
    yield* Console.log(
      `${size.shops} stores, ${size.products} products, ${size.ads} ads: about ${gigabytes(needed)} in ` +
        `${ScaleDatabase.folderOf(shops)}, and up to ${gigabytes(headroomBytes)} more on the way; ` +
        `${gigabytes(bavail * bsize)} are free.`
    )
    if (bavail * bsize < needed + headroomBytes) {
      return yield* new NoRoom({ message: "There is not enough room on the disk." })
    }
    const connection = yield* ScaleDatabase.create(shops)
    // One connection: settings of the session hold for every statement.
    const database = Migrations.layer.pipe(
      Layer.provideMerge(Database.layer({ source: connection, maxConnections: 1, statementTimeoutMillis: 0 }))
    )
    yield* make(shops).pipe(Effect.provide(database))
    yield* ScaleDatabase.complete(shops)
  }, Effect.scoped)
)

data.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
