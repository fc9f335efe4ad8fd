/**
 * Brings ClickHouse from one version of the catalog to the newest: rows of changed stores end, their new ones begin, and one row
 * publishes the version. Queries of the version before are right all the time, and what was begun and not published is undone.
 */
import { Array as Arr, Effect, Option, Schema } from "effect"
import type { PseudoStoreContent, StoreContent } from "../index/IndexedRecords.ts"
import type { ItemFigures } from "../index/StoreColumns.ts"
import type { CatalogReader, CatalogView, Page } from "../runtime/CatalogReader.ts"
import { Int64 } from "./ClickHouse.ts"
import * as EngineRows from "./EngineRows.ts"
import * as EngineState from "./EngineState.ts"
import type { EngineState as State, HighestIds } from "./EngineState.ts"
import { createItems, kinds, tableOf } from "./EngineTables.ts"
import type { Kind } from "./EngineTables.ts"
import * as EngineWrites from "./EngineWrites.ts"
import type { Engine, WriteError } from "./EngineWrites.ts"
import type { Row } from "./InsertBody.ts"

type Reader = CatalogReader["Service"]

/** Collects the rows of a version into batches. */
const makeWriter = (engine: Engine, generation: number, version: number, before: HighestIds) => {
  const waiting: Record<Kind, Array<Row>> = { store: [], product: [], ad: [] }
  const highest = { ...before }

  const flush = (kind: Kind, least: number): Effect.Effect<void, WriteError> =>
    Effect.suspend(() =>
      waiting[kind].length < least
        ? Effect.void
        : EngineWrites.insertItems(engine, kind, generation, waiting[kind].splice(0, engine.limits.batchRows)).pipe(
            Effect.andThen(flush(kind, least))
          )
    )

  const add = Effect.fnUntraced(function* (
    kind: Kind,
    rows: ReadonlyArray<Row>,
    ids: ReadonlyArray<{ readonly id: number }>
  ): Effect.fn.Return<void, WriteError> {
    for (const row of rows) waiting[kind].push(row)
    for (const { id } of ids) highest[kind] = Math.max(highest[kind], id)
    yield* flush(kind, engine.limits.batchRows)
  })

  const ads = (content: StoreContent | PseudoStoreContent) => add("ad", EngineRows.ofAds(content, version), content.ads)

  return {
    page: Effect.fnUntraced(function* ({ pseudoStores, stores }: Page): Effect.fn.Return<void, WriteError> {
      for (const content of pseudoStores) yield* ads(content)
      for (const content of stores) {
        yield* add("store", [EngineRows.ofContent(content, version)], [content.store])
        yield* add("product", EngineRows.ofProducts(content, version), content.products)
        yield* ads(content)
      }
    }),
    addStores: (rows: ReadonlyArray<Row>) => add("store", rows, []),
    /** Writes what is left, and returns the highest ids. */
    finish: Effect.forEach(kinds, (kind) => flush(kind, 1)).pipe(Effect.map((): HighestIds => highest))
  }
}

/** Fills a new generation beside the one that is searched, and publishes it. */
export const rebuild = Effect.fnUntraced(function* (
  engine: Engine,
  reader: Reader,
  before: State | undefined
): Effect.fn.Return<State, WriteError> {
  const used = (yield* EngineState.tables(engine.client)).map((table) => table.generation)
  // Not a number that was used: tables of a rebuild that was interrupted may be there.
  const generation = 1 + used.reduce((most, each) => Math.max(most, each), before?.generation ?? 0)
  for (const sql of createItems(generation, engine.cluster)) yield* EngineWrites.command(engine, "create", sql)
  return yield* reader.use((view, head) =>
    Effect.gen(function* (): Effect.fn.Return<State, WriteError> {
      const writer = makeWriter(engine, generation, head.version, EngineState.nothing)
      yield* view.pages("all", writer.page)
      const highest = yield* writer.finish
      return yield* EngineState.publish(engine, before, generation, head, yield* view.niches, highest)
    })
  )
})

