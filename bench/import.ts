/**
 * `npm run bench:import`: how many rows a second an import takes in, and how long searches take meanwhile. Works on a copy
 * of the scale data, which goes when it ends.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import * as path from "node:path"
import { Prng } from "../demo/Prng.ts"
import * as Database from "../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedConnection } from "../src/services/database/EmbeddedPostgres.ts"
import * as Migrations from "../src/services/database/Migrations.ts"
import * as ImportFile from "./import/ImportFile.ts"
import * as ImportProcess from "./import/ImportProcess.ts"
import * as SearchLoad from "./import/SearchLoad.ts"
import * as Cases from "./search/Cases.ts"
import { failuresOf, prepare, undisturbedOf } from "./search/Latency.ts"
import type { Observation } from "./search/OpenLoop.ts"
import * as Sample from "./search/Sample.ts"
import * as ScaleDatabase from "./search/ScaleDatabase.ts"
import * as ScaleIndex from "./search/ScaleIndex.ts"
import { quantile, summarize } from "./search/Summary.ts"
import * as Tables from "./search/Tables.ts"
import { tools } from "./search/SearchCase.ts"
import * as Target from "./search/Target.ts"

const phases = ["empty", "quiet", "new", "unchanged", "changed"] as const
type Phase = (typeof phases)[number]

const flags = {
  shops: Flag.Int("shops").pipe(Flag.withDescription("Which data set is there before"), Flag.withDefault(20_000)),
  rows: Flag.Int("rows").pipe(Flag.withDescription("Products in the file"), Flag.withDefault(1_000_000)),
  rate: Flag.Finite("rate").pipe(Flag.withDescription("Searches a second"), Flag.withDefault(10)),
  seconds: Flag.Finite("seconds").pipe(
    Flag.withDescription("For how long at least searches are measured in a phase: imports are repeated"),
    Flag.withDefault(40)
  ),
  only: Flag.String("only").pipe(
    Flag.withDescription("Phases, separated by commas: empty, quiet, new, unchanged, changed"),
    Flag.withDefault(phases.join(","))
  ),
  hold: Flag.Boolean("hold").pipe(
    Flag.withDescription("Searches nothing meanwhile: the import alone"),
    Flag.withDefault(false)
  )
}

const searched = (label: string, observations: ReadonlyArray<Observation>): ReadonlyArray<string> => {
  const { calls, max, p50, p95, p99 } = summarize(observations.map(({ millis }) => millis))
  const undisturbed = undisturbedOf(observations)
  return [
    label,
    "searches",
    String(calls),
    ...[p50, p95, p99, max].map(Tables.millis),
    String(undisturbed.length),
    Tables.millis(quantile(undisturbed, 0.99)),
    Tables.failures(failuresOf(observations))
  ]
}

const told = (label: string, records: number, { highestBytes, seconds, summary }: ImportProcess.ImportRun): string =>
  `${summary}\n${label}: ${seconds.toFixed(1)} s, ${Math.round(records / seconds)} records/s, ` +
  `at most ${(highestBytes / 1e6).toFixed(0)} MB in its process`

/** What PostgreSQL alone takes to write the same products, with their indexes. */
const bareInsert = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE bare (LIKE product INCLUDING ALL)`
  const start = performance.now()
  yield* sql`INSERT INTO bare OVERRIDING SYSTEM VALUE SELECT * FROM product`
  yield* Console.log(`the products again, within PostgreSQL: ${((performance.now() - start) / 1000).toFixed(1)} s`)
})

const bench = Command.make(
  "bench:import",
  flags,
  Effect.fnUntraced(function* ({ hold, only, rate, rows, seconds, shops }) {
    const wanted = new Set(only.split(","))
    const wants = (phase: Phase) => wanted.has(phase)
    const folder = yield* ScaleDatabase.copy(shops)
    const { connection } = yield* EmbeddedPostgres.make({
      dataFolder: path.join(folder, "data"),
      flags: ScaleDatabase.settings
    })
    // Not with the original's: a copy has the same catalog id.
    const indexFolder = path.join(folder, "index")
    const today = Math.floor((yield* Clock.currentTimeMillis) / 86_400_000)
    const file = (edition: number) => path.join(folder, `edition-${edition}.ndjson`)
    const records = yield* ImportFile.write(file(0), { products: rows, today, edition: 0 })
    yield* Console.log(`${records} records in the file, ${rows} of them products; ${shops} stores are there before`)
    const poolOf = (source: EmbeddedConnection) =>
      Database.layer({ source, maxConnections: 4, statementTimeoutMillis: 600_000 })
    const ownPool = poolOf(connection)

    const table: Array<ReadonlyArray<string>> = []
    const tell = (row: ReadonlyArray<string>) => {
      table.push(row)
      return Console.log(row.join("  "))
    }

    /** Each with a server of its own. */
    const withSearches = (label: string, other: () => Promise<void>) =>
      Effect.scoped(
        Effect.gen(function* () {
          if (hold) return yield* Effect.promise(other)
          yield* Target.warm
          const sample = yield* Sample.read(yield* ScaleIndex.read(indexFolder))
          const options = { seed: "import", perClass: 30, tools }
          const target = yield* Target.start(connection, { indexFolder })
          yield* prepare(target, sample, options)
          const cases = Cases.shuffled(Cases.generate(sample, options), new Prng("import", "order"))
          const { observations } = yield* Effect.promise(() => SearchLoad.during(target, cases, rate, other()))
          yield* tell(searched(label, observations))
        })
      ).pipe(Effect.provide(ownPool))

    const imports = async (label: string, editions: (round: number) => number, enough: number) => {
      const start = performance.now()
      for (let round = 0; round === 0 || performance.now() - start < enough * 1000; round++) {
        const run = await ImportProcess.run(connection, file(editions(round)))
        console.log(told(label, records, run))
      }
    }
    const quiet = (label: string) =>
      wants("quiet") && !hold
        ? withSearches(label, () => new Promise((resolve) => setTimeout(resolve, seconds * 1000)))
        : Effect.void

    if (wants("empty")) {
      const empty: EmbeddedConnection = { ...connection, database: "empty" }
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE DATABASE empty`).pipe(Effect.provide(ownPool))
      yield* Migrations.run.pipe(Effect.provide(Database.layer({ source: empty })))
      yield* Console.log(told("empty", records, yield* Effect.promise(() => ImportProcess.run(empty, file(0)))))
      yield* Effect.provide(bareInsert, poolOf(empty))
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DROP DATABASE empty`).pipe(Effect.provide(ownPool))
    }
    yield* quiet("quiet, before")
    if (wants("new")) yield* withSearches("new rows", () => imports("new", () => 0, 0))
    if (wants("unchanged") || wants("changed")) {
      yield* quiet("quiet, after")
      if (wants("unchanged")) yield* withSearches("unchanged", () => imports("unchanged", () => 0, hold ? 0 : seconds))
      if (wants("changed")) {
        for (const edition of [1, 2]) yield* ImportFile.write(file(edition), { products: rows, today, edition })
        yield* withSearches("changed", () => imports("changed", (round) => 1 + (round % 2), hold ? 0 : seconds))
      }
    }
    yield* quiet("quiet, at the end")
    yield* Console.log(
      Tables.plain(["phase", "", "calls", "p50", "p95", "p99", "max", "undisturbed", "p99", "failures"], table)
    )
  }, Effect.scoped)
)

bench.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
