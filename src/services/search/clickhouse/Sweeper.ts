/** Deletes from ClickHouse what no query can need any more. Runs under the lock of the projector, between two of its versions. */
import type { Duration } from "effect"
import { Effect } from "effect"
import * as EngineState from "./EngineState.ts"
import type { EngineState as State } from "./EngineState.ts"
import { dropTable, kinds, onCluster, stateTable } from "./EngineTables.ts"
import * as EngineWrites from "./EngineWrites.ts"
import type { Engine, WriteError } from "./EngineWrites.ts"

/** States are kept for a day, for whoever looks for what happened. */
const stateSeconds = 86_400

/**
 * A query began with a version that was published at most `keep` ago. Tables of later generations are of rebuilds that were
 * interrupted.
 */
export const sweep = Effect.fnUntraced(function* (
  engine: Engine,
  { generation, sequence }: State,
  keep: Duration.Duration
): Effect.fn.Return<void, WriteError> {
  const version = yield* EngineState.publishedBefore(engine, generation, keep)
  const tables = yield* EngineState.tables(engine.client)
  const unused = tables.filter((table) =>
    table.generation < generation ? version !== undefined : table.generation > generation
  )
  for (const { name } of unused) yield* EngineWrites.command(engine, "drop", dropTable(name, engine.cluster))
  if (version === undefined) return
  for (const kind of kinds) yield* EngineWrites.sweep(engine, kind, generation, version)
  const isOld = `sequence < ${sequence} AND published_at < now64(3) - INTERVAL ${stateSeconds} SECOND`
  yield* EngineWrites.command(engine, "forget", `DELETE FROM ${stateTable}${onCluster(engine.cluster)} WHERE ${isOld}`)
})
