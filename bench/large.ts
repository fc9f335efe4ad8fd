/**
 * `npm run bench:large`: what a large catalog costs: to build and to start, in memory, by class of search, and while it changes.
 * Prints what bench/results/million-stores.md says. It changes the data set itself, of which there is no room for a copy.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, DateTime, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import * as Database from "../src/services/database/Database.ts"
import type { EmbeddedConnection } from "../src/services/database/EmbeddedPostgres.ts"
import type { Published } from "../src/services/search/runtime/IndexState.ts"
import { arraysOf } from "../src/services/search/runtime/SegmentArrays.ts"
import * as ChangedFile from "./import/ChangedFile.ts"
import * as ImportProcess from "./import/ImportProcess.ts"
import * as Cases from "./search/Cases.ts"
import * as Changes from "./search/Changes.ts"
import * as IndexTimes from "./search/IndexTimes.ts"
import * as OpenLoop from "./search/OpenLoop.ts"
import * as Sample from "./search/Sample.ts"
import * as ScaleDatabase from "./search/ScaleDatabase.ts"
import * as ScaleIndex from "./search/ScaleIndex.ts"
import { tools } from "./search/SearchCase.ts"
import type { SearchCase } from "./search/SearchCase.ts"
import * as StealTime from "./search/StealTime.ts"
import * as Tables from "./search/Tables.ts"
import * as Target from "./search/Target.ts"

const parts = ["start", "index", "changes", "import"] as const
type Part = (typeof parts)[number]

const flags = {
  shops: Flag.Int("shops").pipe(Flag.withDescription("Which data set"), Flag.withDefault(1_000_000)),
  only: Flag.String("only").pipe(
    Flag.withDescription(`Parts, separated by commas: ${parts.join(", ")}`),
    Flag.withDefault(parts.join(","))
  ),
  cases: Flag.Int("cases").pipe(Flag.withDescription("Cases of a tool and class"), Flag.withDefault(50)),
  share: Flag.Int("share").pipe(Flag.withDescription("An import changes one store of so many"), Flag.withDefault(100))
}

/** The index takes the memory, in two processes for a moment. */
const smallerCache = ["shared_buffers=3GB"]

/** So that all threads have started. */
const warmUp = (target: Target.Target) =>
  Effect.promise(() => {
    const queries = ["lamp", "a", "set of 2", "free shipping", "leather"]
    const searches = queries.flatMap((query): ReadonlyArray<SearchCase> => [
      { id: query, class: "warm-up", tool: "search_products", arguments: { query, sort_by: "price" } },
      { id: query, class: "warm-up", tool: "search_ads", arguments: { query, sort_by: "newest" } }
    ])
    return OpenLoop.run(target, searches, OpenLoop.evenly(searches.length, 4))
  })

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`

/** Bytes of the arrays by what they are of, and how many words there are. */
const tellSizes = ({ list }: Published) => {
  const bytes = new Map<string, number>()
  for (const { array, name } of list.flatMap(arraysOf)) {
    const what = name
      .split(".")
      .slice(0, name.includes(".words.") ? 3 : 2)
      .join(".")
    bytes.set(what, (bytes.get(what) ?? 0) + array.byteLength)
  }
  const words = (of: "products" | "ads") =>
    list.reduce((sum, { segment }) => sum + segment[of].words.textOffsets.length - 1, 0)
  const all = Array.from(bytes.values()).reduce((sum, one) => sum + one, 0)
  return Console.log(
    [
      `${list.length} segments, ${gigabytes(all)} of arrays; words, those of segments added up: ${words("products")} of products, ${words("ads")} of ads`,
      ...Array.from(bytes, ([what, size]) => `  ${what}: ${gigabytes(size)}`)
    ].join("\n")
  )
}

const tellIndex = Effect.fnUntraced(function* (published: Published, perClass: number) {
  yield* tellSizes(published)
  const sample = yield* Sample.read(published)
  const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
  const cases = Cases.generate(sample, { seed: "large", perClass, tools })
  const warmUp = Cases.generate(sample, { seed: "large warm-up", perClass: 5, tools })
  const steal = StealTime.start()
  const rows = IndexTimes.run(published, cases, warmUp, today)
  yield* Console.log(
    Tables.markdown(
      ["tool", "class", "cases", "p50", "p95", "max", "expected / measured"],
      rows.map((row) => [
        row.tool,
        row.class,
        String(row.calls),
        ...[row.p50, row.p95, row.max, row.expected].map((value) => value.toFixed(2))
      ])
    )
  )
  yield* Console.log(`load ${os.loadavg()[0]?.toFixed(1)}, steal time ${Tables.percent(StealTime.share(steal))}`)
})

/** Of one store in `share` all products have another price and all ads another headline. */
const tellImport = Effect.fnUntraced(function* (connection: EmbeddedConnection, indexFolder: string, share: number) {
  const file = path.join(ScaleDatabase.benchFolder, "changed.ndjson")
  const records = yield* ChangedFile.write(file, share)
  const target = yield* Target.start(connection, { indexFolder, workers: 1 })
  yield* Console.log(
    `started in ${(target.startMillis / 1000).toFixed(1)} s, ${(yield* target.cpuSeconds).toFixed(1)} s of CPU`
  )
  const { highestBytes, seconds, summary } = yield* Effect.promise(() => ImportProcess.run(connection, file))
  const version = yield* Changes.newestVersion
  const visible = yield* Changes.visible(target, version)
  yield* Console.log(
    `${summary}\n${records} records in ${seconds.toFixed(1)} s, the import's process took ${gigabytes(highestBytes)}, ` +
      `visible ${visible.toFixed(1)} s after it; the server ${gigabytes(yield* target.residentBytes)}, ` +
      `at most ${gigabytes(yield* target.highestBytes)}`
  )
  yield* Effect.promise(() => fs.rm(file))
}, Effect.scoped)

const large = Command.make(
  "bench:large",
  flags,
  Effect.fnUntraced(function* ({ cases, only, share, shops }) {
    const wanted = new Set(only.split(","))
    const wants = (part: Part) => wanted.has(part)
    const indexFolder = path.join(ScaleDatabase.benchFolder, `index-${shops}`)
    const connection = yield* ScaleDatabase.open(shops, smallerCache)
    yield* Effect.gen(function* () {
      if (wants("start")) yield* Changes.startFromNothing(connection, indexFolder, 1)
      if (wants("index")) yield* tellIndex(yield* ScaleIndex.read(indexFolder), cases)
      if (wants("import")) yield* tellImport(connection, indexFolder, share)
      if (wants("changes")) {
        yield* Console.log(JSON.stringify(yield* Changes.afterStart(connection, indexFolder, 1, warmUp), null, 2))
      }
    }).pipe(Effect.provide(Database.layer({ source: connection, maxConnections: 3, statementTimeoutMillis: 0 })))
  }, Effect.scoped)
)

large.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
