/** Decisions are kept for as long as their requests, so that a form that is sent twice gets its answer twice. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE consent_request ADD COLUMN decision text CHECK (decision IN ('allow', 'deny'))`
})
