/** Writes and stamps the records of a catalog, as an import does. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { stampEverything } from "../support/Stamps.ts"
import type { NaiveCatalog } from "./NaiveCatalog.ts"

export const loadCatalog = Effect.fnUntraced(function* (catalog: NaiveCatalog) {
  const sql = yield* SqlClient.SqlClient
  const insert = (table: string, rows: ReadonlyArray<object>) =>
    rows.length === 0
      ? Effect.void
      : sql`INSERT INTO ${sql(table)} (${sql.csv(Object.keys(rows[0] ?? {}).map((name) => sql`${sql(name)}`))})
            SELECT ${sql.csv(Object.keys(rows[0] ?? {}).map((name) => sql`${sql(name)}`))}
            FROM json_populate_recordset(NULL::${sql(table)}, ${JSON.stringify(rows)}::json)`
  yield* insert("niche", catalog.niches)
  yield* insert("shop", catalog.shops)
  yield* insert("traffic_month", catalog.traffic)
  yield* insert("product", catalog.products)
  yield* insert("ad", catalog.ads)
  yield* insert("mover", catalog.movers)
  // Ids were assigned explicitly, so the sequences continue after them.
  for (const table of ["shop", "product", "ad"]) {
    yield* sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), max(id)) FROM ${sql(table)}`
  }
  yield* stampEverything
  // The job that computes movers would replace those of the catalog after a minute.
  yield* sql`UPDATE catalog SET moved_version = version, moved_on = (SELECT max(as_of) FROM import)`
})
