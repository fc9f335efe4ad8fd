/**
 * `npm run bench:search`: searches the scale data through the program as it is run, and writes bench/results/searches.md
 * from what this run and earlier ones, also on the other size, have measured. `--only` measures one part, and keeps what it
 * finds only with `--save`. For tuning: `--only latency --classes word --rate 20`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, DateTime, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as Database from "../src/services/database/Database.ts"
import * as Migrations from "../src/services/database/Migrations.ts"
import * as Cases from "./search/Cases.ts"
import type { CaseOptions } from "./search/Cases.ts"
import * as Changes from "./search/Changes.ts"
import * as FacetTimes from "./search/FacetTimes.ts"
import * as Facts from "./search/Facts.ts"
import * as Latency from "./search/Latency.ts"
import * as Peers from "./search/Peers.ts"
import * as Print from "./search/Print.ts"
import * as Rates from "./search/Rates.ts"
import * as Report from "./search/Report.ts"
import * as Results from "./search/Results.ts"
import * as Sample from "./search/Sample.ts"
import * as ScaleIndex from "./search/ScaleIndex.ts"
import { tools as everyTool } from "./search/SearchCase.ts"
import * as Soak from "./search/Soak.ts"
import * as StealTime from "./search/StealTime.ts"
import * as Target from "./search/Target.ts"

const parts = ["latency", "rates", "facets", "peers", "soak", "changes", "page"] as const
type Part = (typeof parts)[number]

/** Peers may take their time. */
const timeoutMillis = 600_000
const soakMinutes = 10
const warmUpPerClass = 5
const facetCases = 20
/** The page's own size, and the one that it is compared with. */
const pageShops = 200_000
const tenth = 20_000

const { everyClass } = Cases

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
  only: Flag.Literals("only", parts).pipe(
    Flag.withDescription("One part of the benchmark; page writes it again"),
    Flag.optional
  ),
  save: Flag.Boolean("save").pipe(
    Flag.withDescription("Keep what --only measures, and write the page"),
    Flag.withDefault(false)
  ),
  tools: list("tools", everyTool),
  classes: list("classes", everyClass),
  seed: Flag.String("seed").pipe(Flag.withDescription("Another seed, other cases"), Flag.withDefault("search")),
  cases: Flag.Int("cases").pipe(Flag.withDescription("Cases of a tool and class"), Flag.withDefault(100)),
  peers: list("peers", Peers.names),
  peerCases: Flag.Int("peer-cases").pipe(Flag.withDescription("The same, beside peers"), Flag.withDefault(30)),
  rate: Flag.Finite("rate").pipe(Flag.withDescription("Calls a second of the quiet pass"), Flag.withDefault(4)),
  soak: Flag.Finite("soak").pipe(
    Flag.withDescription(`Minutes to watch the server's memory; without it only --only soak does, for ${soakMinutes}`),
    Flag.optional
  ),
  soakRate: Flag.Finite("soak-rate").pipe(
    Flag.withDescription("Calls a second while it is watched"),
    Flag.withDefault(40)
  ),
  seconds: Flag.Int("seconds").pipe(Flag.withDescription("How long each rate is kept up"), Flag.withDefault(30)),
  workers: Flag.String("workers").pipe(
    Flag.withDescription("Threads that search, numbers separated by commas; each is measured"),
    Flag.withDefault("1,2"),
    Flag.map((text) => text.split(",").map(Number))
  )
}

const writePage = Effect.gen(function* () {
  const large = yield* Results.read(pageShops)
  const small = yield* Results.read(tenth)
  const measured = Option.orElse(large, () => small)
  if (Option.isNone(measured)) return
  const page = Report.page(measured.value, Option.isSome(large) ? small : Option.none())
  yield* Effect.promise(() => fs.writeFile(new URL("./results/searches.md", import.meta.url), page))
})

