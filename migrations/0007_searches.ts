/** Searches of the catalog's pages: those that accounts have saved, and the last ones that they were shown. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

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

  // searches: latest first, each with subject, query (as above) and at, in milliseconds. One row an account, so that one statement
  // keeps the limit, also when two run at once.
  yield* sql`
    CREATE TABLE recent_search (
      account_id integer PRIMARY KEY REFERENCES account ON DELETE CASCADE,
      searches jsonb NOT NULL CHECK (jsonb_array_length(searches) BETWEEN 1 AND 5)
    )`
})
