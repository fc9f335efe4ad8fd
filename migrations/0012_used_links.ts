/** Links of mails that were used, so that the second click on one is told what the first has done. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // hash, purpose, expires_at: those of the row of account_link. Nothing else is kept of it.
  yield* sql`
    CREATE TABLE used_link (
      hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
      purpose text NOT NULL CHECK (purpose IN ('sign_up', 'reset', 'email')),
      expires_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX used_link_expires ON used_link (expires_at)`
})
