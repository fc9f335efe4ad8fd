/**
 * `npm run bench:search`: searches the scale data through the program as it is run, and writes docs/search-benchmarks.md
 * from what this run and earlier ones on other sizes have measured. `--only` measures one part, and keeps what it finds
 * only with `--save`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, DateTime, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as fs from "node:fs/promises"
import * as Database from "../src/services/database/Database.ts"
import * as Migrations from "../src/services/database/Migrations.ts"
import * as Cases from "./search/Cases.ts"
import type { CaseClass, CaseOptions } from "./search/Cases.ts"
import * as Facts from "./search/Facts.ts"
import * as Latency from "./search/Latency.ts"
import * as Peers from "./search/Peers.ts"
import * as Rates from "./search/Rates.ts"
import * as Raw from "./search/Raw.ts"
import * as Report from "./search/Report.ts"
import * as Results from "./search/Results.ts"
import * as Sample from "./search/Sample.ts"
import { tools } from "./search/SearchCase.ts"
import * as Slow from "./search/Slow.ts"
import * as Soak from "./search/Soak.ts"
import * as Tables from "./search/Tables.ts"
import * as Target from "./search/Target.ts"

const parts = ["latency", "rates", "soak", "raw", "peers"] as const
type Part = (typeof parts)[number]

/** What is explained may take its time. */
const explainTimeoutMillis = 120_000
const soakMinutes = 10
const warmUpPerClass = 5
/** Each is searched for three times. */
const mostRawCases = 20
/** The page's own size, and the one that it is compared with. */
const pageShops = 200_000
const tenth = 20_000

const list = <A extends string>(name: string, known: ReadonlyArray<A>): Flag.Flag<ReadonlyArray<A>> =>
  Flag.String(name).pipe(
    Flag.withDescription("Parts of names, separated by commas; all without it"),
    Flag.optional,
    Flag.map(
      Option.match({
        onNone: () => known,
        onSome: (text) => known.filter((one) => text.split(",").some((part) => one.includes(part.trim())))
      })
    )
  )

const flags = {
  shops: Flag.Int("shops").pipe(Flag.withDescription("Which data set"), Flag.withDefault(pageShops)),
  only: Flag.Literals("only", parts).pipe(Flag.withDescription("One part of the benchmark"), Flag.optional),
  save: Flag.Boolean("save").pipe(
    Flag.withDescription("Keep what --only measures, and write the page"),
    Flag.withDefault(false)
  ),
  tools: list("tools", tools),
  classes: list("classes", Object.keys(Cases.meanings) as ReadonlyArray<CaseClass>),
  seed: Flag.String("seed").pipe(Flag.withDescription("Another seed, other cases"), Flag.withDefault("search")),
  cases: Flag.Int("cases").pipe(Flag.withDescription("Cases of a tool and class"), Flag.withDefault(30)),
  peers: list("peers", Peers.names),
  peerCases: Flag.Int("peer-cases").pipe(Flag.withDescription("The same, beside peers"), Flag.withDefault(5)),
  rate: Flag.Finite("rate").pipe(Flag.withDescription("Calls a second of the quiet pass"), Flag.withDefault(4)),
  soak: Flag.Finite("soak").pipe(
    Flag.withDescription(`Minutes to watch the server's memory; without it only --only soak does, for ${soakMinutes}`),
    Flag.optional
  ),
  soakRate: Flag.Finite("soak-rate").pipe(
    Flag.withDescription("Calls a second while it is watched"),
    Flag.withDefault(40)
  ),
  slow: Flag.Int("slow").pipe(Flag.withDescription("Explain as many of the slowest"), Flag.withDefault(0))
}

const printLatency = (rows: ReadonlyArray<Results.LatencyRow>) =>
  Console.log(
    Tables.plain(
      ["tool", "class", "calls", "mean", "p50", "p95", "p99", "max", "failures"],
      rows.map((row) => [
        row.tool,
        row.class,
        String(row.calls),
        ...[row.mean, row.p50, row.p95, row.p99, row.max].map(Tables.millis),
        Tables.failures(row.failures)
      ])
    )
  )

