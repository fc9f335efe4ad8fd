/** The client of the product, with what a measurement needs. */
import { Effect } from "effect"
import type { ClickHouse } from "../../src/services/search/clickhouse/ClickHouse.ts"
import { kinds } from "../../src/services/search/clickhouse/EngineTables.ts"
import type { Kind } from "../../src/services/search/clickhouse/EngineTables.ts"

type Client = ClickHouse["Service"]

/** Each of its statements has one thread of the engine. */
export const oneThread = (client: Client): Client => ({
  ...client,
  query: (statement, row) => client.query({ ...statement, settings: { ...statement.settings, max_threads: 1 } }, row)
})

export interface Written {
  rows: number
  millis: number
}

/** Counts rows and the time of inserts by table. */
export const counting = (client: Client) => {
  const written: Record<Kind, Written> = {
    store: { rows: 0, millis: 0 },
    product: { rows: 0, millis: 0 },
    ad: { rows: 0, millis: 0 }
  }
  const counted: Client = {
    ...client,
    insert: (rows) => {
      const kind = kinds.find((name) => rows.table.startsWith(`${name}_`))
      return Effect.suspend(() => {
        const began = performance.now()
        return Effect.tap(client.insert(rows), (count) =>
          Effect.sync(() => {
            if (kind === undefined) return
            written[kind].rows += count
            written[kind].millis += performance.now() - began
          })
        )
      })
    }
  }
  return { client: counted, written }
}
