/** The tables on the real engine, and the rows of records. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { figures } from "../../../../src/domain/catalog/Figures.ts"
import { ClickHouse, Int64 } from "../../../../src/services/search/clickhouse/ClickHouse.ts"
import * as EngineRows from "../../../../src/services/search/clickhouse/EngineRows.ts"
import * as EngineTables from "../../../../src/services/search/clickhouse/EngineTables.ts"
import { tokensOf } from "../../../../src/services/search/clickhouse/EngineWords.ts"
import { CatalogReader } from "../../../../src/services/search/runtime/CatalogReader.ts"
import { cluster } from "../../../clickhouse/Messages.ts"
import { documentWords } from "../../../oracle/documentWords.ts"
import { loadCatalog } from "../../../oracle/loadCatalog.ts"
import { generate } from "../../../oracle/NaiveCatalog.ts"
import * as ClickHousePackage from "../../../support/ClickHousePackage.ts"
import * as ClickHouseServer from "../../../support/ClickHouseServer.ts"
import { TestDatabase } from "../../../support/TestDatabase.ts"
import { projector } from "./Projections.ts"

const catalog = generate(3, 40)
const everything = Layer.mergeAll(
  Layer.effectDiscard(loadCatalog(catalog)),
  CatalogReader.layer,
  ClickHouseServer.both
).pipe(Layer.provideMerge(TestDatabase.layer))

const statements = (name: EngineTables.Cluster) => [
  ...EngineTables.createItems(7, name),
  EngineTables.createState(name),
  EngineTables.dropTable("store_7", name)
]

const command = (sql: string) => Effect.flatMap(ClickHouse, ($) => $.command({ name: "command", sql }))
const numberOf = (sql: string) =>
  Effect.flatMap(ClickHouse, ($) =>
    Effect.map($.query({ name: "number", sql }, Schema.Struct({ n: Int64 })), ([row]) => row?.n)
  )

describe("the rows of a document's words", () => {
  it("have every prefix of each word and the whole word, each once, and no half of a character", () => {
    const texts = [
      ...catalog.shops.flatMap(({ domain, name }) => [name, domain]),
      ...catalog.products.map(({ title }) => title),
      ...catalog.ads.flatMap(({ ad_text, headline, page_name }) => [page_name, headline, ad_text]),
      "T-Shirt iPhone 15 500 ml men's",
      "𝒳𝒴 🛒 🇩🇪 連衣裙 é\u0301 ="
    ]
    for (const text of texts) {
      const expected = new Set<string>()
      for (const word of documentWords([text, "second text"])) {
        const characters = Array.from(word)
        for (const end of characters.keys()) expected.add(characters.slice(0, end + 1).join(""))
        expected.add(`${word}=`)
      }
      const tokens = tokensOf([text, "second text"])
      assert.deepStrictEqual(new Set(tokens), expected, text ?? "")
      assert.isTrue(Array.from(tokens).every((token) => token.isWellFormed()))
    }
  })

  it("have the words of the other documents besides", () => {
    assert.deepStrictEqual(new Set(tokensOf(["ab"], tokensOf(["c"]))), new Set(["a", "ab", "ab=", "c", "c="]))
  })
})

describe.skipIf(!ClickHousePackage.isAvailable)("the tables of the engine", () => {
  layer(everything, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("are made on one node, and once more", () =>
      Effect.gen(function* () {
        for (const sql of [...statements(undefined), ...statements(undefined)]) yield* command(sql)
      })
    )

    it.effect("are made on a cluster, whose statements the engine parses", () =>
      Effect.gen(function* () {
        for (const sql of statements(cluster)) {
          assert.include(sql, `ON CLUSTER \`${cluster}\``)
          yield* command(`EXPLAIN AST ${sql}`)
        }
        const made = statements(cluster)
          .slice(0, -2)
          // What the engine of the tests does not have.
          .map((sql) =>
            sql.replace(` ON CLUSTER \`${cluster}\``, "").replace(/ReplicatedMergeTree\([^)]*\)/u, "MergeTree")
          )
        const settings = { distributed_foreground_insert: 1 }
        for (const sql of made.map((sql) => sql.replaceAll(/_7\b|_7_/gu, (name) => name.replace("7", "8"))))
          yield* command(sql)
        for (const kind of EngineTables.kinds) {
          const client = yield* ClickHouse
          const columns = kind === "store" ? "id" : "shop_id, id"
          const sql = `INSERT INTO ${kind}_8 (${columns}) SELECT ${kind === "store" ? "" : "number, "}number FROM numbers(100)`
          yield* client.command({ name: "spread", sql, settings })
          // Both shards are the same table here.
          assert.strictEqual(yield* numberOf(`SELECT count() AS n FROM ${kind}_8_local`), 100)
          assert.strictEqual(yield* numberOf(`SELECT count() AS n FROM ${kind}_8`), 200)
        }
      })
    )

    it.effect("have the values of the records, exact to the last digit", () =>
      Effect.gen(function* () {
        const client = yield* ClickHouse
        const { refresh } = yield* projector()
        const state = Option.getOrThrow(yield* refresh)
        const reader = yield* CatalogReader
        const numbers = Schema.Struct({ text: Schema.String })
        const expected: Array<string> = []
        yield* reader.use((view) =>
          view.pages("all", ({ stores }) =>
            Effect.sync(() => {
              for (const content of stores) {
                const values = EngineRows.ofContent(content, 1).slice(1, 1 + figures.length)
                expected.push(`${content.store.id}:${values.join(" ")}`)
              }
            })
          )
        )
        const columns = figures.map((figure) => `figure_${figure}`).join(", ")
        const rows = yield* client.query(
          {
            name: "figures",
            sql: `SELECT toString(id) || ':' || arrayStringConcat([${columns}], ' ') AS text FROM ${EngineTables.tableOf("store", state.generation)}`
          },
          numbers
        )
        assert.sameMembers(
          rows.map(({ text }) => text),
          expected
        )
      })
    )
  })
})
