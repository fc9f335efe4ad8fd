/** One catalog in ClickHouse, as {@link CatalogSearch} on one node and on two shards, beside rows of versions before and after it. */
import { Context, Effect, Layer } from "effect"
import type { Catalog } from "../../src/domain/search/CatalogAnswer.ts"
import { CatalogSearch } from "../../src/services/search/CatalogSearch.ts"
import { ClickHouse } from "../../src/services/search/clickhouse/ClickHouse.ts"
import * as EngineSearch from "../../src/services/search/clickhouse/EngineSearch.ts"
import { CatalogReader } from "../../src/services/search/runtime/CatalogReader.ts"
import { cluster } from "../clickhouse/Messages.ts"
import * as loadEngine from "../oracle/loadEngine.ts"
import * as NaiveCatalog from "../oracle/NaiveCatalog.ts"
import * as ClickHouseServer from "./ClickHouseServer.ts"

export const generation = 3
export const version = 7

interface Engine {
  readonly where: string
  readonly search: CatalogSearch["Service"]
  readonly catalog: Catalog
}

export class Engines extends Context.Service<Engines, ReadonlyArray<Engine>>()("test/Engines") {}

/** Rows are loaded without a database, so nobody says how far they are behind. */
const noRecords = Layer.succeed(CatalogReader, {
  head: () => Effect.never,
  has: () => Effect.never,
  use: () => Effect.never
})

/** The search of a cluster of this name, or of one node. */
export const serviceOf = (name: string | undefined) =>
  Effect.map(Layer.build(Layer.provide(EngineSearch.layer(name), noRecords)), (context) =>
    Context.get(context, CatalogSearch)
  )

const searchOf = Effect.fnUntraced(function* (name: string | undefined, version: number) {
  const search = yield* serviceOf(name)
  const catalog = yield* Effect.retry(Effect.andThen(search.awaitVersion(version), search.current), { times: 30 })
  return { where: name ?? "one node", search, catalog }
})

export const layer = (catalog: NaiveCatalog.NaiveCatalog) =>
  Layer.effect(
    Engines,
    Effect.gen(function* () {
      const engine = yield* ClickHouse
      yield* loadEngine.createTables(engine, generation, cluster)
      const others = NaiveCatalog.generate(500, 20)
      yield* loadEngine.load(engine, others, { generation, from: 1, until: version })
      yield* loadEngine.load(engine, others, { generation, from: version + 1 })
      yield* loadEngine.load(engine, catalog, { generation, from: version, until: version + 1 })
      yield* loadEngine.publish(engine, catalog, generation, version)
      return [yield* searchOf(undefined, version), yield* searchOf(cluster, version)]
    })
  ).pipe(Layer.provideMerge(ClickHouseServer.both))
