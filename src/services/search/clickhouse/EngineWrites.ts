/**
 * The statements by which rows of a generation come, end and go. Each tells the lock first that its writer is still the only one.
 *
 * Rows end by `ALTER TABLE ... UPDATE`, which writes one column of the parts that have some. The lightweight `UPDATE` takes a third of the time,
 * but in ClickHouse 26.7 queries fail that read words of a part with such changes from the text index alone (code 43).
 */
import { Duration, Effect, Schema, Stream } from "effect"
import type { SqlError } from "effect/sql"
import { adIdsOf } from "../../../domain/catalog/StorelessAds.ts"
import * as Metrics from "../../metrics/Metrics.ts"
import type { ClickHouse } from "./ClickHouse.ts"
import { Int64 } from "./ClickHouse.ts"
import type { ClickHouseError } from "./ClickHouseErrors.ts"
import { namesOf, noStore } from "./EngineRows.ts"
import { forever, localTableOf, onCluster, tableOf } from "./EngineTables.ts"
import type { Cluster, Kind } from "./EngineTables.ts"
import type { Row } from "./InsertBody.ts"
import type { Settings } from "./RequestSettings.ts"

/** Another server may write, because the connection with the lock is lost. */
export class LockLost extends Schema.TaggedError<LockLost>()("LockLost", { message: Schema.String }) {}

export type WriteError = ClickHouseError | SqlError.SqlError | LockLost

export interface Limits {
  /** Rows of one insert. A document has some hundred prefixes, so that these are some megabytes. */
  readonly batchRows: number
  /** Ids in the text of one statement: on a cluster it is in Keeper, which takes 1 MB. */
  readonly idsAtOnce: number
  readonly statementTime: Duration.Duration
}

export const defaultLimits: Limits = { batchRows: 10_000, idsAtOnce: 10_000, statementTime: Duration.minutes(5) }

/** Where the rows are, and what may write them. */
export interface Engine {
  readonly client: ClickHouse["Service"]
  readonly cluster: Cluster
  readonly limits: Limits
  /** Fails if another server may write. */
  readonly holdsLock: Effect.Effect<void, LockLost | SqlError.SqlError>
}

/**
 * A statement has been done when it is answered, on all replicas of a cluster: otherwise a version could be published before its rows
 * are everywhere.
 */
const settingsOf = ({ cluster, limits }: Engine): Settings => ({
  mutations_sync: 2,
  lightweight_deletes_sync: 2,
  ...(cluster === undefined
    ? {}
    : {
        distributed_foreground_insert: 1,
        insert_quorum: "auto",
        insert_quorum_parallel: 0,
        distributed_ddl_task_timeout: Math.ceil(Duration.toSeconds(limits.statementTime))
      })
})

/** For reads on a cluster that have to see all that was written. */
export const readSettings = (cluster: Cluster): Settings =>
  cluster === undefined ? {} : { select_sequential_consistency: 1 }

const optionsOf = (engine: Engine, name: string) => ({
  name,
  time: engine.limits.statementTime,
  settings: settingsOf(engine)
})

export const command = (engine: Engine, name: string, sql: string): Effect.Effect<void, WriteError> =>
  Effect.andThen(engine.holdsLock, engine.client.command({ ...optionsOf(engine, name), sql }))

export const insert = (
  engine: Engine,
  table: string,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<Row>
): Effect.Effect<void, WriteError> =>
  rows.length === 0
    ? Effect.void
    : engine.holdsLock.pipe(
        Effect.andThen(
          engine.client.insert({ ...optionsOf(engine, "insert"), table, columns, rows: Stream.fromIterable(rows) })
        ),
        Effect.asVoid
      )

export const insertItems = (engine: Engine, kind: Kind, generation: number, rows: ReadonlyArray<Row>) =>
  insert(engine, tableOf(kind, generation), namesOf(kind), rows).pipe(
    Effect.andThen(Metrics.projectorRows.add({}, rows.length))
  )

/** The condition for the rows of these stores and pseudo-stores; `undefined` if there can be none. */
export const isOf = (kind: Kind, ids: ReadonlyArray<number>): string | undefined => {
  const stores = ids.filter((id) => id > 0)
  const conditions = stores.length === 0 ? [] : [`${kind === "store" ? "id" : "shop_id"} IN (${stores.join(", ")})`]
  if (kind === "ad") {
    for (const [first, last] of ids.filter((id) => id < 0).map(adIdsOf)) {
      conditions.push(`shop_id = ${noStore} AND id BETWEEN ${first} AND ${last}`)
    }
  }
  return conditions.length === 0 ? undefined : conditions.join(" OR ")
}

const place = ({ cluster }: Engine, kind: Kind, generation: number) =>
  `${localTableOf(kind, generation, cluster)}${onCluster(cluster)}`

/** Ends the rows of these stores with the version. Queries of the versions before still see them. */
export const end = (
  engine: Engine,
  kind: Kind,
  generation: number,
  ids: ReadonlyArray<number>,
  version: number
): Effect.Effect<void, WriteError> => {
  const condition = isOf(kind, ids)
  if (condition === undefined) return Effect.void
  // Not those of the version itself, which may be there already.
  const holds = `until_version = ${forever} AND from_version < ${version}`
  const sql = `ALTER TABLE ${place(engine, kind, generation)} UPDATE until_version = ${version} WHERE ${holds} AND (${condition})`
  return command(engine, "end", sql)
}

const Counts = Schema.Struct({ above: Int64, ended: Int64 })

/** Takes back what was written for versions after the one that is published. */
export const undo = Effect.fnUntraced(function* (
  engine: Engine,
  kind: Kind,
  generation: number,
  published: number
): Effect.fn.Return<void, WriteError> {
  const table = tableOf(kind, generation)
  const isEnded = `until_version > ${published} AND until_version < ${forever}`
  const sql = `SELECT countIf(from_version > ${published}) AS above, countIf(${isEnded}) AS ended FROM ${table}`
  const reading = { name: "unpublished", time: engine.limits.statementTime, settings: readSettings(engine.cluster) }
  const [counts] = yield* engine.client.query({ ...reading, sql }, Counts)
  const rows = place(engine, kind, generation)
  if (counts?.above !== 0) yield* command(engine, "undo", `DELETE FROM ${rows} WHERE from_version > ${published}`)
  if (counts?.ended !== 0)
    yield* command(engine, "undo", `ALTER TABLE ${rows} UPDATE until_version = ${forever} WHERE ${isEnded}`)
})

/** Deletes rows that ended with this version or before. They are masked at once, and the next merge leaves them out. */
export const sweep = (engine: Engine, kind: Kind, generation: number, version: number) =>
  command(engine, "sweep", `DELETE FROM ${place(engine, kind, generation)} WHERE until_version <= ${version}`)
