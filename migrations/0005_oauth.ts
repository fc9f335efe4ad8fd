/**
 * Apps, what accounts granted to them, and the codes and tokens of each grant. These are deleted with the grant's row, so
 * revoking is one DELETE that every server sees at the next request.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // granted_at: when an account last allowed the app. address_hash, site_hash: SHA-256 of the address that registered the app,
  // and of its /48 of IPv6. Registrations without a grant are counted by them; the first grant clears them.
  yield* sql`
    CREATE TABLE oauth_client (
      id text PRIMARY KEY CHECK (id ~ '^doc_[0-9A-Za-z]{43}$'),
      name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
      redirect_uris jsonb NOT NULL,
      auth_method text NOT NULL CHECK (auth_method IN ('none', 'client_secret_basic', 'client_secret_post')),
      secret_hash bytea CHECK (octet_length(secret_hash) = 32),
      created_at timestamptz NOT NULL,
      granted_at timestamptz,
      address_hash bytea CHECK (octet_length(address_hash) = 32),
      site_hash bytea CHECK (octet_length(site_hash) = 32),
      CHECK ((auth_method = 'none') = (secret_hash IS NULL))
    )`
  yield* sql`CREATE INDEX oauth_client_unused ON oauth_client (created_at) WHERE granted_at IS NULL`
  yield* sql`CREATE INDEX oauth_client_granted ON oauth_client (granted_at) WHERE granted_at IS NOT NULL`

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
  // Anyone who sends the address of a metadata document to `/token` causes a search for its grants. Addresses have at most
  // 2,048 ASCII characters, and an entry of the index holds 2,704 bytes. Many grants of one app share an entry, where a hash
  // index would form a chain.
  yield* sql`CREATE INDEX oauth_grant_client ON oauth_grant (client_id)`
  yield* sql`CREATE INDEX oauth_grant_usable ON oauth_grant (usable_until)`

  // Names the ledger's credential ids after the grant has ended, and says why it ended.
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
  yield* sql`CREATE INDEX oauth_ended_grant_client ON oauth_ended_grant (client_id)`
  yield* sql`CREATE INDEX oauth_ended_grant_ended ON oauth_ended_grant (ended_at)`

  // Every hash is the SHA-256 of a random text, which needs no salt. A used code is kept for a while, so that a second use is
  // noticed.
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

  // A consent page that waits for its answer. hash: SHA-256 of a random value in the page's form. The answer deletes the row,
  // so that there is only one; the end of the session deletes it, so that nobody else answers.
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
