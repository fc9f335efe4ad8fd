/** D109 `catalog verify` with the real engine: after any change behind the projector's back, it names what differs. */
import { assert, describe, layer } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Logger, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ClickHouse } from "../../../../src/services/search/clickhouse/ClickHouse.ts"
import type { EngineState } from "../../../../src/services/search/clickhouse/EngineState.ts"
import { columns, forever, kinds, tableOf } from "../../../../src/services/search/clickhouse/EngineTables.ts"
import type { Kind } from "../../../../src/services/search/clickhouse/EngineTables.ts"
import * as VerifyEngine from "../../../../src/services/search/clickhouse/VerifyEngine.ts"
import { CatalogReader } from "../../../../src/services/search/runtime/CatalogReader.ts"
import { cluster } from "../../../clickhouse/Messages.ts"
import { randomChange } from "../../../oracle/changes.ts"
import { loadCatalog } from "../../../oracle/loadCatalog.ts"
import * as loadEngine from "../../../oracle/loadEngine.ts"
import { generate } from "../../../oracle/NaiveCatalog.ts"
import * as Random from "../../../oracle/Random.ts"
import * as ClickHousePackage from "../../../support/ClickHousePackage.ts"
import * as ClickHouseServer from "../../../support/ClickHouseServer.ts"
import { TestDatabase } from "../../../support/TestDatabase.ts"
import { projector } from "./Projections.ts"

const loaded = Layer.effectDiscard(loadCatalog(generate(2, 25)))
const everything = Layer.mergeAll(loaded, CatalogReader.layer, ClickHouseServer.both).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const cases = Number(process.env["ORACLE_CASES"] ?? 15)

const quiet = Effect.provide(Logger.layer([]))
const refresh = Effect.flatMap(projector(), ({ refresh }) => refresh).pipe(Effect.map(Option.getOrThrow), quiet)
const rebuild = Effect.flatMap(projector(), ({ rebuild }) => rebuild).pipe(quiet)
const sweep = Effect.flatMap(projector({ keep: Duration.zero }), ({ sweep }) => sweep)

/** A page takes several answers of so few rows. */
const verify = (readRows = 1_000) => VerifyEngine.verify(undefined, { attempts: 1, readRows })
const differences = Effect.map(verify(), (verified) => verified.differences)

const Key = Schema.Struct({ id: Schema.Int, shop_id: Schema.Int })

/** The keys of the rows that hold. */
const keysOf = Effect.fnUntraced(function* (kind: Kind, { generation }: EngineState) {
  const client = yield* ClickHouse
  const shop = kind === "store" ? "id AS shop_id" : "shop_id"
  const sql = `SELECT id, ${shop} FROM ${tableOf(kind, generation)} WHERE until_version = ${forever} ORDER BY id`
  return yield* client.query({ name: "keys", sql }, Key)
})

/** Another value of a column of each type. */
const otherValue = (name: string, type: string): string => {
  if (type.startsWith("Array")) return `arrayPushBack(${name}, 'unheard')`
  if (type.includes("String")) return `concat(${name}, 'unheard')`
  if (type === "Float64") return `if(isNaN(${name}), 1, nan)`
  return type === "UInt8" ? `bitXor(${name}, 1)` : `${name} + 1`
}

const facts = (kind: Kind) =>
  Object.entries(columns[kind]).filter(([name]) => !/^(?:id|shop_id|from_version|until_version)$/u.test(name))

const write = (sql: string) =>
  Effect.flatMap(ClickHouse, (client) => client.command({ name: "behind", sql, settings: { mutations_sync: 2 } }))

/** A row once more, with these values. */
const copy = (table: string, holds: string, { version }: EngineState, values: string) =>
  write(
    `INSERT INTO ${table} SELECT * REPLACE (${[`${version} AS from_version`, values].filter(Boolean).join(", ")}) ` +
      `FROM (SELECT * FROM ${table} WHERE ${holds} LIMIT 1)`
  )

const faults = ["deleted", "ended", "twice", "added", "changed"] as const

