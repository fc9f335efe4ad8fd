/** Shares of registrations, sign-ins and page views, so that nobody uses up what others need. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // SHA-256 of the address that registered the app, and of its /48 of IPv6: registrations that nobody has let in are counted
  // by them. Not kept once somebody has.
  yield* sql`
    ALTER TABLE oauth_client
      ADD COLUMN address_hash bytea CHECK (octet_length(address_hash) = 32),
      ADD COLUMN site_hash bytea CHECK (octet_length(site_hash) = 32)`

  // Browsers in which the account has signed in. hash: SHA-256 of a cookie's value, which is random enough to need no salt;
  // one browser may know several accounts.
  yield* sql`
    CREATE TABLE known_browser (
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      hash bytea NOT NULL CHECK (octet_length(hash) = 32),
      signed_in_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, hash)
    )`
  yield* sql`CREATE INDEX known_browser_hash ON known_browser (hash)`

  // How many pages of the catalog an account has looked at on a day (UTC).
  yield* sql`
    CREATE TABLE page_look (
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      day date NOT NULL,
      looks integer NOT NULL CHECK (looks > 0),
      PRIMARY KEY (day, account_id)
    ) WITH (fillfactor = 80)`
})
