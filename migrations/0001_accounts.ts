/** Accounts, their API keys and saved searches, and the record of what was changed about them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // subscription_began_on: NULL until the first paid plan; from then on fixed, because the periods are counted from it.
  // user_handle: what authenticators store beside a passkey instead of the account's id or e-mail address. second_step: a
  // session needs more than the password. The row of a closed account stays for the ledger. forgotten_at: when the last of its
  // personal data was removed.
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
      user_handle uuid NOT NULL DEFAULT gen_random_uuid(),
      second_step boolean NOT NULL DEFAULT false,
      closed_at timestamptz,
      forgotten_at timestamptz,
      CHECK (plan = 'starter' OR subscription_began_on IS NOT NULL),
      CONSTRAINT account_closed CHECK (
        CASE WHEN closed_at IS NULL THEN forgotten_at IS NULL ELSE password_hash IS NULL AND role = 'customer' END)
    )`
  yield* sql`CREATE UNIQUE INDEX account_email ON account (lower(email))`
  yield* sql`CREATE INDEX account_to_forget ON account (closed_at) WHERE closed_at IS NOT NULL AND forgotten_at IS NULL`

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

  // actor_id: the operator's account; NULL for the command line and, with the source, for billing. A password has no values that
  // may be stored, and a reset of passkeys has none.
  yield* sql`
    CREATE TABLE account_change (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account,
      actor_id integer REFERENCES account,
      what text NOT NULL CHECK (what IN ('plan', 'status', 'role', 'credits', 'password', 'passkeys')),
      value_before text CHECK (char_length(value_before) BETWEEN 1 AND 30),
      value_after text CHECK (char_length(value_after) BETWEEN 1 AND 30),
      source text CHECK (source = 'billing'),
      created_at timestamptz NOT NULL,
      CHECK (CASE
        WHEN what IN ('password', 'passkeys') THEN value_before IS NULL AND value_after IS NULL
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

  // query: the canonical query of the search's address, without its page. viewed_at: when its results were last shown. mark: the
  // highest id that the subject had in the index then; results with a higher one are new.
  yield* sql`
    CREATE TABLE saved_search (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      subject text NOT NULL CHECK (subject IN ('ads', 'products', 'stores')),
      query text NOT NULL CHECK (char_length(query) <= 8000),
      name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
      viewed_at timestamptz NOT NULL,
      mark integer NOT NULL CHECK (mark >= 0)
    )`
  yield* sql`CREATE INDEX saved_search_account ON saved_search (account_id, id)`

  // The searches that the account was last shown, latest first, each with subject, query (as above) and at, in milliseconds. One
  // row an account, so that one statement keeps the limit, also when two run at once.
  yield* sql`
    CREATE TABLE recent_search (
      account_id integer PRIMARY KEY REFERENCES account ON DELETE CASCADE,
      searches jsonb NOT NULL CHECK (jsonb_array_length(searches) BETWEEN 1 AND 5)
    )`
})
