/** Sessions of the pages, and the counters that limit sign-ins and pages of the catalog. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // hash: SHA-256 of the cookie's value, which is random and needs no salt. A session that has ended is deleted.
  // browser, system: names from our own list, such as "Firefox" and "Linux", never text that the browser sent.
  yield* sql`
    CREATE TABLE session (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
      created_at timestamptz NOT NULL,
      last_used_at timestamptz NOT NULL,
      browser text CHECK (char_length(browser) BETWEEN 1 AND 30),
      system text CHECK (char_length(system) BETWEEN 1 AND 30)
    ) WITH (fillfactor = 80)`
  yield* sql`CREATE INDEX session_account ON session (account_id)`

  // Browsers in which the account has signed in. hash: SHA-256 of a cookie's value; several accounts may share a browser.
  yield* sql`
    CREATE TABLE known_browser (
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      hash bytea NOT NULL CHECK (octet_length(hash) = 32),
      signed_in_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, hash)
    )`
  yield* sql`CREATE INDEX known_browser_hash ON known_browser (hash)`

  // A leaky bucket for each key, which is a hash of what is counted: it is empty at empties_at and leaks evenly. A row whose
  // time has passed means the same as no row, and is deleted by later attempts.
  yield* sql`
    CREATE TABLE sign_in_attempt (
      key bytea PRIMARY KEY CHECK (octet_length(key) = 32),
      empties_at timestamptz NOT NULL
    ) WITH (fillfactor = 80)`
  yield* sql`CREATE INDEX sign_in_attempt_empties_at ON sign_in_attempt (empties_at)`

  // Page views of the catalog of an account on a day (UTC).
  yield* sql`
    CREATE TABLE page_view (
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      day date NOT NULL,
      views integer NOT NULL CHECK (views > 0),
      PRIMARY KEY (day, account_id)
    ) WITH (fillfactor = 80)`
})
