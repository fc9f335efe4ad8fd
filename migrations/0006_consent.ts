/** What an app asks of whoever is signed in, from the page that shows it to the answer. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // hash: SHA-256 of what the page's form carries, which is random enough to need no salt. The row goes with the answer, so
  // that there is one; with its session, so that nobody answers who was not asked; and with its time.
  // request: JSON, as text because a `state` may hold U+0000, which jsonb refuses.
  yield* sql`
    CREATE TABLE consent_request (
      hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
      session_id integer NOT NULL REFERENCES session ON DELETE CASCADE,
      request text NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX consent_request_session ON consent_request (session_id, created_at)`
  yield* sql`CREATE INDEX consent_request_expires ON consent_request (expires_at)`
})
