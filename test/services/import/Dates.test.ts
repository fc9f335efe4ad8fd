/** Data of any dates, imported in any order, give what the same data give in the order of their dates. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Importer } from "../../../src/services/import/Importer.ts"
import { Sources } from "../../../src/services/import/Sources.ts"
import { nobody, run } from "../../support/FileImports.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const prices = Schema.Record(Schema.Literals(["a", "b", "c"]), Schema.NullOr(Schema.Literals([1, 2])))

/** What one import says of a store, on a day. */
const Said = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("products"), isComplete: Schema.Boolean, day: int(1, 4), prices }),
  Schema.Struct({
    kind: Schema.Literal("store"),
    day: int(1, 4),
    orders: Schema.NullOr(Schema.Literals([10, 20])),
    count: Schema.NullOr(Schema.Literals([30, 40]))
  }),
  Schema.Struct({ kind: Schema.Literal("visits"), day: int(1, 4), month: int(1, 2), visits: int(1, 9) })
])
type Said = typeof Said.Type

interface Known {
  prices: Record<string, number>
  orders: number | null
  count: number | null
  readonly visits: Record<string, number>
}

const pricesOf = (said: Said): Record<string, number> =>
  said.kind === "products"
    ? Object.fromEntries(Object.entries(said.prices).flatMap(([key, price]) => (price === null ? [] : [[key, price]])))
    : {}

/** Takes everything as it comes. */
const naively = (all: ReadonlyArray<Said>): Known => {
  const known: Known = { prices: {}, orders: null, count: null, visits: {} }
  for (const said of all) {
    if (said.kind === "products") {
      const found = pricesOf(said)
      // A file without products does not name the store.
      if (Object.keys(found).length > 0) known.prices = said.isComplete ? found : { ...known.prices, ...found }
    } else if (said.kind === "store") {
      known.orders = said.orders ?? known.orders
      known.count = said.count ?? known.count
    } else known.visits[said.month] = said.visits
  }
  return known
}

const recordsOf = (said: Said, shop: string): ReadonlyArray<object> => {
  switch (said.kind) {
    case "products":
      return Object.entries(pricesOf(said)).map(([key, price]) => ({ type: "product", shop, key, title: "T", price }))
    case "store":
      return [
        {
          type: "partial_shop",
          domain: shop,
          name: "S",
          country: "DE",
          monthly_orders: said.orders,
          products_count: said.count
        }
      ].map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)))
    case "visits":
      return [{ type: "traffic_month", shop, month: `2026-0${said.month}`, visits: said.visits }]
  }
}

const ndjson = (records: ReadonlyArray<object>) => records.map((record) => JSON.stringify(record)).join("\n")

const storedOf = Effect.fnUntraced(function* (shop: string) {
  const sql = yield* SqlClient.SqlClient
  const [store] = yield* sql`SELECT id, monthly_orders, products_count FROM shop WHERE domain = ${shop}`
  const id = Number(store?.["id"])
  const products = yield* sql`SELECT key, price::float8 FROM product WHERE shop_id = ${id}`
  const months =
    yield* sql`SELECT extract(month FROM month)::int AS month, visits FROM traffic_month WHERE shop_id = ${id}`
  return {
    prices: Object.fromEntries(products.map(({ key, price }) => [key, price])),
    orders: store?.["monthly_orders"],
    count: store?.["products_count"],
    visits: Object.fromEntries(months.map(({ month, visits }) => [month, visits]))
  }
})

const dayOf = (day: number): string => `2026-05-0${day}`

const Services = Layer.merge(Importer.layer, Sources.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(NodeServices.layer)
)

