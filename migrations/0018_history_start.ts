/**
 * From where on the log of changes leads to what a store has now (D112): an import that does not write to the log, and a forgotten
 * source, change what the log does not tell.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // version: changes of later versions lead to the present. as_of: the newest day of data at that version.
  // Without a row, the log has all of the store since it appeared there, or since the oldest change that is kept.
  yield* sql`
    CREATE TABLE history_start (
      shop_id integer NOT NULL REFERENCES shop ON DELETE CASCADE,
      part text NOT NULL CHECK (part IN ('figures', 'products', 'ads')),
      version integer NOT NULL,
      as_of date NOT NULL,
      PRIMARY KEY (shop_id, part)
    )`
  // What changed the stores that are stored already is not known.
  yield* sql`
    INSERT INTO history_start (shop_id, part, version, as_of)
    SELECT shop.id, part, catalog.version, coalesce((SELECT max(as_of) FROM import), (now() AT TIME ZONE 'UTC')::date)
    FROM shop CROSS JOIN catalog CROSS JOIN unnest('{figures,products,ads}'::text[]) AS part`
  // Ads that have left a store for another one: the change has the store that they have now in shop_id.
  yield* sql`CREATE INDEX change_left ON change (old, id) WHERE kind = 'ad_moved' AND old IS NOT NULL`
})
