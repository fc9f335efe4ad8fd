/** A key that is being replaced works until its end, and one form makes one key, however often it is sent. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // ends_at: NULL for a key that was never replaced. attempt: chosen at random by the form that asked for the key.
  yield* sql`
    ALTER TABLE api_key
      ADD COLUMN ends_at timestamptz,
      ADD COLUMN attempt text CHECK (char_length(attempt) BETWEEN 1 AND 64)`
  // Those that were revoked are kept for ever, and an account may make 20 an hour.
  yield* sql`CREATE INDEX api_key_working ON api_key (account_id) WHERE revoked_at IS NULL`
  yield* sql`CREATE UNIQUE INDEX api_key_attempt ON api_key (account_id, attempt) WHERE attempt IS NOT NULL`
})