layer(Services, { excludeTestServices: true })("data of any dates", (it) => {
  let stores = 0

  it.effect.prop(
    "give in any order what they give in the order of their dates",
    [Schema.Array(Said).check(Schema.isMinLength(1), Schema.isMaxLength(6))],
    ([all]) =>
      Effect.gen(function* () {
        const shop = `store-${++stores}.com`
        const options = { store: nobody, source: shop }
        yield* run(
          { "store.ndjson": ndjson([{ type: "partial_shop", domain: shop, name: "S", country: "DE" }]) },
          { ...options, asOf: dayOf(0).replace("-00", "-01") }
        )
        for (const said of all) {
          const isComplete = said.kind === "products" && said.isComplete
          const records = recordsOf(said, shop)
          if (records.length === 0) continue
          const { rejects } = yield* run(
            { "data.ndjson": ndjson(records) },
            { ...options, asOf: dayOf(said.day), isComplete }
          )
          assert.deepStrictEqual(rejects, [])
        }
        assert.deepStrictEqual(yield* storedOf(shop), naively(all.toSorted((a, b) => a.day - b.day)))
      }),
    { arbitrary: { runs: 150 } }
  )

  const noTally = { added: 0, changed: 0, removed: 0 }
  const table = (rows: Readonly<Record<string, number>>) =>
    ["Handle,Title,Variant Price", ...Object.entries(rows).map(([key, price]) => `${key},T,${price}`), ""].join("\n")
  const oakline = { ...nobody, domain: "oakline.com", country: "DE", currency: "EUR" }

  it.effect("tell how many of their records are older, and the date of their source does not go back", () =>
    Effect.gen(function* () {
      const sources = yield* Sources
      const options = { store: oakline, source: "oakline" }
      // An export has all products of its store: others are gone.
      yield* run({ "a.csv": table({ a: 1, b: 2 }) }, { ...options, asOf: "2026-06-30" })
      const older = yield* run({ "a.csv": table({ a: 9, c: 3 }) }, { ...options, asOf: "2026-06-29" })
      // Two products, and the store that the command describes.
      assert.deepStrictEqual([older.older, older.tallies.product, older.tallies.shop.changed], [3, noTally, 0])
      assert.deepStrictEqual((yield* storedOf("oakline.com")).prices, { a: 1, b: 2 })
      assert.strictEqual((yield* sources.list).find(({ name }) => name === "oakline")?.as_of, "2026-06-30")
      // Those of the same day count as they come.
      yield* run({ "a.csv": table({ a: 7 }) }, { ...options, asOf: "2026-06-30" })
      assert.deepStrictEqual((yield* storedOf("oakline.com")).prices, { a: 7 })
    })
  )

  it.effect("of complete records fill in what newer data do not give, and make nothing unknown", () =>
    Effect.gen(function* () {
      const options = { store: nobody, source: "whole" }
      const shop = { type: "shop", domain: "whole.com", name: "W", country: "DE" }
      const part = { type: "partial_shop", domain: "whole.com" }
      const take = (record: object, day: string) =>
        Effect.map(run({ "s.ndjson": ndjson([record]) }, { ...options, asOf: day }), ({ older }) => older)
      const figures = Effect.map(storedOf("whole.com"), ({ count, orders }) => [orders, count])
      yield* take({ ...shop, monthly_orders: 1 }, "2026-06-01")
      yield* take({ ...part, monthly_orders: 3 }, "2026-06-03")
      assert.strictEqual(yield* take({ ...shop, monthly_orders: 2, products_count: 2 }, "2026-06-02"), 0)
      assert.deepStrictEqual(yield* figures, [3, 2])
      yield* take({ ...shop }, "2026-06-02")
      assert.deepStrictEqual(yield* figures, [3, 2])
      // A newer one says of all other fields that they are unknown.
      yield* take(shop, "2026-06-04")
      assert.deepStrictEqual(yield* figures, [null, null])
      assert.strictEqual(yield* take({ ...part, monthly_orders: 3 }, "2026-06-03"), 1)
      assert.deepStrictEqual(yield* figures, [null, null])
    })
  )

  it.effect("confirm by an unchanged record what it says, without a change of the record or its stamps", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const options = { store: { ...oakline, domain: "lamp.com" }, source: "lamp" }
      const stamps = sql`
        SELECT s.version, p.version, p.import_id FROM shop s JOIN product p ON p.shop_id = s.id WHERE s.domain = 'lamp.com'`
      const part = (price: number) => ({
        "a.ndjson": ndjson([{ type: "product", shop: "lamp.com", key: "a", title: "T", price }])
      })
      const whole = (price: number) => ({ "a.csv": table({ a: price }) })
      yield* run(whole(1), { ...options, asOf: "2026-06-01" })
      for (const [files, day, next] of [
        [part, "02", "04"],
        [whole, "05", "07"]
      ] as const) {
        yield* run(files(1), { ...options, asOf: `2026-06-${day}` })
        const before = yield* stamps
        const again = yield* run(files(1), { ...options, asOf: `2026-06-${next}` })
        assert.strictEqual(again.tallies.product.changed, 0)
        assert.deepStrictEqual(yield* stamps, before)
        const between = `2026-06-0${Number(day) + 1}`
        assert.isAbove((yield* run(part(2), { ...options, asOf: between })).older, 0)
        assert.deepStrictEqual((yield* storedOf("lamp.com")).prices, { a: 1 })
      }
    })
  )

  it.effect("confirm what a page says that may have all products of its store and has not", () =>
    Effect.gen(function* () {
      const options = { store: { ...oakline, domain: "desk.com" }, source: "desk" }
      // A page of this size may not be the last one.
      const page = (price: string) => ({
        "page.json": {
          products: Array.from({ length: 30 }, (_, at) => ({
            id: at + 1,
            handle: `p-${at}`,
            title: "T",
            variants: [{ price }]
          }))
        }
      })
      yield* run(page("1.00"), { ...options, asOf: "2026-06-01" })
      yield* run(page("1.00"), { ...options, asOf: "2026-06-03" })
      const older = yield* run(page("2.00"), { ...options, asOf: "2026-06-02" })
      assert.deepStrictEqual(older.tallies.product, noTally)
      assert.deepStrictEqual(new Set(Object.values((yield* storedOf("desk.com")).prices)), new Set([1]))
    })
  )

  it.effect("of a whole store remove no product that newer data of a part of it have", () =>
    Effect.gen(function* () {
      const options = { store: { ...oakline, domain: "part.com" }, source: "part" }
      const part = { "a.ndjson": ndjson([{ type: "product", shop: "part.com", key: "b", title: "T", price: 2 }]) }
      yield* run({ "a.csv": table({ a: 1, c: 3 }) }, { ...options, asOf: "2026-06-01" })
      yield* run(part, { ...options, asOf: "2026-06-03" })
      yield* run({ "a.csv": table({ a: 1 }) }, { ...options, asOf: "2026-06-02" })
      assert.deepStrictEqual((yield* storedOf("part.com")).prices, { a: 1, b: 2 })
    })
  )

  it.effect("do not remove by a record what newer data have", () =>
    Effect.gen(function* () {
      const options = { store: nobody, source: "removals" }
      const shop = { type: "shop", domain: "gone.com", name: "G", country: "DE" }
      const product = { type: "product", shop: "gone.com", key: "a", title: "T", price: 1 }
      yield* run({ "a.ndjson": ndjson([shop, product]) }, { ...options, asOf: "2026-06-02" })
      const removals = [
        { type: "removed", record: "product", shop: "gone.com", key: "a" },
        { type: "removed", record: "shop", shop: "gone.com" }
      ]
      const older = yield* run({ "r.ndjson": ndjson(removals) }, { ...options, asOf: "2026-06-01" })
      assert.deepStrictEqual([older.older, older.removals], [2, 0])
      assert.deepStrictEqual((yield* storedOf("gone.com")).prices, { a: 1 })
      const newer = yield* run({ "r.ndjson": ndjson(removals) }, { ...options, asOf: "2026-06-02" })
      assert.deepStrictEqual([newer.older, newer.removals], [0, 2])
    })
  )
})
