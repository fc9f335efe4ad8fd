/** What is published in ClickHouse: the newest row of `catalog_state`, with which a version is seen as a whole or not at all. */
import { Duration, Effect, Schema } from "effect"
import { Niche } from "../../../domain/search/CatalogAnswer.ts"
import type { Head } from "../runtime/CatalogReader.ts"
import type { ClickHouse } from "./ClickHouse.ts"
import { Int64 } from "./ClickHouse.ts"
import type { ClickHouseError } from "./ClickHouseErrors.ts"
import { generationOf, kinds, layoutOf, localTableOf, stateTable } from "./EngineTables.ts"
import type { Cluster, Kind } from "./EngineTables.ts"
import * as EngineWrites from "./EngineWrites.ts"
import type { Engine } from "./EngineWrites.ts"

const Niches = Schema.fromJsonString(Schema.Array(Niche))

const Published = Schema.Struct({
  generation: Schema.Int,
  version: Schema.Int,
  catalog_id: Schema.String,
  token: Schema.String,
  niches: Niches,
  highest_store: Schema.Int,
  highest_product: Schema.Int,
  highest_ad: Schema.Int,
  sequence: Int64
})
export type EngineState = typeof Published.Type

/** With the database of the connection: a shard looks elsewhere for a table without one. */
const Row = Schema.Struct({ ...Published.fields, database: Schema.String })
export type PlacedState = typeof Row.Type

/** The highest id of each kind that was ever published. */
export type HighestIds = Readonly<Record<Kind, number>>
export const nothing: HighestIds = { store: 0, product: 0, ad: 0 }

export const identityOf = ({ catalog_id, token, version }: EngineState) => ({ catalogId: catalog_id, token, version })

export const highestOf = (state: EngineState): HighestIds => ({
  store: state.highest_store,
  product: state.highest_product,
  ad: state.highest_ad
})

const names = Object.keys(Published.fields)

/** `undefined` before the first version. */
export const read = (
  client: ClickHouse["Service"],
  cluster: Cluster
): Effect.Effect<PlacedState | undefined, ClickHouseError> => {
  const sql = `SELECT ${names.join(", ")}, currentDatabase() AS database FROM ${stateTable} ORDER BY sequence DESC LIMIT 1`
  const statement = { name: "state", sql, settings: EngineWrites.readSettings(cluster) }
  return Effect.map(client.query(statement, Row), ([state]) => state)
}

/** Makes the version of `head` what is searched, by one row. */
export const publish = Effect.fnUntraced(function* (
  engine: Engine,
  before: EngineState | undefined,
  generation: number,
  head: Head,
  niches: ReadonlyArray<Niche>,
  highest: HighestIds
): Effect.fn.Return<EngineState, EngineWrites.WriteError> {
  const state: EngineState = {
    generation,
    version: head.version,
    catalog_id: head.catalogId,
    token: head.token,
    niches,
    highest_store: highest.store,
    highest_product: highest.product,
    highest_ad: highest.ad,
    sequence: (before?.sequence ?? 0) + 1
  }
  const row = { ...state, niches: JSON.stringify(niches) }
  yield* EngineWrites.insert(engine, stateTable, Object.keys(row), [Object.values(row)])
  return state
})

const Table = Schema.Struct({ name: Schema.String })

/** The tables of items of all generations, with the generation of each. */
export const tables = (client: ClickHouse["Service"]) =>
  Effect.map(
    client.query({ name: "tables", sql: "SELECT name FROM system.tables WHERE database = currentDatabase()" }, Table),
    (rows) =>
      rows.flatMap(({ name }) => {
        const generation = generationOf(name)
        return generation === undefined ? [] : [{ name, generation }]
      })
  )

/** Whether the tables of a generation are as this version of the server makes them. */
export const isCurrent = (
  { client, cluster }: Pick<Engine, "client" | "cluster">,
  generation: number
): Effect.Effect<boolean, ClickHouseError> => {
  const sql = "SELECT concat(name, ' ', comment) AS name FROM system.tables WHERE database = currentDatabase()"
  return Effect.map(client.query({ name: "layouts", sql }, Table), (rows) => {
    const made = new Set(rows.map(({ name }) => name))
    return kinds.every((kind) => made.has(`${localTableOf(kind, generation, cluster)} ${layoutOf(kind)}`))
  })
}

const Version = Schema.Struct({ version: Schema.NullOr(Schema.Int) })

/** The newest version of a generation that was published this long ago; none if the generation is younger. */
export const publishedBefore = (engine: Engine, generation: number, age: Duration.Duration) =>
  Effect.map(
    engine.client.query(
      {
        name: "published",
        sql:
          `SELECT maxOrNull(version) AS version FROM ${stateTable} ` +
          `WHERE generation = ${generation} AND published_at <= now64(3) - INTERVAL ${Math.ceil(Duration.toSeconds(age))} SECOND`,
        settings: EngineWrites.readSettings(engine.cluster)
      },
      Version
    ),
    ([row]) => row?.version ?? undefined
  )
