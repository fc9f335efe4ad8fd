/** The public origin of the server that was started last (services/database/ServerAddress). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One row, which each start replaces.
  yield* sql`
    CREATE TABLE server_address (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      base_url text NOT NULL
    )`
})
