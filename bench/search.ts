/**
 * `npm run bench:search`: searches the scale data through the program as it is run, and writes docs/search-benchmarks.md.
 * `--only` measures one part, and prints it without writing anything.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Database from "../src/services/database/Database.ts"
import * as Cases from "./search/Cases.ts"
import type { CaseClass, CaseOptions } from "./search/Cases.ts"
import * as Latency from "./search/Latency.ts"
import * as Sample from "./search/Sample.ts"
import { tools } from "./search/SearchCase.ts"
import * as Slow from "./search/Slow.ts"
import * as Tables from "./search/Tables.ts"
import * as Target from "./search/Target.ts"

/** What is explained may take its time. */
const explainTimeoutMillis = 120_000

const list = <A extends string>(name: string, known: ReadonlyArray<A>, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.optional,
    Flag.map(
      Option.match({
        onNone: () => known,
        onSome: (text) => known.filter((one) => text.split(",").some((part) => one.includes(part.trim())))
      })
    )
  )

const flags = {
  shops: Flag.Int("shops").pipe(Flag.withDescription("Which data set"), Flag.withDefault(200_000)),
  tools: list("tools", tools, "Parts of names, separated by commas; all without it"),
  classes: list(
    "classes",
    Object.keys(Cases.meanings) as ReadonlyArray<CaseClass>,
    "Parts of names, separated by commas; all without it"
  ),
  seed: Flag.String("seed").pipe(Flag.withDescription("Another seed, other cases"), Flag.withDefault("search")),
  cases: Flag.Int("cases").pipe(Flag.withDescription("Cases of a tool and class"), Flag.withDefault(30)),
  rate: Flag.Finite("rate").pipe(Flag.withDescription("Calls a second of the quiet pass"), Flag.withDefault(6)),
  slow: Flag.Int("slow").pipe(Flag.withDescription("Explain as many of the slowest"), Flag.withDefault(0))
}

const search = Command.make(
  "bench:search",
  flags,
  Effect.fnUntraced(function* ({ cases, classes, rate, seed, shops, slow, tools }) {
    const connection = yield* Target.database(shops)
    const ownPool = Database.layer({
      source: connection,
      maxConnections: 6,
      statementTimeoutMillis: explainTimeoutMillis
    })
    yield* Effect.gen(function* () {
      yield* Target.warm
      const sample = yield* Sample.read
      const options: CaseOptions = { seed, perClass: cases, tools, classes }
      const target = yield* Target.start(connection)
      yield* Latency.prepare(target, sample, options)
      const observations = yield* Latency.observe(target, sample, options, rate)
      const rows = Latency.tabulate(observations, options)
      yield* Console.log(
        Tables.plain(
          ["tool", "class", "calls", "p50", "p95", "p99", "max", "failures"],
          rows.map((row) => [
            row.tool,
            row.class,
            String(row.calls),
            ...[row.p50, row.p95, row.p99, row.max].map(Tables.millis),
            Tables.failures(row.failures)
          ])
        )
      )
      if (slow > 0) yield* Slow.print(observations, slow, target.accountId)
    }).pipe(Effect.provide(ownPool))
  }, Effect.scoped)
)

search.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
