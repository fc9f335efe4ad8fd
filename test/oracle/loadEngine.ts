/** Writes the rows of a catalog to ClickHouse, without a database and a projector, and publishes versions of it. */
import { Effect, Stream } from "effect"
import type { ClickHouse } from "../../src/services/search/clickhouse/ClickHouse.ts"
import * as EngineRows from "../../src/services/search/clickhouse/EngineRows.ts"
import * as EngineTables from "../../src/services/search/clickhouse/EngineTables.ts"
import type { Kind } from "../../src/services/search/clickhouse/EngineTables.ts"
import type { Row } from "../../src/services/search/clickhouse/InsertBody.ts"
import { itemFigures } from "../../src/services/search/index/StoreColumns.ts"
import type { NaiveCatalog } from "./NaiveCatalog.ts"
import { contents } from "./segments.ts"

type Engine = ClickHouse["Service"]

const command = (engine: Engine, sql: string) => engine.command({ name: "create", sql })

/** What decides on the shard, for the halves of a table. */
const shardOf: Readonly<Record<Kind, string>> = {
  store: "intHash32(id)",
  product: "intHash32(shop_id)",
  ad: "intHash32(if(shop_id = 0, id, shop_id))"
}

/**
 * The tables of a generation on one node; on a cluster whose shards are all this engine, `<table>_local` is what a shard of it has.
 */
export const createTables = (engine: Engine, generation: number, cluster: string) =>
  Effect.gen(function* () {
    yield* command(engine, EngineTables.createState(undefined))
    for (const sql of EngineTables.createItems(generation, undefined)) yield* command(engine, sql)
    for (const kind of EngineTables.kinds) {
      const view = EngineTables.localTableOf(kind, generation, cluster)
      const table = EngineTables.tableOf(kind, generation)
      yield* command(
        engine,
        `CREATE VIEW IF NOT EXISTS ${view} AS SELECT * FROM ${table} WHERE ${shardOf[kind]} % greatest(shardCount(), 1) = shardNum() - 1`
      )
    }
  })

const rowsOf = (catalog: NaiveCatalog, version: number): Readonly<Record<Kind, ReadonlyArray<Row>>> => {
  const { pseudoStores, stores } = contents(catalog)
  return {
    store: stores.map((content) => EngineRows.ofStore(content.store, itemFigures(content), version)),
    product: stores.flatMap((content) => EngineRows.ofProducts(content, version)),
    ad: [...pseudoStores, ...stores].flatMap((content) => EngineRows.ofAds(content, version))
  }
}

export interface Held {
  readonly generation: number
  readonly from: number
  readonly until?: number
}

/** Rows that hold from a version until another one. */
export const load = (engine: Engine, catalog: NaiveCatalog, { from, generation, until = EngineTables.forever }: Held) =>
  Effect.forEach(
    Object.entries(rowsOf(catalog, from)),
    ([kind, rows]) =>
      engine.insert({
        name: "load",
        table: `${kind}_${generation}`,
        columns: EngineRows.namesOf(kind as Kind),
        // The end of a row is its last column.
        rows: Stream.fromIterable(rows.map((row) => [...row.slice(0, -1), until]))
      }),
    { discard: true }
  )

const highest = (items: ReadonlyArray<{ readonly id: number }>) => items.reduce((most, { id }) => Math.max(most, id), 0)

let sequence = 0

export const publish = (engine: Engine, catalog: NaiveCatalog, generation: number, version: number) =>
  engine.insert({
    name: "publish",
    table: EngineTables.stateTable,
    columns: Object.keys(EngineTables.stateColumns),
    rows: Stream.fromIterable([
      [
        generation,
        version,
        "00000000-0000-0000-0000-000000000000",
        "token",
        JSON.stringify(catalog.niches.map(({ id, name, parent_id }) => ({ id, name, parentId: parent_id }))),
        highest(catalog.shops),
        highest(catalog.products),
        highest(catalog.ads),
        "2026-03-15 00:00:00.000",
        ++sequence
      ]
    ])
  })
