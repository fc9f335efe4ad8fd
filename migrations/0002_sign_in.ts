/**
 * Sign-in: sessions, passkeys, the required second step with its recovery codes, links that are sent by mail, the mails that wait
 * to be sent, and what an account is shown about changes to all of these.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

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

  // hash: SHA-256 of the cookie's value, which is random and needs no salt. A session that has ended is deleted.
  // browser, system: names from our own list, such as "Firefox" and "Linux", never text that the browser sent.
  // passkey_id: the passkey that was verified in the session. confirmed_at: when its password or a passkey was last verified.
  yield* sql`
    CREATE TABLE session (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
      created_at timestamptz NOT NULL,
      last_used_at timestamptz NOT NULL,
      browser text CHECK (char_length(browser) BETWEEN 1 AND 30),
      system text CHECK (char_length(system) BETWEEN 1 AND 30),
      passkey_id integer REFERENCES passkey ON DELETE SET NULL,
      confirmed_at timestamptz NOT NULL DEFAULT now()
    ) WITH (fillfactor = 80)`
  yield* sql`CREATE INDEX session_account ON session (account_id)`
  yield* sql`CREATE INDEX session_passkey ON session (passkey_id) WHERE passkey_id IS NOT NULL`

  // Browsers in which the account has signed in. hash: SHA-256 of a cookie's value; several accounts may share a browser.
  yield* sql`
    CREATE TABLE known_browser (
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      hash bytea NOT NULL CHECK (octet_length(hash) = 32),
      signed_in_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, hash)
    )`
  yield* sql`CREATE INDEX known_browser_hash ON known_browser (hash)`

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

  // With one, an operator adds the first passkey. hash: SHA-256 of the code, as of a recovery code. A code that was used is deleted.
  yield* sql`
    CREATE TABLE enrollment_code (
      account_id integer PRIMARY KEY REFERENCES account ON DELETE CASCADE,
      hash bytea NOT NULL CHECK (octet_length(hash) = 32),
      expires_at timestamptz NOT NULL
    )`

  // hash: SHA-256 of the link's random value, which needs no salt. email: where the mail was sent. The account of a sign-up is
  // made when its link is confirmed; until then this row is all that is kept of it: its password, and of the browser that
  // asked the SHA-256 of its cookie and the address where it continues.
  yield* sql`
    CREATE TABLE account_link (
      hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
      purpose text NOT NULL CHECK (purpose IN ('sign_up', 'reset', 'email')),
      email text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
      account_id integer REFERENCES account ON DELETE CASCADE,
      password_hash text CHECK (password_hash LIKE '$argon2id$%'),
      browser bytea CHECK (octet_length(browser) = 32),
      return_to text CHECK (char_length(return_to) <= 8192),
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      CHECK (CASE purpose
        WHEN 'sign_up' THEN account_id IS NULL AND password_hash IS NOT NULL AND browser IS NOT NULL
        ELSE account_id IS NOT NULL AND password_hash IS NULL AND browser IS NULL AND return_to IS NULL
      END)
    )`
  // A newer link takes the place of the older one.
  yield* sql`CREATE UNIQUE INDEX account_link_sign_up ON account_link (lower(email)) WHERE purpose = 'sign_up'`
  yield* sql`CREATE UNIQUE INDEX account_link_account ON account_link (account_id, purpose) WHERE account_id IS NOT NULL`
  yield* sql`CREATE INDEX account_link_expires ON account_link (expires_at)`

  // name: of the passkey. browser, system: as in session; both NULL for the command line.
  yield* sql`
    CREATE TABLE sign_in_change (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      what text NOT NULL CHECK (what IN ('passkey_added', 'passkey_removed', 'second_step_on', 'second_step_off',
        'codes_replaced', 'code_used', 'reset', 'password_changed', 'password_set', 'password_reset', 'address_changed')),
      name text CHECK (char_length(name) BETWEEN 1 AND 60),
      browser text CHECK (char_length(browser) BETWEEN 1 AND 30),
      system text CHECK (char_length(system) BETWEEN 1 AND 30),
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX sign_in_change_account ON sign_in_change (account_id, id)`

  // Mails that wait to be sent. link: the hash of a row of account_link; the secret that the mail has is made when it is sent.
  // due_at: of the next attempt; while a server sends the mail, the time from which another one may. All times are the database's.
  yield* sql`
    CREATE TABLE mail (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      kind text NOT NULL CHECK (char_length(kind) BETWEEN 1 AND 40),
      recipient text NOT NULL CHECK (char_length(recipient) BETWEEN 3 AND 254),
      language text NOT NULL CHECK (char_length(language) BETWEEN 2 AND 10),
      link bytea CHECK (octet_length(link) = 32),
      attempts integer NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      due_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX mail_due_at ON mail (due_at)`
})
