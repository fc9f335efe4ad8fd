import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Records from "../../../src/domain/catalog/Records.ts"
import { loadBatch } from "../../../src/services/import/BatchLoader.ts"
import type { ImportRow } from "../../../src/services/import/ImportSource.ts"
import { rowsOf } from "../../../src/services/database/Rows.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

interface Step {
  readonly type: "native" | "foreign" | "removed" | "no store" | "store"
  readonly key: string
  readonly alias: string | null
}

const step = (type: Step["type"], key = "a", alias: string | null = null): Step => ({ type, key, alias })

/** Stores are removed seldom: with them, all before was in vain. */
const types = [
  ...([
    "native",
    "native",
    "native",
    "native",
    "foreign",
    "foreign",
    "foreign",
    "removed",
    "removed",
    "removed"
  ] as const),
  ...(["no store", "store"] as const)
]
const RandomStep = Schema.Struct({
  type: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: types.length - 1 })),
  key: Schema.Literals(["a", "b", "c", "1"]),
  alias: Schema.NullOr(Schema.Literals(["1", "2", "3"]))
})

const decodeProducts = rowsOf(
  Schema.Struct({
    id: Schema.Int,
    key: Schema.String,
    alias: Schema.NullOr(Schema.String),
    title: Schema.String,
    url: Schema.NullOr(Schema.String)
  })
)

const shop = "oakline.com"

/** The step as a record of the store. Its title and its address tell it from the others. */
const rowOf = ({ alias, key, type }: Step, line: number): ImportRow => {
  const product = { type: "product", shop, key, alias, title: `${line}`, price: 1 }
  const row = (record: object): ImportRow => ({ line, record: Result.getOrThrow(Records.decode(record)) })
  switch (type) {
    case "native":
      return row({ ...product, url: line % 2 === 0 ? `https://${shop}/${line}` : null })
    case "foreign":
      return { ...row(product), category: null }
    case "removed":
      return row({ type, record: "product", shop, key: alias ?? key })
    case "no store":
      return row({ type: "removed", record: "shop", shop })
    case "store":
      return row({ type: "shop", domain: shop, name: shop, country: "US" })
  }
}

/** Loads the steps in batches of several sizes, and compares the products. The first steps are stored before, one by one. */
const compare = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, stored: number, sizes: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const products = sql`SELECT id, key, alias, title, url FROM product ORDER BY key`.pipe(decodeProducts)
  const load = (rows: ReadonlyArray<ImportRow>) => loadBatch({ sql, version: 1, run: null }, rows)
  const loaded = Effect.fnUntraced(function* (size: number) {
    yield* sql`DELETE FROM shop`
    const rows = [step("store"), ...steps].map((one, line) => rowOf(one, line))
    for (const row of rows.slice(0, stored + 1)) yield* load([row])
    const before = yield* products
    for (let at = stored + 1; at < rows.length; at += size) yield* load(rows.slice(at, at + size))
    return (yield* products).map((product) => ({
      ...product,
      id: before.findIndex(({ id }) => id === product.id)
    }))
  })
  const alone = yield* loaded(1)
  for (const size of sizes) assert.deepStrictEqual(yield* loaded(size), alone)
  return alone.map(({ id, key }) => [id, key])
})

layer(TestDatabase.layer)("products of a batch", (it) => {
  it.effect("are removed by the names that they have by then, and may change their keys in a circle", () =>
    Effect.gen(function* () {
      const stored = [step("native", "a", "1"), step("native", "b", "2")]
      const left = (...steps: ReadonlyArray<Step>) => compare([...stored, ...steps], 2, [2, 3])
      assert.deepStrictEqual(yield* left(step("native", "b", "1"), step("removed", "a")), [[1, "b"]])
      assert.deepStrictEqual(yield* left(step("native", "c", "1"), step("removed", "a")), [
        [1, "b"],
        [0, "c"]
      ])
      assert.deepStrictEqual(yield* left(step("native", "a", "3"), step("foreign", "c", "3")), [
        [1, "b"],
        [0, "c"]
      ])
      const circle = [step("native", "c", "1"), step("foreign", "a", "2"), step("native", "b", "1")]
      assert.deepStrictEqual(yield* left(...circle), [
        [1, "a"],
        [0, "b"]
      ])
    })
  )

  it.effect.prop(
    "are the same wherever a batch begins, whatever records rename, remove and add again",
    [
      Schema.Array(RandomStep).check(Schema.isMinLength(2), Schema.isMaxLength(12)),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 })),
      Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 5 }))
    ],
    ([random, stored, size]) => {
      const steps = random.map(({ alias, key, type }) => step(types[type] ?? "native", key, alias))
      return compare(steps, stored, [size, steps.length])
    },
    { arbitrary: { runs: 100 } }
  )
})
