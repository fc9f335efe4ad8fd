/** Codes with which operators add their first passkey. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // hash: SHA-256 of the code, as of a recovery code. A code that was used is deleted.
  yield* sql`
    CREATE TABLE enrollment_code (
      account_id integer PRIMARY KEY REFERENCES account ON DELETE CASCADE,
      hash bytea NOT NULL CHECK (octet_length(hash) = 32),
      expires_at timestamptz NOT NULL
    )`
})
