import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Console, Effect, Exit, Layer, Option } from "effect"
import { Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import { catalogCommand } from "../../src/cli/CatalogCommand.ts"
import { engineCommand } from "../../src/cli/EngineCommand.ts"
import { AppConfig } from "../../src/Config.ts"
import { CatalogReader } from "../../src/services/search/runtime/CatalogReader.ts"
import * as LocalIndex from "../../src/services/search/runtime/LocalIndex.ts"
import { Snapshots } from "../../src/services/search/runtime/Snapshots.ts"
import { loadCatalog } from "../oracle/loadCatalog.ts"
import { generate } from "../oracle/NaiveCatalog.ts"
import * as ClickHousePackage from "../support/ClickHousePackage.ts"
import * as ClickHouseServer from "../support/ClickHouseServer.ts"
import { temporaryFolder } from "../support/PrivatePostgres.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const execute = Command.runWith(
  Command.make("discovery").pipe(Command.withSubcommands([catalogCommand, engineCommand])),
  {
    version: "0"
  }
)

/** Whether it succeeds, and what it prints. */
const run = Effect.fnUntraced(function* (...words: ReadonlyArray<string>) {
  const live = yield* Console.Console
  const printed: Array<string> = []
  const keep = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
  const console: Console.Console = Object.setPrototypeOf({ log: keep, error: keep }, live)
  const exit = yield* Effect.exit(Effect.provideService(execute(words), Console.Console, console))
  return { succeeds: Exit.isSuccess(exit), text: printed.join("\n") }
})
const verify = run("catalog", "verify")

const services = Layer.unwrap(Effect.map(temporaryFolder, (indexDir) => AppConfig.layerOf({ indexDir }))).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(NodeServices.layer)
)

/** Changes that an import would have stamped, each with what takes it back. */
const unstamped: ReadonlyArray<readonly [change: string, back: string]> = [
  ["UPDATE product SET price = price * 2", "UPDATE product SET price = price / 2"],
  ["UPDATE product SET title = title || ' unheard'", "UPDATE product SET title = left(title, -8)"],
  ["UPDATE ad SET is_active = NOT is_active", "UPDATE ad SET is_active = NOT is_active"],
  ["UPDATE ad SET started_on = started_on - 1", "UPDATE ad SET started_on = started_on + 1"],
  ["UPDATE shop SET apps = apps || '{Unheard}'", "UPDATE shop SET apps = array_remove(apps, 'Unheard')"],
  ["UPDATE shop SET created_on = created_on - 1", "UPDATE shop SET created_on = created_on + 1"],
  ["UPDATE traffic_month SET visits = visits + 1", "UPDATE traffic_month SET visits = visits - 1"],
  ["UPDATE niche SET name = name || ' unheard'", "UPDATE niche SET name = left(name, -8)"],
  ["DELETE FROM ad WHERE id = (SELECT min(id) FROM ad)", "SELECT"]
]

/** While what is searched and records agree, and after each change. */
const verifyChanges = Effect.fnUntraced(function* (agreement: RegExp) {
  const sql = yield* SqlClient.SqlClient
  const same = yield* verify
  assert.isTrue(same.succeeds, same.text)
  assert.match(same.text, agreement)
  for (const [change, back] of unstamped) {
    yield* sql.unsafe(change)
    const different = yield* verify
    assert.isFalse(different.succeeds, change)
    assert.notStrictEqual(different.text, "", change)
    yield* sql.unsafe(back)
    if (back !== "SELECT") assert.isTrue((yield* verify).succeeds, back)
  }
})

layer(services, { excludeTestServices: true })("catalog verify", (it) => {
  it.effect("succeeds while index and records agree, and prints the differences otherwise", () =>
    Effect.gen(function* () {
      yield* loadCatalog(generate(5, 30))
      const { indexDir } = yield* AppConfig
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { refresh, save } = yield* LocalIndex.indexer({ emit: () => Effect.void })
          yield* refresh
          yield* save
        })
      ).pipe(Effect.provide(Layer.merge(CatalogReader.layer, Snapshots.layer(indexDir))))

      yield* verifyChanges(/^The index matches the records \(version /u)
    })
  )
})

const withEngine = Layer.unwrap(
  Effect.map(ClickHouseServer.ClickHouseServer, ({ settings }) =>
    AppConfig.layerOf({ searchEngine: "clickhouse", clickhouse: Option.some(settings) })
  )
).pipe(
  Layer.provideMerge(ClickHouseServer.layer),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(NodeServices.layer)
)

describe.skipIf(!ClickHousePackage.isAvailable)("catalog verify, with ClickHouse", () => {
  layer(withEngine, { excludeTestServices: true, timeout: "1 minute" })("there", (it) => {
    it.effect("D109 succeeds while it and records agree, and prints the differences until it is built again", () =>
      Effect.gen(function* () {
        yield* loadCatalog(generate(5, 30))
        assert.isTrue((yield* run("engine", "project", "--once")).succeeds)
        yield* verifyChanges(/^ClickHouse matches the records \(version \d+\)\.$/u)
        const { text } = yield* verify
        assert.match(text, /^ads in ClickHouse only: 1\n {2}ad \d+.*\n[^]*engine project --rebuild/u)
        assert.isTrue((yield* run("engine", "project", "--rebuild")).succeeds)
        assert.isTrue((yield* verify).succeeds)
      })
    )
  })
})
