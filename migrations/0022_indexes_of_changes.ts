/**
 * Indexes that have what lists of changes count by (D111), so that the changes themselves, which lie apart from each other, are not read.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX change_shop, change_newest, change_kind`
  yield* sql`CREATE INDEX change_shop ON change (shop_id, id) INCLUDE (at, kind, with_store)`
  yield* sql`CREATE INDEX change_newest ON change (id) INCLUDE (shop_id) WHERE NOT with_store`
  yield* sql`CREATE INDEX change_kind ON change (kind, id) INCLUDE (shop_id) WHERE NOT with_store`
})
