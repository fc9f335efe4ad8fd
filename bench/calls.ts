/**
 * `npm run bench:calls -- --beside <another checkout>`: what calls of tools cost there and here, as CPU of the server and of its PostgreSQL,
 * with the demo data of 20,000 stores, 16 calls at a time.
 *
 * Two starts of the same code differ by up to 15 %, so that both programs start again for each round, in either order, and take
 * turns. Each runs its bundle if there is one (`node ops/build.ts`). Some two minutes a round, and two for the demo data.
 * In the first round PostgreSQL also vacuums the new data, more or less of it in either program.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Schedule } from "effect"
import { Command, Flag } from "effect/cli"
import * as os from "node:os"
import * as path from "node:path"
import * as ServerProcess from "../test/support/ServerProcess.ts"
import * as StealTime from "./search/StealTime.ts"
import * as Tables from "./search/Tables.ts"
import { temporaryFolder } from "./support/BenchDatabase.ts"
import * as DemoServer from "./support/DemoServer.ts"
import * as Load from "./support/Load.ts"
import { median } from "./support/Median.ts"
import * as ProcessCpu from "./support/ProcessCpu.ts"
import * as Trivial from "./support/Trivial.ts"

const flags = {
  beside: Flag.String("beside").pipe(Flag.withDescription("The folder of another checkout, with its packages")),
  rounds: Flag.Int("rounds").pipe(Flag.withDescription("Starts of each program"), Flag.withDefault(6)),
  calls: Flag.Int("calls").pipe(Flag.withDescription("Searches in a turn"), Flag.withDefault(2_000))
}

const concurrency = 16
const turns = 2
/** Calls of `get_usage` for each search: such a call takes about an eighth of the time. */
const perSearch = 8
/** Calls before those that count, as a share of them. */
const warmUp = 0.75

const words = [
  "lamp",
  "cotton",
  "wool",
  "oak",
  "table",
  "summer",
  "black",
  "gift",
  "leather",
  "organic",
  "kids",
  "dress"
]
const countries = ["US", "GB", "DE", "FR", "CA", "AU", "NL", "IT"]

/** Bodies of a tool, one for each of so many. */
const bodies = (count: number, name: string, args: (number: number) => Readonly<Record<string, unknown>>) =>
  Array.from({ length: count }, (_, number) => Trivial.toolCall(name, args(number)))

const wordAt = (number: number) => words[number % words.length]
const countryAt = (number: number) => countries[number % countries.length]

const kinds = [
  {
    label: "ads by a word, three orders",
    bodies: bodies(36, "search_ads", (number) => {
      const order = ["reach", "newest", undefined][number % 3]
      return { query: wordAt(number), ...(order === undefined ? {} : { sort_by: order }) }
    })
  },
  {
    label: "running ads of a country, newest first",
    bodies: bodies(24, "search_ads", (number) => ({
      countries: [countryAt(number)],
      page: 1 + (number % 3),
      sort_by: "newest",
      status: "active"
    }))
  },
  {
    label: "products by a word and a least price",
    bodies: bodies(48, "search_products", (number) => ({ query: wordAt(number), price: { min: 10 + number } }))
  },
  {
    label: "stores of a country",
    bodies: bodies(24, "search_shops", (number) => ({ countries: [countryAt(number)], page: 1 + (number % 3) }))
  },
  { label: "`get_usage`", bodies: [Trivial.body], times: perSearch }
]
type Kind = (typeof kinds)[number]

/** Until searches are answered. */
const start = Effect.fnUntraced(function* (name: string, program: string, folder: string) {
  const port = yield* ServerProcess.freePort
  const settings = {
    PORT: String(port),
    DATA_DIR: folder,
    DEMO_SIZE: "large",
    RATE_LIMIT_PER_MINUTE: "0",
    PLAN_CREDITS_GROWTH: "1000000000",
    PLAN_CREDITS_PRO: "1000000000"
  }
  const server = yield* ServerProcess.start(settings, program)
  const { exitCode, pid } = server.child
  if (exitCode !== null || pid === undefined) {
    return yield* Effect.die(new Error(`${program} ended: ${server.printed()}${server.logged()}`))
  }
  yield* ServerProcess.ready(port).pipe(Effect.retry({ schedule: Schedule.forever, times: 10 }))
  const key = yield* DemoServer.keyOf(folder, "growth, active")
  const peer = {
    name,
    port,
    authorizations: [`Bearer ${key}`],
    cpuMicros: async () => ProcessCpu.ofProcess(pid),
    databaseMicros: () => ProcessCpu.ofDescendants(pid)
  }
  return { peer, end: server.end("SIGTERM") }
})

