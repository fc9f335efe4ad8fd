/** The webhook of an account, which gets what has changed of its tracked stores (D114). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // secret: signs messages. language: of the page on which the address was last set. change: changes up to this id were delivered.
  // message_id, message, message_change: what is delivered next, kept over its attempts, and up to which change; NULL before it is
  // made. due_at: not tried before. lease: of who tries it; taken_until: a server tries it; after this time it has ended.
  // failing_since: of the first of the attempts that failed, as many as `attempts`.
  yield* sql`
    CREATE TABLE webhook (
      account_id integer PRIMARY KEY REFERENCES account ON DELETE CASCADE,
      url text NOT NULL CHECK (char_length(url) BETWEEN 1 AND 2000),
      secret bytea NOT NULL CHECK (octet_length(secret) = 32),
      language text NOT NULL CHECK (char_length(language) BETWEEN 2 AND 10),
      change bigint NOT NULL CHECK (change >= 0),
      message_id text,
      message text,
      message_change bigint,
      due_at timestamptz NOT NULL,
      lease integer NOT NULL DEFAULT 0,
      taken_until timestamptz,
      attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
      failing_since timestamptz,
      last_outcome text CHECK (last_outcome IN ('sent', 'refused', 'failed')),
      last_status integer,
      last_at timestamptz,
      disabled_at timestamptz,
      CHECK ((message_id IS NULL) = (message IS NULL) AND (message_id IS NULL) = (message_change IS NULL)),
      CHECK ((failing_since IS NULL) = (attempts = 0)),
      CHECK ((last_outcome IS NULL) = (last_at IS NULL))
    )`
  yield* sql`CREATE INDEX webhook_due_at ON webhook (due_at) WHERE disabled_at IS NULL`
})
