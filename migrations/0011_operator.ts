/** Who may look after accounts, what was changed about them, and what a session is recognized by. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    ALTER TABLE account ADD COLUMN role text NOT NULL DEFAULT 'customer' CHECK (role IN ('customer', 'operator'))`

  // Such as "Firefox" and "Linux": names of ours, never what the browser says of itself.
  yield* sql`
    ALTER TABLE session
      ADD COLUMN browser text CHECK (char_length(browser) BETWEEN 1 AND 30),
      ADD COLUMN system text CHECK (char_length(system) BETWEEN 1 AND 30)`

  // actor_id: the operator's account; NULL for the command line. A password has no values that may be told.
  yield* sql`
    CREATE TABLE account_change (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account,
      actor_id integer REFERENCES account,
      what text NOT NULL CHECK (what IN ('plan', 'status', 'role', 'credits', 'password')),
      value_before text CHECK (char_length(value_before) BETWEEN 1 AND 30),
      value_after text CHECK (char_length(value_after) BETWEEN 1 AND 30),
      created_at timestamptz NOT NULL,
      CHECK (CASE what
        WHEN 'password' THEN value_before IS NULL AND value_after IS NULL
        ELSE value_before IS NOT NULL AND value_after IS NOT NULL AND value_before <> value_after
      END)
    )`
  yield* sql`CREATE INDEX account_change_account ON account_change (account_id, id)`

  yield* sql`
    CREATE FUNCTION account_change_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'account_change is append-only: nobody may % it', TG_OP USING ERRCODE = 'restrict_violation';
    END $$`
  yield* sql`
    CREATE TRIGGER account_change_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON account_change
    FOR EACH STATEMENT EXECUTE FUNCTION account_change_is_append_only()`
})