/** Microseconds a call. */
interface Cost {
  readonly server: number
  readonly database: number
  readonly elapsed: number
}
const figures = ["server", "database", "elapsed"] as const

const costOf = (samples: ReadonlyArray<Load.Sample>): Cost => {
  const mean = (of: (sample: Load.Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  return {
    server: mean(({ cpuMicrosPerCall }) => cpuMicrosPerCall),
    database: mean(({ databaseMicrosPerCall }) => databaseMicrosPerCall),
    elapsed: mean(({ callsPerSecond }) => 1_000_000 / callsPerSecond)
  }
}

const whole = (micros: number): string => Math.round(micros).toLocaleString("en-US")

/** By round; the other program's first. */
const row = ({ label }: Kind, costs: ReadonlyArray<readonly [Cost, Cost]>): ReadonlyArray<string> => [
  label,
  ...figures.map((figure) => {
    const ratios = costs.map(([other, own]) => own[figure] / other[figure])
    const medians = [0, 1].map((place) => whole(median(costs.map((pair) => pair[place]?.[figure] ?? Number.NaN))))
    const span = `${Tables.times(Math.min(...ratios))} to ${Tables.times(Math.max(...ratios))}`
    return `${medians.join(", ")}: ${Tables.times(median(ratios))} (${span})`
  })
]

const bench = Command.make(
  "bench:calls",
  flags,
  Effect.fnUntraced(function* ({ beside, calls, rounds }) {
    const programs = [
      { name: "beside", program: path.resolve(beside, "src/main.ts"), folder: yield* temporaryFolder },
      { name: "this", program: path.resolve(import.meta.dirname, "../src/main.ts"), folder: yield* temporaryFolder }
    ] as const
    const costs = new Map<Kind, Array<readonly [Cost, Cost]>>(kinds.map((kind) => [kind, []]))
    const steal = StealTime.start()

    const round = Effect.fnUntraced(function* (number: number) {
      const started = yield* Effect.forEach(number % 2 === 0 ? programs : programs.toReversed(), (each) =>
        start(each.name, each.program, each.folder)
      )
      const load = (peer: (typeof started)[number]["peer"], { bodies, times = 1 }: Kind, share: number) =>
        Effect.promise(() => Load.run(peer, { bodies, calls: Math.ceil(calls * times * share), concurrency, round: 0 }))
      for (const { peer } of started) for (const kind of kinds) yield* load(peer, kind, warmUp)
      for (const kind of kinds) {
        const samples = new Map<string, Array<Load.Sample>>(programs.map(({ name }) => [name, []]))
        for (let turn = 0; turn < turns; turn++) {
          for (const { peer } of turn % 2 === 0 ? started : started.toReversed()) {
            samples.get(peer.name)?.push(yield* load(peer, kind, 1))
          }
        }
        costs.get(kind)?.push([costOf(samples.get("beside") ?? []), costOf(samples.get("this") ?? [])])
      }
      yield* Effect.forEach(started, ({ end }) => end, { discard: true })
      yield* Console.log(`round ${number + 1} of ${rounds}; load ${os.loadavg()[0]?.toFixed(1)}`)
    }, Effect.scoped)
    for (let number = 0; number < rounds; number++) yield* round(number)

    const head = ["CPU of a call, microseconds, beside and this", "server", "PostgreSQL", "elapsed"]
    yield* Console.log(
      `\n${Tables.markdown(
        head,
        kinds.map((kind) => row(kind, costs.get(kind) ?? []))
      )}\n\n` +
        `Median of ${rounds} starts of each, in brackets the lowest and highest; ${os.availableParallelism()} cores, ` +
        `Node ${process.version}, steal ${Tables.percent(StealTime.share(steal))}.`
    )
  }, Effect.scoped)
)

bench.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
