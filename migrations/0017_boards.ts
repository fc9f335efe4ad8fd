/** Boards: what an account keeps of the catalog, with notes. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // used_at: when an item was last kept on it. The board that was used last is offered first.
  yield* sql`
    CREATE TABLE board (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account_id integer NOT NULL REFERENCES account ON DELETE CASCADE,
      name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
      used_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX board_account ON board (account_id, used_at)`

  // item_id is no reference: a page says which kept items are no longer in the catalog. note: empty for none.
  yield* sql`
    CREATE TABLE kept_item (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      board_id integer NOT NULL REFERENCES board ON DELETE CASCADE,
      kind text NOT NULL CHECK (kind IN ('ad', 'product', 'store')),
      item_id integer NOT NULL CHECK (item_id > 0),
      note text NOT NULL DEFAULT '' CHECK (char_length(note) <= 500),
      kept_at timestamptz NOT NULL,
      UNIQUE (board_id, kind, item_id)
    )`
  yield* sql`CREATE INDEX kept_item_board ON kept_item (board_id, id)`
})
