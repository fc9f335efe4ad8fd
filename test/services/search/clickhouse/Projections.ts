/** What tests of the projector share: its service with faults, and the rows that hold at a version. */
import { Deferred, Effect, Layer, Queue, Schema } from "effect"
import { ClickHouse } from "../../../../src/services/search/clickhouse/ClickHouse.ts"
import type { ClickHouseError } from "../../../../src/services/search/clickhouse/ClickHouseErrors.ts"
import { unreachable } from "../../../../src/services/search/clickhouse/ClickHouseErrors.ts"
import type { EngineState } from "../../../../src/services/search/clickhouse/EngineState.ts"
import { kinds, tableOf } from "../../../../src/services/search/clickhouse/EngineTables.ts"
import * as Projector from "../../../../src/services/search/clickhouse/Projector.ts"
import { ClickHouseServer } from "../../../support/ClickHouseServer.ts"

type Client = ClickHouse["Service"]

/** What becomes of the statement that writes: not sent, done without an answer, or one of both as its sender ends. */
export const faults = ["lost before", "lost after", "killed before", "killed after"] as const
export type Fault = (typeof faults)[number]

export interface Faulty {
  readonly client: Client
  /** Done when the sender is to be killed. */
  readonly killed: Deferred.Deferred<void>
}

/** Does `fault` at the statement with this number, from 0, of those that write, or of the inserts. */
export const faulty = Effect.fnUntraced(function* (
  client: Client,
  at: number,
  fault: Fault,
  of: "writes" | "inserts" = "writes"
) {
  const killed = yield* Deferred.make<void>()
  let count = 0
  const gate = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | ClickHouseError, R> =>
    Effect.suspend(() => {
      if (count++ !== at) return effect
      const end = fault.startsWith("killed")
        ? Effect.andThen(Deferred.succeed(killed, undefined), Effect.never)
        : Effect.fail(unreachable({ operation: "test", queryId: "test" }, "made for a test"))
      return fault.endsWith("after") ? Effect.andThen(effect, end) : end
    })
  const made: Faulty = {
    killed,
    client: {
      ...client,
      command: (statement) => (of === "writes" ? gate(client.command(statement)) : client.command(statement)),
      insert: (rows) => gate(client.insert(rows))
    }
  }
  return made
})

/** Small, so that a change takes several statements. */
const limits = { batchRows: 40, idsAtOnce: 2 }

export const projector = (options: Partial<Projector.ProjectorOptions> = {}) =>
  Projector.make({ listen: Queue.unbounded<never>(), limits, ...options })

const Text = Schema.Struct({ text: Schema.String })

const rowsWhere = (client: Client, generation: number, columns: string, condition: string) =>
  Effect.forEach(kinds, (kind) => {
    const sql = `SELECT toString(tuple(${columns})) AS text FROM ${tableOf(kind, generation)} WHERE ${condition} ORDER BY text`
    return Effect.map(client.query({ name: "rows", sql }, Text), (rows) => rows.map(({ text }) => text))
  })

/** The rows of all kinds that hold at the version of a state, without their versions. */
export const rowsOf = (client: Client, { generation, version }: Pick<EngineState, "generation" | "version">) =>
  rowsWhere(
    client,
    generation,
    "* EXCEPT (from_version, until_version)",
    `from_version <= ${version} AND until_version > ${version}`
  )

/** All rows of all kinds, with their versions. */
export const versionsOf = (client: Client, { generation }: Pick<EngineState, "generation">) =>
  rowsWhere(client, generation, "*", "true")

let databases = 0

/** A client of a new database of the same engine. */
export const otherDatabase = Effect.gen(function* () {
  const client = yield* ClickHouse
  const { settings } = yield* ClickHouseServer
  const database = `other_${databases++}`
  yield* client.command({ name: "create", sql: `CREATE DATABASE ${database}` })
  return yield* Effect.provide(ClickHouse, yield* Layer.build(ClickHouse.layer({ ...settings, database })))
})
