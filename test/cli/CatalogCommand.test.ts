import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Console, Effect, Exit, Layer } from "effect"
import { Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import { catalogCommand } from "../../src/cli/CatalogCommand.ts"
import { AppConfig } from "../../src/Config.ts"
import { CatalogReader } from "../../src/services/search/runtime/CatalogReader.ts"
import * as LocalIndex from "../../src/services/search/runtime/LocalIndex.ts"
import { Snapshots } from "../../src/services/search/runtime/Snapshots.ts"
import { loadCatalog } from "../oracle/loadCatalog.ts"
import { generate } from "../oracle/NaiveCatalog.ts"
import { temporaryFolder } from "../support/PrivatePostgres.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const execute = Command.runWith(Command.make("discovery").pipe(Command.withSubcommands([catalogCommand])), {
  version: "0"
})

/** Whether it succeeds, and what it prints. */
const verify = Effect.gen(function* () {
  const live = yield* Console.Console
  const printed: Array<string> = []
  const keep = (...parts: ReadonlyArray<unknown>) => void printed.push(parts.join(" "))
  const console: Console.Console = Object.setPrototypeOf({ log: keep, error: keep }, live)
  const exit = yield* Effect.exit(Effect.provideService(execute(["catalog", "verify"]), Console.Console, console))
  return { succeeds: Exit.isSuccess(exit), text: printed.join("\n") }
})

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

layer(services, { excludeTestServices: true })("catalog verify", (it) => {
  it.effect("succeeds while index and records agree, and prints the differences otherwise", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* loadCatalog(generate(5, 30))
      const { indexDir } = yield* AppConfig
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { refresh, save } = yield* LocalIndex.indexer({ emit: () => Effect.void })
          yield* refresh
          yield* save
        })
      ).pipe(Effect.provide(Layer.merge(CatalogReader.layer, Snapshots.layer(indexDir))))

      const same = yield* verify
      assert.isTrue(same.succeeds, same.text)
      assert.include(same.text, "The index matches the records (version ")
      for (const [change, back] of unstamped) {
        yield* sql.unsafe(change)
        const different = yield* verify
        assert.isFalse(different.succeeds, change)
        assert.notStrictEqual(different.text, "", change)
        yield* sql.unsafe(back)
        if (back !== "SELECT") assert.isTrue((yield* verify).succeeds, back)
      }
    })
  )
})
