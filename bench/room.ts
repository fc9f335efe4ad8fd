/**
 * `npm run bench:room`: how long searches take while an import of new records runs, beside the same searches while nothing else
 * runs, and how long the import takes with them and without. `--beside` names another checkout, which takes turns with this
 * one. Each import brings new stores. Works on a copy of the scale data, which goes when it ends.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { Prng } from "../demo/Prng.ts"
import * as Database from "../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../src/services/database/EmbeddedPostgres.ts"
import * as ImportFile from "./import/ImportFile.ts"
import * as ImportProcess from "./import/ImportProcess.ts"
import * as SearchLoad from "./import/SearchLoad.ts"
import * as CpuTimes from "./room/CpuTimes.ts"
import * as Cases from "./search/Cases.ts"
import { failuresOf, prepare } from "./search/Latency.ts"
import * as Sample from "./search/Sample.ts"
import * as ScaleDatabase from "./search/ScaleDatabase.ts"
import * as ScaleIndex from "./search/ScaleIndex.ts"
import { tools } from "./search/SearchCase.ts"
import * as StealTime from "./search/StealTime.ts"
import { summarize } from "./search/Summary.ts"
import * as Tables from "./search/Tables.ts"
import * as Target from "./search/Target.ts"

const flags = {
  shops: Flag.Int("shops").pipe(Flag.withDescription("Which data set is there before"), Flag.withDefault(200_000)),
  rows: Flag.Int("rows").pipe(Flag.withDescription("Products in a file"), Flag.withDefault(500_000)),
  rate: Flag.Finite("rate").pipe(Flag.withDescription("Searches a second"), Flag.withDefault(20)),
  seconds: Flag.Finite("seconds").pipe(Flag.withDescription("How long it is quiet"), Flag.withDefault(40)),
  turns: Flag.Int("turns").pipe(Flag.withDescription("Of each program"), Flag.withDefault(2)),
  beside: Flag.String("beside").pipe(
    Flag.withDescription("The folder of another checkout, with its packages"),
    Flag.optional
  ),
  keep: Flag.Boolean("keep").pipe(
    Flag.withDescription("Takes the data set itself instead of a copy, and leaves the new records in it"),
    Flag.withDefault(false)
  )
}

/** A server that follows nothing and merges nothing takes less of a core than this. */
const idleShare = 0.15
const lookMillis = 1_500
const mostLooks = 80
/** How long searches go on after an import, while the server still merges. */
const afterwardsMillis = 20_000
const ticksPerSecond = 100
const warmUpPerClass = 3
const perClass = 30

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const cpuSecondsOf = async (pid: number): Promise<number> => {
  const fields = (await fs.readFile(`/proc/${pid}/stat`, "latin1")).replace(/^.*\) /u, "").split(" ")
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** Until the server has followed the import and merged. */
const settled = async (pid: number): Promise<void> => {
  for (let look = 0; look < mostLooks; look++) {
    const before = await cpuSecondsOf(pid)
    await pause(lookMillis)
    if ((await cpuSecondsOf(pid)) - before < (idleShare * lookMillis) / 1_000) return
  }
}

/** Runs it, and prints what the machine did meanwhile. */
const accounted = async <A>(
  label: string,
  watched: CpuTimes.Watched,
  run: (account: CpuTimes.Account) => Promise<A>
): Promise<A> => {
  const account = CpuTimes.watch(watched)
  const steal = StealTime.start()
  const start = performance.now()
  const result = await run(account)
  const times = Array.from(
    account.end(),
    ([group, { ran, waited }]) => `${group} ${ran.toFixed(1)} (${waited.toFixed(1)})`
  )
  console.log(
    `${label}: ${((performance.now() - start) / 1_000).toFixed(1)} s; steal ${Tables.percent(StealTime.share(steal))}, ` +
      `load ${os.loadavg()[0]?.toFixed(1)}; seconds of CPU (ready and not running): ${times.join("; ")}`
  )
  return result
}

