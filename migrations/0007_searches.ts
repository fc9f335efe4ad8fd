/** Searches of the catalog's pages that accounts have saved. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // query: the canonical query of the search's address, without its page. looked_at: when its results were last shown. mark: the
  // highest id that the subject had in the index then; results with a higher one are new.
  yield* sql`
    CREATE TABLE saved_search (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      subject text NOT NULL CHECK (subject IN ('ads', 'products', 'stores')),
      query text NOT NULL CHECK (char_length(query) <= 8000),
      name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
      looked_at timestamptz NOT NULL,
      mark integer NOT NULL CHECK (mark >= 0)
    )`
  yield* sql`CREATE INDEX saved_search_account ON saved_search (account_id, id)`
})
