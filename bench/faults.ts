/**
 * `npm run bench:faults`: kills, freezes, restarts and cuts every part of a small deployment under load, and compares the ledger
 * with what the clients saw. Writes bench/results/faults.md.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as fs from "node:fs/promises"
import { faults } from "./faults/Faults.ts"
import * as Report from "./faults/Report.ts"
import * as Run from "./faults/Run.ts"
import * as Soak from "./faults/Soak.ts"

class Failed extends Schema.TaggedError<Failed>()("Failed", { message: Schema.String }) {}

const page = new URL("./results/faults.md", import.meta.url)
const written = Effect.promise(() => fs.readFile(page, "utf8").catch(() => ""))
const write = (text: string) => Effect.promise(() => fs.writeFile(page, text))

const flags = {
  seed: Flag.String("seed").pipe(Flag.withDescription("Decides the faults and their times"), Flag.withDefault("1")),
  rounds: Flag.Int("rounds").pipe(
    Flag.withDescription("How often every fault comes; one round takes about six minutes"),
    Flag.withDefault(3)
  ),
  only: Flag.String("only").pipe(Flag.withDescription("Faults by name, separated by commas"), Flag.withDefault("")),
  soak: Flag.Finite("soak").pipe(
    Flag.withDescription("Instead of faults: minutes of mixed load with refused and hostile requests"),
    Flag.withDefault(0)
  ),
  keep: Flag.String("keep").pipe(
    Flag.withDescription("A folder that every call and the logs of the servers are written to"),
    Flag.optional
  ),
  products: Flag.Int("products").pipe(
    Flag.withDescription("Products in the file that is imported"),
    Flag.withDefault(10_000)
  )
}

const bench = Command.make(
  "bench:faults",
  flags,
  Effect.fnUntraced(function* ({ keep, only, products, rounds, seed, soak }) {
    const given = process.argv.slice(2)
    // Where a reader would keep it is theirs to say.
    const shown = given.filter((_, index) => ![given[index], given[index - 1]].includes("--keep"))
    const command = ["npm run bench:faults --", ...shown].join(" ")
    const names = only === "" ? undefined : new Set(only.split(","))
    const options = {
      seed,
      rounds,
      faults: faults.filter(({ name }) => names?.has(name) !== false),
      scripts: 8,
      apps: 4,
      people: 6,
      products,
      keep: Option.getOrUndefined(keep),
      tell: (line: string) => void process.stdout.write(`${line}\n`)
    }
    if (soak > 0) {
      const measured = yield* Soak.run(options, soak)
      yield* write(Report.withSoak(yield* written, measured, command))
      yield* Console.log(JSON.stringify(measured, undefined, 2))
      const wrong = Soak.wrong(measured)
      if (wrong.length > 0) return yield* new Failed({ message: wrong.join("\n") })
      return
    }
    const outcome = yield* Run.run(options)
    const text = Report.withFaults(yield* written, outcome, command)
    yield* write(text)
    yield* Console.log(text)
    if (outcome.incidents.length > 0) return yield* new Failed({ message: outcome.incidents.join("\n") })
  })
)

bench.pipe(Command.run({ version: "1" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