const printRaw = ({ ofLongOnes, overall, rows }: Pick<typeof Results.Raw.Type, "ofLongOnes" | "overall" | "rows">) =>
  Console.log(
    Tables.plain(
      ["tool", "class", "cases", "tool call", "by hand", "ratio", "added"],
      rows.map((row) => [
        row.tool,
        row.class,
        String(row.cases),
        Tables.millis(row.tool50),
        Tables.millis(row.raw50),
        Tables.times(row.ratio),
        Tables.millis(row.addedMillis)
      ])
    ) + `\nall together ${Tables.times(overall)}, statements of 10 ms or more ${Tables.times(ofLongOnes)}`
  )

const printSoak = (soak: Results.Soak) =>
  Console.log(
    `${soak.calls} calls, p95 ${Tables.millis(soak.p95)} ms ${Tables.failures(soak.failures)}; MiB: ` +
      [soak.firstMinute, soak.lastMinute, soak.lowest, soak.highest]
        .map((one) => (one / 2 ** 20).toFixed(0))
        .join(", ") +
      ` (first minute, last minute, lowest, highest), ${(soak.slopePerMinute / 2 ** 20).toFixed(2)} a minute`
  )

const writePage = Effect.gen(function* () {
  const large = yield* Results.read(pageShops)
  const small = yield* Results.read(tenth)
  const measured = Option.orElse(large, () => small)
  if (Option.isNone(measured)) return
  const page = Report.page(measured.value, Option.isSome(large) ? small : Option.none())
  yield* Effect.promise(() => fs.writeFile(new URL("../docs/search-benchmarks.md", import.meta.url), page))
})

const search = Command.make(
  "bench:search",
  flags,
  Effect.fnUntraced(function* ({ classes, only, save, seed, shops, tools, ...flags }) {
    const connection = yield* Target.database(shops)
    const ownPool = Migrations.layer.pipe(
      Layer.provideMerge(
        Database.layer({ source: connection, maxConnections: 6, statementTimeoutMillis: explainTimeoutMillis })
      )
    )
    const isWanted = (part: Part) =>
      Option.match(only, { onNone: () => part !== "soak" || Option.isSome(flags.soak), onSome: (one) => one === part })

    yield* Effect.gen(function* () {
      yield* Target.warm
      const sample = yield* Sample.read
      const of = (part: string, perClass = flags.cases): CaseOptions => ({
        seed: part === "" ? seed : `${seed} ${part}`,
        perClass,
        tools,
        classes
      })
      /** Each part has a server of its own, which remembers nothing of the others' cases. */
      const withServer = <A, E, R>(use: (target: Target.Target) => Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          const target = yield* Target.start(connection)
          yield* Latency.prepare(target, sample, of("", warmUpPerClass))
          return yield* use(target)
        }).pipe(Effect.scoped)
      const found: { -readonly [Key in keyof Results.Parts]: Results.Parts[Key] } = {}

      if (isWanted("latency")) {
        found.latency = yield* withServer(
          Effect.fnUntraced(function* (target) {
            const observations = yield* Latency.observe(target, sample, of(""), flags.rate)
            const rows = Latency.tabulate(observations)
            yield* printLatency(rows)
            if (flags.slow > 0) yield* Slow.print(observations, flags.slow, target.accountId)
            return { seed, perSecond: flags.rate, rows }
          })
        )
      }
      if (isWanted("raw")) {
        const raw = yield* withServer((target) =>
          Raw.run(target, sample, of("raw", Math.min(flags.cases, mostRawCases)))
        )
        found.raw = { seed, ...raw }
        yield* printRaw(raw)
      }
      if (isWanted("rates")) {
        found.rates = { seed, seconds: Rates.stepSeconds, steps: yield* Rates.run(connection, sample, of("rates")) }
      }
      if (isWanted("soak")) {
        const minutes = Option.getOrElse(flags.soak, () => soakMinutes)
        found.soak = yield* withServer((target) => Soak.run(target, sample, of("soak"), minutes, flags.soakRate))
        yield* printSoak(found.soak)
      }
      if (isWanted("peers")) {
        const accountId = yield* Target.account(connection)
        const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
        found.peers = yield* Peers.run(
          connection,
          shops,
          today,
          sample,
          { ...of("peers", flags.peerCases), peers: flags.peers },
          accountId
        )
      }
      if (Option.isNone(only) || save) {
        yield* Results.write(yield* Facts.read(shops), found)
        yield* writePage
      }
    }).pipe(Effect.scoped, Effect.provide(ownPool))
  }, Effect.scoped)
)

search.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
