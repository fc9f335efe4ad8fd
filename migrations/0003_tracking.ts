/** Which stores an account follows, and which are its own brand's: `is_tracked` in results, and who may see product details. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A store that is the account's own needs no tracking, so one row says which of the two it is.
  yield* sql`
    CREATE TABLE tracked_shop (
      account_id integer NOT NULL REFERENCES account,
      shop_id integer NOT NULL REFERENCES shop ON DELETE CASCADE,
      kind text NOT NULL CHECK (kind IN ('tracked', 'own')),
      since timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (account_id, shop_id)
    )`
  yield* sql`CREATE INDEX tracked_shop_shop ON tracked_shop (shop_id)`
})
