/** Who is signed in to the pages, and how often signing in was tried. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // hash: SHA-256 of the cookie's value, which is random enough to need no salt. A session that has ended is deleted.
  yield* sql`
    CREATE TABLE session (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
      created_at timestamptz NOT NULL,
      last_used_at timestamptz NOT NULL
    ) WITH (fillfactor = 80)`
  yield* sql`CREATE INDEX session_account ON session (account_id)`

  // A leaky bucket for each key, which is a hash of what is counted: it is empty at empties_at and leaks evenly. A row whose
  // time has come says nothing that its absence does not say, and is deleted by the attempts that come after it.
  yield* sql`
    CREATE TABLE sign_in_attempt (
      key bytea PRIMARY KEY CHECK (octet_length(key) = 32),
      empties_at timestamptz NOT NULL
    ) WITH (fillfactor = 80)`
  yield* sql`CREATE INDEX sign_in_attempt_empties_at ON sign_in_attempt (empties_at)`
})