describe.skipIf(!ClickHousePackage.isAvailable)("catalog verify with ClickHouse", () => {
  layer(everything, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect(
      "finds nothing after any changes that were projected, and after one in the engine alone what it was",
      () =>
        Effect.gen(function* () {
          const random = Random.make(seed)
          yield* refresh
          for (let at = 0; at < cases; at++) {
            yield* randomChange(random)
            const state = yield* refresh
            assert.deepStrictEqual(yield* verify(), { version: state.version, differences: [] })
            const kind = kinds[at % kinds.length] ?? "store"
            const fault = faults[at % faults.length]
            const table = tableOf(kind, state.generation)
            const { id, shop_id: shop } = random.pick(yield* keysOf(kind, state))
            const holds = `id = ${id} AND until_version = ${forever}`
            const named = (id: number) => `  ${kind} ${id}${kind === "store" || shop === 0 ? "" : ` of store ${shop}`}`
            if (fault === "deleted" || fault === "ended") {
              // As if a new row had been lost, of which the one before was.
              const end = `ALTER TABLE ${table} UPDATE until_version = ${state.version} WHERE ${holds}`
              yield* write(fault === "ended" ? end : `DELETE FROM ${table} WHERE ${holds}`)
              assert.deepStrictEqual(yield* differences, [`${kind}s in the records only: 1`, named(id)])
            } else if (fault === "twice") {
              yield* copy(table, holds, state, "")
              assert.deepStrictEqual(yield* differences, [`${kind}s in ClickHouse more than once: 1`, named(id)])
            } else if (fault === "added") {
              yield* copy(table, holds, state, "2147483647 AS id")
              assert.deepStrictEqual(yield* differences, [`${kind}s in ClickHouse only: 1`, named(2_147_483_647)])
            } else {
              const [column, type] = random.pick(facts(kind))
              yield* write(`ALTER TABLE ${table} UPDATE ${column} = ${otherValue(column, type)} WHERE ${holds}`)
              const [first, example, ...more] = yield* differences
              assert.strictEqual(first, `${kind}s with other values: 1`)
              assert.include(example, `${named(id)}: ${column === "words" ? "word_digest" : column} is `)
              assert.deepStrictEqual(more, [])
            }
            yield* rebuild
          }
        }),
      150_000
    )

    it.effect("finds rows wherever no record is, and each of those that are read in parts", () =>
      Effect.gen(function* () {
        const state = yield* refresh
        const own: ReadonlyArray<readonly [kind: Kind, values: string, name: string]> = [
          ["store", "0 AS id", "store 0"],
          ["store", "-3 AS id", "store -3"],
          ["product", "0 AS shop_id, 2000000 AS id", "product 2000000"],
          ["product", "-5 AS shop_id, 2000001 AS id", "product 2000001 of store -5"],
          ["product", "2147483647 AS shop_id, 2000002 AS id", "product 2000002 of store 2147483647"],
          ["ad", "-5 AS shop_id, 2000001 AS id", "ad 2000001 of store -5"],
          ["ad", "0 AS shop_id, -1 AS id", "ad -1"],
          ["ad", "0 AS shop_id, 2147483647 AS id", "ad 2147483647"]
        ]
        for (const [kind, values] of own) {
          yield* copy(tableOf(kind, state.generation), `until_version = ${forever}`, state, values)
        }
        const found = (yield* verify(7)).differences
        assert.deepStrictEqual(
          found.filter((line) => line.startsWith("  ")).toSorted(),
          own.map(([, , name]) => `  ${name}`).toSorted()
        )
        assert.sameMembers(
          found.filter((line) => !line.startsWith("  ")),
          ["stores in ClickHouse only: 2", "products in ClickHouse only: 3", "ads in ClickHouse only: 3"]
        )
        const counts = yield* Effect.forEach(kinds, (kind) => keysOf(kind, state))
        for (const kind of kinds) yield* write(`TRUNCATE TABLE ${tableOf(kind, state.generation)}`)
        const missing = (yield* verify(7)).differences.filter((line) => !line.startsWith("  "))
        const whole = (at: number, more: number) => (counts[at]?.length ?? 0) - more
        assert.deepStrictEqual(missing, [
          `stores in the records only: ${whole(0, 2)}, such as`,
          `products in the records only: ${whole(1, 3)}, such as`,
          `ads in the records only: ${whole(2, 3)}, such as`
        ])
        yield* rebuild
      })
    )

    it.effect("finds niches and highest ids that were not published", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* refresh
        yield* sql`UPDATE niche SET name = name || ' unheard' WHERE id = (SELECT min(id) FROM niche)`
        const [made] = yield* sql<{ id: number }>`
          INSERT INTO shop (domain, domain_extension, name, country) VALUES ('x.example', '.example', 'X', 'FR') RETURNING id`
        const id = made?.id ?? 0
        const [niches, highest, ...stores] = yield* differences
        assert.strictEqual(niches, "the niches differ")
        assert.match(
          highest ?? "",
          new RegExp(`^the highest id of stores is \\d+ in ClickHouse, ${id} in the records$`, "u")
        )
        assert.deepStrictEqual(stores, ["stores in the records only: 1", `  store ${id}`])
        yield* rebuild
        assert.deepStrictEqual(yield* differences, [])
      })
    )

    it.effect("compares one version, whatever is projected and swept meanwhile", () =>
      Effect.gen(function* () {
        const client = yield* ClickHouse
        const random = Random.make(6)
        const before = yield* refresh
        let isFirst = true
        const meanwhile = Effect.gen(function* () {
          for (let changes = 0; changes < 12; changes++) yield* randomChange(random)
          yield* refresh
          yield* sweep
        })
        const context = yield* Effect.context<CatalogReader | ClickHouse | SqlClient.SqlClient>()
        // Outside of the transaction in which the records are read.
        const apart = Effect.promise(() => Effect.runPromiseWith(context)(Effect.scoped(meanwhile)))
        const watched: ClickHouse["Service"] = {
          ...client,
          query: (statement, row) =>
            Effect.suspend(() => {
              const isDue = isFirst && statement.name === "verify"
              isFirst &&= !isDue
              return Effect.andThen(isDue ? apart : Effect.void, client.query(statement, row))
            })
        }
        const found = yield* Effect.provideService(verify(), ClickHouse, watched)
        assert.isFalse(isFirst)
        assert.deepStrictEqual(found, { version: before.version, differences: [] })
        yield* sweep
        const ended = yield* client.query(
          {
            name: "ended",
            sql: `SELECT id FROM ${tableOf("store", before.generation)} WHERE until_version != ${forever}`
          },
          Schema.Struct({ id: Schema.Int })
        )
        assert.deepStrictEqual(ended, [])
      })
    )

    it.effect("waits for the version of the records, and says if it does not come", () =>
      Effect.gen(function* () {
        const before = yield* refresh
        yield* randomChange(Random.make(8))
        const error = yield* Effect.flip(verify())
        assert.strictEqual(error._tag, "EngineBehind")
        assert.include(error.message, `ClickHouse has version ${before.version} of the catalog; the records have`)
        const verifying = yield* Effect.forkChild(VerifyEngine.verify(undefined), { startImmediately: true })
        const { version } = yield* refresh
        assert.deepStrictEqual(yield* Fiber.join(verifying), { version, differences: [] })
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE catalog_version SET token = gen_random_uuid() WHERE version = ${version}`
        assert.include((yield* Effect.flip(verify())).message, "of another history")
        yield* refresh
      })
    )

    it.effect("fails by the error of the engine while it is away", () =>
      Effect.gen(function* () {
        const server = yield* ClickHouseServer.ClickHouseServer
        yield* refresh
        const error = yield* server.during({ kind: "closed" })(Effect.flip(verify()))
        assert.strictEqual(error._tag, "EngineUnreachable")
      })
    )

    it.effect("compares the shards of a cluster", () =>
      Effect.gen(function* () {
        const client = yield* ClickHouse
        const state = yield* refresh
        yield* loadEngine.createTables(client, state.generation, cluster)
        const ofCluster = Effect.map(
          VerifyEngine.verify(cluster, { attempts: 1, readRows: 11 }),
          (verified) => verified.differences
        )
        assert.deepStrictEqual(yield* ofCluster, [])
        const table = tableOf("product", state.generation)
        const last = (yield* keysOf("product", state)).at(-1)
        yield* write(`DELETE FROM ${table} WHERE id = ${last?.id}`)
        assert.deepStrictEqual(yield* ofCluster, [
          "products in the records only: 1",
          `  product ${last?.id} of store ${last?.shop_id}`
        ])
      })
    )
  })
})
