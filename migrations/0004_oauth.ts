/**
 * How apps get in: who they are, what accounts granted to them, and the codes and tokens that came of it. Whatever hangs on
 * a grant goes with its row, so revoking is one DELETE that every server sees at the next request.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // granted_at: when the app was first let in. Only apps that never were are deleted for their age.
  yield* sql`
    CREATE TABLE oauth_client (
      id text PRIMARY KEY CHECK (id ~ '^doc_[0-9A-Za-z]{43}$'),
      name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
      redirect_uris jsonb NOT NULL,
      auth_method text NOT NULL CHECK (auth_method IN ('none', 'client_secret_basic', 'client_secret_post')),
      secret_hash bytea CHECK (octet_length(secret_hash) = 32),
      created_at timestamptz NOT NULL,
      granted_at timestamptz,
      CHECK ((auth_method = 'none') = (secret_hash IS NULL))
    )`
  yield* sql`CREATE INDEX oauth_client_unused ON oauth_client (created_at) WHERE granted_at IS NULL`

  // The id is what the ledger and the log name as the credential. client_id: of a registered app, or the address of an
  // app's document; name and publisher are what the user saw. connected_at: when the code was exchanged. usable_until: of
  // the newest refresh token; ends_at: however much it is used. last_used_at is in no index: its update stays within the page.
  yield* sql`
    CREATE TABLE oauth_grant (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account,
      client_id text NOT NULL CHECK (char_length(client_id) BETWEEN 1 AND 2048),
      registered_id text GENERATED ALWAYS AS (CASE WHEN client_id LIKE 'doc\\_%' THEN client_id END) STORED
        REFERENCES oauth_client ON DELETE CASCADE,
      client_name text NOT NULL CHECK (char_length(client_name) BETWEEN 1 AND 100),
      publisher text CHECK (char_length(publisher) BETWEEN 1 AND 260),
      resource text NOT NULL,
      approved_at timestamptz NOT NULL,
      connected_at timestamptz,
      usable_until timestamptz NOT NULL,
      ends_at timestamptz NOT NULL,
      last_used_at timestamptz,
      CHECK (usable_until <= ends_at)
    ) WITH (fillfactor = 90)`
  yield* sql`CREATE INDEX oauth_grant_account ON oauth_grant (account_id)`
  yield* sql`CREATE INDEX oauth_grant_registered ON oauth_grant (registered_id) WHERE registered_id IS NOT NULL`
  yield* sql`CREATE INDEX oauth_grant_usable ON oauth_grant (usable_until)`

  // What the ledger's credential ids mean after the grant is gone, and why it is.
  yield* sql`
    CREATE TABLE oauth_ended_grant (
      id integer PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account,
      client_id text NOT NULL,
      client_name text NOT NULL,
      publisher text,
      approved_at timestamptz NOT NULL,
      connected_at timestamptz NOT NULL,
      last_used_at timestamptz,
      ended_at timestamptz NOT NULL,
      reason text NOT NULL CHECK (reason IN ('account', 'client', 'code_replayed', 'token_reused', 'expired'))
    )`
  yield* sql`CREATE INDEX oauth_ended_grant_account ON oauth_ended_grant (account_id, ended_at)`

  // Every hash is the SHA-256 of a text that is random enough to need no salt. A used code is kept for a while, so that a
  // second use is noticed.
  yield* sql`
    CREATE TABLE oauth_code (
      hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
      grant_id integer NOT NULL REFERENCES oauth_grant ON DELETE CASCADE,
      redirect_uri text NOT NULL,
      challenge text NOT NULL CHECK (char_length(challenge) = 43),
      expires_at timestamptz NOT NULL,
      used_at timestamptz
    )`
  yield* sql`CREATE INDEX oauth_code_grant ON oauth_code (grant_id)`
  yield* sql`CREATE INDEX oauth_code_expires ON oauth_code (expires_at)`

  // account_id and resource are the grant's: with them, the path of every call reads one row by one index.
  yield* sql`
    CREATE TABLE oauth_access_token (
      hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
      grant_id integer NOT NULL REFERENCES oauth_grant ON DELETE CASCADE,
      account_id integer NOT NULL REFERENCES account,
      resource text NOT NULL,
      expires_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX oauth_access_token_grant ON oauth_access_token (grant_id)`
  yield* sql`CREATE INDEX oauth_access_token_expires ON oauth_access_token (expires_at)`

  // With the keys of server_key, the successor of a refresh token is made from the token itself, so that the same answer can
  // be given twice and no token is kept. Those that are rotated stay until the last refresh token made with them is gone.
  yield* sql`
    CREATE TABLE server_key (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      secret bytea NOT NULL CHECK (octet_length(secret) = 64),
      created_at timestamptz NOT NULL
    )`

  // superseded_at: when it was refreshed; successor: the hash of what it was refreshed to, made with the key key_id.
  yield* sql`
    CREATE TABLE oauth_refresh_token (
      hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
      grant_id integer NOT NULL REFERENCES oauth_grant ON DELETE CASCADE,
      issued_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      superseded_at timestamptz,
      successor bytea CHECK (octet_length(successor) = 32),
      key_id integer REFERENCES server_key,
      CHECK ((superseded_at IS NULL) = (successor IS NULL) AND (superseded_at IS NULL) = (key_id IS NULL))
    )`
  yield* sql`CREATE INDEX oauth_refresh_token_grant ON oauth_refresh_token (grant_id, issued_at)`
  yield* sql`CREATE INDEX oauth_refresh_token_expires ON oauth_refresh_token (expires_at)`
  yield* sql`CREATE INDEX oauth_refresh_token_key ON oauth_refresh_token (key_id) WHERE key_id IS NOT NULL`
})
