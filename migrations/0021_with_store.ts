/**
 * What came with a new store: the log has each record of it (D110), lists of changes have the store alone (D111). What lists begin with
 * has no other changes.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // with_store: a product, an ad or a month of visits that is new in the import in which its store is.
  yield* sql`ALTER TABLE change ADD COLUMN with_store boolean NOT NULL DEFAULT false`
  yield* sql`DROP INDEX change_newest, change_day, change_kind`
  yield* sql`CREATE INDEX change_newest ON change (id) WHERE NOT with_store`
  yield* sql`CREATE INDEX change_day ON change (at) WHERE NOT with_store`
  yield* sql`CREATE INDEX change_kind ON change (kind, id) WHERE NOT with_store`
})
