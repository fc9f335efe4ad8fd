/** Writes a catalogue's records and stamps them, as an import would. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { stampEverything } from "../support/Stamps.ts"
import type { NaiveCatalogue } from "./NaiveCatalogue.ts"

export const loadCatalogue = Effect.fnUntraced(function* (catalogue: NaiveCatalogue) {
  const sql = yield* SqlClient.SqlClient
  const insert = (table: string, rows: ReadonlyArray<object>) =>
    rows.length === 0
      ? Effect.void
      : sql`INSERT INTO ${sql(table)} (${sql.csv(Object.keys(rows[0] ?? {}).map((name) => sql`${sql(name)}`))})
            SELECT ${sql.csv(Object.keys(rows[0] ?? {}).map((name) => sql`${sql(name)}`))}
            FROM json_populate_recordset(NULL::${sql(table)}, ${JSON.stringify(rows)}::json)`
  yield* insert("niche", catalogue.niches)
  yield* insert("shop", catalogue.shops)
  yield* insert("traffic_month", catalogue.traffic)
  yield* insert("product", catalogue.products)
  yield* insert("ad", catalogue.ads)
  // The ids were given, so that those to come have to start behind them.
  for (const table of ["shop", "product", "ad"]) {
    yield* sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), max(id)) FROM ${sql(table)}`
  }
  yield* stampEverything
})