const search = Command.make(
  "bench:search",
  flags,
  Effect.fnUntraced(function* ({ classes, only, save, seed, shops, tools, workers, ...flags }) {
    if (Option.contains(only, "page" as const)) return yield* writePage
    // Of some classes alone, no page could tell whether it is good.
    const isWhole = tools.length === everyTool.length && classes.length === everyClass.length
    const isKept = isWhole && (Option.isNone(only) || save)
    const isWanted = (part: Part) =>
      Option.match(only, { onNone: () => part !== "soak" || Option.isSome(flags.soak), onSome: (one) => one === part })
    const of = (part: string, perClass = flags.cases): CaseOptions => ({
      seed: part === "" ? seed : `${seed} ${part}`,
      perClass,
      tools,
      classes
    })
    const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
    const [fewest = 1] = workers

    const { facts, sample } = yield* Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* Target.database(shops)
        const ownPool = Migrations.layer.pipe(
          Layer.provideMerge(
            Database.layer({ source: connection, maxConnections: 6, statementTimeoutMillis: timeoutMillis })
          )
        )
        return yield* Effect.gen(function* () {
          yield* Target.warm
          const published = yield* ScaleIndex.read()
          const sample = yield* Sample.read(published)
          const facts = yield* Facts.read(shops)
          const keep = keeper(facts, isKept)
          const withServer = <A, E, R>(use: (target: Target.Target) => Effect.Effect<A, E, R>) =>
            Effect.gen(function* () {
              const target = yield* Target.start(connection, { workers: fewest })
              yield* Latency.prepare(target, sample, of("", warmUpPerClass))
              return yield* use(target)
            }).pipe(Effect.scoped)

          if (isWanted("latency")) {
            const latency = yield* keep(
              withServer(
                Effect.fnUntraced(function* (target) {
                  yield* target.loopDelay
                  const observations = yield* Latency.observe(target, sample, of(""), flags.rate)
                  const delay = yield* target.loopDelay
                  return {
                    latency: {
                      seed,
                      perSecond: flags.rate,
                      ...Latency.over(observations),
                      loop99: delay.p99,
                      loopMax: delay.max,
                      rows: Latency.tabulate(observations)
                    }
                  }
                })
              )
            )
            yield* Print.latency(latency.latency.rows)
          }
          if (isWanted("rates")) {
            for (const threads of workers) {
              yield* Console.log(`${threads} search ${threads === 1 ? "thread" : "threads"}`)
              yield* keep(
                Effect.map(
                  Rates.run(connection, sample, of("rates"), { seconds: flags.seconds, workers: threads }),
                  (steps) => ({
                    rates: [{ workers: threads, seed, seconds: flags.seconds, steps }]
                  })
                )
              )
            }
          }
          if (isWanted("facets")) {
            const cases = Cases.generate(sample, of("facets", Math.min(flags.cases, facetCases)))
            const warmUp = Cases.generate(sample, of("facets warm-up", warmUpPerClass))
            const { facets } = yield* keep(
              Effect.sync(() => ({ facets: FacetTimes.run(published, cases, warmUp, today) }))
            )
            yield* Print.facets(facets)
          }
          if (isWanted("soak")) {
            const minutes = Option.getOrElse(flags.soak, () => soakMinutes)
            const { soak } = yield* keep(
              Effect.map(
                withServer((target) => Soak.run(target, sample, of("soak"), minutes, flags.soakRate)),
                (soak) => ({ soak })
              )
            )
            yield* Print.soak(soak)
          }
          if (isWanted("peers")) {
            for (const name of flags.peers) {
              const known = classes.filter((one) => Peers.classes.includes(one))
              const options = { ...of("peers", flags.peerCases), classes: known, peers: [name] }
              yield* keep(
                Effect.map(Peers.run(connection, shops, today, published, sample, options), (peers) => ({ peers }))
              )
            }
          }
          return { facts, sample }
        }).pipe(Effect.scoped, Effect.provide(ownPool))
      })
    )
    // On a copy of the data: its server must not run.
    if (isWanted("changes")) {
      const { changes } = yield* keeper(
        facts,
        isKept
      )(Effect.map(Changes.run(shops, sample, fewest), (changes) => ({ changes })))
      yield* Console.log(JSON.stringify(changes, null, 2))
    }
  }, Effect.scoped)
)

/** Notes the machine's load, the higher one of before and after each part, and its steal time. */
const keeper =
  (facts: Effect.Success<ReturnType<typeof Facts.read>>, isKept: boolean) =>
  <A extends Results.Parts, E, R>(measure: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const [before = Number.NaN] = os.loadavg()
      const start = StealTime.start()
      const found = yield* measure
      const steal = StealTime.share(start)
      const [after = Number.NaN] = os.loadavg()
      if (isKept) {
        yield* Results.write(facts, found, { load: Math.max(before, after), steal })
        yield* writePage
      }
      return found
    })

search.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
