/** The dates of records, so that older data change nothing that newer data said. NULL: not known, older than any. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // said_on: for each field, the day of the newest data that gave it, in the form of StoreDates.ts: the newest day comes first.
  // products_as_of: the day of the newest data that had all products of the store. It dates products and their absence, so that a
  // daily delivery writes one row a store.
  yield* sql`ALTER TABLE shop ADD COLUMN said_on text, ADD COLUMN products_as_of date`

  // as_of: the day of the newest data that had the record; of a product, among those that did not have all of its store.
  yield* sql`ALTER TABLE product ADD COLUMN as_of date`
  yield* sql`ALTER TABLE traffic_month ADD COLUMN as_of date`
})
