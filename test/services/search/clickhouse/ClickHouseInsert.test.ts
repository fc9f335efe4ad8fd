/** Inserts into ClickHouse: the values arrive as they are, in requests of limited size. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Exit, Schema, Stream } from "effect"
import { ClickHouse, Int64 } from "../../../../src/services/search/clickhouse/ClickHouse.ts"
import type { Row } from "../../../../src/services/search/clickhouse/InsertBody.ts"
import * as ClickHousePackage from "../../../support/ClickHousePackage.ts"
import * as ClickHouseServer from "../../../support/ClickHouseServer.ts"
import { ClickHouseServer as Server } from "../../../support/ClickHouseServer.ts"

const columns = ["id", "text", "list", "price", "missing", "flag"]
const Columns = Schema.Struct({
  id: Schema.BigIntFromString,
  text: Schema.String,
  list: Schema.Array(Schema.String),
  price: Schema.Finite,
  missing: Schema.NullOr(Schema.String),
  flag: Schema.Boolean
})

const create = (table: string) =>
  Effect.flatMap(ClickHouse, ($) =>
    $.command({
      name: "create",
      sql: `CREATE TABLE ${table} (id UInt64, text String, list Array(String), price Float64, missing Nullable(String),
        flag Bool) ENGINE = MergeTree ORDER BY id`
    })
  )

const insert = <E = never>(table: string, rows: Stream.Stream<Row, E>) =>
  Effect.flatMap(ClickHouse, ($) => $.insert({ name: "insert", table, columns, rows }))

const countOf = (table: string) =>
  Effect.flatMap(ClickHouse, ($) => $.query({ name: "count", sql: `SELECT count() AS n FROM ${table}` }, One)).pipe(
    Effect.map(([row]) => row?.n)
  )
const One = Schema.Struct({ n: Int64 })

const rowOf = (id: number): Row => [id, `text ${id}`, ["a", "b"], id / 8, null, true]

describe.skipIf(!ClickHousePackage.isAvailable)("an insert into ClickHouse", () => {
  layer(ClickHouseServer.both)((it) => {
    it.effect("keeps every value", () =>
      Effect.gen(function* () {
        yield* create("kept")
        const text = `"'\\ \t\n\r\0 é 🛒 ","]`
        const rows: ReadonlyArray<Row> = [
          ["18446744073709551615", text, [text, ""], 0.1 + 0.2, text, false],
          [0, "", [], -0.000_001, null, true]
        ]
        assert.strictEqual(yield* insert("kept", Stream.fromIterable(rows)), 2)
        const found = yield* Effect.flatMap(ClickHouse, ($) =>
          $.query({ name: "kept", sql: "SELECT * FROM kept ORDER BY id DESC" }, Columns)
        )
        assert.deepStrictEqual(
          found.map((row) => columns.map((name) => row[name as keyof typeof row])),
          rows.map(([id, ...others]) => [BigInt(String(id)), ...others])
        )
      })
    )

    it.effect("makes a request for each group of rows, and none for no rows", () =>
      Effect.gen(function* () {
        const server = yield* Server
        yield* create("grouped")
        const before = server.seen.length
        const rows = Stream.map(Stream.range(1, 25), rowOf)
        const inserted = insert("grouped", rows).pipe(Effect.provide(ClickHouseServer.client({ insertRows: 10 })))
        assert.strictEqual(yield* inserted, 25)
        assert.lengthOf(server.seen.slice(before), 3)
        assert.strictEqual(yield* insert("grouped", Stream.empty), 0)
        assert.lengthOf(server.seen.slice(before), 3)
        assert.strictEqual(yield* countOf("grouped"), 25)
      })
    )

    it.effect("sends a group that is larger than a chunk of the connection whole", () =>
      Effect.gen(function* () {
        yield* create("many")
        assert.strictEqual(yield* insert("many", Stream.map(Stream.range(1, 30_000), rowOf)), 30_000)
        assert.strictEqual(yield* countOf("many"), 30_000)
      })
    )

    it.effect("fails with the error of its rows, and keeps the groups before it", () =>
      Effect.gen(function* () {
        yield* create("partial")
        const rows = Stream.map(Stream.range(1, 10), rowOf).pipe(Stream.concat(Stream.fail("no more" as const)))
        const error = yield* Effect.flip(
          insert("partial", rows).pipe(Effect.provide(ClickHouseServer.client({ insertRows: 5 })))
        )
        assert.strictEqual(error, "no more")
        assert.strictEqual(yield* countOf("partial"), 10)
      })
    )

    it.effect("is refused whole when the engine refuses a row", () =>
      Effect.gen(function* () {
        yield* create("refused")
        const rows = Stream.make(rowOf(1), ["no number", "", [], 0, null, true])
        const error = yield* Effect.flip(insert("refused", rows))
        assert.strictEqual(error._tag, "EngineFailed")
        assert.strictEqual(yield* countOf("refused"), 0)
      })
    )

    it.effect("sends no number that JSON does not have, which the engine would read as 0", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const before = server.seen.length
        for (const value of [Number.NaN, Number.POSITIVE_INFINITY, [[Number.NEGATIVE_INFINITY]]]) {
          const exit = yield* Effect.exit(insert("kept", Stream.make([value])))
          assert.isTrue(Exit.hasDies(exit))
        }
        assert.lengthOf(server.seen.slice(before), 0)
      })
    )
  })
})