const bench = Command.make(
  "bench:room",
  flags,
  Effect.fnUntraced(function* ({ beside, keep, rate, rows, seconds, shops, turns }) {
    const folder = keep ? ScaleDatabase.benchFolder : yield* ScaleDatabase.copy(shops)
    const dataFolder = keep ? ScaleDatabase.folderOf(shops) : path.join(folder, "data")
    const indexFolder = path.join(folder, "index")
    const programs = [
      ...Option.toArray(beside).map((other) => ({ name: "beside", program: path.resolve(other, "src/main.ts") })),
      { name: "this", program: undefined }
    ]
    const startMillis = yield* Clock.currentTimeMillis
    const today = Math.floor(startMillis / 86_400_000)
    const files = Array.from({ length: 2 * turns * programs.length }, (_, number) =>
      path.join(folder, `${number}.ndjson`)
    )
    for (const [number, file] of files.entries()) {
      const prefix = `${startMillis.toString(36)}-${number}`
      yield* ImportFile.write(file, { products: rows, today, edition: 0, prefix })
    }

    const { connection } = yield* EmbeddedPostgres.make({ dataFolder, flags: ScaleDatabase.settings })
    const [postgres] = (yield* Effect.promise(() =>
      fs.readFile(path.join(dataFolder, "postmaster.pid"), "utf8")
    )).split("\n")
    const options = { seed: "import", perClass, tools }
    const sample = yield* Effect.gen(function* () {
      yield* Target.warm
      return yield* Sample.read(yield* ScaleIndex.read(indexFolder))
    }).pipe(Effect.provide(Database.layer({ source: connection, maxConnections: 4, statementTimeoutMillis: 600_000 })))
    const cases = Cases.shuffled(Cases.generate(sample, options), new Prng("import", "order"))
    const table: Array<ReadonlyArray<string>> = []

    const measure = Effect.fnUntraced(function* ({ name, program }: (typeof programs)[number]) {
      const ofProgram = program === undefined ? {} : { program }
      const target = yield* Target.start(connection, { indexFolder, isAlone: true, ...ofProgram })
      yield* prepare(target, sample, { ...options, perClass: warmUpPerClass })
      const watched = { server: target.pid, postgres: Number(postgres) }
      const rest = Effect.promise(() => settled(target.pid))

      const searched = (phase: string, other: (account: CpuTimes.Account) => Promise<unknown>) =>
        Effect.promise(async () => {
          const { observations } = await accounted(`${name}, ${phase}`, watched, (account) =>
            SearchLoad.during(target, cases, rate, other(account))
          )
          const { calls, max, p50, p95, p99 } = summarize(observations.map(({ millis }) => millis))
          const figures = [String(calls), ...[p50, p95, p99, max].map(Tables.millis)]
          table.push([name, phase, ...figures, Tables.failures(failuresOf(observations))])
        })
      const imported = async (phase: string, account: CpuTimes.Account) => {
        const { seconds } = await ImportProcess.run(connection, files.pop() ?? "", {
          ...ofProgram,
          onStart: account.addImport
        })
        console.log(`${name}, ${phase}: the import took ${seconds.toFixed(1)} s`)
      }

      yield* rest
      yield* searched("quiet", () => pause(seconds * 1_000))
      yield* searched("new records", (account) => imported("with searches", account))
      yield* searched("afterwards", () => Promise.race([settled(target.pid), pause(afterwardsMillis)]))
      yield* rest
      yield* Effect.promise(() =>
        accounted(`${name}, no searches`, watched, (account) => imported("without searches", account))
      )
      yield* rest
    }, Effect.scoped)

    for (let turn = 0; turn < turns; turn++) {
      for (const program of turn % 2 === 0 ? programs : programs.toReversed()) yield* measure(program)
    }
    yield* Console.log(Tables.plain(["program", "", "calls", "p50", "p95", "p99", "max", "failures"], table))
    if (keep) yield* Effect.promise(() => Promise.all(files.map((file) => fs.rm(file))))
  }, Effect.scoped)
)

bench.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
