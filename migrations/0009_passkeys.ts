/** Passkeys, the required second step with its recovery codes, and what an account is shown about changes to them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // user_handle: what authenticators store beside a passkey instead of the account's id or e-mail address. second_step: a
  // session needs more than the password.
  yield* sql`
    ALTER TABLE account
      ADD COLUMN user_handle uuid NOT NULL DEFAULT gen_random_uuid(),
      ADD COLUMN second_step boolean NOT NULL DEFAULT false`

  // public_key: in COSE (RFC 9052). sign_count: of the last use; 0 for an authenticator that does not count.
  yield* sql`
    CREATE TABLE passkey (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      credential_id bytea NOT NULL UNIQUE CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
      public_key bytea NOT NULL CHECK (octet_length(public_key) BETWEEN 1 AND 2048),
      sign_count bigint NOT NULL CHECK (sign_count BETWEEN 0 AND 4294967295),
      name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
      created_at timestamptz NOT NULL,
      last_used_at timestamptz
    ) WITH (fillfactor = 80)`
  yield* sql`CREATE INDEX passkey_account ON passkey (account_id, id)`

  // passkey_id: the passkey that was verified in the session. confirmed_at: when its password or a passkey was last verified.
  yield* sql`
    ALTER TABLE session
      ADD COLUMN passkey_id integer REFERENCES passkey ON DELETE SET NULL,
      ADD COLUMN confirmed_at timestamptz NOT NULL DEFAULT now()`
  yield* sql`UPDATE session SET confirmed_at = created_at`
  yield* sql`CREATE INDEX session_passkey ON session (passkey_id) WHERE passkey_id IS NOT NULL`

  // owner: SHA-256 of the session cookie's value, before and after the sign-in. hash: SHA-256 of the challenge.
  yield* sql`
    CREATE TABLE passkey_challenge (
      hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
      owner bytea NOT NULL CHECK (octet_length(owner) = 32),
      purpose text NOT NULL CHECK (purpose IN ('add', 'confirm', 'second_step', 'sign_in')),
      expires_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX passkey_challenge_owner ON passkey_challenge (owner)`
  yield* sql`CREATE INDEX passkey_challenge_expires_at ON passkey_challenge (expires_at)`

  // A right password that waits for the second step. password: SHA-256 of the stored hash that it was compared with.
  yield* sql`
    CREATE TABLE pending_sign_in (
      owner bytea PRIMARY KEY CHECK (octet_length(owner) = 32),
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      password bytea NOT NULL CHECK (octet_length(password) = 32),
      expires_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX pending_sign_in_account ON pending_sign_in (account_id)`
  yield* sql`CREATE INDEX pending_sign_in_expires_at ON pending_sign_in (expires_at)`

  // hash: SHA-256 of the code, which has 120 random bits and needs no salt. A code that was used is deleted.
  yield* sql`
    CREATE TABLE recovery_code (
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      hash bytea NOT NULL CHECK (octet_length(hash) = 32),
      PRIMARY KEY (account_id, hash)
    )`

  // name: of the passkey. browser, system: as in session; both NULL for the command line.
  yield* sql`
    CREATE TABLE sign_in_change (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      what text NOT NULL CHECK (what IN ('passkey_added', 'passkey_removed', 'second_step_on', 'second_step_off',
        'codes_replaced', 'code_used', 'reset')),
      name text CHECK (char_length(name) BETWEEN 1 AND 60),
      browser text CHECK (char_length(browser) BETWEEN 1 AND 30),
      system text CHECK (char_length(system) BETWEEN 1 AND 30),
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX sign_in_change_account ON sign_in_change (account_id, id)`

  // A reset by the command line has no values, as a password has none.
  yield* sql`ALTER TABLE account_change DROP CONSTRAINT account_change_what_check, DROP CONSTRAINT account_change_check`
  yield* sql`
    ALTER TABLE account_change
      ADD CONSTRAINT account_change_what_check
        CHECK (what IN ('plan', 'status', 'role', 'credits', 'password', 'passkeys')),
      ADD CONSTRAINT account_change_check CHECK (CASE
        WHEN what IN ('password', 'passkeys') THEN value_before IS NULL AND value_after IS NULL
        ELSE value_before IS NOT NULL AND value_after IS NOT NULL AND value_before <> value_after
      END)`
})
