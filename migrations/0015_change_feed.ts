/** What lists of changes (D111) begin with: a day, or the changes of a kind. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE INDEX change_day ON change (at)`
  yield* sql`CREATE INDEX change_kind ON change (kind, id)`
})
