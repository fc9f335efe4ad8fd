/** Bytes on disk of the tables of a generation, as ClickHouse tells them. */
import { Effect, Schedule, Schema } from "effect"
import { Int64 } from "../../src/services/search/clickhouse/ClickHouse.ts"
import type { ClickHouse } from "../../src/services/search/clickhouse/ClickHouse.ts"

type Client = ClickHouse["Service"]

const Merges = Schema.Struct({ running: Int64 })
const Table = Schema.Struct({
  name: Schema.String,
  parts: Int64,
  rows: Int64,
  bytes: Int64,
  index: Int64,
  marks: Int64,
  keys: Int64
})
const Column = Schema.Struct({ table: Schema.String, name: Schema.String, bytes: Int64, raw: Int64 })
const Index = Schema.Struct({ table: Schema.String, name: Schema.String, bytes: Int64, raw: Int64, marks: Int64 })

const ofCatalog = "database = currentDatabase() AND match(table, '^(store|product|ad)_[0-9]+$')"

/** Waits until merges have nothing to do for a second, at most three minutes. */
export const settle = (client: Client) =>
  client.query({ name: "merges", sql: "SELECT count() AS running FROM system.merges" }, Merges).pipe(
    Effect.flatMap(([row]) =>
      row?.running === 0 ? Effect.delay(Effect.succeed(true), "1 second") : Effect.succeed(false)
    ),
    Effect.repeat({ until: (isQuiet) => isQuiet, schedule: Schedule.spaced("1 second") }),
    Effect.timeoutOption("3 minutes"),
    Effect.asVoid
  )

export const tables = (client: Client) =>
  client.query(
    {
      name: "parts",
      sql:
        "SELECT table AS name, count() AS parts, sum(rows) AS rows, sum(bytes_on_disk) AS bytes, " +
        "sum(secondary_indices_compressed_bytes) AS index, sum(marks_bytes + secondary_indices_marks_bytes) AS marks, " +
        `sum(primary_key_size) AS keys FROM system.parts WHERE active AND ${ofCatalog} GROUP BY name ORDER BY bytes DESC`
    },
    Table
  )

export const columns = (client: Client) =>
  client.query(
    {
      name: "columns",
      sql:
        "SELECT table, column AS name, sum(column_data_compressed_bytes) AS bytes, sum(column_data_uncompressed_bytes) AS raw " +
        `FROM system.parts_columns WHERE active AND ${ofCatalog} GROUP BY table, name ORDER BY table, bytes DESC`
    },
    Column
  )

export const indices = (client: Client) =>
  client.query(
    {
      name: "indices",
      sql:
        "SELECT table, name, data_compressed_bytes AS bytes, data_uncompressed_bytes AS raw, marks_bytes AS marks " +
        `FROM system.data_skipping_indices WHERE ${ofCatalog} ORDER BY table`
    },
    Index
  )
