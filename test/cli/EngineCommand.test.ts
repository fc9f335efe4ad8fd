/** D109 The commands of the engine, as they are typed. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Console, Effect, Exit, Layer, Option } from "effect"
import { Command } from "effect/cli"
import { engineCommand } from "../../src/cli/EngineCommand.ts"
import { AppConfig } from "../../src/Config.ts"
import { loadCatalog } from "../oracle/loadCatalog.ts"
import { generate } from "../oracle/NaiveCatalog.ts"
import * as ClickHousePackage from "../support/ClickHousePackage.ts"
import * as ClickHouseServer from "../support/ClickHouseServer.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const execute = Command.runWith(Command.make("discovery").pipe(Command.withSubcommands([engineCommand])), {
  version: "0"
})

/** Whether it succeeds, and what it prints. */
const run = Effect.fnUntraced(function* (...words: ReadonlyArray<string>) {
  const live = yield* Console.Console
  const printed: Array<string> = []
  const keep = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
  const console: Console.Console = Object.setPrototypeOf({ log: keep, error: keep }, live)
  const exit = yield* Effect.exit(Effect.provideService(execute(["engine", ...words]), Console.Console, console))
  return { succeeds: Exit.isSuccess(exit), text: printed.join("\n") }
})

const database = Layer.merge(TestDatabase.layer, NodeServices.layer)

layer(Layer.merge(database, AppConfig.layerOf({})), { excludeTestServices: true })("discovery engine", (it) => {
  it.effect("schema prints the statements of one node, or of a cluster", () =>
    Effect.gen(function* () {
      const node = yield* run("schema")
      assert.isTrue(node.succeeds, node.text)
      assert.match(node.text, /CREATE TABLE IF NOT EXISTS product_1 \(/u)
      assert.notInclude(node.text, "ON CLUSTER")
      const cluster = yield* run("schema", "--cluster", "discovery")
      assert.isTrue(cluster.succeeds, cluster.text)
      assert.include(cluster.text, "ENGINE = Distributed(`discovery`")
    })
  )

  it.effect("project and schema --apply say that there is no ClickHouse", () =>
    Effect.gen(function* () {
      for (const words of [
        ["project", "--once"],
        ["schema", "--apply"]
      ]) {
        assert.isFalse((yield* run(...words)).succeeds, words.join(" "))
      }
    })
  )
})

const withEngine = Layer.unwrap(
  Effect.map(ClickHouseServer.ClickHouseServer, ({ settings }) =>
    AppConfig.layerOf({ clickhouse: Option.some(settings) })
  )
).pipe(Layer.provideMerge(ClickHouseServer.layer))

describe.skipIf(!ClickHousePackage.isAvailable)("discovery engine, with ClickHouse", () => {
  layer(Layer.merge(database, withEngine), { excludeTestServices: true, timeout: "1 minute" })("there", (it) => {
    it.effect("schema --apply makes the tables, and project --once publishes the newest version", () =>
      Effect.gen(function* () {
        yield* loadCatalog(generate(3, 12))
        const applied = yield* run("schema", "--apply")
        assert.isTrue(applied.succeeds, applied.text)
        const projected = yield* run("project", "--once")
        assert.isTrue(projected.succeeds, projected.text)
        assert.match(projected.text, /ClickHouse has version \d+ of the catalog/u)
      })
    )
  })
})
