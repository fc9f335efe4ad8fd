/**
 * `npm run bench:search`: searches the scale data through the program as it is run, and writes docs/search-benchmarks.md
 * from what this run and earlier ones, also on the other size, have measured. `--only` measures one part, and keeps what it
 * finds only with `--save`. For tuning: `--only latency --classes word --rate 2 --slow 3`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { DateTime, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as fs from "node:fs/promises"
import * as Database from "../src/services/database/Database.ts"
import * as Migrations from "../src/services/database/Migrations.ts"
import * as Cases from "./search/Cases.ts"
import type { CaseClass, CaseOptions } from "./search/Cases.ts"
import * as Facts from "./search/Facts.ts"
import * as Latency from "./search/Latency.ts"
import * as Peers from "./search/Peers.ts"
import * as Print from "./search/Print.ts"
import * as Rates from "./search/Rates.ts"
import * as Raw from "./search/Raw.ts"
import * as Report from "./search/Report.ts"
import * as Results from "./search/Results.ts"
import * as Sample from "./search/Sample.ts"
import { tools as everyTool } from "./search/SearchCase.ts"
import * as Slow from "./search/Slow.ts"
import * as Soak from "./search/Soak.ts"
import * as Target from "./search/Target.ts"

const parts = ["latency", "rates", "soak", "raw", "peers", "page"] as const
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

const everyClass = Object.keys(Cases.meanings) as ReadonlyArray<CaseClass>

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
    Flag.withDescription("One part of the benchmark; page writes it anew"),
    Flag.optional
  ),
  save: Flag.Boolean("save").pipe(
    Flag.withDescription("Keep what --only measures, and write the page"),
    Flag.withDefault(false)
  ),
  tools: list("tools", everyTool),
  classes: list("classes", everyClass),
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
    if (Option.contains(only, "page" as const)) return yield* writePage
    const connection = yield* Target.database(shops)
    const ownPool = Migrations.layer.pipe(
      Layer.provideMerge(
        Database.layer({ source: connection, maxConnections: 6, statementTimeoutMillis: explainTimeoutMillis })
      )
    )
    // Of some classes alone, no page could tell whether it is good.
    const isWhole = tools.length === everyTool.length && classes.length === everyClass.length
    const isKept = isWhole && (Option.isNone(only) || save)
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
      const keep = Effect.fnUntraced(function* (found: Results.Parts) {
        if (!isKept) return
        yield* Results.write(yield* Facts.read(shops), found)
        yield* writePage
      })

      if (isWanted("latency")) {
        yield* withServer(
          Effect.fnUntraced(function* (target) {
            const observations = yield* Latency.observe(target, sample, of(""), flags.rate)
            const rows = Latency.tabulate(observations)
            yield* Print.latency(rows)
            yield* keep({ latency: { seed, perSecond: flags.rate, rows } })
            if (flags.slow > 0) yield* Slow.print(observations, flags.slow, target.accountId)
          })
        )
      }
      if (isWanted("raw")) {
        const options = of("raw", Math.min(flags.cases, mostRawCases))
        const raw = yield* withServer((target) => Raw.run(target, sample, options))
        yield* Print.raw(raw)
        yield* keep({ raw: { seed, ...raw } })
      }
      if (isWanted("rates")) {
        const steps = yield* Rates.run(connection, sample, of("rates"))
        yield* keep({ rates: { seed, seconds: Rates.stepSeconds, steps } })
      }
      if (isWanted("soak")) {
        const minutes = Option.getOrElse(flags.soak, () => soakMinutes)
        const soak = yield* withServer((target) => Soak.run(target, sample, of("soak"), minutes, flags.soakRate))
        yield* Print.soak(soak)
        yield* keep({ soak })
      }
      if (isWanted("peers")) {
        const accountId = yield* Target.account(connection)
        const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
        const options = { ...of("peers", flags.peerCases), peers: flags.peers }
        yield* keep({ peers: yield* Peers.run(connection, shops, today, sample, options, accountId) })
      }
    }).pipe(Effect.scoped, Effect.provide(ownPool))
  }, Effect.scoped)
)

search.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