const Derived = Schema.Struct({
  id: Schema.Int,
  activeAds: Schema.Finite,
  averagePrice: Schema.Union([Schema.Finite, Schema.Literal("nan")])
})
const Counted = Schema.Struct({ id: Schema.Int, products: Int64 })

/** What the rows of these stores have from their items, as of the version that is published. */
const itemFigures = Effect.fnUntraced(function* (
  { client, cluster, limits }: Engine,
  { generation, version }: State,
  ids: ReadonlyArray<number>
): Effect.fn.Return<ReadonlyMap<number, ItemFigures>, WriteError> {
  const options = { name: "items", time: limits.statementTime, settings: EngineWrites.readSettings(cluster) }
  const from = (kind: Kind) =>
    `FROM ${tableOf(kind, generation)} WHERE from_version <= ${version} AND until_version > ${version} ` +
    `AND (${EngineWrites.isOf(kind, ids) ?? "false"})`
  const derived = yield* client.query(
    { ...options, sql: `SELECT id, figure_active_ads AS activeAds, figure_avg_price AS averagePrice ${from("store")}` },
    Derived
  )
  const counted = yield* client.query(
    { ...options, sql: `SELECT shop_id AS id, count() AS products ${from("product")} GROUP BY shop_id` },
    Counted
  )
  const products = new Map(counted.map((row) => [row.id, row.products]))
  return new Map(
    derived.map(({ activeAds, averagePrice, id }) => [
      id,
      { activeAds, averagePrice: averagePrice === "nan" ? Number.NaN : averagePrice, products: products.get(id) ?? 0 }
    ])
  )
})

/** Writes the changes since the version that is published; none if the database or the engine is not the same any more. */
export const update = Effect.fnUntraced(function* (
  engine: Engine,
  reader: Reader,
  from: State
): Effect.fn.Return<Option.Option<State>, WriteError> {
  const { generation } = from
  return yield* reader.use((view, head) =>
    Effect.gen(function* (): Effect.fn.Return<Option.Option<State>, WriteError> {
      if (!(yield* reader.has(EngineState.identityOf(from)))) return Option.none()
      if (head.version === from.version) return Option.some(from)
      const { version } = head
      const end = (kind: Kind, ids: ReadonlyArray<number>) => EngineWrites.end(engine, kind, generation, ids, version)
      const writer = makeWriter(engine, generation, version, EngineState.highestOf(from))
      const changes = yield* view.changesSince(from.version)

      for (const ids of Arr.chunksOf(changes.items, engine.limits.idsAtOnce)) {
        for (const kind of kinds) yield* end(kind, ids)
      }
      yield* view.pages(changes.items, writer.page)
      for (const ids of Arr.chunksOf(changes.figures, engine.limits.idsAtOnce)) {
        if (!(yield* updateFigures(engine, view, from, ids, version, writer.addStores))) return Option.none()
        yield* end("store", ids)
      }

      const highest = yield* writer.finish
      const niches = head.nichesVersion > from.version ? yield* view.niches : from.niches
      return Option.some(yield* EngineState.publish(engine, from, generation, head, niches, highest))
    })
  )
})

/**
 * Writes the stores again whose items stay as they are, and with them what is derived from these. Returns whether the engine has all of
 * them.
 */
const updateFigures = Effect.fnUntraced(function* (
  engine: Engine,
  view: CatalogView,
  from: State,
  ids: ReadonlyArray<number>,
  version: number,
  write: (rows: ReadonlyArray<Row>) => Effect.Effect<void, WriteError>
): Effect.fn.Return<boolean, WriteError> {
  const derived = yield* itemFigures(engine, from, ids)
  const rows: Array<Row> = []
  for (const record of yield* view.storeRecords(ids)) {
    const items = derived.get(record.id)
    if (items === undefined) return false
    rows.push(EngineRows.ofStore(record, items, version))
  }
  yield* write(rows)
  return true
})

/** Takes back what was written after the version that is published. */
export const undo = (engine: Engine, { generation, version }: State): Effect.Effect<void, WriteError> =>
  Effect.forEach(kinds, (kind) => EngineWrites.undo(engine, kind, generation, version), { discard: true })
