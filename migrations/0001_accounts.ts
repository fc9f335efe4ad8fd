/** Accounts, their API keys, and the record of what was changed about them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // subscription_began_on: NULL until the first paid plan; from then on fixed, because the periods are counted from it.
  yield* sql`
    CREATE TABLE account (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      email text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
      password_hash text CHECK (password_hash LIKE '$argon2id$%'),
      plan text NOT NULL CHECK (plan IN ('starter', 'growth', 'pro')),
      status text NOT NULL CHECK (status IN ('active', 'paused', 'unpaid', 'canceled')),
      role text NOT NULL DEFAULT 'customer' CHECK (role IN ('customer', 'operator')),
      subscription_began_on date,
      created_at timestamptz NOT NULL,
      CHECK (plan = 'starter' OR subscription_began_on IS NOT NULL)
    )`
  yield* sql`CREATE UNIQUE INDEX account_email ON account (lower(email))`

  // hash: SHA-256 of the secret, which is random and needs no salt. last_used_at is in no index, so that its update stays
  // within the page. ends_at: NULL for a key that was never replaced. attempt: a random value of the form that asked for the
  // key, so that a form that is sent twice makes one key.
  yield* sql`
    CREATE TABLE api_key (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account,
      name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
      hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
      last_four text NOT NULL CHECK (char_length(last_four) = 4),
      created_at timestamptz NOT NULL,
      last_used_at timestamptz,
      ends_at timestamptz,
      revoked_at timestamptz,
      attempt text CHECK (char_length(attempt) BETWEEN 1 AND 64)
    )`
  yield* sql`CREATE INDEX api_key_account ON api_key (account_id, created_at)`
  // Revoked keys are kept forever, and an account may make 20 an hour.
  yield* sql`CREATE INDEX api_key_active ON api_key (account_id) WHERE revoked_at IS NULL`
  yield* sql`CREATE UNIQUE INDEX api_key_attempt ON api_key (account_id, attempt) WHERE attempt IS NOT NULL`

  // actor_id: the operator's account; NULL for the command line. A password has no values that may be stored.
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
